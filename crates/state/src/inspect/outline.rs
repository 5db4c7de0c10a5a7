//! What a value that is too large to show looks like from outside.

use serde_json::{Value, json};

use crate::{JsonObject, describe::counted, object};

/// Most fields of an object in an outline.
const MAX_FIELDS: usize = 50;

/// Most field names in a shape.
const MAX_NAMES: usize = 8;

/// Longest field name in a shape or outline, in characters.
const MAX_NAME_CHARS: usize = 40;

/// Longest first item that is shown as it is, in characters of JSON.
const MAX_FIRST_CHARS: usize = 500;

/// Longest string that is shown as it is in a shape, in characters.
const MAX_STRING_CHARS: usize = 40;

/// The outline of a value of which all would be too much.
pub(super) fn outline(key: &str, path: Option<&str>, value: &Value, size_chars: usize) -> Value {
    let mut outline = object([("key", key.into())]);
    outline.extend(path.map(|path| ("path".to_owned(), path.into())));
    outline.extend(object([
        ("size_chars", size_chars.into()),
        ("type", type_name(value).into()),
        ("outline", contents(value)),
        (
            "hint",
            "too large to show whole: give `path` for a part of it, or `pattern` to search it".into(),
        ),
    ]));
    Value::Object(outline)
}

fn contents(value: &Value) -> Value {
    match value {
        Value::Array(items) => {
            let first = items.first().unwrap_or(&Value::Null);
            let is_short = first.to_string().chars().nth(MAX_FIRST_CHARS).is_none();
            let first_shown = if is_short {
                first.clone()
            } else {
                shape(first).into()
            };
            json!({ "length": items.len(), "items": shape(first), "first": first_shown })
        }
        Value::Object(object) => fields(object),
        Value::String(text) => {
            json!({ "length": text.chars().count(), "start": text.chars().take(MAX_FIRST_CHARS).collect::<String>() })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => shape(value).into(),
    }
}

fn fields(object: &JsonObject) -> Value {
    let mut shapes: JsonObject = object
        .iter()
        .take(MAX_FIELDS)
        .map(|(name, field)| (cut(name, MAX_NAME_CHARS), shape(field).into()))
        .collect();
    if object.len() > MAX_FIELDS {
        shapes.insert(
            "…".to_owned(),
            counted(object.len() - MAX_FIELDS, "more field", "more fields").into(),
        );
    }
    Value::Object(shapes)
}

/// A value in one line: kind and size of what is large, the value itself of what is small.
pub(super) fn shape(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let names: Vec<String> = object
                .keys()
                .take(MAX_NAMES)
                .map(|name| cut(name, MAX_NAME_CHARS))
                .collect();
            let more = if object.len() > MAX_NAMES { ", …" } else { "" };
            let count = counted(object.len(), "key", "keys");
            if names.is_empty() {
                "object(0 keys)".to_owned()
            } else {
                format!("object({count}: {}{more})", names.join(", "))
            }
        }
        Value::Array(items) => match items.first() {
            Some(first) => format!("list[{}] of {}", items.len(), shape(first)),
            None => "list[0]".to_owned(),
        },
        Value::String(text) if text.chars().nth(MAX_STRING_CHARS).is_some() => {
            format!("string({} chars)", text.chars().count())
        }
        Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => value.to_string(),
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "object",
        Value::Array(_) => "list",
        Value::String(_) => "string",
        Value::Number(_) => "number",
        Value::Bool(_) => "boolean",
        Value::Null => "null",
    }
}

fn cut(text: &str, chars: usize) -> String {
    let mut start: String = text.chars().take(chars).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}
