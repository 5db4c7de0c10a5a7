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
        let time = self.at(percent);
        time.map_or_else(|| "–".to_owned(), milliseconds)
    }

    /// How many times as long as others this share of the runs took.
    pub(super) fn ratio(&self, percent: usize, others: &Self) -> String {
        let times = self.at(percent).zip(others.at(percent));
        let ratio = times.map(|(own, other)| own.as_secs_f64() / other.as_secs_f64());
        ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.1}"))
    }

    fn at(&self, percent: usize) -> Option<Duration> {
        let last = self.0.len().saturating_sub(1);
        self.0.get((self.0.len() * percent / 100).min(last)).copied()
    }
}

pub(super) fn milliseconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}
