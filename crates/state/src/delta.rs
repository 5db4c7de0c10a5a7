//! What a client is told about session state: metadata of each key, and patches when it changes. Values stay on the server.

use serde::Serialize;
use serde_json::{Value, json};

use crate::{Entry, JsonObject, State, object};

/// Where the metadata stands in the client's state object; nothing else of that object is ever touched.
const ROOT: &str = "/toolState";

/// How much is known of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Within a turn: order and turn are told when the turn is over.
    Provisional,
    /// After the turn.
    Settled,
}

/// One JSON Patch operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Operation {
    /// Sets the value at a JSON pointer.
    Add {
        /// Where.
        path: String,
        /// What.
        value: Value,
    },
    /// Removes what is at a JSON pointer.
    Remove {
        /// Where.
        path: String,
    },
}

/// Metadata of one entry: `tool`, `bytes`, and where known `seq`, `inputs`, `turn`, `turnsWritten`; never null.
#[must_use]
pub fn metadata(entry: &Entry, detail: Detail) -> Value {
    let is_settled = detail == Detail::Settled;
    let mut metadata = object([
        ("tool", entry.tool.as_str().into()),
        ("bytes", entry.value.bytes().into()),
    ]);
    let mut insert = |is_known: bool, name: &str, value: Value| {
        if is_known {
            metadata.insert(name.to_owned(), value);
        }
    };
    insert(is_settled, "seq", entry.seq.into());
    insert(!entry.inputs.is_empty(), "inputs", json!(entry.inputs));
    insert(is_settled, "turn", entry.turn.into());
    insert(
        is_settled && entry.turns_written > 1,
        "turnsWritten",
        entry.turns_written.into(),
    );
    Value::Object(metadata)
}

/// Metadata of every entry, by key. Entries of the current turn have the given detail, earlier ones are settled.
#[must_use]
pub fn tool_state(state: &State, current: Detail) -> JsonObject {
    let detail = |entry: &Entry| {
        if entry.turn == state.turn() {
            current
        } else {
            Detail::Settled
        }
    };
    state
        .iter()
        .map(|(key, entry)| (key.to_string(), metadata(entry, detail(entry))))
        .collect()
}

/// The one operation that replaces all metadata a client holds; every run starts with it.
#[must_use]
pub fn resync(tool_state: JsonObject) -> Vec<Operation> {
    vec![Operation::Add {
        path: ROOT.to_owned(),
        value: Value::Object(tool_state),
    }]
}

/// What changed from one [`tool_state`] to another; empty if nothing did.
#[must_use]
pub fn patch(before: &JsonObject, after: &JsonObject) -> Vec<Operation> {
    let path = |key: &str| format!("{ROOT}/{}", key.replace('~', "~0").replace('/', "~1"));
    let removed = before
        .keys()
        .filter(|key| !after.contains_key(*key))
        .map(|key| Operation::Remove { path: path(key) });
    let added = after
        .iter()
        .filter(|(key, value)| before.get(*key) != Some(*value))
        .map(|(key, value)| Operation::Add {
            path: path(key),
            value: value.clone(),
        });
    removed.chain(added).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Inputs, Origin, StateKey, StoredValue, Write};

    fn write(key: &str, inputs: Inputs) -> Write {
        let value = StoredValue::new(json!([1, 2]));
        Write {
            key: StateKey::parse(key).unwrap(),
            value,
            tool: "t".to_owned(),
            inputs,
        }
    }

    #[test]
    fn metadata_omits_what_is_not_known_and_never_holds_the_value() {
        let mut state = State::default();
        state.start_turn(1);
        state.apply([
            write("a/t/x", [("q".to_owned(), Origin::Model)].into()),
            write("a/t/y", Inputs::new()),
        ]);
        let provisional = tool_state(&state, Detail::Provisional);
        assert_eq!(
            provisional["a/t/x"],
            json!({"tool": "t", "bytes": 5, "inputs": {"q": "model"}})
        );
        assert_eq!(provisional["a/t/y"], json!({"tool": "t", "bytes": 5}));
        let settled = tool_state(&state, Detail::Settled);
        assert_eq!(
            settled["a/t/y"],
            json!({"tool": "t", "bytes": 5, "seq": 2, "turn": 1})
        );
    }

    #[test]
    fn patches_touch_single_keys_below_the_state_and_nothing_else() {
        let mut state = State::default();
        state.start_turn(1);
        state.apply([write("a/t/x", Inputs::new())]);
        let before = tool_state(&state, Detail::Settled);
        assert_eq!(patch(&before, &before), []);
        state.start_turn(2);
        state.apply([write("a/t/~y", Inputs::new())]);
        let after = tool_state(&state, Detail::Provisional);
        assert_eq!(
            serde_json::to_value(patch(&before, &after)).unwrap(),
            json!([{"op": "add", "path": "/toolState/a~1t~1~0y", "value": {"tool": "t", "bytes": 5}}])
        );
        assert_eq!(
            patch(&after, &before),
            [Operation::Remove {
                path: "/toolState/a~1t~1~0y".to_owned()
            }]
        );
        assert_eq!(
            serde_json::to_value(resync(JsonObject::new())).unwrap(),
            json!([{"op": "add", "path": "/toolState", "value": {}}])
        );
    }
}
