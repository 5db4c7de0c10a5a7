//! What a tool returns instead of a result.

use serde_json::{Value, json};

use crate::{Asked, Capability, Problem, ProblemKind, failure::join};

/// A credential header that a tool needs and the caller did not send.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "missing credential: send the `{header}` HTTP header (clients set it on the connection, `periplus call` with -H)"
)]
pub struct MissingCredential {
    /// The header's name, lower case.
    pub header: String,
}

/// A failure that answers with a JSON body of the toolset's own (`isError: true`), or is internal.
///
/// For toolsets with a published error contract: a tool that returns `Result<T, Refusal>` never answers
/// `{error, detail}`, and its output schema does not mention them.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Refusal(ToolError);

impl Refusal {
    /// A refusal with this body.
    #[must_use]
    pub fn new(body: Value) -> Self {
        Self(ToolError::IsError(body))
    }

    /// An unexpected failure: its text goes to the log, never to the caller.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(ToolError::internal(cause))
    }
}

impl From<Refusal> for ToolError {
    fn from(refusal: Refusal) -> Self {
        refusal.0
    }
}

/// An expected failure of a tool.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// A structured answer `{error, detail}`: the call itself succeeded, the caller should act on `detail`.
    #[error("{error}: {detail}")]
    Structured {
        /// A short stable kind, such as `not_found`.
        error: String,
        /// What happened and what to do next.
        detail: String,
    },
    /// An MCP error (`isError: true`) whose text is this JSON body.
    #[error("{0}")]
    IsError(Value),
    /// Arguments that fit the schema and still make no sense, such as an end before its start.
    #[error("invalid arguments: {}", join(.0))]
    Arguments(Vec<Problem>),
    /// The caller sent no value for a credential header.
    #[error(transparent)]
    MissingCredential(#[from] MissingCredential),
    /// The caller is asked something first; [`Context::ask`](crate::Context::ask) makes this.
    #[error("the tool asks its caller something first")]
    InputRequired(Asked),
    /// The client cannot do what the tool needs of it.
    #[error("this tool needs a client that can {0}")]
    MissingCapability(Capability),
    /// A fault of the tool's own: the caller sees an incident id, the log sees the cause.
    #[error("internal error")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl ToolError {
    /// A structured `{error, detail}` answer.
    pub fn new(error: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::Structured {
            error: error.into(),
            detail: detail.into(),
        }
    }

    /// An MCP error with the toolset's own JSON body.
    #[must_use]
    pub fn is_error(body: Value) -> Self {
        Self::IsError(body)
    }

    /// Refuses one argument that fits the schema; `pointer` leads to it, such as `/dates/1`.
    pub fn invalid_argument(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Arguments(vec![Problem {
            pointer: pointer.into(),
            message: message.into(),
            kind: ProblemKind::Invalid,
        }])
    }

    /// An unexpected failure: its text goes to the log, never to the caller.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(cause.into())
    }

    /// The structured content of [`ToolError::Structured`].
    pub(crate) fn structured(error: &str, detail: &str) -> Value {
        json!({ "error": error, "detail": detail })
    }
}
