//! `conformance-client`: what the official MCP conformance suite drives to judge the client.
//!
//! The suite starts it with the address of a server of its own, and the scenario in the environment.

use std::sync::Arc;

use futures::future::BoxFuture;
use periplus_runtime::client::{
    Client, ClientOptions, Connection, Credentials, DeclaredHeaders, Question, RemoteTool, Responder,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::Url;

use super::{App, block_on};
use crate::exit::{CliError, Exit, Outcome};

/// What some scenarios say beside their name.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Scenario {
    /// Calls to make, instead of one of every tool.
    tool_calls: Vec<Call>,
}

#[derive(Debug, Deserialize)]
struct Call {
    name: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

pub(crate) fn run(app: &App, url: &str) -> Outcome {
    let url: Url = url
        .parse()
        .map_err(|error| CliError::usage(format!("{url:?} is not a URL: {error}")))?;
    let context = app.settings.variable("MCP_CONFORMANCE_CONTEXT");
    let scenario: Scenario = match context {
        Some(context) => serde_json::from_str(context)
            .map_err(|error| CliError::usage(format!("MCP_CONFORMANCE_CONTEXT cannot be read: {error}")))?,
        None => Scenario::default(),
    };
    block_on(async {
        let client = Client::new(ClientOptions {
            capabilities: json!({ "elicitation": {}, "sampling": {}, "roots": {} }),
            responder: Some(Arc::new(Agreeable)),
            ..ClientOptions::default()
        });
        let connection = client.connection("suite", &url, DeclaredHeaders::Unknown);
        let outcome = follow(&connection, scenario).await;
        connection.close().await;
        outcome
    })
}

/// Lists the tools, then makes the calls that the scenario names, or one of each tool.
async fn follow(connection: &Connection, scenario: Scenario) -> Outcome {
    let credentials = Credentials::default();
    let tools = connection.list_tools(&credentials).await?;
    let calls = if scenario.tool_calls.is_empty() {
        tools.iter().map(|tool| call_of(tool, &tools)).collect()
    } else {
        scenario.tool_calls
    };
    for call in calls {
        let Some(tool) = tools.iter().find(|tool| tool.name == call.name) else {
            return Err(CliError::answer(format!(
                "the server lists no tool {:?}",
                call.name
            )));
        };
        connection.call_tool(tool, &call.arguments, &credentials).await?;
    }
    Ok(Exit::Success)
}

/// A call with a value for every argument that must be there.
fn call_of(tool: &RemoteTool, tools: &[RemoteTool]) -> Call {
    let schema: Value = serde_json::from_str(tool.input_schema.get()).unwrap_or_default();
    let required = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let arguments = required.filter_map(Value::as_str).map(|name| {
        let kind = schema
            .pointer(&format!("/properties/{name}/type"))
            .and_then(Value::as_str);
        (name.to_owned(), value_of(kind, tools))
    });
    Call {
        name: tool.name.clone(),
        arguments: arguments.collect(),
    }
}

/// Any value of that type. An object is the schema of the first tool, as it arrived: the suite looks at what became
/// of it on its way through the client.
fn value_of(kind: Option<&str>, tools: &[RemoteTool]) -> Value {
    match kind {
        Some("number" | "integer") => 5.into(),
        Some("boolean") => true.into(),
        Some("array") => json!([]),
        Some("object") => tools
            .first()
            .and_then(|tool| serde_json::from_str(tool.input_schema.get()).ok())
            .unwrap_or_else(|| json!({})),
        _ => "text".into(),
    }
}

/// Leaves forms as they stand and lets the model say something.
#[derive(Debug)]
struct Agreeable;

impl Responder for Agreeable {
    fn respond<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Option<Value>> {
        let answer = match question.method.as_str() {
            "elicitation/create" => Some(Question::accept(question.defaults())),
            "sampling/createMessage" => Some(json!({
                "role": "assistant",
                "content": { "type": "text", "text": "A sentence." },
                "model": "none",
                "stopReason": "endTurn",
            })),
            "roots/list" => Some(json!({ "roots": [] })),
            _ => None,
        };
        Box::pin(async { answer })
    }
}
