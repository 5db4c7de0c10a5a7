//! What a toolset author writes: typed tools, results, errors, credentials and views.
//!
//! A toolset is a list of async functions; their types and doc comments are the wire schema.
//! Nothing here knows HTTP, JSON-RPC or a model: the runtime serves a [`Toolset`], tests call it in process.

mod access;
mod arguments;
mod builder;
mod context;
pub mod contract;
mod error;
mod failure;
mod input;
mod output;
mod parameter;
mod problem;
mod result;
mod schema;
mod shape;
pub mod testing;
mod tool;
mod toolset;
mod view;

pub use access::{Access, Secret};
pub use builder::ToolBuilder;
pub use context::{Context, ContextBuilder, LogLevel, Notification, NotificationSink};
pub use contract::ContractError;
pub use error::{MissingCredential, ToolError};
pub use failure::{Failure, Problem, ProblemKind};
pub use output::Output;
pub use parameter::{NOT_AUTHORED_NOTE, Parameter};
pub use periplus_toolset_macros::{ToolResult, tool};
pub use result::{ResultSchema, ToolResult, ToolReturn};
pub use schemars::{self, JsonSchema};
pub use tool::{Annotations, Declaration, Limits, Tool};
pub use toolset::{Concurrency, Readiness, Toolset};
pub use view::{View, ViewSecurity};

/// A JSON object, with its keys in the order they were written.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;

/// What most toolsets name: `use periplus_toolset::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Context, JsonObject, JsonSchema, Tool, ToolError, ToolResult, Toolset, View, schemars, tool,
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
