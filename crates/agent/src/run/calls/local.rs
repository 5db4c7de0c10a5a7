//! Calls that never leave the process: the host's tools, and looking at session state.

use std::{panic::AssertUnwindSafe, sync::Arc};

use futures::{FutureExt, future::BoxFuture};
use periplus_llm::{ToolCall, ToolResult};
use periplus_state::{InspectRequest, JsonObject, Moment, State, TurnMiss, inspect};
use tokio::time::timeout;
use tracing::error;

use super::Finished;
use crate::{
    CheckpointError, Checkpoints, HostTool, ThreadId, Toolsets, TurnState, run::Run, thread::state_at,
};

impl Run {
    pub(super) fn host_call(
        &self,
        tool: &Arc<dyn HostTool>,
        call: ToolCall,
        arguments: JsonObject,
    ) -> BoxFuture<'static, Finished> {
        let limit = self.agent.settings.limits.tool_timeout;
        let tool = Arc::clone(tool);
        // A panic in one tool ends its call, not the run.
        let work = AssertUnwindSafe(async move { tool.call(arguments).await }).catch_unwind();
        async move {
            let result = match timeout(limit, work).await {
                Ok(Ok(Ok(text))) => ToolResult::of(&call, text),
                Ok(Ok(Err(text))) => ToolResult::failed(&call, text),
                Ok(Err(_)) => {
                    error!(tool = call.name.as_str(), "a tool of the host panicked");
                    let text = format!("{} broke down. Say so, or go on without it.", call.name);
                    ToolResult::failed(&call, text)
                }
                Err(_) => ToolResult::failed(&call, super::remote::too_slow(&call.name, limit)),
            };
            Finished::own(result)
        }
        .boxed()
    }

    pub(super) fn inspect_call(
        &self,
        call: ToolCall,
        arguments: &JsonObject,
    ) -> BoxFuture<'static, Finished> {
        let looking = Looking {
            request: InspectRequest::from_arguments(arguments),
            state: Arc::clone(self.log.state()),
            toolsets: Arc::clone(&self.toolsets),
            store: Arc::clone(self.log.checkpoints()),
            thread: self.log.thread().head.id.clone(),
            turns: self.log.thread().head.turns,
        };
        async move {
            let result = match looking.look().await {
                Ok(text) => ToolResult::of(&call, text),
                Err(error) => ToolResult::failed(&call, error.to_string()),
            };
            Finished::own(result)
        }
        .boxed()
    }
}

/// A look at session state, now or at the end of an earlier turn.
struct Looking {
    request: InspectRequest,
    state: Arc<State>,
    toolsets: Arc<Toolsets>,
    store: Arc<dyn Checkpoints>,
    thread: ThreadId,
    turns: u32,
}

impl Looking {
    async fn look(self) -> Result<String, CheckpointError> {
        let answer = |moment: Moment<'_>| inspect(&self.request, moment, self.toolsets.toolbox());
        let Some(turn) = self.request.turn else {
            return Ok(answer(Moment::Now(&self.state)));
        };
        let found = state_at(self.store.as_ref(), &self.thread, self.turns, &self.state, turn).await?;
        Ok(match &found {
            TurnState::Found(state) => answer(Moment::AtTurn(turn, state)),
            TurnState::NoSuchTurn { turns } => answer(Moment::Missed(
                turn,
                TurnMiss::NoSuchTurn { turns_so_far: *turns },
            )),
            TurnState::Dropped { retained } => {
                answer(Moment::Missed(turn, TurnMiss::NoLongerRetained { retained }))
            }
        })
    }
}
