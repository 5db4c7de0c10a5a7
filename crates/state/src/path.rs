//! Paths into a JSON value, as a person writes them: `features[0].properties["odd key"]`.
//!
//! What is written here is what [`parse`] reads. A last `[from:to]` takes a part of a list, or of the characters of a string.

use std::borrow::Cow;

use serde_json::Value;

/// Longest path that is read, in bytes; it comes from a model.
const MAX_PATH_BYTES: usize = 2000;

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    /// A field of an object.
    Field(String),
    /// An item of a list.
    Index(usize),
    /// A part of a list or string; an open end reaches to its end.
    Slice(usize, Option<usize>),
}

/// Where a path stopped being one, or stopped leading anywhere.
#[derive(Debug, PartialEq)]
pub(crate) struct Miss<'v> {
    /// The step that failed.
    pub failed_at: String,
    /// The value that has no such step.
    pub context: &'v Value,
}

/// Runs `inner` with the path extended by a field, and takes the field off again.
pub(crate) fn within_field<T>(at: &mut String, name: &str, inner: impl FnOnce(&mut String) -> T) -> T {
    let length = at.len();
    if !is_plain(name) {
        at.push('[');
        at.push_str(&Value::from(name).to_string());
        at.push(']');
    } else if at.is_empty() {
        at.push_str(name);
    } else {
        at.push('.');
        at.push_str(name);
    }
    let result = inner(at);
    at.truncate(length);
    result
}

/// Runs `inner` with the path extended by an index, and takes the index off again.
pub(crate) fn within_index<T>(at: &mut String, index: usize, inner: impl FnOnce(&mut String) -> T) -> T {
    let length = at.len();
    at.push_str(&format!("[{index}]"));
    let result = inner(at);
    at.truncate(length);
    result
}

fn is_plain(name: &str) -> bool {
    let mut characters = name.chars();
    characters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Reads a path; the error is the text from where it could not be read.
pub(crate) fn parse(text: &str) -> Result<Vec<Segment>, String> {
    if text.len() > MAX_PATH_BYTES {
        return Err(format!(
            "a path of {} bytes, longer than {MAX_PATH_BYTES}",
            text.len()
        ));
    }
    let mut segments = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (segment, after) = parse_segment(rest).ok_or_else(|| rest.to_owned())?;
        segments.push(segment);
        rest = after;
    }
    Ok(segments)
}

fn parse_segment(text: &str) -> Option<(Segment, &str)> {
    let text = text.strip_prefix('.').unwrap_or(text);
    if let Some(inside) = text.strip_prefix('[') {
        return parse_bracket(inside);
    }
    let end = text.find(['.', '[']).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end)?;
    (!name.is_empty()).then(|| (Segment::Field(name.to_owned()), rest))
}

fn parse_bracket(inside: &str) -> Option<(Segment, &str)> {
    if inside.starts_with('"') {
        let mut values = serde_json::Deserializer::from_str(inside).into_iter::<String>();
        let name = values.next()?.ok()?;
        let rest = inside.get(values.byte_offset()..)?;
        return Some((Segment::Field(name), rest.strip_prefix(']')?));
    }
    let (content, rest) = inside.split_once(']')?;
    let segment = match content.split_once(':') {
        None => Segment::Index(content.trim().parse().ok()?),
        Some((from, to)) => Segment::Slice(
            if from.trim().is_empty() {
                0
            } else {
                from.trim().parse().ok()?
            },
            if to.trim().is_empty() {
                None
            } else {
                Some(to.trim().parse().ok()?)
            },
        ),
    };
    Some((segment, rest))
}

/// The value that a path leads to.
pub(crate) fn lookup<'v>(root: &'v Value, segments: &[Segment]) -> Result<Cow<'v, Value>, Miss<'v>> {
    let mut current = root;
    for (position, segment) in segments.iter().enumerate() {
        let is_last = position + 1 == segments.len();
        let found = match (segment, current) {
            (Segment::Field(name), Value::Object(object)) => object.get(name),
            // `items.0` is a common way to write `items[0]`.
            (Segment::Field(name), Value::Array(items)) => {
                name.parse().ok().and_then(|i: usize| items.get(i))
            }
            (Segment::Index(index), Value::Array(items)) => items.get(*index),
            (Segment::Slice(from, to), _) if is_last => match slice(current, *from, *to) {
                Some(part) => return Ok(Cow::Owned(part)),
                None => None,
            },
            _ => None,
        };
        current = found.ok_or_else(|| Miss {
            failed_at: display(segment),
            context: current,
        })?;
    }
    Ok(Cow::Borrowed(current))
}

fn slice(value: &Value, from: usize, to: Option<usize>) -> Option<Value> {
    let count = to.unwrap_or(usize::MAX).saturating_sub(from);
    match value {
        Value::Array(items) => Some(items.iter().skip(from).take(count).cloned().collect()),
        Value::String(text) => Some(text.chars().skip(from).take(count).collect::<String>().into()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

fn display(segment: &Segment) -> String {
    match segment {
        Segment::Field(name) => name.clone(),
        Segment::Index(index) => format!("[{index}]"),
        Segment::Slice(from, to) => format!("[{from}:{}]", to.map_or_else(String::new, |to| to.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Value, path: &str) -> Option<Value> {
        lookup(value, &parse(path).ok()?).ok().map(Cow::into_owned)
    }

    #[test]
    fn a_path_leads_through_fields_items_and_odd_keys() {
        let value = json!({"a": {"b": [{"c": 1}]}, "odd \"key\"]": {"x.y": 2}, "s": "héllo"});
        assert_eq!(read(&value, "a.b[0].c"), Some(json!(1)));
        assert_eq!(read(&value, ".a.b.0.c"), Some(json!(1)));
        assert_eq!(read(&value, r#"["odd \"key\"]"]["x.y"]"#), Some(json!(2)));
        assert_eq!(read(&value, "s[1:3]"), Some(json!("él")));
        assert_eq!(read(&value, "a.b[0:]"), Some(json!([{"c": 1}])));
        assert_eq!(read(&value, ""), Some(value.clone()));
    }

    #[test]
    fn a_path_that_leads_nowhere_says_where_it_ended() {
        let value = json!({"a": [1]});
        let segments = parse("a[3].b").unwrap();
        assert_eq!(
            lookup(&value, &segments),
            Err(Miss {
                failed_at: "[3]".to_owned(),
                context: &value["a"]
            })
        );
        for broken in ["a[", "a[x]", "a[\"b]", "..", "a[1:x]"] {
            assert!(parse(broken).is_err(), "{broken}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_written_path_reads_back_to_where_it_was_written(
            steps in proptest::collection::vec(proptest::option::of(".{0,8}"), 0..6),
        ) {
            let leaf = json!("leaf");
            let mut value = leaf.clone();
            for step in steps.iter().rev() {
                value = match step {
                    Some(name) => json!({ name.as_str(): value }),
                    None => json!([0, value]),
                };
            }
            let mut written = String::new();
            for step in &steps {
                let mut extended = written.clone();
                match step {
                    Some(name) => within_field(&mut written, name, |at| extended.clone_from(at)),
                    None => within_index(&mut written, 1, |at| extended.clone_from(at)),
                }
                written = extended;
            }
            proptest::prop_assert_eq!(read(&value, &written), Some(leaf));
        }
    }
}
