//! One value in session state: what it is, who published it, from which arguments, and when.

use std::{collections::BTreeMap, fmt, io, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::StateKey;

/// A value and its size; cheap to clone.
#[derive(Clone, PartialEq)]
pub struct StoredValue {
    json: Arc<Value>,
    bytes: usize,
}

impl StoredValue {
    /// Measures a value.
    #[must_use]
    pub fn new(json: Value) -> Self {
        let bytes = serialised_bytes(&json);
        Self {
            json: Arc::new(json),
            bytes,
        }
    }

    /// The value itself.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.json
    }

    /// Length of the value as compact JSON, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Length of a value as compact JSON, in bytes.
pub(crate) fn serialised_bytes(value: &Value) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    serde_json::to_writer(&mut count, value).expect("a JSON value serialises, and counting does not fail");
    count.0
}

/// Values stay out of logs: only the size is shown.
impl fmt::Debug for StoredValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{} bytes>", self.bytes)
    }
}

impl Serialize for StoredValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for StoredValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::new)
    }
}

/// Where the value of an argument came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Origin {
    /// The model wrote it.
    Model,
    /// A tool published it under this key.
    Key(StateKey),
}

impl From<Origin> for String {
    fn from(origin: Origin) -> Self {
        match origin {
            Origin::Model => "model".to_owned(),
            Origin::Key(key) => key.into(),
        }
    }
}

impl TryFrom<String> for Origin {
    type Error = crate::KeyError;

    fn try_from(text: String) -> Result<Self, crate::KeyError> {
        // A key holds a slash, so the word alone cannot be one.
        if text == "model" {
            Ok(Self::Model)
        } else {
            StateKey::parse(&text).map(Self::Key)
        }
    }
}

/// The origin of each argument of a call, by parameter name; never a value. Empty for a call without arguments.
pub type Inputs = BTreeMap<String, Origin>;

/// What a tool call publishes.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    /// Where it goes.
    pub key: StateKey,
    /// What it is.
    pub value: StoredValue,
    /// The tool that published it, by its name on its server.
    pub tool: String,
    /// Where the arguments of the call came from.
    pub inputs: Inputs,
}

/// A value in session state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// The value.
    pub value: StoredValue,
    /// The tool that published it, by its name on its server.
    pub tool: String,
    /// Order of writing within the session, assigned by [`State::apply`](crate::State::apply).
    pub seq: u64,
    /// Where the arguments of the publishing call came from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: Inputs,
    /// The user turn in which it was written; the first is 1.
    pub turn: u32,
    /// In how many turns a value was written under this key.
    pub turns_written: u32,
}

impl Entry {
    /// Names of the arguments that the model wrote, sorted.
    pub fn written_by_model(&self) -> impl Iterator<Item = &str> {
        self.inputs
            .iter()
            .filter(|(_, origin)| **origin == Origin::Model)
            .map(|(name, _)| name.as_str())
    }

    /// Whether the publishing call was given any value out of session state.
    #[must_use]
    pub fn draws_on_state(&self) -> bool {
        self.inputs
            .values()
            .any(|origin| matches!(origin, Origin::Key(_)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_entry_reads_back_as_it_was_written() {
        let entry = Entry {
            value: StoredValue::new(json!({"type": "Point", "coordinates": [1, 2]})),
            tool: "pick".to_owned(),
            seq: 7,
            inputs: [
                ("q".to_owned(), Origin::Model),
                ("area".to_owned(), Origin::Key(StateKey::parse("a/b/c").unwrap())),
            ]
            .into(),
            turn: 2,
            turns_written: 1,
        };
        let json = serde_json::to_value(&entry).unwrap();
        assert_eq!(json["inputs"], json!({"area": "a/b/c", "q": "model"}));
        assert_eq!(json["turnsWritten"], 1);
        assert_eq!(serde_json::from_value::<Entry>(json).unwrap(), entry);
    }

    #[test]
    fn a_value_knows_its_serialised_size_and_keeps_out_of_logs() {
        let value = StoredValue::new(json!({"a": ["é", 1.5, null]}));
        assert_eq!(value.bytes(), r#"{"a":["é",1.5,null]}"#.len());
        assert_eq!(format!("{value:?}"), format!("<{} bytes>", value.bytes()));
    }
}
