//! Values by reference: what tools return is kept under a key, what tools need is passed by handle.
//!
//! A large or authoritative value never passes through a model. [`capture`](capture()) takes it out of a tool's result and
//! leaves a note with its key; the model passes `@state:<key>`; [`resolve`](resolve()) puts the value back before the server
//! is called, or refuses the call. The crate works with any MCP server, from the JSON of its tool list and of its results.
//!
//! It does no I/O and reads no clock: turn numbers and call ids come in as arguments, [`Warning`]s go out as values.

#![warn(missing_docs)]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod activity;
mod artifact;
mod blob;
mod capture;
mod connection;
mod delta;
mod describe;
mod entry;
mod inspect;
mod key;
mod listing;
mod path;
mod plan;
mod prompt;
mod receipt;
mod refusal;
mod reply;
mod resolve;
mod schema;
mod secret;
mod state;
mod tool;
mod toolbox;
mod warning;

pub use activity::{consumed_activity, published_activity};
pub use artifact::Artifact;
pub use capture::{CaptureLimits, Captured, capture};
pub use connection::{Connection, ConnectionError, KeyPrefix, Receives};
pub use delta::{Detail, Operation, metadata, patch, resync, tool_state};
pub use describe::describe;
pub use entry::{Entry, Inputs, Origin, StoredValue, Write};
pub use inspect::{INSPECT_STATE, InspectRequest, Moment, TurnMiss, inspect, inspect_state_declaration};
pub use key::{HANDLE_PREFIX, KeyError, StateKey, handle_key};
pub use listing::listing;
pub use plan::{Call, waves};
pub use prompt::{BASE_PROMPT, STATE_PROMPT};
pub use receipt::{Receipt, Receipts};
pub use refusal::{NotAuthoredProblem, Reason, Refusal, Unresolved, UnresolvedReason};
pub use reply::Reply;
pub use resolve::{Resolved, resolve};
pub use state::{MAX_ENTRIES, MAX_STATE_BYTES, State};
pub use tool::{NOT_AUTHORED_META, PRODUCES_META, Tool};
pub use toolbox::Toolbox;
pub use warning::Warning;

/// A JSON object, with its keys in the order they were written.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;

/// An object of the given fields, in their order.
fn object<const N: usize>(fields: [(&str, serde_json::Value); N]) -> JsonObject {
    fields
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}
