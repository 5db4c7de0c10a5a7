//! The shipped toolsets called in this process: no server, no HTTP.

use std::time::Instant;

use http::{HeaderMap, HeaderName, HeaderValue};
use periplus_runtime::client::Question;
use periplus_toolset::{Answers, Asked, ClientCapabilities, Failure, Output, Tool, Toolset};
use serde_json::{Map, Value, json};
use tokio::task;

use super::App;
use crate::{
    Purpose,
    exit::CliError,
    question::{Asker, MAX_ROUNDS},
};

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

    /// Runs the tool, and again with the answers to what it asks.
    ///
    /// # Errors
    /// It asks what nobody answers.
    pub(crate) async fn call(
        &self,
        arguments: &Map<String, Value>,
        headers: &[(String, String)],
        asker: &Asker,
    ) -> Result<Answer, CliError> {
        // A toolset that cannot load says so itself in its answer.
        super::readiness(&self.toolset).await;
        let name = &*self.tool.declaration().name;
        let mut answers = Answers::new();
        for _ in 0..MAX_ROUNDS {
            let failure = match self.run(arguments.clone(), headers, answers).await {
                Ok(output) if output.structured.is_null() => return Ok(Answer::Result(output.text.into())),
                Ok(output) => return Ok(Answer::Result(output.structured)),
                Err(Failure::InputRequired(asked)) => {
                    answers = answered(asked, asker).await?;
                    continue;
                }
                Err(failure) => failure,
            };
            if let Failure::Internal { cause, .. } = &failure {
                // There is no server log to look in: the person who runs the tool is its operator.
                tracing::error!(tool = name, cause, "the tool failed");
            }
            return Ok(Answer::Error(self.toolset.describe_failure(name, &failure)));
        }
        Err(CliError::answer(format!(
            "{name} asked {MAX_ROUNDS} times and gave no result"
        )))
    }

    /// Runs the tool once, within its declared time.
    async fn run(
        &self,
        arguments: Map<String, Value>,
        headers: &[(String, String)],
        answers: Answers,
    ) -> Result<Output, Failure> {
        let tool = self.tool.clone();
        let limit = tool.declaration().limits.timeout;
        let capabilities = ClientCapabilities {
            elicitation: true,
            ..ClientCapabilities::default()
        };
        let context = self
            .toolset
            .context()
            .request_id("local")
            .headers(&header_map(headers))
            .client(capabilities)
            .answers(answers)
            .deadline(Instant::now() + limit)
            .build();
        let cancellation = context.cancellation().clone();
        let work = task::spawn(async move { tool.call(arguments, &context).await });
        match tokio::time::timeout(limit, work).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(panic)) => Err(Failure::Internal {
                incident: "local".to_owned(),
                cause: panic.to_string(),
            }),
            Err(_elapsed) => {
                cancellation.cancel();
                Err(Failure::Timeout { limit })
            }
        }
    }
}

/// The answers of earlier rounds, and those to the questions of this one.
async fn answered(asked: Asked, asker: &Asker) -> Result<Answers, CliError> {
    let mut answers = asked.answered;
    for request in asked.requests {
        let question = Question {
            method: request.method.to_owned(),
            params: request.params,
        };
        answers.insert(request.key, asker.answer(&question).await?);
    }
    Ok(answers)
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
