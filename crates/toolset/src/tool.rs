//! One tool: what it declares, and how it is called.

use std::{borrow::Cow, error::Error, fmt, sync::Arc, time::Duration};

use futures::future::BoxFuture;

use crate::{
    Answer, Context, Failure, JsonObject, Output, Problem, ToolBuilder, ToolError, input::Input,
    output::Promise,
};

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
        Self {
            timeout: Duration::from_secs(60),
            max_result_bytes: 10 * 1024 * 1024,
            concurrency: None,
        }
    }
}

/// Whether a call may become a task: its caller is let go and comes back for the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskSupport {
    /// For clients that know tasks; others wait.
    Optional,
    /// Only clients that know tasks may call it.
    Required,
}

/// What a tool declares; all of it is on the wire or derived from it.
#[derive(Debug, Clone)]
pub struct Declaration {
    /// Machine name, unique within the toolset.
    pub name: Cow<'static, str>,
    /// Name for people.
    pub title: Option<Cow<'static, str>>,
    /// What it does, for the model: the doc comment.
    pub description: String,
    /// JSON Schema of the arguments: an object that allows nothing undeclared.
    pub input_schema: Arc<JsonObject>,
    /// JSON Schema of the result: an object; that of a typed tool requires a string `message`.
    ///
    /// A tool without one answers with blocks of content.
    pub output_schema: Option<Arc<JsonObject>>,
    /// Hints for hosts.
    pub annotations: Annotations,
    /// Data keys of the result, sorted: what clients capture as state.
    pub produces: Vec<String>,
    /// Parameters whose values a model must not write, in declaration order.
    pub not_authored: Vec<String>,
    /// Parameters whose values the tool checks itself.
    pub unchecked: Vec<String>,
    /// Bounds of one call.
    pub limits: Limits,
    /// Whether its calls may become tasks; where they do, [`Context::detach`] is what makes them.
    pub task: Option<TaskSupport>,
}

impl Declaration {
    /// The schemas with the side that each describes.
    pub(crate) fn schemas(&self) -> impl Iterator<Item = (&'static str, &JsonObject)> {
        let output = self.output_schema.as_deref();
        std::iter::once(("input", &*self.input_schema)).chain(output.map(|schema| ("output", schema)))
    }
}

/// The function behind a tool: checked and coerced arguments in, answer out.
type Handler =
    dyn for<'a> Fn(JsonObject, &'a Context) -> BoxFuture<'a, Result<Answer, ToolError>> + Send + Sync;

/// A tool: its declaration, its compiled schemas, its function. Clones share everything.
#[derive(Clone)]
pub struct Tool(Arc<Inner>);

struct Inner {
    declaration: Declaration,
    schemas: Result<Schemas, BrokenSchema>,
    handler: Box<Handler>,
}

struct Schemas {
    input: Input,
    promise: Promise,
}

/// A schema that does not compile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {side} schema is not valid JSON Schema 2020-12: {cause}")]
pub(crate) struct BrokenSchema {
    side: &'static str,
    cause: String,
}

impl Tool {
    /// Starts a tool that is declared at run time; `#[tool]` writes the same calls.
    #[must_use]
    pub fn builder(name: impl Into<Cow<'static, str>>) -> ToolBuilder {
        ToolBuilder::new(name)
    }

    /// A tool from a finished declaration, with schemas written by hand.
    ///
    /// The schemas are compiled here and served untouched; one that does not compile is reported by
    /// [`Toolset::check`](crate::Toolset::check). The handler gets arguments that conform to the input schema.
    #[must_use]
    pub fn from_parts<H>(declaration: Declaration, handler: H) -> Self
    where
        H: for<'a> Fn(JsonObject, &'a Context) -> BoxFuture<'a, Result<Answer, ToolError>>
            + Send
            + Sync
            + 'static,
    {
        let schemas = Schemas::compile(&declaration);
        Self(Arc::new(Inner {
            declaration,
            schemas,
            handler: Box::new(handler),
        }))
    }

    /// What the tool declares.
    #[must_use]
    pub fn declaration(&self) -> &Declaration {
        &self.0.declaration
    }

    /// Checks the arguments, runs the tool, checks the result.
    ///
    /// Time, size and concurrency limits are the runtime's to enforce; a panic unwinds through this future.
    ///
    /// # Errors
    /// [`Failure`] says why there is no result. A structured tool error is a success here.
    pub async fn call(&self, arguments: JsonObject, cx: &Context) -> Result<Output, Failure> {
        let schemas = self
            .0
            .schemas
            .as_ref()
            .map_err(|broken| internal(cx, broken.to_string()))?;
        let arguments = schemas.input.admit(arguments).map_err(Failure::Arguments)?;
        let answer = (self.0.handler)(arguments, cx)
            .await
            .or_else(|error| schemas.soften(error, cx))?;
        schemas.promise.keep(answer).map_err(|cause| internal(cx, cause))
    }

    /// What is wrong with the arguments, without calling anything; nothing if the input schema does not compile.
    pub(crate) fn problems(&self, arguments: JsonObject) -> Vec<Problem> {
        match &self.0.schemas {
            Ok(schemas) => schemas.input.admit(arguments).err().unwrap_or_default(),
            Err(_) => Vec::new(),
        }
    }

    pub(crate) fn broken_schema(&self) -> Option<&BrokenSchema> {
        self.0.schemas.as_ref().err()
    }
}

impl Schemas {
    fn compile(declaration: &Declaration) -> Result<Self, BrokenSchema> {
        let broken = |side| move |cause| BrokenSchema { side, cause };
        Ok(Self {
            input: Input::compile(&declaration.input_schema, &declaration.unchecked)
                .map_err(broken("input"))?,
            promise: Promise::compile(declaration.output_schema.as_deref()).map_err(broken("output"))?,
        })
    }

    /// Turns a structured error into an answer where the output schema has room for one.
    fn soften(&self, error: ToolError, cx: &Context) -> Result<Answer, Failure> {
        match error {
            ToolError::Structured { error, detail } => {
                let body = ToolError::structured(&error, &detail);
                // A client that validates would hide the error behind one about its form.
                if self.promise.admits_tool_error() {
                    Ok(Answer::Structured(body))
                } else {
                    Err(Failure::IsError(body))
                }
            }
            ToolError::IsError(body) => Err(Failure::IsError(body)),
            ToolError::Arguments(problems) => Err(Failure::Arguments(problems)),
            ToolError::MissingCredential(missing) => Err(missing.into()),
            ToolError::InputRequired(asked) => Err(Failure::InputRequired(asked)),
            ToolError::MissingCapability(capability) => Err(Failure::MissingCapability(capability)),
            ToolError::Internal(cause) => Err(internal(cx, chain(cause.as_ref()))),
        }
    }
}

fn internal(cx: &Context, cause: String) -> Failure {
    Failure::Internal {
        incident: cx.request_id().to_owned(),
        cause,
    }
}

/// An error and its sources in one line, for the log.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// `#[tool]` leaves a function that builds the tool; this lets its bare name be passed to
/// [`Toolset::tool`](crate::Toolset::tool).
impl<F: FnOnce() -> Self> From<F> for Tool {
    fn from(build: F) -> Self {
        build()
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("declaration", &self.0.declaration)
            .finish_non_exhaustive()
    }
}
