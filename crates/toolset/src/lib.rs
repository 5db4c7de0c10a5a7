//! What a toolset author writes: typed tools, results, errors, credentials and views.
//!
//! A toolset is a list of async functions; their types and doc comments are the wire schema.
//! Nothing here knows HTTP, JSON-RPC or a model: the runtime serves a [`Toolset`], tests call it in process.

mod access;
mod context;
mod error;
mod failure;
mod tool;
mod toolset;
mod view;

pub use access::{Access, Secret};
pub use context::{Context, ContextBuilder, LogLevel, Notification, NotificationSink};
pub use error::{MissingCredential, ToolError};
pub use failure::{Failure, Problem, ProblemKind};
pub use tool::{Annotations, Declaration, Limits, Output, Tool};
pub use toolset::{Concurrency, Readiness, Toolset};
pub use view::{View, ViewSecurity};

/// A JSON object, with its keys in the order they were written.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;
