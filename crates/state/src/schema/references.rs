//! `$ref`s inside one schema: moving them, and dropping definitions that nothing refers to any more.

use std::collections::BTreeSet;

use serde_json::Value;

/// The keywords that hold definitions, of the current drafts and of draft 7.
const CONTAINERS: [&str; 2] = ["$defs", "definitions"];

/// A name as a part of a JSON pointer.
pub(super) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Whether anything refers to the place at `pointer` or below it.
pub(super) fn refers_to(schema: &Value, pointer: &str) -> bool {
    let mut found = false;
    each_reference(schema, &mut |reference| {
        found |= rest_below(&local_pointer(reference), pointer).is_some()
    });
    found
}

/// Makes what refers to `from`, or below it, refer to `to` instead.
pub(super) fn move_references(schema: &mut Value, from: &str, to: &str) {
    match schema {
        Value::Object(object) => {
            for (name, value) in object.iter_mut() {
                let moved = match value {
                    Value::String(reference) if name == "$ref" => {
                        rest_below(&local_pointer(reference), from).map(|rest| format!("#{to}{rest}"))
                    }
                    _ => None,
                };
                match moved {
                    Some(moved) => *value = moved.into(),
                    None => move_references(value, from, to),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| move_references(item, from, to)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Drops the definitions that are not reachable from the rest of the schema.
///
/// A schema that refers by anchor or to another document is left alone: what it needs cannot be told from here.
pub(super) fn prune_definitions(schema: &mut Value) {
    let Some(kept) = reachable(schema) else { return };
    let Some(root) = schema.as_object_mut() else {
        return;
    };
    for container in CONTAINERS {
        let Some(definitions) = root.get_mut(container).and_then(Value::as_object_mut) else {
            continue;
        };
        definitions.retain(|name, _| kept.contains(&pointer_to(container, name)));
        if definitions.is_empty() {
            root.shift_remove(container);
        }
    }
}

/// Pointers of all definitions that are needed, or nothing if that cannot be told.
fn reachable(schema: &Value) -> Option<BTreeSet<String>> {
    let root = schema.as_object()?;
    let mut pending = Vec::new();
    let mut is_known = true;
    for (name, value) in root {
        if !CONTAINERS.contains(&name.as_str()) {
            each_reference(value, &mut |reference| pending.push(reference.to_owned()));
        }
    }
    let mut kept = BTreeSet::new();
    while let Some(reference) = pending.pop() {
        is_known &= reference == "#" || reference.starts_with("#/");
        let Some((container, name)) = definition_of(&reference) else {
            continue;
        };
        let Some(definition) = root.get(container).and_then(|definitions| definitions.get(&name)) else {
            continue;
        };
        if kept.insert(pointer_to(container, &name)) {
            each_reference(definition, &mut |reference| pending.push(reference.to_owned()));
        }
    }
    is_known.then_some(kept)
}

fn pointer_to(container: &str, name: &str) -> String {
    format!("/{container}/{}", escape(name))
}

/// The definition that a reference leads to or into.
fn definition_of(reference: &str) -> Option<(&'static str, String)> {
    let pointer = local_pointer(reference);
    let mut parts = pointer.split('/').skip(1);
    let first = parts.next()?;
    let container = CONTAINERS.into_iter().find(|container| *container == first)?;
    let name = parts.next()?.replace("~1", "/").replace("~0", "~");
    Some((container, name))
}

/// What is left of a pointer below a place; empty for the place itself.
fn rest_below<'p>(pointer: &'p str, place: &str) -> Option<&'p str> {
    pointer
        .strip_prefix(place)
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The JSON pointer of a reference within the document; anything else is returned as it is and matches no place.
fn local_pointer(reference: &str) -> String {
    match reference.strip_prefix('#') {
        Some(fragment) => percent_decode(fragment),
        None => reference.trim_start_matches('/').to_owned(),
    }
}

fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let decoded = (first == b'%')
            .then(|| {
                after
                    .get(..2)
                    .and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok())
            })
            .flatten();
        bytes.push(decoded.unwrap_or(first));
        rest = if decoded.is_some() {
            after.get(2..).unwrap_or_default()
        } else {
            after
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) fn each_reference(schema: &Value, visit: &mut impl FnMut(&str)) {
    match schema {
        Value::Object(object) => {
            for (name, value) in object {
                match value {
                    Value::String(reference) if name == "$ref" || name == "$dynamicRef" => visit(reference),
                    _ => each_reference(value, visit),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| each_reference(item, visit)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
