//! The input schema as the model sees it: structured parameters also take a handle, not-authored ones take nothing else.
//!
//! Whatever is not such a parameter stays as the server wrote it, in the same order. A `$ref` into a parameter that moves
//! is moved along, because one dangling reference makes a model provider refuse the whole request.

mod references;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use self::references::{escape, move_references, prune_definitions, refers_to};
use crate::{HANDLE_PREFIX, JsonObject};

/// What a parameter that takes a handle says to the model.
pub(crate) const HANDLE_DESCRIPTION: &str = "A reference to a value in session state, for example \
    @state:dataset-search/search_datasets/geometry. Earlier tool results name the keys in their [state updated: ...] \
    notes. The value takes the place of the reference before the tool runs; prefer this to repeating a large value.";

/// The rewritten schema, or nothing if no parameter takes a handle.
pub(crate) fn rewrite(schema: &JsonObject, not_authored: &BTreeSet<String>) -> Option<JsonObject> {
    let properties = schema.get("properties")?.as_object()?;
    let changes: Vec<(&String, Change)> = properties
        .iter()
        .filter_map(|(name, property)| Some((name, Change::of(name, property, not_authored)?)))
        .collect();
    if changes.is_empty() {
        return None;
    }
    let mut rewritten = Value::Object(schema.clone());
    for (name, change) in changes {
        match change {
            Change::Widen => widen(&mut rewritten, name),
            Change::HandleOnly => keep_handle_only(&mut rewritten, name),
        }
    }
    prune_definitions(&mut rewritten);
    match rewritten {
        Value::Object(schema) => Some(schema),
        _ => None,
    }
}

enum Change {
    Widen,
    HandleOnly,
}

impl Change {
    fn of(name: &str, property: &Value, not_authored: &BTreeSet<String>) -> Option<Self> {
        if not_authored.contains(name) {
            Some(Self::HandleOnly)
        } else {
            could_be_structured(property).then_some(Self::Widen)
        }
    }
}

/// Whether a parameter may hold an object or a list; strings and numbers are cheaper to write than to name.
fn could_be_structured(property: &Value) -> bool {
    let Some(property) = property.as_object() else {
        return false;
    };
    if ["$ref", "anyOf", "oneOf", "allOf"]
        .iter()
        .any(|keyword| property.contains_key(*keyword))
    {
        return true;
    }
    match property.get("type") {
        None => true,
        Some(Value::String(name)) => is_structured(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(is_structured),
        Some(_) => false,
    }
}

fn is_structured(type_name: &str) -> bool {
    matches!(type_name, "object" | "array")
}

/// The schema of a handle; what a parameter says of itself stands before what handles are.
fn handle_branch(own_description: Option<&str>) -> Value {
    let description = match own_description {
        Some(text) => format!("{text} {HANDLE_DESCRIPTION}"),
        None => HANDLE_DESCRIPTION.to_owned(),
    };
    json!({ "type": "string", "pattern": format!("^{HANDLE_PREFIX}"), "description": description })
}

fn property_mut<'s>(schema: &'s mut Value, name: &str) -> Option<&'s mut Value> {
    schema.get_mut("properties")?.get_mut(name)
}

fn widen(schema: &mut Value, name: &str) {
    let pointer = format!("/properties/{}", escape(name));
    move_references(schema, &pointer, &format!("{pointer}/anyOf/0"));
    let Some(property) = property_mut(schema, name) else {
        return;
    };
    let mut original = property.take();
    let description = original
        .as_object_mut()
        .and_then(|object| object.shift_remove("description"));
    let mut widened = JsonObject::new();
    widened.insert(
        "anyOf".to_owned(),
        Value::Array(vec![original, handle_branch(None)]),
    );
    widened.extend(description.map(|text| ("description".to_owned(), text)));
    *property = Value::Object(widened);
}

fn keep_handle_only(schema: &mut Value, name: &str) {
    let Some(property) = property_mut(schema, name) else {
        return;
    };
    let original = property.take();
    *property = handle_branch(original.get("description").and_then(Value::as_str));
    // Another parameter may be defined as "the same as this one"; what it refers to has to stay somewhere.
    let pointer = format!("/properties/{}", escape(name));
    if refers_to(schema, &pointer) {
        keep_as_definition(schema, name, &pointer, original);
    }
}

fn keep_as_definition(schema: &mut Value, name: &str, pointer: &str, original: Value) {
    let Some(root) = schema.as_object_mut() else {
        return;
    };
    let definitions = root.entry("$defs").or_insert_with(|| json!({}));
    let Some(definitions) = definitions.as_object_mut() else {
        return;
    };
    let mut definition = name.to_owned();
    while definitions.contains_key(&definition) {
        definition.push('_');
    }
    definitions.insert(definition.clone(), original);
    move_references(schema, pointer, &format!("/$defs/{}", escape(&definition)));
}

#[cfg(test)]
mod tests;
