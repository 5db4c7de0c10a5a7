//! Canonical JSON: sorted member names, no spaces, so that equal values have equal bytes.

use std::fmt::Write as _;

use serde_json::Value;

/// The canonical text of a JSON value.
#[must_use]
pub fn canonical_json(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            separated(items, text, write);
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            text.push('{');
            separated(&members, text, |(name, value), text| {
                scalar(&Value::from(name.as_str()), text);
                text.push(':');
                write(value, text);
            });
            text.push('}');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => scalar(value, text),
    }
}

fn separated<T>(items: &[T], text: &mut String, mut write: impl FnMut(&T, &mut String)) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        write(item, text);
    }
}

fn scalar(value: &Value, text: &mut String) {
    write!(text, "{value}").expect("writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn member_order_does_not_matter() {
        let one = json!({ "b": [1, { "y": null, "x": "é\n" }], "a": true });
        let other = json!({ "a": true, "b": [1, { "x": "é\n", "y": null }] });
        assert_eq!(canonical_json(&one), canonical_json(&other));
        assert_eq!(canonical_json(&one), r#"{"a":true,"b":[1,{"x":"é\n","y":null}]}"#);
    }
}
