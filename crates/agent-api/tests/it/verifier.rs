//! What every stream must hold to: the order rules of the protocol, and what the official verifier lets pass.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

#[derive(Debug, Default)]
pub(crate) struct Verifier {
    open_texts: BTreeSet<String>,
    open_thoughts: BTreeSet<String>,
    open_calls: BTreeSet<String>,
    arguments: String,
    calls: BTreeSet<String>,
    results: BTreeSet<String>,
    is_resumed: bool,
    state: Value,
}

impl Verifier {
    /// Panics at the first event that breaks a rule; returns the state that a client has then. A run that goes on with
    /// answers has results of calls that an earlier run told.
    pub(crate) fn check(events: &[Value], is_resumed: bool) -> Value {
        let mut verifier = Self {
            state: json!({}),
            is_resumed,
            ..Self::default()
        };
        let last = events.len() - 1;
        for (position, event) in events.iter().enumerate() {
            assert_no_null(event);
            let kind = event["type"].as_str().expect("an event has a type");
            assert_eq!(
                position == 0,
                kind == "RUN_STARTED",
                "the run starts first, once: {event}"
            );
            let is_end = matches!(kind, "RUN_FINISHED" | "RUN_ERROR");
            assert_eq!(position == last, is_end, "an end ends: {event}");
            verifier.take(kind, event);
        }
        verifier.state
    }

    fn take(&mut self, kind: &str, event: &Value) {
        let id = |name: &str| {
            event[name]
                .as_str()
                .unwrap_or_else(|| panic!("{name}: {event}"))
                .to_owned()
        };
        match kind {
            "TEXT_MESSAGE_START" => assert!(self.open_texts.insert(id("messageId"))),
            "TEXT_MESSAGE_CONTENT" => {
                assert!(self.open_texts.contains(&id("messageId")));
                assert!(!id("delta").is_empty());
            }
            "TEXT_MESSAGE_END" => assert!(self.open_texts.remove(&id("messageId"))),
            "REASONING_START" => assert!(self.open_thoughts.insert(id("messageId"))),
            "REASONING_END" => assert!(self.open_thoughts.remove(&id("messageId"))),
            "TOOL_CALL_START" => {
                assert!(self.open_texts.is_empty(), "a text ends before a call: {event}");
                id("parentMessageId");
                self.arguments.clear();
                assert!(self.calls.insert(id("toolCallId")));
                assert!(self.open_calls.insert(id("toolCallId")));
            }
            "TOOL_CALL_ARGS" => self.arguments += &id("delta"),
            "TOOL_CALL_END" => {
                let arguments: Result<Value, _> = serde_json::from_str(&self.arguments);
                assert!(arguments.is_ok_and(|arguments| arguments.is_object()));
                assert!(self.open_calls.remove(&id("toolCallId")));
            }
            "TOOL_CALL_RESULT" => {
                assert!(self.is_resumed || self.calls.contains(&id("toolCallId")));
                assert!(self.results.insert(id("toolCallId")), "a call has one result");
            }
            "STATE_DELTA" => {
                for operation in event["delta"].as_array().unwrap() {
                    apply(&mut self.state, operation);
                }
            }
            "ACTIVITY_SNAPSHOT" => {
                assert!(event["content"].is_object());
                assert_eq!(event["replace"], true);
            }
            "RUN_FINISHED" => {
                assert!(
                    self.open_texts.is_empty() && self.open_calls.is_empty() && self.open_thoughts.is_empty()
                );
                if event["outcome"]["type"] == "success" {
                    assert!(self.calls.is_subset(&self.results), "every call has a result");
                }
            }
            _ => {}
        }
        if kind == "RUN_ERROR" {
            assert!(self.open_texts.is_empty(), "an error closes the text before it");
        }
    }
}

/// Applies an operation as a client does, but fails where a client would drop it.
fn apply(state: &mut Value, operation: &Value) {
    let path = operation["path"].as_str().unwrap();
    let (parent, key) = path.rsplit_once('/').unwrap();
    let key = key.replace("~1", "/").replace("~0", "~");
    let parent: &mut Map<String, Value> = state
        .pointer_mut(parent)
        .and_then(Value::as_object_mut)
        .unwrap_or_else(|| panic!("the path of {operation} exists"));
    assert!(
        path.starts_with("/toolState"),
        "only the tool state is written: {operation}"
    );
    match operation["op"].as_str().unwrap() {
        "add" => drop(parent.insert(key, operation["value"].clone())),
        "remove" => assert!(parent.remove(&key).is_some()),
        other => panic!("{other} is not used"),
    }
}

fn assert_no_null(value: &Value) {
    match value {
        Value::Null => panic!("a field is null"),
        Value::Array(items) => items.iter().for_each(assert_no_null),
        // What a tool returned may hold null, and is shown as it is.
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| *name != "data")
            .for_each(|(_, value)| assert_no_null(value)),
        _ => {}
    }
}
