//! The declared example questions, followed as a planner would.

use serde_json::Value;

use super::support::{call, toolset};

/// What a handle to the selection's results starts with.
const SELECTED: &str = "@state:met/collection_select/";

/// Puts values into the gaps, and fields of an earlier result in the place of their handles.
fn fill(value: &Value, earlier: &Value) -> Value {
    match value {
        Value::String(text) => match text.as_str() {
            "{topic}" => "landscape".into(),
            "{begin:number}" => 1500.into(),
            "{end:number}" => 1900.into(),
            text => match text.strip_prefix(SELECTED) {
                Some(field) => earlier[field].clone(),
                None => value.clone(),
            },
        },
        Value::Object(object) => object
            .iter()
            .map(|(name, value)| (name.clone(), fill(value, earlier)))
            .collect(),
        other => other.clone(),
    }
}

#[tokio::test]
async fn every_example_can_be_followed_to_its_end_and_finds_something() {
    let toolset = toolset().await;
    let mut finds = Vec::new();
    for (tool, examples) in toolset.examples() {
        for example in examples {
            let first = call(&toolset, tool, fill(&example["arguments"], &Value::Null)).await;
            let counts = first.get("counts").unwrap_or(&first);
            let mut found = (tool.as_str(), counts["returnedCount"].clone());
            for step in example["then"].as_array().into_iter().flatten() {
                let next = step["tool"].as_str().unwrap();
                let answer = call(&toolset, next, fill(&step["arguments"], &first)).await;
                let of_first = [&answer["results"][0], &answer["objects"][0]];
                let id = of_first
                    .iter()
                    .map(|of_first| &of_first["objectId"])
                    .find(|id| id.is_u64());
                found = (next, id.cloned().unwrap_or_default());
            }
            finds.push(found);
        }
    }
    let tools: Vec<&str> = finds.iter().map(|(tool, _)| *tool).collect();
    assert_eq!(
        tools,
        ["collection_facets", "collection_objects", "collection_rank"]
    );
    for (tool, found) in finds {
        assert!(found.as_u64().is_some_and(|found| found > 0), "{tool}: {found}");
    }
}
