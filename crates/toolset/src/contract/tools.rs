//! The rules for one tool.

use serde_json::Value;

use super::ContractError;
use crate::{
    Declaration, JsonObject, Tool, Toolset,
    input::{compile, names},
    problem::problems,
    schema::data_keys,
    shape::Kinds,
};

pub(super) fn check(tool: &Tool, toolset: &Toolset, broken: &mut Vec<ContractError>) {
    let declaration = tool.declaration();
    let name = || declaration.name.to_string();
    if !is_tool_name(&declaration.name) {
        broken.push(ContractError::ToolName { tool: name() });
    }
    if declaration.description.trim().is_empty() {
        broken.push(ContractError::NoDescription { tool: name() });
    }
    for (side, schema) in declaration.schemas() {
        if schema.get("type") != Some(&Value::from("object")) {
            broken.push(ContractError::NotAnObject { tool: name(), side });
        }
    }
    if let Some(cause) = tool.broken_schema() {
        broken.push(ContractError::BrokenSchema {
            tool: name(),
            cause: cause.to_string(),
        });
    }
    check_parameters(declaration, broken);
    check_produces(declaration, broken);
    check_limits(declaration, toolset, broken);
}

fn check_parameters(declaration: &Declaration, broken: &mut Vec<ContractError>) {
    let tool = || declaration.name.to_string();
    let schema = Value::Object((*declaration.input_schema).clone());
    let empty = JsonObject::new();
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    for parameter in &declaration.not_authored {
        let parameter = parameter.clone();
        match properties
            .get(&parameter)
            .map(|property| Kinds::of_schema(property, &schema))
        {
            None => {
                let known = properties.keys().cloned().collect::<Vec<_>>().join(", ");
                broken.push(ContractError::NotAuthoredUnknown {
                    tool: tool(),
                    parameter,
                    known,
                });
            }
            Some(kinds) if !kinds.admits(Kinds::ARRAY) && !kinds.admits(Kinds::OBJECT) => {
                broken.push(ContractError::NotAuthoredScalar {
                    tool: tool(),
                    parameter,
                });
            }
            Some(_) => {}
        }
    }
    for parameter in names(&schema, "required").filter(|name| !properties.contains_key(*name)) {
        broken.push(ContractError::UndeclaredRequired {
            tool: tool(),
            parameter: parameter.to_owned(),
        });
    }
    for (parameter, property) in properties {
        if let Some(cause) = broken_default(property, &schema) {
            broken.push(ContractError::BrokenDefault {
                tool: tool(),
                parameter: parameter.clone(),
                cause,
            });
        }
    }
}

/// What the property's own schema says about its default.
fn broken_default(property: &Value, root: &Value) -> Option<String> {
    let default = property.get("default")?;
    let mut schema = property.clone();
    if let (Some(object), Some(definitions)) = (schema.as_object_mut(), root.get("$defs")) {
        object.insert("$defs".to_owned(), definitions.clone());
    }
    // A schema that does not compile is reported as such.
    let validator = compile(&schema).ok()?;
    let first = problems(&validator, &schema, default).into_iter().next()?;
    Some(first.message)
}

fn check_produces(declaration: &Declaration, broken: &mut Vec<ContractError>) {
    let declared = declaration
        .output_schema
        .as_deref()
        .map(data_keys)
        .unwrap_or_default();
    if declaration.produces != declared {
        broken.push(ContractError::Produces {
            tool: declaration.name.to_string(),
            listed: declaration.produces.join(", "),
            declared: declared.join(", "),
        });
    }
}

fn check_limits(declaration: &Declaration, toolset: &Toolset, broken: &mut Vec<ContractError>) {
    let limits = &declaration.limits;
    for (limit, zero) in [
        ("timeout", limits.timeout.is_zero()),
        ("max_result_bytes", limits.max_result_bytes == 0),
    ] {
        if zero {
            broken.push(ContractError::ZeroLimit {
                tool: declaration.name.to_string(),
                limit,
            });
        }
    }
    if let Some(class) = limits.concurrency
        && !toolset.concurrency_classes().contains_key(class)
    {
        broken.push(ContractError::UnknownClass {
            tool: declaration.name.to_string(),
            class: class.to_owned(),
        });
    }
}

fn is_tool_name(name: &str) -> bool {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-');
    (1..=64).contains(&name.len()) && name.chars().all(allowed)
}
