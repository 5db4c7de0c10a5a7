//! Why the service gave no figures. The texts go to models and people: each names its own cause.

use std::time::Duration;

use periplus_fetch::FetchError;
use periplus_toolset::ToolError;

/// A pull that ended without figures.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum AnalyticsError {
    #[error("the analytics service refused the request with HTTP status {status}: {detail}")]
    Refused { status: u16, detail: String },
    #[error("the analytics service answered with HTTP status {0}")]
    Unauthorized(u16),
    #[error("the analytics service is not available ({0})")]
    Unavailable(String),
    #[error("the analysis was not finished after {} s", .0.as_secs_f64().round())]
    TimedOut(Duration),
    #[error("the analysis failed: {0}")]
    Failed(String),
    #[error("the analytics service gave an answer that cannot be understood ({0})")]
    Malformed(String),
    #[error("the answer of the analytics service is larger than {0} bytes")]
    TooLarge(usize),
    #[error("the call was cancelled")]
    Cancelled,
}

impl AnalyticsError {
    /// The stable kind.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Refused { .. } => "request_refused",
            Self::Unauthorized(_) => "not_authorized",
            Self::Unavailable(_) | Self::Malformed(_) | Self::TooLarge(_) => "service_unavailable",
            Self::TimedOut(_) => "timed_out",
            Self::Failed(_) => "analysis_failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// What to do next.
    fn advice(&self) -> &'static str {
        match self {
            Self::Refused { .. } => "Change what the detail names; the same request will be refused again.",
            Self::Unauthorized(_) => {
                "The operator has to check WRI_BEARER_TOKEN, and whether its account may read this dataset."
            }
            Self::Unavailable(_) | Self::Malformed(_) => {
                "Try again later; nothing is known about the figures themselves."
            }
            Self::TooLarge(_) => "Ask for fewer areas or a shorter period.",
            Self::TimedOut(_) => {
                "Ask for fewer areas or a shorter period, or try again: a finished analysis answers at once."
            }
            Self::Failed(_) => "Tell the user this reason; asking the same again will fail the same way.",
            Self::Cancelled => "Nothing was pulled.",
        }
    }
}

impl From<FetchError> for AnalyticsError {
    fn from(error: FetchError) -> Self {
        match error {
            FetchError::TooLarge(limit) => Self::TooLarge(limit),
            other => Self::Unavailable(other.reason()),
        }
    }
}

impl From<AnalyticsError> for ToolError {
    fn from(error: AnalyticsError) -> Self {
        match error {
            // An answer like another: the service works, and says why there are no figures.
            AnalyticsError::Failed(_) | AnalyticsError::Cancelled => {
                tracing::debug!(%error, "no figures were pulled");
            }
            _ => tracing::warn!(%error, "no figures were pulled"),
        }
        Self::new(
            error.code(),
            format!("This is no finding about the area: {error}. {}", error.advice()),
        )
    }
}
