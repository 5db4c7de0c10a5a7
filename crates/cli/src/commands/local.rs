//! The shipped toolsets called in this process: no server, no HTTP.

use std::time::Instant;

use http::{HeaderMap, HeaderName, HeaderValue};
use periplus_toolset::{Failure, Tool, Toolset};
use serde_json::{Map, Value, json};
use tokio::task;

use super::App;
use crate::{Purpose, exit::CliError};

/// The answer of a tool.
pub(crate) enum Answer {
    /// Its structured result.
    Result(Value),
    /// It says that it failed.
    Error(String),
}

/// A toolset and one of its tools.
pub(crate) struct Found {
    toolset: Toolset,
    tool: Tool,
}

impl Found {
    /// Finds a tool in one toolset, or in all of them if none is named.
    pub(crate) fn find(app: &App, toolset: Option<&str>, tool: &str) -> Result<Self, CliError> {
        let entries = match toolset {
            Some(name) => vec![app.entry(name)?],
            None => app.entries.iter().collect(),
        };
        let mut found = Vec::new();
        let mut known = Vec::new();
        for entry in entries {
            let toolset = app.build(entry, Purpose::Listing)?;
            known.extend(
                toolset
                    .tools()
                    .iter()
                    .map(|tool| format!("{}/{}", entry.name, tool.declaration().name)),
            );
            if toolset.find(tool).is_some() {
                found.push(entry);
            }
        }
        let entry = super::remote::only_one(tool, found, |entry| entry.name.to_owned(), &known)?;
        let toolset = app.build(entry, Purpose::Calls)?;
        let tool = toolset.find(tool).cloned();
        let tool = tool.ok_or_else(|| CliError::answer(format!("toolset {} lost its tool", entry.name)))?;
        Ok(Self { toolset, tool })
    }

    /// The schema of the tool's arguments.
    pub(crate) fn input_schema(&self) -> Value {
        Value::Object((*self.tool.declaration().input_schema).clone())
    }

    /// The credential headers its toolset declares.
    pub(crate) fn credential_headers(&self) -> &[String] {
        self.toolset.credential_headers()
    }

    /// Runs the tool within its declared time.
    pub(crate) async fn call(self, arguments: Map<String, Value>, headers: &[(String, String)]) -> Answer {
        let Self { toolset, tool } = self;
        // A toolset that cannot load says so itself in its answer.
        super::readiness(&toolset).await;
        let declaration = tool.declaration().clone();
        let limit = declaration.limits.timeout;
        let context = toolset
            .context()
            .request_id("local")
            .headers(&header_map(headers))
            .deadline(Instant::now() + limit)
            .build();
        let cancellation = context.cancellation().clone();
        let work = task::spawn(async move { tool.call(arguments, &context).await });
        let failure = match tokio::time::timeout(limit, work).await {
            Ok(Ok(Ok(output))) if output.structured.is_null() => return Answer::Result(output.text.into()),
            Ok(Ok(Ok(output))) => return Answer::Result(output.structured),
            Ok(Ok(Err(failure))) => failure,
            Ok(Err(panic)) => Failure::Internal {
                incident: "local".to_owned(),
                cause: panic.to_string(),
            },
            Err(_elapsed) => {
                cancellation.cancel();
                Failure::Timeout { limit }
            }
        };
        if let Failure::Internal { cause, .. } = &failure {
            // There is no server log to look in: the person who runs the tool is its operator.
            tracing::error!(tool = &*declaration.name, cause, "the tool failed");
        }
        Answer::Error(toolset.describe_failure(&declaration.name, &failure))
    }
}

/// What the toolsets of this binary declare, in the shape that a server lists.
pub(crate) fn listing(app: &App) -> Result<Vec<(String, Vec<Value>)>, CliError> {
    let mut listing = Vec::new();
    for entry in &app.entries {
        let toolset = app.build(entry, Purpose::Listing)?;
        listing.push((
            entry.name.to_owned(),
            toolset.tools().iter().map(declared).collect(),
        ));
    }
    Ok(listing)
}

fn declared(tool: &Tool) -> Value {
    let declaration = tool.declaration();
    json!({
        "name": declaration.name,
        "title": declaration.title,
        "description": declaration.description,
        "inputSchema": *declaration.input_schema,
        "outputSchema": declaration.output_schema.as_deref(),
    })
}

fn header_map(headers: &[(String, String)]) -> HeaderMap {
    headers
        .iter()
        .filter_map(|(name, value)| {
            Some((
                HeaderName::try_from(name).ok()?,
                HeaderValue::try_from(value).ok()?,
            ))
        })
        .collect()
}
