//! What a model is told when it is connected.

use std::time::Duration;

use url::Url;

use crate::{ApiKey, scripted::Script};

/// Key, address and bounds of one connection.
#[derive(Debug, Clone, Default)]
pub struct ModelSettings {
    /// The provider's key; needed where [`Provider::needs_key`](crate::Provider::needs_key) says so.
    pub api_key: Option<ApiKey>,
    /// Where to ask instead of the provider's own address: up to and including the version (`http://host:8000/v1`).
    pub base_url: Option<Url>,
    /// How long to wait, and for what.
    pub timeouts: Timeouts,
    /// When to ask again.
    pub retries: Retries,
    /// How much answer is accepted.
    pub limits: Limits,
    /// The script of a `scripted:` model; the caller reads it, from wherever it is.
    pub script: Option<Script>,
}

/// How long a call may wait. Elapsed time never includes what a consumer takes between two events, except in `total`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Until a connection stands.
    pub connect: Duration,
    /// From sending a request to the first line of its response.
    pub first_byte: Duration,
    /// Between two pieces of an answer.
    pub idle: Duration,
    /// The whole call, with every retry.
    pub total: Duration,
}

impl Default for Timeouts {
    /// Ten seconds to connect, two minutes of silence (models think before they speak), ten minutes in all.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(120),
            total: Duration::from_secs(600),
        }
    }
}

/// When a request that failed before it said anything is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    /// Attempts in all; 1 never repeats.
    pub max_attempts: u32,
    /// Wait before the second attempt; doubles with each further one.
    pub base_delay: Duration,
    /// Longest wait. A provider that asks for more is not asked again.
    pub max_delay: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            max_attempts: 3,
            base_delay: Duration::from_millis(500),
            max_delay: Duration::from_secs(30),
        }
    }
}

impl Retries {
    /// One attempt, no repetition.
    #[must_use]
    pub fn never() -> Self {
        Self {
            max_attempts: 1,
            ..Self::default()
        }
    }
}

/// Bounds of one answer; beyond them the call fails with [`ChatError::TooLarge`](crate::ChatError::TooLarge).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the answer as sent, frames included. The default of 8 MiB is far above any model's output limit. They are
    /// counted as events are complete: how large a single event grows is bounded by the timeouts alone.
    pub answer_bytes: usize,
    /// Tool calls in one answer.
    pub tool_calls: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            answer_bytes: 8 * 1024 * 1024,
            tool_calls: 64,
        }
    }
}
