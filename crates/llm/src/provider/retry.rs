//! When a failed attempt is repeated.

use std::time::Duration;

use crate::{ChatError, Retries};

impl Retries {
    /// How long to wait before attempt `attempt + 1`, or nothing if there must be none.
    ///
    /// The wait doubles from the base delay up to the longest one, without jitter: a person waits for one answer, there is
    /// no herd to spread. What the provider asks for wins, unless it is longer than we ever wait.
    pub(super) fn wait_after(&self, attempt: u32, error: &ChatError) -> Option<Duration> {
        if attempt >= self.max_attempts || !error.is_transient() {
            return None;
        }
        if let Some(asked) = error.retry_after() {
            return (asked <= self.max_delay).then_some(asked);
        }
        let doublings = attempt.saturating_sub(1).min(16);
        Some(self.base_delay.saturating_mul(1 << doublings).min(self.max_delay))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ModelName;

    fn limited(retry_after: Option<u64>, is_temporary: bool) -> ChatError {
        ChatError::RateLimited {
            model: ModelName::guide(),
            retry_after: retry_after.map(Duration::from_secs),
            is_temporary,
            message: String::new(),
        }
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let retries = Retries {
            max_attempts: 40,
            base_delay: Duration::from_millis(500),
            max_delay: Duration::from_secs(3),
        };
        let waits: Vec<_> = (1..=5)
            .map(|n| retries.wait_after(n, &limited(None, true)).unwrap().as_millis())
            .collect();
        assert_eq!(waits, [500, 1000, 2000, 3000, 3000]);
        assert_eq!(
            retries.wait_after(39, &limited(None, true)),
            Some(Duration::from_secs(3))
        );
        assert_eq!(retries.wait_after(40, &limited(None, true)), None);
    }

    #[test]
    fn what_the_provider_asks_for_is_kept_or_there_is_no_retry() {
        let retries = Retries::default();
        assert_eq!(
            retries.wait_after(1, &limited(Some(7), true)),
            Some(Duration::from_secs(7))
        );
        assert_eq!(retries.wait_after(1, &limited(Some(3600), true)), None);
    }

    #[test]
    fn what_waiting_does_not_cure_is_not_repeated() {
        assert_eq!(Retries::default().wait_after(1, &limited(None, false)), None);
        assert_eq!(Retries::default().wait_after(1, &ChatError::Cancelled), None);
        assert_eq!(Retries::never().wait_after(1, &limited(None, true)), None);
    }
}
