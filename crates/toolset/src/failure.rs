//! Why a call has no result, in terms that a toolset can phrase its own way.

use std::time::Duration;

use serde_json::Value;

use crate::{Asked, Capability, MissingCredential};

/// One thing that is wrong with the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// JSON pointer to the offending value; empty for the arguments object itself.
    pub pointer: String,
    /// What was expected there and what was found.
    pub message: String,
    /// The kind of mistake, for toolsets with error codes of their own.
    pub kind: ProblemKind,
}

/// Kinds of mistakes in arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// A top-level name that the tool does not have.
    UnknownArgument {
        /// The closest known name, if one is close.
        nearest: Option<String>,
    },
    /// A required argument that is absent or null.
    Missing,
    /// A value that does not conform to the schema.
    Invalid,
}

/// Why a call ended without a result; it reaches the caller as `isError: true`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The arguments do not fit the input schema.
    #[error("invalid arguments: {}", join(.0))]
    Arguments(Vec<Problem>),
    /// The tool answered with an error body of its own.
    #[error("{0}")]
    IsError(Value),
    /// A credential header is missing.
    #[error(transparent)]
    MissingCredential(#[from] MissingCredential),
    /// The tool asks its caller something first; nothing has happened yet.
    #[error("the tool asks something first ({}), and this client cannot answer", questions(.0))]
    InputRequired(Asked),
    /// The client cannot do what the tool needs of it.
    #[error("this tool needs a client that can {0}")]
    MissingCapability(Capability),
    /// The tool ran longer than it may.
    #[error("the tool did not finish within {} s; ask for less, or narrow the request", .limit.as_secs_f64())]
    Timeout {
        /// The tool's time limit.
        limit: Duration,
    },
    /// As many calls as allowed are running and waiting already.
    #[error("the server is busy with other calls; try again in {} s", .retry_after.as_secs())]
    Busy {
        /// When to try again.
        retry_after: Duration,
    },
    /// The result is larger than the tool may send.
    #[error("the result has {bytes} bytes, more than the {limit} this tool may return; ask for less")]
    TooLarge {
        /// Size of the serialised result.
        bytes: usize,
        /// The tool's limit.
        limit: usize,
    },
    /// The tool broke its own declared contract, panicked, or failed unexpectedly; the log has the cause.
    #[error("internal error in the tool; the server's log has the cause under incident {incident}")]
    Internal {
        /// Id under which the cause is logged.
        incident: String,
        /// For the log only.
        cause: String,
    },
}

fn questions(asked: &Asked) -> String {
    let text = |request: &crate::InputRequest| match request.params.get("message").and_then(Value::as_str) {
        Some(message) => message.to_owned(),
        None => request.method.to_owned(),
    };
    asked.requests.iter().map(text).collect::<Vec<_>>().join("; ")
}

pub(crate) fn join(problems: &[Problem]) -> String {
    let texts: Vec<String> = problems
        .iter()
        .map(|p| {
            if p.pointer.is_empty() {
                p.message.clone()
            } else {
                format!("{}: {}", p.pointer, p.message)
            }
        })
        .collect();
    texts.join("; ")
}
