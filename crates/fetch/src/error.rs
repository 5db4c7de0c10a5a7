//! Why a request has no answer. The texts go to callers, so none of them holds an address.

use std::error::Error;

/// A request that ended without an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// No connection, or one that broke.
    #[error("it cannot be reached ({0})")]
    Unreachable(String),
    /// A time limit of the client or the request.
    #[error("it does not answer")]
    Timeout,
    /// A redirect that would leave the host, or one too many.
    #[error("it redirects to another host, or too often")]
    Redirect,
    /// More bytes than the caller takes.
    #[error("its answer is larger than {0} bytes")]
    TooLarge(usize),
    /// An address of another protocol.
    #[error("scheme {0:?} is not http or https")]
    Scheme(String),
}

impl FetchError {
    /// The cause alone, for sentences that already say that there was no answer.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Unreachable(cause) => cause.clone(),
            other => other.to_string(),
        }
    }
}

impl From<reqwest::Error> for FetchError {
    fn from(error: reqwest::Error) -> Self {
        if error.is_redirect() {
            Self::Redirect
        } else if error.is_timeout() {
            Self::Timeout
        } else {
            Self::Unreachable(root_cause(&error))
        }
    }
}

/// The innermost cause, which names what really happened; the outer ones repeat the address, which may hold a secret.
#[must_use]
pub fn root_cause(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
