//! Durations of one thing done many times.

use std::time::Duration;

/// Measured durations, sorted.
#[derive(Debug, Clone)]
pub(super) struct Times(Vec<Duration>);

impl Times {
    pub(super) fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    /// Milliseconds that this share of the runs did not exceed.
    pub(super) fn percentile(&self, percent: usize) -> String {
        let last = self.0.len().saturating_sub(1);
        let time = self.0.get((self.0.len() * percent / 100).min(last));
        time.map_or_else(|| "–".to_owned(), |time| milliseconds(*time))
    }
}

pub(super) fn milliseconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}
