//! The tool as the model sees it, and its arguments read leniently.

use serde_json::{Value, json};

use crate::{JsonObject, handle_key};

/// Name of the tool.
pub const INSPECT_STATE: &str = "inspect_state";

/// The tool as an entry of a tool list.
#[must_use]
pub fn inspect_state_declaration() -> Value {
    json!({
        "name": INSPECT_STATE,
        "description": "Read values that tools have stored in session state. A small value comes back whole, a large one as an \
            outline; take a part of it with `path`, or search it with `pattern`. It reads only: to give a value to another \
            tool, pass a reference instead of copying it.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "key": {
                    "type": "string",
                    "description": "The bare key, <toolset>/<tool>/<field>, without any prefix; * for all keys.",
                },
                "pattern": {
                    "type": "string",
                    "description": "A regular expression, matched without regard to case against lines `path = value`. \
                        With key * it searches all values.",
                },
                "path": {
                    "type": "string",
                    "description": "A part of the value, such as features[0].properties[\"odd key\"]; a last [from:to] takes \
                        a part of a list or of a text.",
                },
                "turn": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "Read the value as it was at the end of this user turn; the first turn is 1.",
                },
            },
            "required": ["key"],
        },
    })
}

/// The arguments of a call of the tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InspectRequest {
    /// The key, or `*`.
    pub key: String,
    /// What to search for.
    pub pattern: Option<String>,
    /// Which part of the value.
    pub path: Option<String>,
    /// The user turn at whose end to look.
    pub turn: Option<u32>,
}

impl InspectRequest {
    /// Reads the arguments that a model wrote; what is not of the expected type counts as left out.
    #[must_use]
    pub fn from_arguments(arguments: &JsonObject) -> Self {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
        let turn = arguments.get("turn").and_then(|turn| match turn {
            Value::String(text) => text.trim().parse().ok(),
            other => other.as_u64().and_then(|turn| turn.try_into().ok()),
        });
        Self {
            key: text("key").unwrap_or_default(),
            pattern: text("pattern"),
            path: text("path"),
            turn,
        }
    }

    /// The key asked for, also when it was written as a handle; nothing for all keys.
    pub(super) fn key(&self) -> Option<&str> {
        let key = handle_key(&self.key).unwrap_or(self.key.trim());
        (!key.is_empty() && key != "*").then_some(key)
    }

    /// Models write an empty text for what they leave out.
    pub(super) fn pattern(&self) -> Option<&str> {
        self.pattern.as_deref().filter(|pattern| !pattern.is_empty())
    }

    pub(super) fn path(&self) -> Option<&str> {
        self.path
            .as_deref()
            .map(str::trim)
            .filter(|path| !path.is_empty())
    }
}
