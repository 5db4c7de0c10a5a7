//! Arguments of a tool call as a person types them: `key=value`, a JSON file, `-H` headers.

use std::{io::Read, path::Path};

use serde_json::{Map, Value};

use crate::exit::CliError;

/// Largest argument file; no server of ours takes more.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// Combines the argument file and the pairs; a pair is stronger, and of two equal names the last one.
pub(crate) fn read(
    pairs: &[String],
    file: Option<&Path>,
    schema: Option<&Value>,
) -> Result<Map<String, Value>, CliError> {
    let mut arguments = match file {
        Some(path) => object_of_file(path)?,
        None => Map::new(),
    };
    for pair in pairs {
        let (name, text) = pair
            .split_once('=')
            .filter(|(name, _)| !name.trim().is_empty())
            .ok_or_else(|| {
                CliError::usage(format!("argument {pair:?} is not of the form name=value"))
                    .hint("quote values that hold spaces: query='garden landscape'")
            })?;
        arguments.insert(
            name.to_owned(),
            value(
                text,
                schema.and_then(|schema| schema.get("properties")?.get(name)),
            ),
        );
    }
    Ok(arguments)
}

/// An answer as `NAME=VALUE`; the value stays a text until the question is known.
pub(crate) fn answer(text: &str) -> Result<(String, String), CliError> {
    let split = text.split_once('=').map(|(name, value)| (name.trim(), value));
    match split {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(CliError::usage(format!(
            "answer {text:?} is not of the form NAME=VALUE"
        ))),
    }
}

/// JSON if it reads as JSON, else a text. Where the tool wants a text, digits stay a text.
fn value(text: &str, property: Option<&Value>) -> Value {
    let wants_text = property
        .and_then(|property| property.get("type"))
        .and_then(Value::as_str)
        == Some("string");
    match serde_json::from_str(text) {
        Ok(Value::String(inner)) => Value::String(inner),
        Ok(parsed) if !wants_text => parsed,
        _ => Value::String(text.to_owned()),
    }
}

fn object_of_file(path: &Path) -> Result<Map<String, Value>, CliError> {
    let shown = if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    };
    let text = text_of_file(path)
        .map_err(|error| CliError::usage(format!("cannot read arguments from {shown}: {error}")))?;
    match serde_json::from_str(&text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(CliError::usage(format!(
            "{shown} holds no JSON object of arguments"
        ))),
        Err(error) => Err(CliError::usage(format!("{shown} is not JSON: {error}"))),
    }
}

fn text_of_file(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    if path == Path::new("-") {
        std::io::stdin()
            .lock()
            .take(MAX_FILE_BYTES)
            .read_to_string(&mut text)?;
    } else {
        std::fs::File::open(path)?
            .take(MAX_FILE_BYTES)
            .read_to_string(&mut text)?;
    }
    Ok(text)
}

/// A header as `Name: value` or `Name=value`, whichever separator comes first.
pub(crate) fn header(text: &str) -> Result<(String, String), CliError> {
    let split = text
        .find([':', '='])
        .map(|index| (text[..index].trim(), text[index + 1..].trim()));
    match split {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_owned(), value.to_owned()))
        }
        // The text is not quoted: it may hold a secret.
        _ => Err(CliError::usage(
            "a header given with -H is not of the form 'Name: value' or Name=value",
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read_pairs(pairs: &[&str], schema: Option<&Value>) -> Value {
        let pairs: Vec<String> = pairs.iter().map(|pair| (*pair).to_owned()).collect();
        Value::Object(read(&pairs, None, schema).unwrap())
    }

    #[test]
    fn values_are_json_if_they_read_as_json() {
        let given = [
            "n=5",
            "name=dev",
            "tags=[\"a\"]",
            "q=a=b",
            "s=\"x\"",
            "empty=",
            "n=6",
        ];
        let expected = json!({"n": 6, "name": "dev", "tags": ["a"], "q": "a=b", "s": "x", "empty": ""});
        assert_eq!(read_pairs(&given, None), expected);
    }

    #[test]
    fn digits_stay_a_text_where_the_tool_wants_a_text() {
        let schema = json!({"properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}});
        assert_eq!(
            read_pairs(&["query=1876", "limit=5"], Some(&schema)),
            json!({"query": "1876", "limit": 5})
        );
    }

    #[test]
    fn a_pair_is_stronger_than_the_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), r#"{"a": 1, "b": 2}"#).unwrap();
        let arguments = read(&["b=3".to_owned()], Some(file.path()), None).unwrap();
        assert_eq!(Value::Object(arguments), json!({"a": 1, "b": 3}));
    }

    #[test]
    fn broken_arguments_are_usage_errors() {
        for pair in ["novalue", "=x", " =x"] {
            let error = read(&[pair.to_owned()], None, None).unwrap_err();
            assert_eq!(error.exit, crate::exit::Exit::Usage);
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "[1]").unwrap();
        assert!(read(&[], Some(file.path()), None).is_err());
        assert!(read(&[], Some(Path::new("no-such.json")), None).is_err());
    }

    #[test]
    fn headers_take_both_separators_and_never_quote_their_value() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            header("Authorization: Bearer a=b").unwrap(),
            pair("Authorization", "Bearer a=b")
        );
        assert_eq!(header("x-demo-token=a:b").unwrap(), pair("x-demo-token", "a:b"));
        for text in ["s3cret", "x-demo-token:", ": s3cret"] {
            assert!(!header(text).unwrap_err().message.contains("s3cret"));
        }
    }
}
