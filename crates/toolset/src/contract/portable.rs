//! The rules for schemas that every host and model API reads the same way.

use serde_json::Value;

use super::ContractError;
use crate::{
    Declaration, JsonObject,
    problem::pointer_to,
    schema::{is_recursive, subschemas},
};

/// Both schemas of a tool stay below this: hosts put them into every conversation.
const MAX_SCHEMA_BYTES: usize = 32 * 1024;

pub(super) fn check(declaration: &Declaration, broken: &mut Vec<ContractError>) {
    let mut bytes = 0;
    for (side, schema) in declaration.schemas() {
        let root = Value::Object(schema.clone());
        bytes += root.to_string().len();
        let mut found = Vec::new();
        walk(&root, &root, "", &mut found);
        if side == "input" && schema.get("additionalProperties") != Some(&Value::Bool(false)) {
            let reason = "say `\"additionalProperties\": false`, so that a misspelt argument is refused";
            found.push((String::new(), reason));
        }
        let tool = || declaration.name.to_string();
        broken.extend(
            found
                .into_iter()
                .map(|(pointer, reason)| ContractError::NotPortable {
                    tool: tool(),
                    side,
                    pointer,
                    reason,
                }),
        );
        broken.extend(
            undescribed(schema)
                .into_iter()
                .map(|property| ContractError::UndescribedProperty {
                    tool: tool(),
                    side,
                    property,
                }),
        );
    }
    if bytes > MAX_SCHEMA_BYTES {
        let tool = declaration.name.to_string();
        broken.push(ContractError::SchemaTooLarge {
            tool,
            bytes,
            limit: MAX_SCHEMA_BYTES,
        });
    }
}

/// Properties without a description, of the schema and of the arms of a union at its root.
fn undescribed(schema: &JsonObject) -> Vec<String> {
    let arms = ["anyOf", "oneOf"]
        .iter()
        .filter_map(|keyword| schema.get(*keyword)?.as_array())
        .flatten();
    std::iter::once(schema)
        .chain(arms.filter_map(Value::as_object))
        .filter_map(|object| object.get("properties")?.as_object())
        .flatten()
        .filter(|(_, property)| {
            property
                .get("description")
                .and_then(Value::as_str)
                .is_none_or(|text| text.trim().is_empty())
        })
        .map(|(name, _)| name.clone())
        .collect()
}

fn walk(schema: &Value, root: &Value, pointer: &str, found: &mut Vec<(String, &'static str)>) {
    let Value::Object(object) = schema else { return };
    let mut report = |reason| found.push((pointer.to_owned(), reason));
    if object.contains_key("$schema") {
        report("leave `$schema` out: 2020-12 is understood, and older validators refuse to go on");
    }
    if object.get("type").is_some_and(Value::is_array) {
        report("a list of types is not understood everywhere; use `anyOf`");
    }
    let numeric = matches!(
        object.get("type").and_then(Value::as_str),
        Some("integer" | "number")
    );
    if numeric && object.contains_key("format") {
        report("validators warn about the `format` of a number; leave it out");
    }
    if let Some(reference) = object.get("$ref").and_then(Value::as_str)
        && !is_recursive(root, reference)
    {
        report("some hosts lose `$ref`; write the schema in place");
    }
    for (path, subschema) in subschemas(object) {
        let pointer = path
            .iter()
            .fold(pointer.to_owned(), |parent, segment| pointer_to(&parent, segment));
        walk(subschema, root, &pointer, found);
    }
}
