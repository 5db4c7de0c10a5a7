//! One run: ask the model, make the calls it wants, until it answers or the person has to.

mod answer;
mod calls;
mod citations;
mod ending;
mod events;
mod start;

use std::sync::Arc;

use periplus_llm::{ChatError, ChatModel, ToolCall, Usage};
use periplus_runtime::client::Credentials;
use tokio_util::sync::CancellationToken;

use self::{ending::Last, events::Events};
pub(crate) use self::{events::stream, start::Start};
use crate::{
    AgentError, CheckpointError, RunContext, RunId, Toolsets, TurnEvent, TurnOutcome, agent::Inner,
    conversation::Memory, log::Log,
};

/// A run on a thread.
pub(crate) struct Run {
    agent: Arc<Inner>,
    id: RunId,
    model: Arc<dyn ChatModel>,
    credentials: Credentials,
    toolsets: Arc<Toolsets>,
    log: Log,
    events: Events,
    cancel: CancellationToken,
    /// How much of the thread the model is shown.
    memory: Memory,
    /// Model calls so far.
    steps: u32,
    usage: Usage,
    /// Where the messages of this run begin.
    first_message: usize,
}

/// Why a run ends before its turn does what was asked.
enum Stop {
    Cancelled,
    Failed(AgentError),
}

impl From<AgentError> for Stop {
    fn from(error: AgentError) -> Self {
        match error {
            AgentError::Model(ChatError::Cancelled) => Self::Cancelled,
            error => Self::Failed(error),
        }
    }
}

impl From<CheckpointError> for Stop {
    fn from(error: CheckpointError) -> Self {
        Self::Failed(error.into())
    }
}

/// How a run comes to its end.
enum End {
    /// The turn is over.
    Over(TurnOutcome),
    /// The turn waits for the person.
    Asked,
}

impl Run {
    pub(crate) fn new(
        agent: Arc<Inner>,
        context: RunContext,
        log: Log,
        events: tokio::sync::mpsc::Sender<Result<TurnEvent, AgentError>>,
        cancel: CancellationToken,
    ) -> Self {
        Self {
            model: context.model.unwrap_or_else(|| Arc::clone(&agent.model)),
            id: context.run,
            credentials: context.credentials,
            toolsets: agent.toolsets(),
            events: Events::new(events, cancel.clone()),
            first_message: log.thread().messages.len(),
            agent,
            log,
            cancel,
            memory: Memory::Whole,
            steps: 0,
            usage: Usage::default(),
        }
    }

    /// Runs to the end. The last item is not sent yet: the thread is released before.
    pub(crate) async fn drive(mut self, start: Start) -> Last {
        let end = self.turn(start).await;
        self.end(end).await
    }

    async fn turn(&mut self, start: Start) -> Result<End, Stop> {
        if let Some(end) = self.begin(start).await? {
            return Ok(end);
        }
        loop {
            let budget = self.used_up();
            let (message_id, message) = self.ask(budget.is_some()).await?;
            let outcome = budget.map_or(TurnOutcome::Answered, |reason| TurnOutcome::Stopped { reason });
            if message.tool_calls.is_empty() || outcome != TurnOutcome::Answered {
                return Ok(End::Over(outcome));
            }
            if self.calls(&message_id, message.tool_calls).await? {
                return Ok(End::Asked);
            }
        }
    }

    /// The budget that is used up once the next model call is made; that call has to answer.
    fn used_up(&self) -> Option<String> {
        let limits = self.agent.settings.limits;
        if self.steps.saturating_add(1) >= limits.steps {
            return Some(format!("a turn has at most {} model calls", limits.steps));
        }
        let spent = self.usage.input_tokens.unwrap_or(0) + self.usage.output_tokens.unwrap_or(0);
        limits
            .tokens
            .filter(|limit| spent >= *limit)
            .map(|limit| format!("a turn has at most {limit} tokens"))
    }

    /// A call under an id that the thread does not hold yet: some models count from one again in every answer.
    fn with_new_id(&self, mut call: ToolCall, siblings: &[ToolCall]) -> ToolCall {
        let is_known = |id: &str| {
            id.is_empty()
                || self.log.thread().call(id).is_some()
                || siblings.iter().any(|other| other.id == id)
        };
        if is_known(&call.id) {
            let wanted = std::mem::replace(&mut call.id, crate::id::random_id());
            tracing::debug!(%wanted, id = %call.id, "a call came with an id that is taken");
        }
        call
    }
}
