//! What can go wrong between us and a model. No text here ever holds a key or a request.

use std::time::Duration;

use crate::{ModelName, Provider};

/// A text that names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// There is no colon in it.
    #[error("cannot tell the provider of model {name:?}: write provider:model, such as openai:gpt-4o-mini")]
    MissingProvider {
        /// The text as given.
        name: String,
    },
    /// The provider is not one of ours.
    #[error("unknown provider {provider:?}: use one of {}", known_providers())]
    UnknownProvider {
        /// The text before the colon.
        provider: String,
    },
    /// Nothing follows the colon.
    #[error("no model named after {provider}: write {provider}:MODEL")]
    MissingModel {
        /// The provider.
        provider: Provider,
    },
    /// The model name holds white space or is far too long.
    #[error("model name {model:?} is too long or holds white space")]
    InvalidModel {
        /// The start of the name.
        model: String,
    },
}

fn known_providers() -> String {
    Provider::all()
        .map(Provider::as_str)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Which wait ended in [`ChatError::Timeout`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutPhase {
    /// No response began.
    FirstByte,
    /// The answer began and fell silent.
    Idle,
    /// The call as a whole took too long.
    Total,
}

impl TimeoutPhase {
    fn describe(self) -> &'static str {
        match self {
            Self::FirstByte => "did not begin to answer",
            Self::Idle => "fell silent in the middle of its answer",
            Self::Total => "did not finish its answer",
        }
    }
}

/// A call that gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// The settings cannot work; nothing was sent.
    #[error("cannot use model {model}: {reason}")]
    Configuration {
        /// The model asked for.
        model: ModelName,
        /// What to change.
        reason: String,
    },
    /// The provider does not accept the key.
    #[error(
        "{model}: the provider refused the key (HTTP {status}); check that it is valid and may use this model"
    )]
    Auth {
        /// The model asked for.
        model: ModelName,
        /// The response status.
        status: u16,
    },
    /// The provider wants us to slow down, or a quota is used up.
    #[error("{model}: too many requests{}: {message}", wait_text(.retry_after.as_ref()))]
    RateLimited {
        /// The model asked for.
        model: ModelName,
        /// How long the provider asks us to wait.
        retry_after: Option<Duration>,
        /// Whether waiting helps; a used-up quota does not come back by itself.
        is_temporary: bool,
        /// The provider's words.
        message: String,
    },
    /// The conversation is longer than the model can read.
    #[error("{model}: the conversation does not fit the model's context: {message}")]
    ContextLength {
        /// The model asked for.
        model: ModelName,
        /// The provider's words.
        message: String,
    },
    /// The model or its provider declined to answer.
    #[error("{model} declined to answer: {reason}")]
    Refused {
        /// The model asked for.
        model: ModelName,
        /// Its words, or the name of the filter.
        reason: String,
    },
    /// The provider answered that the request is wrong.
    #[error("{model}: the provider rejected the request (HTTP {status}): {message}")]
    Rejected {
        /// The model asked for.
        model: ModelName,
        /// The response status; 0 when it came inside a stream.
        status: u16,
        /// The provider's words.
        message: String,
    },
    /// The provider has a fault of its own or is overloaded.
    #[error("{model}: the provider is unavailable{}: {message}", status_text(*.status))]
    Unavailable {
        /// The model asked for.
        model: ModelName,
        /// The response status; 0 when it came inside a stream.
        status: u16,
        /// The provider's words.
        message: String,
        /// How long the provider asks us to wait.
        retry_after: Option<Duration>,
    },
    /// No connection could be made.
    #[error("cannot reach {model} at {host}: {reason}")]
    Unreachable {
        /// The model asked for.
        model: ModelName,
        /// Host and port that were tried.
        host: String,
        /// The innermost cause.
        reason: String,
    },
    /// The answer broke off.
    #[error("the answer of {model} broke off: {reason}")]
    Interrupted {
        /// The model asked for.
        model: ModelName,
        /// What is known.
        reason: String,
    },
    /// A wait was too long.
    #[error("{model} {} within {} s", .phase.describe(), .after.as_secs_f32())]
    Timeout {
        /// The model asked for.
        model: ModelName,
        /// Which wait.
        phase: TimeoutPhase,
        /// Its length.
        after: Duration,
    },
    /// The answer is not what the provider's protocol, or the request's format, says.
    #[error("cannot read the answer: {what}")]
    Malformed {
        /// What was found.
        what: String,
    },
    /// The answer exceeds a limit.
    #[error("the answer of {model} has more than {limit} {unit}; it was cut off")]
    TooLarge {
        /// The model asked for.
        model: ModelName,
        /// The limit.
        limit: usize,
        /// What is counted.
        unit: &'static str,
    },
    /// The caller cancelled.
    #[error("the call was cancelled")]
    Cancelled,
    /// A `scripted:` model was asked something its script does not expect.
    #[error("the script {script:?} does not fit: {difference}")]
    Script {
        /// The script's name.
        script: String,
        /// What was expected and what came.
        difference: String,
    },
}

impl ChatError {
    /// Whether the same request may succeed a moment later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::RateLimited { is_temporary, .. } => *is_temporary,
            Self::Unavailable { .. } | Self::Unreachable { .. } | Self::Interrupted { .. } => true,
            Self::Timeout { phase, .. } => *phase != TimeoutPhase::Total,
            Self::Configuration { .. }
            | Self::Auth { .. }
            | Self::ContextLength { .. }
            | Self::Refused { .. }
            | Self::Rejected { .. }
            | Self::Malformed { .. }
            | Self::TooLarge { .. }
            | Self::Cancelled
            | Self::Script { .. } => false,
        }
    }

    /// How long the provider asks us to wait, if it does.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Unavailable { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

fn wait_text(wait: Option<&Duration>) -> String {
    wait.map_or_else(String::new, |wait| format!(" (wait {} s)", wait.as_secs_f32()))
}

fn status_text(status: u16) -> String {
    if status == 0 {
        String::new()
    } else {
        format!(" (HTTP {status})")
    }
}
