//! Refusals of the HTTP routes: a status, and `{"detail": …}`.

use std::time::Duration;

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::StatusCode;
use periplus_agent::{AgentError, CheckpointError};
use periplus_runtime::client::ClientError;
use serde_json::{Value, json};

/// Why a route refuses.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    #[error("agent unavailable: it is still connecting to its toolsets; ask again soon")]
    Connecting,
    #[error("{limit} runs are in progress, which is the limit; try again when one has ended")]
    TooManyRuns { limit: usize },
    #[error("this server does not answer to that host name; allow it with ALLOWED_HOSTS")]
    ForeignHost,
    #[error("send the run as application/json")]
    NotJson,
    #[error("the request is larger than the {limit} bytes that are accepted")]
    TooLarge { limit: usize },
    #[error("the request did not arrive within {} s", .limit.as_secs_f64())]
    TooSlow { limit: Duration },
    #[error("the request broke off")]
    BrokenOff,
    #[error("{0}")]
    Invalid(String),
    #[error("no thread '{0}'")]
    NoThread(String),
    #[error("{0}")]
    NotFound(String),
    #[error("{0}")]
    Gone(String),
    #[error("no identity came with the request: threads are listed for their owner only")]
    NoIdentity,
    #[error("{0}")]
    Upstream(String),
    #[error(transparent)]
    Agent(#[from] AgentError),
}

impl From<CheckpointError> for ApiError {
    fn from(error: CheckpointError) -> Self {
        Self::Agent(error.into())
    }
}

impl From<ClientError> for ApiError {
    fn from(error: ClientError) -> Self {
        Self::Upstream(error.to_string())
    }
}

impl ApiError {
    fn status(&self) -> StatusCode {
        match self {
            Self::Connecting | Self::TooManyRuns { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Self::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow { .. } => StatusCode::REQUEST_TIMEOUT,
            Self::BrokenOff => StatusCode::BAD_REQUEST,
            Self::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::NoThread(_) | Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::Gone(_) => StatusCode::GONE,
            Self::NoIdentity | Self::ForeignHost => StatusCode::FORBIDDEN,
            Self::Upstream(_) => StatusCode::BAD_GATEWAY,
            Self::Agent(error) => status_of(error),
        }
    }

    fn detail(&self) -> Value {
        match self {
            Self::Agent(
                AgentError::RunInProgress(_) | AgentError::Checkpoint(CheckpointError::Busy { .. }),
            ) => {
                json!({ "reason": "run_in_progress", "message": self.to_string() })
            }
            _ => self.to_string().into(),
        }
    }
}

fn status_of(error: &AgentError) -> StatusCode {
    match error {
        AgentError::EmptyMessage | AgentError::MessageTooLong { .. } | AgentError::InvalidAnswer { .. } => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        AgentError::Paused { .. }
        | AgentError::AnswersDoNotFit { .. }
        | AgentError::RunInProgress(_)
        | AgentError::Checkpoint(CheckpointError::Busy { .. } | CheckpointError::Conflict { .. }) => {
            StatusCode::CONFLICT
        }
        AgentError::NoSuchThread(_) => StatusCode::NOT_FOUND,
        AgentError::Checkpoint(_) => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status(), Json(json!({ "detail": self.detail() }))).into_response()
    }
}

/// What a client that reads the stream may tell apart without reading the message.
pub(crate) fn code_of(error: &AgentError) -> Option<&'static str> {
    Some(match error {
        AgentError::Model(_) => "model",
        AgentError::EmptyAnswer => "empty_answer",
        AgentError::Checkpoint(_) => "storage",
        AgentError::BrokenOff(_) => "broken_off",
        _ => return None,
    })
}
