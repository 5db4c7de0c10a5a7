//! The events of AG-UI that a run sends. Optional fields are left out, never null: clients reject null.

use periplus_agent::{Interrupt, RunId, ThreadId};
use periplus_state::Operation;
use serde::Serialize;
use serde_json::Value;

use crate::Message;

/// One event of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(
    tag = "type",
    rename_all = "SCREAMING_SNAKE_CASE",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
#[expect(
    missing_docs,
    reason = "the fields are those of the protocol, under its names"
)]
pub enum Event {
    /// Always first.
    RunStarted { thread_id: ThreadId, run_id: RunId },
    /// A text of the model begins.
    TextMessageStart { message_id: String, role: &'static str },
    /// More of it.
    TextMessageContent { message_id: String, delta: String },
    /// It is complete.
    TextMessageEnd { message_id: String },
    /// The model thinks, where its provider shows it.
    ReasoningStart { message_id: String },
    /// A thought begins.
    ReasoningMessageStart { message_id: String, role: &'static str },
    /// More of it.
    ReasoningMessageContent { message_id: String, delta: String },
    /// It is complete.
    ReasoningMessageEnd { message_id: String },
    /// The model has thought.
    ReasoningEnd { message_id: String },
    /// A call begins.
    ToolCallStart {
        tool_call_id: String,
        tool_call_name: String,
        parent_message_id: String,
    },
    /// Its arguments, all of them at once.
    ToolCallArgs { tool_call_id: String, delta: String },
    /// Its arguments are complete.
    ToolCallEnd { tool_call_id: String },
    /// What the model reads of its result.
    ToolCallResult {
        message_id: String,
        tool_call_id: String,
        content: String,
    },
    /// Which keys session state has, below `/toolState`.
    StateDelta { delta: Vec<Operation> },
    /// Something to show beside the messages.
    ActivitySnapshot {
        message_id: String,
        activity_type: &'static str,
        content: Value,
        replace: bool,
    },
    /// The thread as it is stored, without activities.
    MessagesSnapshot { messages: Vec<Message> },
    /// Anything the protocol has no event for.
    Custom { name: &'static str, value: Value },
    /// Last, if nothing failed.
    RunFinished {
        thread_id: ThreadId,
        run_id: RunId,
        outcome: Outcome,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        usage: Vec<UsageEntry>,
    },
    /// Last, if something failed.
    RunError {
        message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<&'static str>,
    },
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Outcome {
    /// With an answer.
    Success,
    /// With questions to the person.
    Interrupt {
        /// The questions; every one has to be answered at once.
        interrupts: Vec<Interrupt>,
    },
    /// Somebody cancelled it.
    Cancelled,
}

/// What a run cost, as far as the provider counts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageEntry {
    /// The model, as `provider:model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Tokens of the requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens of the answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Tokens of the requests that came from the provider's cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_input_tokens: Option<u64>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_has_the_names_of_the_protocol_and_no_null() {
        let finished = Event::RunFinished {
            thread_id: ThreadId::parse("t1").unwrap(),
            run_id: RunId::parse("r1").unwrap(),
            outcome: Outcome::Success,
            usage: Vec::new(),
        };
        assert_eq!(
            serde_json::to_value(finished).unwrap(),
            json!({"type": "RUN_FINISHED", "threadId": "t1", "runId": "r1", "outcome": {"type": "success"}})
        );
        let error = Event::RunError {
            message: "m".to_owned(),
            code: None,
        };
        assert_eq!(
            serde_json::to_value(error).unwrap(),
            json!({"type": "RUN_ERROR", "message": "m"})
        );
    }
}
