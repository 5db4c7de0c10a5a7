//! The seam: what every model does, whoever runs it.

use std::fmt::Debug;

use futures::{StreamExt, future::BoxFuture, stream::BoxStream};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tokio_util::sync::CancellationToken;

use crate::{AssistantMessage, ChatError, ChatRequest, ModelName};

/// The events of one call. It ends after [`ChatEvent::Finished`] or after the first error; dropping it ends the call.
pub type ChatStream = BoxStream<'static, Result<ChatEvent, ChatError>>;

/// A model that answers conversations.
pub trait ChatModel: Debug + Send + Sync {
    /// Which model this is.
    fn name(&self) -> &ModelName;

    /// Starts a call. Nothing is sent before the stream is polled; cancelling `cancel` ends it with
    /// [`ChatError::Cancelled`] and closes the connection.
    fn stream(&self, request: ChatRequest, cancel: CancellationToken) -> ChatStream;

    /// Waits for the whole answer.
    fn reply(
        &self,
        request: ChatRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<Reply, ChatError>> {
        let mut stream = self.stream(request, cancel);
        let model = self.name().clone();
        Box::pin(async move {
            while let Some(event) = stream.next().await {
                if let ChatEvent::Finished(reply) = event? {
                    return Ok(reply);
                }
            }
            Err(ChatError::Interrupted {
                model,
                reason: "the stream ended without an answer".to_owned(),
            })
        })
    }
}

/// A piece of an answer. Deltas only: a consumer that joins them has what [`Reply`] holds.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ChatEvent {
    /// More visible text.
    Text(String),
    /// More of the model's reasoning, where the provider shows it.
    Reasoning(String),
    /// A tool call begins.
    ToolCallStarted {
        /// The call's position in the answer, from 0.
        index: usize,
        /// The call's id.
        id: String,
        /// The tool's name as declared.
        name: String,
    },
    /// More of a call's arguments, as JSON text.
    ToolCallArguments {
        /// The call's position in the answer.
        index: usize,
        /// The text to append.
        delta: String,
    },
    /// The attempt failed before it said anything and is repeated.
    Retrying {
        /// The attempt that comes next, from 2.
        attempt: u32,
        /// How long we wait before.
        wait: std::time::Duration,
        /// What happened, in the words of the error.
        reason: String,
    },
    /// The whole answer; always the last event of a call that succeeds.
    Finished(Reply),
}

/// A complete answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What to append to the conversation.
    pub message: AssistantMessage,
    /// The reasoning shown on the way; empty for most models.
    pub reasoning: String,
    /// Why the model stopped.
    pub stop_reason: StopReason,
    /// What it cost.
    pub usage: Usage,
}

impl Reply {
    /// The answer read as JSON, for a request with a [`JsonFormat`](crate::JsonFormat). A Markdown fence around it is
    /// tolerated; anything else is [`ChatError::Malformed`].
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, ChatError> {
        serde_json::from_str(unfenced(&self.message.text)).map_err(|error| ChatError::Malformed {
            what: format!("the answer does not fit the JSON that was asked for ({error})"),
        })
    }
}

/// The text inside a Markdown fence, if all of it is one.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let Some(inner) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else {
        return text;
    };
    inner.strip_prefix("json").unwrap_or(inner).trim()
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It said what it had to say.
    Complete,
    /// It waits for the results of its tool calls.
    ToolCalls,
    /// It ran into the output limit: text and the last call may be cut.
    MaxTokens,
    /// Something else, in the provider's word.
    Other(String),
}

/// Tokens of one call, as the provider counts them; absent where it does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens of the request.
    pub input_tokens: Option<u64>,
    /// Tokens of the answer, reasoning included.
    pub output_tokens: Option<u64>,
    /// Tokens of the request that came from the provider's cache.
    pub cached_tokens: Option<u64>,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn reply(text: &str) -> Reply {
        Reply {
            message: AssistantMessage {
                text: text.to_owned(),
                ..Default::default()
            },
            reasoning: String::new(),
            stop_reason: StopReason::Complete,
            usage: Usage::default(),
        }
    }

    #[test]
    fn json_is_read_with_and_without_a_fence() {
        for text in [
            "{\"a\":1}",
            " {\"a\":1}\n",
            "```json\n{\"a\":1}\n```",
            "```\n{\"a\":1}```",
        ] {
            assert_eq!(reply(text).json::<Value>().unwrap(), json!({"a": 1}), "{text}");
        }
    }

    #[test]
    fn an_answer_of_another_shape_is_malformed() {
        let error = reply("Sure! {\"a\":1}").json::<Value>().unwrap_err();
        assert!(matches!(&error, ChatError::Malformed { .. }), "{error}");
    }
}
