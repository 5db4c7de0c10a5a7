//! How long to wait before asking again.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// Seconds between attempts without advice from the server; the last one repeats.
const STEPS: [u32; 5] = [1, 1, 2, 3, 5];

/// How patient a pull is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// The whole pull.
    pub total: Duration,
    /// One request.
    pub request: Duration,
    /// Longest wait between two requests, whatever the server advises.
    pub longest_wait: Duration,
    /// The first wait; later ones are multiples of it.
    pub step: Duration,
}

impl Default for Patience {
    /// Two minutes in all, 30 s a request, waits of 1 to 10 s.
    fn default() -> Self {
        Self {
            total: Duration::from_secs(120),
            request: Duration::from_secs(30),
            longest_wait: Duration::from_secs(10),
            step: Duration::from_secs(1),
        }
    }
}

/// The waits of one pull.
#[derive(Debug)]
pub(super) struct Waits {
    patience: Patience,
    count: usize,
}

impl Waits {
    pub(super) fn new(patience: Patience) -> Self {
        Self { patience, count: 0 }
    }

    /// The next wait: what the server advises, else a little longer each time.
    pub(super) fn next(&mut self, advised: Option<Duration>) -> Duration {
        let step = STEPS[self.count.min(STEPS.len() - 1)];
        self.count += 1;
        advised
            .unwrap_or(self.patience.step * step)
            .min(self.patience.longest_wait)
    }
}

/// The server's advice: seconds, or a date.
pub(super) fn advised(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    // A date in the past means now.
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_follow_advice_and_have_a_limit() {
        let mut waits = Waits::new(Patience::default());
        let seconds: Vec<u64> = (0..7).map(|_| waits.next(None).as_secs()).collect();
        assert_eq!(seconds, [1, 1, 2, 3, 5, 5, 5]);
        assert_eq!(waits.next(Some(Duration::from_secs(7))).as_secs(), 7);
        assert_eq!(waits.next(Some(Duration::from_secs(3600))).as_secs(), 10);
        assert_eq!(waits.next(Some(Duration::ZERO)).as_secs(), 0);
    }

    #[test]
    fn advice_is_seconds_or_a_date() {
        let advice = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, text.parse().unwrap());
            advised(&headers)
        };
        assert_eq!(advice("3"), Some(Duration::from_secs(3)));
        assert_eq!(advice("Thu, 01 Jan 1970 00:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(advice("soon"), None);
        assert_eq!(advised(&HeaderMap::new()), None);
    }
}
