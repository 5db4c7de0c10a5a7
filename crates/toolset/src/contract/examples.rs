//! The rules for example questions: each is one, and its calls would be admitted.

use serde_json::Value;

use super::ContractError;
use crate::{JsonObject, Toolset, failure::join};

/// How the arguments of a planned call name an earlier result, whatever its type.
const HANDLE: &str = "@state:";

pub(super) fn check(toolset: &Toolset, broken: &mut Vec<ContractError>) {
    for (tool, examples) in toolset.examples() {
        if toolset.find(tool).is_none() {
            broken.push(ContractError::ExampleOfUnknownTool { tool: tool.clone() });
            continue;
        }
        for example in examples {
            if let Err(problem) = follow(toolset, tool, example) {
                broken.push(ContractError::BrokenExample {
                    tool: tool.clone(),
                    question: question(example).unwrap_or_default().to_owned(),
                    problem,
                });
            }
        }
    }
}

fn question(example: &Value) -> Option<&str> {
    example.as_str().or_else(|| example.get("question")?.as_str())
}

/// Checks the calls of one example; those of other toolsets' tools cannot be checked here.
fn follow(toolset: &Toolset, tool: &str, example: &Value) -> Result<(), String> {
    if question(example).is_none_or(|question| question.trim().is_empty()) {
        return Err("it asks nothing; give it a `question`".to_owned());
    }
    if let Some(arguments) = example.get("arguments") {
        admit(toolset, tool, arguments)?;
    }
    for step in example
        .get("then")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let next = step
            .get("tool")
            .and_then(Value::as_str)
            .ok_or("a call under `then` names no `tool`")?;
        if let Some(arguments) = step.get("arguments") {
            admit(toolset, next, arguments)?;
        }
    }
    Ok(())
}

fn admit(toolset: &Toolset, tool: &str, arguments: &Value) -> Result<(), String> {
    let Some(tool) = toolset.find(tool) else {
        return Ok(());
    };
    let name = &*tool.declaration().name;
    let Some(arguments) = arguments.as_object() else {
        return Err(format!("the arguments of `{name}` are no object"));
    };
    let mut problems = tool.problems(filled(arguments));
    problems.retain(|problem| !is_of_handle(arguments, &problem.pointer));
    if problems.is_empty() {
        Ok(())
    } else {
        Err(format!("`{name}` would refuse it: {}", join(&problems)))
    }
}

/// The arguments with a number in the place of every gap for one; other gaps are texts already.
fn filled(arguments: &JsonObject) -> JsonObject {
    let entries = arguments.iter();
    entries.map(|(name, value)| (name.clone(), fill(value))).collect()
}

fn fill(value: &Value) -> Value {
    match value {
        Value::String(text) if text.starts_with('{') && text.ends_with(":number}") => 1.into(),
        Value::Array(items) => items.iter().map(fill).collect(),
        Value::Object(object) => Value::Object(filled(object)),
        other => other.clone(),
    }
}

fn is_of_handle(arguments: &JsonObject, pointer: &str) -> bool {
    let name = pointer.split('/').nth(1).unwrap_or_default();
    arguments
        .get(name)
        .and_then(Value::as_str)
        .is_some_and(|text| text.starts_with(HANDLE))
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use serde_json::json;

    use super::*;
    use crate::Tool;

    fn broken(tool: &str, example: Value) -> Vec<String> {
        let object = |schema: Value| serde_json::from_value::<JsonObject>(schema).unwrap();
        let count = Tool::builder("count")
            .description("Counts.")
            .input_schema(object(json!({
                "type": "object",
                "properties": { "word": { "type": "string" }, "limit": { "type": "integer" }, "area": { "type": "object" } },
                "required": ["word"],
                "additionalProperties": false
            })))
            .output_schema(object(json!({ "type": "object" })))
            .handler(|_, _| async { Ok(json!({})) }.boxed());
        let mut broken = Vec::new();
        check(
            &Toolset::new("demo").tool(count).example(tool, example),
            &mut broken,
        );
        broken.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn examples_with_gaps_handles_and_other_toolsets_tools_pass() {
        for example in [
            json!("How many words are there?"),
            json!({ "question": "Where is {word}?", "arguments": { "word": "{word}" } }),
            json!({
                "question": "First {n} of {word}",
                "arguments": { "word": "{word}", "limit": "{n:number}", "area": "@state:places/find/area" },
                "then": [{ "tool": "draw_map", "arguments": { "anything": 1 } }]
            }),
        ] {
            assert_eq!(broken("count", example.clone()), [""; 0], "{example}");
        }
    }

    #[test]
    fn what_cannot_be_followed_is_named() {
        for (tool, example, expected) in [
            ("cuont", json!("How many?"), "belongs to `cuont`"),
            ("count", json!({ "arguments": {} }), "asks nothing"),
            (
                "count",
                json!({ "question": "How many?", "arguments": {} }),
                "word",
            ),
            (
                "count",
                json!({ "question": "How many?", "arguments": [] }),
                "no object",
            ),
            (
                "count",
                json!({ "question": "How many?", "arguments": { "word": "x", "limit": "few" } }),
                "/limit",
            ),
            (
                "count",
                json!({ "question": "How many?", "then": [{ "tool": "count", "arguments": { "wrod": "x" } }] }),
                "wrod",
            ),
            (
                "count",
                json!({ "question": "How many?", "then": [{}] }),
                "names no `tool`",
            ),
        ] {
            let broken = broken(tool, example.clone());
            assert_eq!(broken.len(), 1, "{example}: {broken:?}");
            assert!(broken[0].contains(expected), "{example}: {broken:?}");
        }
    }
}
