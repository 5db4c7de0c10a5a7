//! Names that look like secrets: their fields are neither stored, nor shown to a model, nor sent to a view.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::{JsonObject, path};

static SECRET_NAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        "(?i-u:secret|token|password|passwd|credential|",
        "api[_-]?key|access[_-]?key|private[_-]?key|authorization)"
    ))
    .expect("the pattern is fixed and valid")
});

/// Whether a field of this name is taken for a secret.
pub(crate) fn is_secret(name: &str) -> bool {
    SECRET_NAME.is_match(name)
}

/// Removes the secret-shaped fields of an object, at any depth, and returns their paths.
pub(crate) fn strip_object(object: &mut JsonObject) -> Vec<String> {
    let mut removed = Vec::new();
    strip_fields(object, &mut String::new(), &mut removed);
    removed
}

/// Removes the secret-shaped fields inside a value, at any depth, and returns their paths.
pub(crate) fn strip(value: &mut Value) -> Vec<String> {
    let mut removed = Vec::new();
    strip_inside(value, &mut String::new(), &mut removed);
    removed
}

fn strip_inside(value: &mut Value, at: &mut String, removed: &mut Vec<String>) {
    match value {
        Value::Object(object) => strip_fields(object, at, removed),
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                path::within_index(at, index, |at| strip_inside(item, at, removed));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn strip_fields(object: &mut JsonObject, at: &mut String, removed: &mut Vec<String>) {
    object.retain(|name, value| {
        path::within_field(at, name, |at| {
            if is_secret(name) {
                removed.push(at.clone());
                return false;
            }
            strip_inside(value, at, removed);
            true
        })
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_of_secrets_are_recognised_in_any_case_and_position() {
        for name in [
            "token",
            "accessToken",
            "X-API-Key",
            "apikey",
            "DB_PASSWORD",
            "private-key",
            "Authorization",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["message", "key", "keys", "author", "api", "private", "pass"] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn secrets_are_removed_at_any_depth_and_named_by_path() {
        let mut value = json!({"a": [{"token": 1, "b": 2}], "secret": {"c": 3}, "d": {"api_key": "k"}});
        assert_eq!(strip(&mut value), ["a[0].token", "secret", "d.api_key"]);
        assert_eq!(value, json!({"a": [{"b": 2}], "d": {}}));
    }
}
