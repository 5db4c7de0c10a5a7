//! What a message says: JSON-RPC envelopes, protocol versions and eras, protocol errors.
//!
//! The server speaks the wire itself instead of going through the SDK's HTTP service. That service writes every
//! request with its arguments to the debug log, answers malformed messages with the wrong status, and runs two
//! tasks a request; the SDK is used as a client, and as the peer in tests.

mod distinct;
mod envelope;
mod error;
mod headers;
mod version;

/// The extension under which calls become tasks.
pub(super) const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

pub(super) use envelope::{Message, Meta, Params, Request, Response, text_of};
pub use error::REFUSALS;
pub(super) use error::RpcError;
pub(super) use headers::{
    METHOD_HEADER, NAME_HEADER, ParamHeaders, check_method_header, check_routing_headers,
};
pub(super) use version::{Era, LATEST_LEGACY, LEGACY, SUPPORTED, VERSION_HEADER, era_of, era_of_header};
