//! Whole conversations, driven by declarations alone.

use serde_json::json;

use super::*;
use crate::{Message, ToolDefinition};

mod answers;
mod asks;
mod examples;
mod plans;

fn tool(name: &str, description: &str, required: &[&str], properties: Value, meta: Value) -> ToolDefinition {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    let mut tool = ToolDefinition::new(name, description, schema);
    tool.meta = meta.as_object().unwrap().clone();
    tool
}

fn produces(prefix: &str, fields: &[&str]) -> Value {
    fields
        .iter()
        .map(|field| json!({"field": field, "stateKey": format!("{prefix}/{field}")}))
        .collect()
}

fn hello() -> Vec<ToolDefinition> {
    let name = json!({"name": {"type": "string", "default": "world", "description": "Who to greet."}});
    vec![tool(
        "hello",
        "Say hello to someone by name.",
        &[],
        name,
        json!({}),
    )]
}

fn handle() -> Value {
    json!({"type": "string", "pattern": "^@state:"})
}

/// A chain of four tools over areas, datasets, statistics and charts.
fn zeno() -> Vec<ToolDefinition> {
    let text = |description: &str| json!({"type": "string", "description": description});
    let date = json!({"anyOf": [{"type": "string"}, {"type": "null"}], "default": null});
    let question = text("The user's question, as it was asked.");
    vec![
        tool(
            "pick_aoi",
            "Pick the area of interest that a question names: a country, state, district, protected area.",
            &["question"],
            json!({"question": question}),
            json!({"io.developmentseed.toolsets/produces": produces("zeno-aoi/pick_aoi", &["aoi_candidates", "aoi_selection"])}),
        ),
        tool(
            "pick_dataset",
            "Pick the dataset that can answer a question about forest, tree cover loss, alerts, fires or land cover.",
            &["query"],
            json!({"query": question, "start_date": date, "end_date": date, "aoi_selection": handle()}),
            json!({
                "io.developmentseed.toolsets/produces": produces("zeno-analysis/pick_dataset", &["dataset", "dataset_candidates"]),
                "io.developmentseed.toolsets/notAuthored": ["aoi_selection"],
            }),
        ),
        tool(
            "pull_data",
            "Pull statistics of a dataset for an area.",
            &["query", "dataset", "aoi_selection"],
            json!({"query": question, "start_date": date, "end_date": date,
                "dataset": handle(), "aoi_selection": handle()}),
            json!({
                "io.developmentseed.toolsets/produces": produces("zeno-analysis/pull_data", &["statistics"]),
                "io.developmentseed.toolsets/notAuthored": ["dataset", "aoi_selection"],
            }),
        ),
        tool(
            "generate_insight",
            "Turn statistics into a finding with charts.",
            &["query", "statistics", "dataset"],
            json!({"query": question, "statistics": handle(), "dataset": handle(), "language": text("Language.")}),
            json!({
                "io.developmentseed.toolsets/produces": produces("zeno-analysis/generate_insight", &["charts", "insight"]),
                "io.developmentseed.toolsets/notAuthored": ["statistics", "dataset"],
            }),
        ),
    ]
}

/// Research tools whose structured arguments only their declared examples can fill.
fn met() -> Vec<ToolDefinition> {
    let examples = json!([
        {"question": "Which objects mention {topic}?",
         "arguments": {"predicate": {"field": "metadata", "op": "contains_normalized", "value": "{topic}"}},
         "then": [{"tool": "collection_rank", "arguments": {
            "selection": "@state:met/collection_select/selection",
            "anchor": {"type": "topic_text", "topicText": "{topic}"}}}]},
        {"question": "How many objects are from {culture}?",
         "arguments": {"predicate": {"field": "culture", "op": "eq", "value": "{culture}"}}},
    ]);
    vec![
        tool(
            "collection_select",
            "Select records by conditions on recorded fields.",
            &["predicate"],
            json!({"predicate": {"type": "object"}, "pageSize": {"type": "integer"}}),
            json!({
                "io.developmentseed.toolsets/examples": examples,
                "io.developmentseed.toolsets/produces": produces("met/collection_select", &["selection"]),
            }),
        ),
        tool(
            "collection_rank",
            "Rank all records of a selection.",
            &["selection", "anchor"],
            json!({"selection": {"type": "string"}, "anchor": {"type": "object"}}),
            json!({}),
        ),
        tool(
            "collection_facets",
            "List the exact recorded values of a field.",
            &["field"],
            json!({"field": {"enum": ["culture", "medium", "department"]}, "prefix": {"type": "string"}}),
            json!({}),
        ),
    ]
}

fn everything() -> Vec<ToolDefinition> {
    [hello(), met(), zeno()].concat()
}

/// A conversation with the guide.
struct Talk {
    request: ChatRequest,
}

impl Talk {
    fn new(tools: Vec<ToolDefinition>) -> Self {
        Self {
            request: ChatRequest::default().with_tools(tools),
        }
    }

    /// What the guide does with one more message of the person.
    fn ask(&mut self, question: &str) -> Decision {
        self.request.messages.push(Message::user(question));
        self.go_on()
    }

    /// What it does after its call has returned.
    fn result(&mut self, text: &str, keys: &[&str]) -> Decision {
        let note = if keys.is_empty() {
            String::new()
        } else {
            format!("\n\n[state updated: {} — …]", keys.join(", "))
        };
        self.returned(&format!("{text}{note}"), false)
    }

    fn returned(&mut self, text: &str, is_error: bool) -> Decision {
        let Some(Message::Assistant(message)) = self.request.messages.last() else {
            panic!("no call is open")
        };
        let call = &message.tool_calls[0];
        let result = ToolResult {
            is_error,
            ..ToolResult::of(call, text)
        };
        self.request.messages.push(Message::Tool(result));
        self.go_on()
    }

    fn go_on(&mut self) -> Decision {
        let decision = decide(&self.request);
        let again = decide(&self.request);
        assert_eq!(decision, again, "the same conversation gives the same step");
        let reply = reply(again, &self.request);
        self.request.messages.push(Message::Assistant(reply.message));
        decision
    }
}

fn said(decision: Decision) -> String {
    match decision {
        Decision::Say(text) => text,
        Decision::Call { tool, arguments } => panic!("called {tool} with {arguments:?}"),
    }
}

fn called(decision: Decision) -> (String, Value) {
    match decision {
        Decision::Call { tool, arguments } => (tool, Value::Object(arguments)),
        Decision::Say(text) => panic!("said {text}"),
    }
}
