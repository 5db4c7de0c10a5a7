//! What a turn tells while it runs: typed, free of any transport, in an order that consumers may rely on.
//!
//! [`TurnEvent::Started`] comes first. A message's [`TurnEvent::AnswerChunk`]s come before the [`TurnEvent::ToolStarted`]s
//! of its calls, all calls of one message are told before the first of their results, results come in the order of
//! completion, and a [`TurnEvent::StateChanged`] follows the result that caused it. [`TurnEvent::Finished`] comes last, unless
//! the turn fails: then the stream's last item is the error.

use std::sync::Arc;

use futures::stream::BoxStream;
use periplus_state::{Artifact, Detail, JsonObject, State, tool_state};
use serde::{Serialize, Serializer};

use crate::{AgentError, RunId, ThreadId, ToolSource, TurnResult};

/// The events of one run. It ends after [`TurnEvent::Finished`] or the first error; dropping it cancels the run.
pub type TurnStream = BoxStream<'static, Result<TurnEvent, AgentError>>;

/// A moment of a turn.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum TurnEvent {
    /// The run holds its thread and has read it.
    Started {
        /// The thread.
        thread: ThreadId,
        /// The run.
        run: RunId,
        /// The turn; the first is 1.
        turn: u32,
        /// Id under which the thread stores the question.
        message_id: String,
        /// Session state as the thread held it. It serialises as the metadata of its entries.
        #[serde(serialize_with = "as_metadata")]
        state: Arc<State>,
    },
    /// More of the answer's text.
    AnswerChunk {
        /// Id under which the thread will store the message.
        id: String,
        /// The text to append.
        text: String,
    },
    /// More of the model's reasoning, where the provider shows it; the thread does not keep it.
    Reasoning {
        /// Id of the message it leads to.
        id: String,
        /// The text to append.
        text: String,
    },
    /// The model could not be asked and is asked again.
    Retrying {
        /// The attempt that comes next, from 2.
        attempt: u32,
        /// How long we wait before, in milliseconds.
        wait_ms: u64,
        /// What happened.
        reason: String,
    },
    /// A call begins.
    ToolStarted {
        /// Id of the call.
        id: String,
        /// The tool by the name the model uses.
        name: String,
        /// The complete arguments as the model wrote them: an object, or a string that is no JSON object.
        arguments: serde_json::Value,
        /// Id of the assistant message that holds the call.
        message_id: String,
        /// Which tool of which server it is; nothing for one of the host's own.
        #[serde(skip_serializing_if = "Option::is_none")]
        source: Option<ToolSource>,
    },
    /// A call has its result.
    ToolFinished {
        /// Id of the call.
        id: String,
        /// The tool by the name the model uses.
        name: String,
        /// The text the model sees.
        content: String,
        /// Whether the call failed.
        is_error: bool,
        /// Id under which the thread stores the result.
        message_id: String,
        /// Which tool of which server it was.
        #[serde(skip_serializing_if = "Option::is_none")]
        source: Option<ToolSource>,
        /// What the call received from session state and published to it.
        artifact: Artifact,
    },
    /// Session state has changed.
    StateChanged {
        /// All of it. It serialises as the metadata of its entries.
        #[serde(serialize_with = "as_metadata")]
        state: Arc<State>,
    },
    /// The run is over: the turn is finished, or waits for the person to answer [`TurnResult::interrupts`].
    Finished(Box<TurnResult>),
}

/// Values stay where they are: what leaves is which keys there are, how large they are, and who wrote them.
pub(crate) fn as_metadata<S: Serializer>(state: &Arc<State>, serializer: S) -> Result<S::Ok, S::Error> {
    let metadata: JsonObject = tool_state(state, Detail::Provisional);
    metadata.serialize(serializer)
}
