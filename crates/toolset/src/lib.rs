//! What a toolset author writes: typed tools, results, errors, credentials and views.
//!
//! A toolset is a list of async functions; their types and doc comments are the wire schema. Nothing here knows HTTP,
//! JSON-RPC or a model: the runtime serves a [`Toolset`], tests call it in process.
//!
//! # A complete toolset
//! ```
//! use periplus_toolset::{Concurrency, contract, prelude::*, testing};
//! use serde::{Deserialize, Serialize};
//! use std::time::Duration;
//!
//! /// How results are ordered.
//! #[derive(Debug, Deserialize, Serialize, JsonSchema)]
//! #[serde(rename_all = "lowercase")]
//! enum Order {
//!     /// Best match first.
//!     Best,
//!     /// Alphabetically.
//!     Title,
//! }
//!
//! #[derive(Debug, Serialize, JsonSchema)]
//! struct Collection {
//!     /// Stable id.
//!     id: String,
//!     /// Name for people.
//!     title: String,
//! }
//!
//! /// Collections that match a query.
//! #[derive(Debug, ToolResult)]
//! struct Found {
//!     /// What was found, in one sentence.
//!     message: String,
//!     /// Matching collections, in the order that was asked for.
//!     collections: Option<Vec<Collection>>,
//! }
//!
//! /// Search the catalogue by words.
//! #[tool(title = "Search collections", read_only, closed_world, timeout = "10s", concurrency = "catalogue")]
//! async fn search_collections(
//!     /// Words that must all occur.
//!     #[tool(max_length(200))]
//!     query: String,
//!     /// At most this many results.
//!     #[tool(default = 8, range(1..=50))]
//!     limit: u32,
//!     /// Order of the results.
//!     #[tool(default = Order::Best)]
//!     order: Order,
//!     /// Area to search in.
//!     #[tool(not_authored)]
//!     area: Option<JsonObject>,
//!     cx: &Context,
//! ) -> Result<Found, ToolError> {
//!     let titles = cx.state::<Vec<String>>().expect("the toolset is built with titles");
//!     if area.is_some_and(|area| !area.contains_key("type")) {
//!         return Err(ToolError::invalid_argument("/area", "is no GeoJSON: it has no `type`"));
//!     }
//!     let mut found: Vec<&String> = titles.iter().filter(|title| title.contains(&query)).collect();
//!     if found.is_empty() {
//!         return Err(ToolError::new("not_found", "no title has these words; try fewer"));
//!     }
//!     if let Order::Title = order {
//!         found.sort();
//!     }
//!     let collections: Vec<Collection> = found
//!         .into_iter()
//!         .take(limit as usize)
//!         .map(|title| Collection { id: title.to_lowercase(), title: title.clone() })
//!         .collect();
//!     Ok(Found { message: format!("{} collections found.", collections.len()), collections: Some(collections) })
//! }
//!
//! fn toolset() -> Toolset {
//!     let one_at_a_time = Concurrency { running: 1, waiting: 8, retry_after: Duration::from_secs(1) };
//!     Toolset::new("catalogue")
//!         .tool(search_collections)
//!         .view("search_collections", View::embedded("picker", "<!doctype html><title>Picker</title>"))
//!         .concurrency("catalogue", one_at_a_time)
//!         .credential_header("x-catalogue-token")
//!         .state(vec!["Landsat".to_owned(), "Sentinel".to_owned()])
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! // What a toolset's tests do:
//! contract::sweep(&toolset());
//! let output = testing::call(&toolset(), "search_collections", json!({ "query": "Land" })).await.unwrap();
//! assert_eq!(output.structured["collections"][0]["id"], "landsat");
//! # }
//! ```
//!
//! # What a call goes through
//! 1. The arguments are bounded in depth and size. A null for an optional parameter counts as absent; the text of a
//!    number, a truth value, a list or an object is read where the parameter takes no text; defaults are filled in.
//! 2. They are checked against the input schema. Every problem is in one [`Failure::Arguments`], unknown names with the
//!    nearest known one.
//! 3. The function runs with typed values.
//! 4. The result loses every undeclared key and is checked against the output schema. Its text is written once, from
//!    the checked value.
//!
//! # Errors
//! A tool ends in one of three ways, and three different people act on them:
//! - [`ToolError::new`] is an answer: the caller reads `{error, detail}` and does what `detail` says.
//! - [`Failure::Arguments`], [`ToolError::is_error`] and a missing credential are mistakes of the call.
//! - [`ToolError::internal`] and a broken contract are faults of the tool: the log has the cause, the caller an incident.

#![warn(missing_docs)]

mod access;
mod arguments;
mod builder;
mod caller;
mod changes;
mod content;
mod context;
pub mod contract;
mod error;
mod failure;
mod input;
mod output;
mod parameter;
mod problem;
mod prompt;
mod question;
mod resource;
mod result;
mod schema;
mod shape;
pub mod testing;
mod tool;
mod toolset;
mod view;

pub use access::{Access, Secret};
pub use builder::ToolBuilder;
pub use caller::{Asked, ClientCapabilities, Line};
pub use changes::{Change, Changes};
pub use content::{Block, Body, Content, Document, Media};
pub use context::{Context, ContextBuilder, LogLevel, Notification, NotificationSink};
pub use contract::ContractError;
pub use error::{MissingCredential, Refusal, ToolError};
pub use failure::{Failure, Problem, ProblemKind};
pub use output::Output;
pub use parameter::{NOT_AUTHORED_NOTE, Parameter};
pub use periplus_toolset_macros::{ToolResult, tool};
pub use prompt::{Prompt, PromptArgument, PromptArguments, PromptMessage, Speaker};
pub use question::{Answers, Capability, InputRequest, Question, Questions, Root};
pub use resource::{Resource, ResourceTemplate, Variables};
pub use result::{Answer, ResultSchema, ToolResult, ToolReturn};
pub use schemars::{self, JsonSchema};
pub use serde_json::{Value, json};
pub use tool::{Annotations, Declaration, Limits, TaskSupport, Tool};
pub use toolset::{Concurrency, LegacyStreams, Readiness, Toolset};
pub use view::{View, ViewSecurity};

/// A JSON object, with its keys in the order they were written.
pub type JsonObject = serde_json::Map<String, Value>;

/// What most toolsets name: `use periplus_toolset::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Content, Context, JsonObject, JsonSchema, Question, Tool, ToolError, ToolResult, Toolset, View, json,
        schemars, tool,
    };
}

/// What generated code calls; no part of the API.
#[doc(hidden)]
pub mod __private {
    pub use serde_json::Error as JsonError;

    pub use crate::{
        arguments::Arguments,
        parameter::ParameterType,
        result::{FieldType, insert},
    };

    /// A float bound of a range; a bound that is not finite bounds nothing that JSON can write.
    #[must_use]
    pub fn finite(bound: f64) -> serde_json::Number {
        serde_json::Number::from_f64(bound).unwrap_or_else(|| 0.into())
    }
}

/// Compiles and runs the Rust of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/first-toolset.md")]
struct FirstToolset;
