//! What clients saw, added up.

use std::time::Duration;

/// Wrong answers that are told in full.
const SHOWN: usize = 5;

#[derive(Debug, Default)]
pub(super) struct Tally {
    right: u64,
    /// Answers that say to come back later.
    busy: u64,
    /// Refusals of what had to be refused.
    refused: u64,
    /// Clients that went away, as they meant to.
    left: u64,
    wrong_count: u64,
    wrong: Vec<String>,
    latencies: Vec<Duration>,
}

impl Tally {
    pub(super) fn right(&mut self, latency: Option<Duration>) {
        self.right += 1;
        self.latencies.extend(latency);
    }

    pub(super) fn busy(&mut self) {
        self.busy += 1;
    }

    pub(super) fn refused(&mut self) {
        self.refused += 1;
    }

    pub(super) fn left(&mut self) {
        self.left += 1;
    }

    pub(super) fn wrong(&mut self, what: String) {
        self.wrong_count += 1;
        if self.wrong.len() < SHOWN {
            self.wrong.push(what);
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.right += other.right;
        self.busy += other.busy;
        self.refused += other.refused;
        self.left += other.left;
        self.wrong_count += other.wrong_count;
        let room = SHOWN - self.wrong.len();
        self.wrong.extend(other.wrong.into_iter().take(room));
        self.latencies.extend(other.latencies);
    }

    /// What must not have happened.
    pub(super) fn problems(&self) -> Vec<String> {
        let mut problems = self.wrong.clone();
        if self.wrong_count > 0 {
            problems.push(format!("{} wrong answers in all", self.wrong_count));
        }
        if self.right == 0 {
            problems.push("there was not one right answer".to_owned());
        }
        problems
    }

    /// Answers a second, latencies, and what else happened.
    pub(super) fn cells(&mut self, duration: Duration) -> Vec<String> {
        self.latencies.sort_unstable();
        let percentile = |percent: usize| {
            let index = self.latencies.len().saturating_sub(1) * percent / 100;
            let latency = self.latencies.get(index).copied().unwrap_or_default();
            format!("{:.1}", latency.as_secs_f64() * 1e3)
        };
        let rate = self.right as f64 / duration.as_secs_f64();
        let mut cells = vec![format!("{rate:.0}"), percentile(50), percentile(99)];
        cells.extend([self.busy, self.refused, self.left, self.wrong_count].map(|count| count.to_string()));
        cells
    }
}
