//! The server half: any set of toolsets on one address, stateless, both protocol eras.
//!
//! A request passes `http` (who may ask, in what form), `protocol` (which era, which method), `handler`
//! (which answer) and, for a tool, `call`. Everything that does not change is serialised once, at the start.
//! Nothing is kept between requests, but for what a toolset declares that needs it and a server of one process can
//! offer: `tasks`, and the questions of a `dialogue` with a legacy client.

mod bind;
mod call;
mod config;
mod connections;
mod content;
mod dialogue;
mod directory;
mod endpoint;
mod entries;
mod error;
mod front;
mod gate;
mod handler;
mod http;
mod index;
mod listen;
mod notify;
mod openapi;
mod pages;
mod prompts;
mod protocol;
mod published;
mod resources;
mod round;
mod routes;
mod seal;
mod serve;
mod stdio;
mod stream;
mod tasks;
mod telemetry;

pub use config::{ServerConfig, ServerLimits};
pub use connections::Connections;
pub use error::ServeError;
pub use openapi::interface;
pub use pages::docs as docs_page;
pub use protocol::REFUSALS;
pub use serve::Server;
pub use stdio::StdioServer;
