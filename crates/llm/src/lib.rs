//! Chat models behind one trait: messages, tool calls, structured output, streaming.
//!
//! This crate is told everything it needs: which model, which key, which address. It reads no environment and no files
//! and knows nothing of toolsets or agents. One surprise: a [`ChatModel`] always streams, [`ChatModel::reply`] only waits
//! for the end of the stream.
//!
//! ```
//! use periplus_llm::{ChatModel, ChatRequest, Message, ModelName, ModelSettings, connect};
//! use tokio_util::sync::CancellationToken;
//!
//! # async fn ask() -> Result<(), Box<dyn std::error::Error>> {
//! let name: ModelName = "ollama:qwen3:8b".parse()?;
//! let model = connect(&name, ModelSettings::default())?;
//! let request = ChatRequest::new(vec![Message::user("Where does the Thames end?")]);
//! let reply = model.reply(request, CancellationToken::new()).await?;
//! assert!(!reply.message.text.is_empty());
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]
#![cfg_attr(
    test,
    expect(
        clippy::needless_pass_by_value,
        reason = "json!(…) reads best where it stands"
    )
)]

pub mod guide;
pub mod scripted;

mod connect;
mod error;
mod message;
mod model;
mod name;
mod provider;
mod request;
mod secret;
mod settings;
mod spoken;

pub use crate::{
    connect::connect,
    error::{ChatError, NameError, TimeoutPhase},
    message::{AssistantMessage, Continuation, MalformedArguments, Message, ToolCall, ToolResult},
    model::{ChatEvent, ChatModel, ChatStream, Reply, StopReason, Usage},
    name::{ModelName, Provider},
    request::{ChatRequest, Generation, JsonFormat, ToolChoice, ToolDefinition},
    secret::ApiKey,
    settings::{Limits, ModelSettings, Retries, Timeouts},
};
