//! Arguments that a tool wants repeated as `Mcp-Param-…` headers, and the encoding of header values.

use ::http::{HeaderMap, HeaderName, HeaderValue};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

/// Schema keyword that names a header.
const KEYWORD: &str = "x-mcp-header";

/// Schemas deeper than this carry no header annotations worth following.
const MAX_DEPTH: usize = 16;

/// A header a schema asks for: the path of the argument, and the suffix of the header's name.
type Annotation = (Vec<String>, String);

/// The headers that repeat `arguments`.
///
/// # Errors
/// Says what is wrong when the annotations break the protocol's rules; such a tool must not be offered.
pub(super) fn headers(schema: &Value, arguments: &Map<String, Value>) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (path, suffix) in annotations(schema)? {
        let Some(value) = lookup(arguments, &path).filter(|value| !value.is_null()) else {
            continue;
        };
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let name = HeaderName::try_from(format!("mcp-param-{}", suffix.to_ascii_lowercase()))
            .map_err(|error| format!("{KEYWORD} {suffix:?} is not a header name ({error})"))?;
        headers.insert(name, encode(&text));
    }
    Ok(headers)
}

/// Reads and checks the annotations of an input schema.
pub(super) fn annotations(schema: &Value) -> Result<Vec<Annotation>, String> {
    let mut found = Vec::new();
    collect(schema, &mut Vec::new(), &mut found)?;
    for (index, (_, suffix)) in found.iter().enumerate() {
        if found[..index]
            .iter()
            .any(|(_, earlier)| earlier.eq_ignore_ascii_case(suffix))
        {
            return Err(format!("{KEYWORD} {suffix:?} is used twice"));
        }
    }
    Ok(found)
}

fn collect(schema: &Value, path: &mut Vec<String>, found: &mut Vec<Annotation>) -> Result<(), String> {
    if path.len() >= MAX_DEPTH {
        return Ok(());
    }
    for (name, property) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        path.push(name.clone());
        if let Some(suffix) = property.get(KEYWORD) {
            found.push((path.clone(), checked(suffix, property)?));
        }
        collect(property, path, found)?;
        path.pop();
    }
    Ok(())
}

fn checked(suffix: &Value, property: &Value) -> Result<String, String> {
    let name = suffix.as_str().filter(|name| HeaderName::try_from(*name).is_ok());
    let name = name.ok_or_else(|| format!("{KEYWORD} {suffix} is not a header name"))?;
    match property.get("type").and_then(Value::as_str) {
        Some("string" | "integer" | "boolean") => Ok(name.to_owned()),
        _ => Err(format!(
            "{KEYWORD} {name:?} is on a parameter that is no string, integer or boolean"
        )),
    }
}

fn lookup<'a>(arguments: &'a Map<String, Value>, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter()
        .try_fold(arguments.get(first)?, |value, name| value.get(name))
}

/// A header value: visible ASCII as it is, everything else as base64 between the protocol's marks.
pub(super) fn encode(text: &str) -> HeaderValue {
    let is_plain = text
        .bytes()
        .all(|byte| (0x20..0x7f).contains(&byte) || byte == b'\t')
        && text.trim() == text
        && !(text.starts_with("=?base64?") && text.ends_with("?="));
    let text = if is_plain {
        text.to_owned()
    } else {
        format!("=?base64?{}?=", STANDARD.encode(text))
    };
    HeaderValue::try_from(text).expect("visible ASCII is a header value")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_travel_plain_or_marked() {
        for (text, expected) in [
            ("us-west1", "us-west1"),
            ("inner space", "inner space"),
            ("Köln", "=?base64?S8O2bG4=?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("=?base64?abc?=", "=?base64?PT9iYXNlNjQ/YWJjPz0=?="),
            ("a\nb", "=?base64?YQpi?="),
        ] {
            assert_eq!(encode(text), expected, "{text:?}");
        }
    }

    #[test]
    fn annotated_arguments_become_headers() {
        let schema = json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "nested": {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "Count"}}},
            "absent": {"type": "string", "x-mcp-header": "Absent"},
        }});
        let arguments = json!({"region": "eu", "nested": {"n": 3}, "absent": null});
        let headers = headers(&schema, arguments.as_object().unwrap()).unwrap();
        assert_eq!(headers.len(), 2);
        assert_eq!(headers["mcp-param-region"], "eu");
        assert_eq!(headers["mcp-param-count"], "3");
    }

    #[test]
    fn broken_annotations_are_named() {
        for (schema, part) in [
            (
                json!({"properties": {"a": {"type": "object", "x-mcp-header": "A"}}}),
                "no string",
            ),
            (
                json!({"properties": {"a": {"type": "string", "x-mcp-header": "A B"}}}),
                "not a header name",
            ),
            (
                json!({"properties": {"a": {"type": "string", "x-mcp-header": "A"},
                                      "b": {"type": "string", "x-mcp-header": "a"}}}),
                "twice",
            ),
        ] {
            let error = annotations(&schema).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
