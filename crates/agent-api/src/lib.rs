//! The agent over HTTP: runs as AG-UI event streams, and read routes over threads.
//!
//! ```no_run
//! use periplus_agent::Agent;
//! use periplus_agent_api::{Api, ApiConfig};
//!
//! # async fn host(agent: Agent, listener: tokio::net::TcpListener) {
//! let api = Api::new(ApiConfig::default());
//! // Until the agent is there, every route that needs it answers 503.
//! api.ready(agent);
//! let (stop, drain) = (tokio_util::sync::CancellationToken::new(), std::time::Duration::from_secs(10));
//! periplus_agent_api::serve(&api, listener, stop, drain).await;
//! # }
//! ```
//!
//! The history is the server's: a run sends one message, never the conversation. Values of session state stay on the
//! server too; clients see which keys there are, and read a value by asking for it.

#![warn(missing_docs)]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod activity;
mod api;
mod caller;
mod emitter;
mod error;
mod event;
mod extract;
mod guard;
mod input;
mod message;
mod openapi;
mod origin;
mod routes;
mod serve;
mod stream;
mod transcript;

pub use crate::{
    api::{Api, ApiConfig, ApiLimits},
    caller::{Owner, OwnerPolicy},
    event::{Event, Outcome, UsageEntry},
    message::{FunctionCall, Message, ToolCall},
    openapi::interface,
    origin::{Origin, OriginError},
    serve::serve,
};
