//! Receipts: which arguments of a call were filled from session state, and with what.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Entry, State, StateKey, describe};

/// The receipts of one call, by parameter.
pub type Receipts = BTreeMap<String, Receipt>;

/// One argument that was filled from session state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The key of the value.
    pub key: StateKey,
    /// The tool that had published it.
    pub tool: String,
    /// The turn in which it was published.
    pub turn: u32,
}

impl Receipt {
    pub(crate) fn of(key: &StateKey, entry: &Entry) -> Self {
        Self {
            key: key.clone(),
            tool: entry.tool.clone(),
            turn: entry.turn,
        }
    }

    /// What a host shows in place of the argument; the value itself is never shown.
    ///
    /// `state` is that of the turn of the call; a value that is gone is described by its receipt alone.
    #[must_use]
    pub fn display(&self, state: &State) -> String {
        let origin = format!("from {} in turn {}", self.tool, self.turn);
        let entry = state
            .get(self.key.as_str())
            .filter(|entry| entry.turn == self.turn);
        let Some(entry) = entry else {
            return format!("{} · {origin}", self.key.handle());
        };
        let mut parts = vec![self.key.handle(), describe(entry.value.json()), origin];
        let written: Vec<&str> = entry.written_by_model().collect();
        if !written.is_empty() {
            parts.push(format!("{} written by the model", written.join(", ")));
        }
        parts.join(" · ")
    }

    /// The same in a terminal, as one line for a parameter.
    #[must_use]
    pub fn line(&self, parameter: &str) -> String {
        format!(
            "{parameter} ← {}, published by {} in turn {}",
            self.key, self.tool, self.turn
        )
    }
}
