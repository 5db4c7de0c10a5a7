//! The values of one thread: merging of writes, the budget, the current turn.

use std::{cmp::Reverse, collections::BTreeMap};

use serde::{Deserialize, Serialize};

use crate::{Entry, StateKey, StoredValue, Write};

/// Most bytes that the values of one thread may take together: 8 MiB, because every checkpoint carries them.
pub const MAX_STATE_BYTES: usize = 8 * 1024 * 1024;

/// Most values of one thread; tiny values would not reach the byte budget before listings became unreadable.
pub const MAX_ENTRIES: usize = 1000;

/// The session state of one thread.
///
/// A value is never null and never goes away by itself: it stays until its key is written again or the budget
/// is exceeded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    turn: u32,
    entries: BTreeMap<StateKey, Entry>,
}

/// What the entries may take together.
#[derive(Clone, Copy)]
struct Budget {
    bytes: usize,
    entries: usize,
}

const BUDGET: Budget = Budget {
    bytes: MAX_STATE_BYTES,
    entries: MAX_ENTRIES,
};

impl State {
    /// A state with the entries that a checkpoint held at a turn.
    #[must_use]
    pub fn from_entries(turn: u32, entries: impl IntoIterator<Item = (StateKey, Entry)>) -> Self {
        Self {
            turn,
            entries: entries
                .into_iter()
                .filter(|(_, entry)| !is_null(&entry.value))
                .collect(),
        }
    }

    /// Says which user turn it is; writes are recorded under it. The first turn is 1.
    pub fn start_turn(&mut self, turn: u32) {
        self.turn = turn;
    }

    /// The current turn.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// The entry under a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }

    /// All entries, by key.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&StateKey, &Entry)> {
        self.entries.iter()
    }

    /// All entries, the last written first.
    #[must_use]
    pub fn newest_first(&self) -> Vec<(&StateKey, &Entry)> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by_key(|(_, entry)| Reverse(entry.seq));
        entries
    }

    /// Whether nothing was published yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Bytes of all values together.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.entries.values().map(|entry| entry.value.bytes()).sum()
    }

    /// Merges writes in the given order, the last one of a key winning, and returns the keys dropped for the budget.
    ///
    /// The newest values are kept up to [`MAX_STATE_BYTES`] and [`MAX_ENTRIES`]; the last write always survives.
    pub fn apply(&mut self, writes: impl IntoIterator<Item = Write>) -> Vec<StateKey> {
        self.apply_within(writes, BUDGET)
    }

    fn apply_within(&mut self, writes: impl IntoIterator<Item = Write>, budget: Budget) -> Vec<StateKey> {
        let mut seq = self.entries.values().map(|entry| entry.seq).max().unwrap_or(0);
        for write in writes {
            if is_null(&write.value) {
                continue;
            }
            seq += 1;
            self.insert(write, seq);
        }
        self.evict(budget)
    }

    fn insert(&mut self, write: Write, seq: u64) {
        let Write {
            key,
            value,
            tool,
            inputs,
        } = write;
        let turns_written = match self.entries.get(&key) {
            Some(earlier) if earlier.turn == self.turn => earlier.turns_written,
            Some(earlier) => earlier.turns_written.saturating_add(1),
            None => 1,
        };
        self.entries.insert(
            key,
            Entry {
                value,
                tool,
                seq,
                inputs,
                turn: self.turn,
                turns_written,
            },
        );
    }

    fn evict(&mut self, budget: Budget) -> Vec<StateKey> {
        if self.entries.len() < 2 || (self.bytes() <= budget.bytes && self.entries.len() <= budget.entries) {
            return Vec::new();
        }
        let mut total = 0usize;
        let kept = self
            .newest_first()
            .iter()
            .take(budget.entries)
            .take_while(|(_, entry)| {
                total = total.saturating_add(entry.value.bytes());
                total <= budget.bytes
            })
            .count()
            .max(1);
        let dropped: Vec<StateKey> = self
            .newest_first()
            .into_iter()
            .skip(kept)
            .map(|(key, _)| key.clone())
            .collect();
        for key in &dropped {
            self.entries.remove(key);
        }
        dropped
    }
}

fn is_null(value: &StoredValue) -> bool {
    value.json().is_null()
}

#[cfg(test)]
mod tests;
