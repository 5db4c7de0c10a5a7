//! The contract as files: schemas, an index, and a worked example of every tool.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::support::{call, toolset};

/// Where the files stand.
pub(crate) const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/contract/v0.1.0");

/// Every file of the contract, by name.
pub(crate) async fn files() -> BTreeMap<String, String> {
    let toolset = toolset().await;
    let mut files = BTreeMap::new();
    let mut write = |name: &str, value: &Value| {
        let text = serde_json::to_string_pretty(value).expect("a value is serialisable");
        files.insert(name.to_owned(), text + "\n");
    };
    let tools: Vec<_> = toolset.tools().iter().map(|tool| tool.declaration()).collect();
    let schemas = tools.iter().map(|tool| {
        (
            tool.name.to_string(),
            json!({ "input": *tool.input_schema, "output": tool.output_schema.as_deref() }),
        )
    });
    write(
        "tool-contract.schema.json",
        &json!({ "contract": periplus_met::CONTRACT, "tools": Value::Object(schemas.collect()) }),
    );
    let index = tools
        .iter()
        .map(|tool| json!({ "name": tool.name, "title": tool.title, "description": tool.description }));
    let codes = periplus_met::CODES
        .iter()
        .map(|(code, when)| json!({ "code": code, "when": when }));
    let index = json!({ "contract": periplus_met::CONTRACT, "tools": index.collect::<Value>(), "errorCodes": codes.collect::<Value>() });
    write("index.json", &index);
    let mut known = BTreeMap::new();
    for (name, tool, arguments) in examples() {
        let arguments = fill(arguments, &known);
        let result = call(&toolset, tool, arguments.clone()).await;
        write(
            &format!("examples/{name}.json"),
            &json!({ "tool": tool, "arguments": arguments, "result": result }),
        );
        known.insert(name, result);
    }
    files
}

/// The research flow; `"<example>/pointer"` stands for a value of an earlier result.
fn examples() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("1-capabilities", "collection_capabilities", json!({})),
        (
            "2-facets",
            "collection_facets",
            json!({ "field": "department", "pageSize": 5 }),
        ),
        (
            "3-select",
            "collection_select",
            json!({
                "predicate": { "all": [
                    { "field": "department", "op": "eq", "value": "Islamic Art" },
                    { "field": "object_date", "op": "overlaps", "value": { "begin": 1500, "end": 1700 } },
                    { "not": { "field": "medium", "op": "contains_normalized", "value": "silver" } },
                ] },
                "policies": { "unknown": "exclude", "conflict": "exclude" },
                "pageSize": 10,
            }),
        ),
        (
            "4-rank",
            "collection_rank",
            json!({
                "selection": "<3-select>/selection", "anchor": { "type": "topic_text", "topicText": "garden landscape" },
                "axis": "topic", "method": "lexical_bm25_v1", "pageSize": 2, "includeUnscored": true,
            }),
        ),
        (
            "5-objects",
            "collection_objects",
            json!({ "objectIds": ["<4-rank>/results/0/objectId", 1] }),
        ),
        (
            "6-evidence",
            "collection_evidence",
            json!({ "evidenceIds": ["<4-rank>/results/0/evidenceIds/0", "object:1:csv"] }),
        ),
    ]
}

fn fill(value: Value, known: &BTreeMap<&str, Value>) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
            Some((name, pointer)) => known[name]
                .pointer(pointer)
                .cloned()
                .expect("an earlier result has it"),
            None => Value::String(text),
        },
        Value::Array(items) => items.into_iter().map(|item| fill(item, known)).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, member)| (name, fill(member, known)))
            .collect(),
        other => other,
    }
}

#[tokio::test]
async fn the_published_files_say_what_the_server_does() {
    for (name, text) in files().await {
        let published = std::fs::read_to_string(std::path::Path::new(FOLDER).join(&name)).unwrap_or_default();
        assert!(
            published == text,
            "contract/v0.1.0/{name} is out of date; run `cargo run -p periplus-met --example contract`"
        );
    }
}
