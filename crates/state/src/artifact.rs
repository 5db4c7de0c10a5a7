//! What stays beside a tool message for hosts and checkpoints; none of it goes to the model.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{JsonObject, Receipts, State, StateKey};

/// The structured side of a tool message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Artifact {
    /// The structured result without its captured and secret-shaped fields; absent if there was none or the call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<JsonObject>,
    /// The captured fields, each with its key.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub captured_state: BTreeMap<String, StateKey>,
    /// Where the whole text went when it was too long for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captured_text: Option<StateKey>,
    /// What the call was given out of session state.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub injected_state: Receipts,
}

impl Artifact {
    /// The structured result with the captured fields put back; nothing if there was none, and then no view is shown.
    ///
    /// A key that was overwritten since gives its present value: pass the state of the turn to have that turn's.
    #[must_use]
    pub fn restore_structured(&self, state: &State) -> Option<JsonObject> {
        let mut restored = self.structured_content.clone()?;
        for (field, key) in &self.captured_state {
            if let Some(entry) = state.get(key.as_str()) {
                restored.insert(field.clone(), entry.value.json().clone());
            }
        }
        Some(restored)
    }

    /// All keys that the call wrote, sorted.
    #[must_use]
    pub fn published(&self) -> Vec<&StateKey> {
        let mut keys: Vec<&StateKey> = self.captured_state.values().chain(&self.captured_text).collect();
        keys.sort();
        keys
    }
}
