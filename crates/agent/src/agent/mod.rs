//! The agent: a model, tools and a store, and the runs that go on with them.

mod builder;
mod running;

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use futures::StreamExt;
use periplus_llm::ChatModel;
use periplus_runtime::client::{Client, Credentials};
use periplus_state::INSPECT_STATE;
use tokio::{
    sync::{Mutex as AsyncMutex, mpsc},
    time::{Instant, timeout},
};
use tracing::{Instrument, Span, instrument::WithSubscriber};

pub use self::builder::AgentBuilder;
use self::running::{Running, RunningGuard};
use crate::{
    AgentError, AgentSettings, Answers, Checkpoints, Clock, HostTool, INTERRUPT, Note, Opening, RunContext,
    RunGuard, RunId, Thread, ThreadId, ToolsetSources, Toolsets, TurnEvent, TurnResult, TurnStream,
    UserMessage,
    interrupt::match_answers,
    log::Log,
    run::{Run, Start, stream},
};

/// Events that a run may be ahead of its consumer; beyond that it waits.
const EVENTS_AHEAD: usize = 64;

/// Tool lists younger than this are not read again when a thread begins.
const FRESH: Duration = Duration::from_secs(60);

/// Tool lists younger than this are not read again whatever happens: a server that is away must not slow every turn.
const RETRY_AFTER: Duration = Duration::from_secs(10);

/// How long a run waits for tools to be listed anew before it goes on with those that are known.
const REFRESH_WAIT: Duration = Duration::from_secs(2);

/// A model with tools, and threads to talk in. Clones are the same agent.
#[derive(Debug, Clone)]
pub struct Agent(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) checkpoints: Arc<dyn Checkpoints>,
    pub(crate) settings: AgentSettings,
    pub(crate) host_tools: Vec<Arc<dyn HostTool>>,
    pub(crate) note: Option<Note>,
    pub(crate) clock: Clock,
    client: Client,
    sources: ToolsetSources,
    /// What servers are shown while tools are listed.
    credentials: Credentials,
    toolsets: RwLock<Listing>,
    /// Held while tools are listed anew, so that it happens once.
    refreshing: AsyncMutex<()>,
    running: Arc<Running>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent")
            .field("model", self.model.name())
            .field("checkpoints", &self.checkpoints)
            .finish_non_exhaustive()
    }
}

/// The tools as they were listed.
struct Listing {
    toolsets: Arc<Toolsets>,
    at: Instant,
    /// A server was missing, or a call showed that the list is old.
    is_stale: bool,
}

impl Agent {
    /// Prepares an agent that answers with `model` and keeps its threads in `checkpoints`.
    pub fn builder(model: Arc<dyn ChatModel>, checkpoints: Arc<dyn Checkpoints>) -> AgentBuilder {
        AgentBuilder::new(model, checkpoints)
    }

    /// Answers a message, and tells how.
    ///
    /// The thread is claimed before this returns and released before the last event is sent.
    ///
    /// # Errors
    /// [`AgentError`] for a message that cannot be answered, a thread that is in use or waits for answers, and a store that
    /// fails. What goes wrong later is the last item of the stream.
    pub async fn stream_turn(
        &self,
        context: RunContext,
        message: UserMessage,
    ) -> Result<TurnStream, AgentError> {
        let limit = self.0.settings.limits.message_bytes;
        if message.text.trim().is_empty() {
            return Err(AgentError::EmptyMessage);
        }
        if message.text.len() > limit {
            let bytes = message.text.len();
            return Err(AgentError::MessageTooLong { bytes, limit });
        }
        let claim = self.claim(&context).await?;
        let thread = match self.load_for(&context).await? {
            Some(thread) if !thread.questions.is_empty() => {
                return Err(AgentError::Paused {
                    interrupts: thread.interrupts(),
                    thread: context.thread,
                });
            }
            Some(thread) => thread,
            None => Thread::new(context.thread.clone(), self.opening(&context, &message)),
        };
        Ok(self.start(context, thread, claim, Start::Message(message)))
    }

    /// Goes on with a turn that waits for answers, and tells how.
    ///
    /// # Errors
    /// [`AgentError`] for answers that do not fit the open questions, a thread that is in use or does not exist, and a store
    /// that fails. What goes wrong later is the last item of the stream.
    pub async fn resume(&self, context: RunContext, answers: Answers) -> Result<TurnStream, AgentError> {
        let claim = self.claim(&context).await?;
        let thread = self
            .load_for(&context)
            .await?
            .ok_or_else(|| AgentError::NoSuchThread(context.thread.clone()))?;
        let start = match match_answers(&thread.questions, &answers) {
            Ok(matched) => Start::answers(&matched)?,
            Err(problem) => {
                return Err(AgentError::AnswersDoNotFit {
                    interrupts: thread.interrupts(),
                    thread: context.thread,
                    problem,
                });
            }
        };
        Ok(self.start(context, thread, claim, start))
    }

    /// Answers a message and waits for the end of it.
    ///
    /// # Errors
    /// Everything that can go wrong on the way.
    pub async fn run_turn(
        &self,
        context: RunContext,
        message: UserMessage,
    ) -> Result<TurnResult, AgentError> {
        let thread = context.thread.clone();
        let stream = self.stream_turn(context, message).await?;
        result(stream, thread).await
    }

    /// Goes on with a turn and waits for the end of it.
    ///
    /// # Errors
    /// Everything that can go wrong on the way.
    pub async fn resume_turn(&self, context: RunContext, answers: Answers) -> Result<TurnResult, AgentError> {
        let thread = context.thread.clone();
        let stream = self.resume(context, answers).await?;
        result(stream, thread).await
    }

    /// Cancels a run of this process, and says whether there was one. What it had finished stays in its thread.
    pub fn cancel(&self, run: &RunId) -> bool {
        self.0.running.cancel(run, |_owner| true)
    }

    /// As [`cancel`](Self::cancel), but only a run whose owner is an accepted one.
    pub fn cancel_if(&self, run: &RunId, accepts: impl FnOnce(Option<&str>) -> bool) -> bool {
        self.0.running.cancel(run, accepts)
    }

    /// Reads a thread; nothing if there is none.
    ///
    /// # Errors
    /// Every failure of the store.
    pub async fn thread(&self, id: &ThreadId) -> Result<Option<Thread>, AgentError> {
        self.load(id).await
    }

    /// Removes a thread with everything that it published, and says whether there was one.
    ///
    /// # Errors
    /// [`CheckpointError::Busy`](crate::CheckpointError::Busy) while a run holds it, and every failure of the store.
    pub async fn delete(&self, id: &ThreadId) -> Result<bool, AgentError> {
        let _guard = self.0.checkpoints.lock(id, &RunId::random()).await?;
        Ok(self.0.checkpoints.delete(id).await?)
    }

    /// Where threads are kept.
    #[must_use]
    pub fn checkpoints(&self) -> &dyn Checkpoints {
        self.0.checkpoints.as_ref()
    }

    /// The model that answers unless a run brings its own.
    #[must_use]
    pub fn model(&self) -> &dyn ChatModel {
        self.0.model.as_ref()
    }

    /// The connected servers and their tools.
    #[must_use]
    pub fn toolsets(&self) -> Arc<Toolsets> {
        self.0.toolsets()
    }

    /// Reads the tool lists of all servers anew. It happens by itself when a thread begins, and after a call that shows that
    /// a list is old.
    pub async fn refresh(&self) {
        self.0.refresh().await;
    }

    /// Claims the id of a run, then its thread.
    async fn claim(&self, context: &RunContext) -> Result<Claim, AgentError> {
        Ok(Claim {
            running: self.0.running.enter(context)?,
            _thread: self.0.checkpoints.lock(&context.thread, &context.run).await?,
        })
    }

    /// Reads the thread of a run, if it may go on with it.
    async fn load_for(&self, context: &RunContext) -> Result<Option<Thread>, AgentError> {
        let thread = self.load(&context.thread).await?;
        let is_others = |thread: &Thread| thread.head.opening.owner != context.owner;
        if context.own_threads_only && thread.as_ref().is_some_and(is_others) {
            return Err(AgentError::NoSuchThread(context.thread.clone()));
        }
        Ok(thread)
    }

    async fn load(&self, id: &ThreadId) -> Result<Option<Thread>, AgentError> {
        Ok(Thread::load(self.0.checkpoints.as_ref(), id).await?)
    }

    fn opening(&self, context: &RunContext, message: &UserMessage) -> Opening {
        Opening {
            created_at: (self.0.clock)(),
            owner: context.owner.clone(),
            question: message.text.clone(),
        }
    }

    /// Starts a run in a task of its own: it ends in order even if nobody listens any more. What the host has set around the
    /// call for tracing goes along.
    fn start(&self, context: RunContext, thread: Thread, claim: Claim, start: Start) -> TurnStream {
        let (events, received) = mpsc::channel(EVENTS_AHEAD);
        let cancel = claim.running.cancel.clone();
        let id = context.thread.clone();
        let log = Log::new(Arc::clone(&self.0.checkpoints), thread);
        let run = Run::new(Arc::clone(&self.0), context, log, events, cancel.clone());
        let task = async move {
            let last = run.drive(start).await;
            // Whoever reads the last event may start the next run at once.
            drop(claim);
            last.send().await;
        };
        tokio::spawn(task.instrument(Span::current()).with_current_subscriber());
        stream(received, cancel, id)
    }
}

async fn result(mut stream: TurnStream, thread: ThreadId) -> Result<TurnResult, AgentError> {
    while let Some(event) = stream.next().await {
        if let TurnEvent::Finished(result) = event? {
            return Ok(*result);
        }
    }
    Err(AgentError::BrokenOff(thread))
}

/// What a run holds while it is in progress.
struct Claim {
    running: RunningGuard,
    /// The thread is free when this is dropped.
    _thread: RunGuard,
}

impl Inner {
    pub(crate) fn toolsets(&self) -> Arc<Toolsets> {
        let listing = self.toolsets.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&listing.toolsets)
    }

    /// The tools for a run: read anew if the list is known to be old, or if a thread begins and it could be.
    ///
    /// A run waits a moment for that and no longer: a server that hangs must not hold up people who do not need it.
    pub(crate) async fn toolsets_for(self: &Arc<Self>, is_first_turn: bool) -> Arc<Toolsets> {
        let is_due = {
            let listing = self.toolsets.read().unwrap_or_else(PoisonError::into_inner);
            let age = listing.at.elapsed();
            (listing.is_stale && age > RETRY_AFTER) || (is_first_turn && age > FRESH)
        };
        if is_due {
            let agent = Arc::clone(self);
            let refreshing = tokio::spawn(async move { agent.refresh().await });
            let _elapsed = timeout(REFRESH_WAIT, refreshing).await;
        }
        self.toolsets()
    }

    /// Says that the tool lists are old: the next run reads them anew.
    pub(crate) fn mark_stale(&self) {
        self.toolsets
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .is_stale = true;
    }

    async fn refresh(&self) {
        let asked_at = Instant::now();
        let _refreshing = self.refreshing.lock().await;
        {
            let listing = self.toolsets.read().unwrap_or_else(PoisonError::into_inner);
            if listing.at > asked_at {
                return;
            }
        }
        let listing = self.list().await;
        *self.toolsets.write().unwrap_or_else(PoisonError::into_inner) = listing;
    }

    /// Lists the tools of every server.
    async fn list(&self) -> Listing {
        let names = self.own_tool_names();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let toolsets = Toolsets::connect(
            &self.client,
            &self.sources,
            &self.credentials,
            &names,
            &self.toolsets(),
        )
        .await;
        Listing {
            is_stale: !toolsets.unreachable().is_empty(),
            toolsets: Arc::new(toolsets),
            at: Instant::now(),
        }
    }

    /// Names that no server's tool is offered under.
    fn own_tool_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .host_tools
            .iter()
            .map(|tool| tool.definition().name)
            .collect();
        if self.settings.session_state {
            names.push(INSPECT_STATE.to_owned());
        }
        if self.settings.question_options.is_some() {
            names.push(INTERRUPT.to_owned());
        }
        names
    }
}
