//! Plays one turn as a stream of events.

use std::{collections::VecDeque, time::Duration};

use futures::{StreamExt, stream};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::script::{FaultKind, Turn};
use crate::{
    AssistantMessage, ChatError, ChatEvent, ChatRequest, ChatStream, ModelName, Reply, StopReason, ToolCall,
    spoken,
};

pub(super) fn play(
    model: ModelName,
    turn: Turn,
    request: &ChatRequest,
    cancel: CancellationToken,
) -> ChatStream {
    let events = spoken::events(reply(&turn, calls(&turn, request)));
    let player = Player {
        model,
        turn,
        events,
        played: 0,
        done: false,
        cancel,
    };
    stream::unfold(player, |mut player| async move {
        player.next().await.map(|event| (event, player))
    })
    .boxed()
}

struct Player {
    model: ModelName,
    turn: Turn,
    events: VecDeque<ChatEvent>,
    played: usize,
    done: bool,
    cancel: CancellationToken,
}

impl Player {
    async fn next(&mut self) -> Option<Result<ChatEvent, ChatError>> {
        if self.done {
            return None;
        }
        let cancel = self.cancel.clone();
        let step = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ChatError::Cancelled),
            step = self.step() => step?,
        };
        self.done = step.is_err();
        Some(step)
    }

    async fn step(&mut self) -> Option<Result<ChatEvent, ChatError>> {
        if let Some(fault) = self
            .turn
            .fault
            .as_ref()
            .filter(|fault| fault.after == self.played)
        {
            return Some(Err(fail(&self.model, fault.kind).await));
        }
        if self.turn.delay_ms > 0 {
            tokio::time::sleep(Duration::from_millis(self.turn.delay_ms)).await;
        }
        self.played += 1;
        self.events.pop_front().map(Ok)
    }
}

async fn fail(model: &ModelName, kind: FaultKind) -> ChatError {
    let model = model.clone();
    let message = "as scripted".to_owned();
    match kind {
        FaultKind::Auth => ChatError::Auth { model, status: 401 },
        FaultKind::RateLimited => ChatError::RateLimited {
            model,
            retry_after: None,
            is_temporary: true,
            message,
        },
        FaultKind::Unavailable => ChatError::Unavailable {
            model,
            status: 503,
            message,
            retry_after: None,
        },
        FaultKind::ContextLength => ChatError::ContextLength { model, message },
        FaultKind::Refused => ChatError::Refused {
            model,
            reason: message,
        },
        FaultKind::Interrupted => ChatError::Interrupted {
            model,
            reason: message,
        },
        FaultKind::Stall => std::future::pending().await,
    }
}

fn calls(turn: &Turn, request: &ChatRequest) -> Vec<ToolCall> {
    turn.tool_calls
        .iter()
        .enumerate()
        .map(|(index, call)| ToolCall {
            id: call
                .id
                .clone()
                .unwrap_or_else(|| format!("call-{}-{index}", request.messages.len())),
            name: call.name.clone(),
            arguments: match &call.arguments {
                Value::Null => Value::Object(serde_json::Map::new()),
                arguments => arguments.clone(),
            },
            signatures: Vec::new(),
        })
        .collect()
}

fn reply(turn: &Turn, tool_calls: Vec<ToolCall>) -> Reply {
    let implied = if tool_calls.is_empty() {
        StopReason::Complete
    } else {
        StopReason::ToolCalls
    };
    Reply {
        message: AssistantMessage {
            text: turn.text.clone(),
            tool_calls,
            continuation: None,
        },
        reasoning: turn.reasoning.clone(),
        stop_reason: turn.stop_reason.clone().unwrap_or(implied),
        usage: turn.usage,
    }
}
