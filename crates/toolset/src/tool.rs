//! One tool: what it declares, and how it is called.

use std::{fmt, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use serde_json::Value;

use crate::{Context, Failure, JsonObject, ToolError};

/// Hints for hosts about what a tool does (MCP tool annotations).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Annotations {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may delete or overwrite.
    pub destructive: Option<bool>,
    /// Calling it twice has the effect of calling it once.
    pub idempotent: Option<bool>,
    /// It reaches things outside the server.
    pub open_world: Option<bool>,
}

/// Bounds of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Longest run; 60 s unless declared.
    pub timeout: Duration,
    /// Largest serialised result; 10 MiB unless declared.
    pub max_result_bytes: usize,
    /// Name of the concurrency class the tool's calls share ([`Toolset::concurrency`](crate::Toolset::concurrency)).
    pub concurrency: Option<&'static str>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(60), max_result_bytes: 10 * 1024 * 1024, concurrency: None }
    }
}

/// What a tool declares; all of it is on the wire or derived from it.
#[derive(Debug, Clone)]
pub struct Declaration {
    /// Machine name, unique within the toolset.
    pub name: &'static str,
    /// Name for people.
    pub title: Option<&'static str>,
    /// What it does, for the model: the doc comment.
    pub description: String,
    /// JSON Schema of the arguments: an object that allows nothing undeclared.
    pub input_schema: Arc<JsonObject>,
    /// JSON Schema of the result: an object with a required string `message`.
    pub output_schema: Arc<JsonObject>,
    /// Hints for hosts.
    pub annotations: Annotations,
    /// Data keys of the result, sorted: what clients capture as state.
    pub produces: Vec<String>,
    /// Parameters whose values a model must not write, in declaration order.
    pub not_authored: Vec<String>,
    /// Bounds of one call.
    pub limits: Limits,
}

/// The result of a successful call, checked against the output schema.
#[derive(Debug, Clone)]
pub struct Output {
    /// The declared keys and no others.
    pub structured: Value,
    /// `structured` as compact JSON, for clients that read text only.
    pub text: String,
}

/// The function behind a tool: checked and coerced arguments in, result value out.
pub(crate) type Handler =
    dyn for<'a> Fn(JsonObject, &'a Context) -> BoxFuture<'a, Result<Value, ToolError>> + Send + Sync;

/// A tool: its declaration, its compiled schemas, its function.
#[derive(Clone)]
pub struct Tool {
    declaration: Arc<Declaration>,
    handler: Arc<Handler>,
}

impl Tool {
    /// What the tool declares.
    #[must_use]
    pub fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    /// Checks the arguments, runs the tool, checks the result.
    ///
    /// Time, size and concurrency limits are the runtime's to enforce; a panic unwinds through this future.
    ///
    /// # Errors
    /// [`Failure`] says why there is no result. A structured tool error is a success here.
    pub async fn call(&self, arguments: JsonObject, cx: &Context) -> Result<Output, Failure> {
        let result = (self.handler)(arguments, cx).await;
        let structured = match result {
            Ok(value) => value,
            Err(ToolError::Structured { error, detail }) => ToolError::structured(&error, &detail),
            Err(ToolError::IsError(body)) => return Err(Failure::IsError(body)),
            Err(ToolError::MissingCredential(missing)) => return Err(missing.into()),
            Err(ToolError::Internal(cause)) => {
                return Err(Failure::Internal { incident: cx.request_id().to_owned(), cause: cause.to_string() });
            }
        };
        let text = structured.to_string();
        Ok(Output { structured, text })
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("declaration", &self.declaration).finish_non_exhaustive()
    }
}
