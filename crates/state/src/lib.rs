//! Values by reference: what tools return is kept under a key, what tools need is passed by handle.
//!
//! A large or authoritative value never passes through a model. [`capture`](capture()) takes it out of a tool's result and
//! leaves a note with its key; the model passes `@state:<key>`; [`resolve`](resolve()) puts the value back before the server
//! is called, or refuses the call. The crate works with any MCP server, from the JSON of its tool list and of its results.
//!
//! It does no I/O and reads no clock: turn numbers and call ids come in as arguments, [`Warning`]s go out as values.
//!
//! ```
//! use std::sync::Arc;
//! use periplus_state::{CaptureLimits, Connection, Reply, State, Toolbox, capture, resolve};
//! use serde_json::json;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let search = json!({
//!     "name": "search",
//!     "_meta": { "io.developmentseed.toolsets/produces": [{ "stateKey": "places/search/area", "field": "area" }] },
//! });
//! let clip = json!({
//!     "name": "clip",
//!     "inputSchema": { "type": "object", "properties": { "area": { "type": "object" } }, "required": ["area"] },
//!     "_meta": { "io.developmentseed.toolsets/notAuthored": ["area"] },
//! });
//! let servers = [
//!     (Arc::new(Connection::new("places")?), vec![search]),
//!     (Arc::new(Connection::new("raster")?), vec![clip]),
//! ];
//! let (toolbox, _warnings) = Toolbox::bind(&servers, &["inspect_state"]);
//! let mut state = State::default();
//! state.start_turn(1);
//!
//! // The model calls `search`; its server answers.
//! let search = toolbox.get("search").ok_or("bound above")?;
//! let arguments = json!({ "query": "severn" }).as_object().cloned().unwrap_or_default();
//! let call = resolve(search, arguments, &state).map_err(|refusal| refusal.to_string())?;
//! let result = json!({ "structuredContent": { "message": "Found it.", "area": { "type": "Point", "coordinates": [-2, 52] } } });
//! let captured = capture(search, Reply::from_result(result), &call.inputs, &call.receipts, CaptureLimits::default());
//! state.apply(captured.writes);
//! assert!(captured.text.starts_with("Found it.\n\n[state updated: places/search/area — "));
//!
//! // The model passes the area on without ever having seen it.
//! let clip = toolbox.get("clip").ok_or("bound above")?;
//! let arguments = json!({ "area": "@state:places/search/area" }).as_object().cloned().unwrap_or_default();
//! let call = resolve(clip, arguments, &state).map_err(|refusal| refusal.to_string())?;
//! assert_eq!(call.arguments["area"]["type"], "Point");
//!
//! // A value of its own is refused.
//! let arguments = json!({ "area": { "type": "Point" } }).as_object().cloned().unwrap_or_default();
//! assert!(resolve(clip, arguments, &state).is_err());
//! # Ok(())
//! # }
//! ```

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
