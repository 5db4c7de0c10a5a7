//! The server half: any set of toolsets on one address, stateless, both protocol eras.
//!
//! A request passes `http` (who may ask, in what form), `protocol` (which era, which method), `handler`
//! (which answer) and, for a tool, `call`. Everything that does not change is serialised once, at the start.
//! Nothing is kept between requests.

mod bind;
mod call;
mod config;
mod directory;
mod endpoint;
mod error;
mod front;
mod gate;
mod handler;
mod http;
mod index;
mod notify;
mod openapi;
mod pages;
mod protocol;
mod published;
mod routes;
mod serve;
mod stdio;
mod telemetry;

pub use config::{ServerConfig, ServerLimits};
pub use error::ServeError;
pub use protocol::REFUSALS;
pub use serve::Server;
pub use stdio::StdioServer;
