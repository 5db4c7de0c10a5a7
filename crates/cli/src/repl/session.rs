//! The servers, tools and values of a session.

use std::{collections::BTreeMap, sync::Arc};

use periplus_runtime::client::{
    Answers, CallOutcome, ClientOptions, Connection, Credentials, Questions, RemoteTool,
};
use periplus_state::{
    CaptureLimits, Captured, HANDLE_PREFIX, InspectRequest, Moment, NotAuthoredProblem, Reason, Refusal,
    Reply, Resolved, State, Tool, Toolbox, Write, capture, describe, inspect, resolve,
};
use serde_json::{Value, json};

use super::line::COMMANDS;
use crate::{
    arguments,
    commands::{App, declared, remote},
    config::nearest,
    exit::CliError,
    printer,
};

/// Longest value that is shown as it is, in bytes of JSON.
const MAX_SHORT_BYTES: usize = 60;

/// One server of the session.
struct Server {
    connection: Connection,
    credentials: Credentials,
    tools: BTreeMap<String, RemoteTool>,
}

/// An open session.
pub(crate) struct Session {
    servers: BTreeMap<String, Server>,
    toolbox: Toolbox,
    state: State,
    turn: u32,
}

/// A call whose arguments are settled.
#[derive(Debug)]
pub(crate) struct Prepared {
    tool: Tool,
    resolved: Resolved,
}

/// How far a call has come.
#[derive(Debug)]
pub(crate) enum Step {
    Said(Said),
    /// The tool wants answers; the call is then made again.
    Asked(Questions),
}

/// What a call has answered.
#[derive(Debug)]
pub(crate) struct Said {
    /// The result, without the values that are kept under keys.
    pub(crate) text: String,
    /// What went in and what was kept, a line each.
    pub(crate) notes: Vec<String>,
}

impl Session {
    /// Connects to every toolset behind the configured URL; those that cannot be reached are told and left out.
    pub(crate) async fn open(
        app: &App,
        headers: &[(String, String)],
    ) -> Result<(Self, Vec<String>), CliError> {
        let options = ClientOptions {
            // There is a person to ask.
            capabilities: json!({ "elicitation": {} }),
            ..ClientOptions::default()
        };
        let directory = remote::open_with(app, options).await?;
        let is_index = directory.is_index;
        let openings = directory
            .entries
            .into_iter()
            .map(|listed| open_server(app, listed.connection, headers, is_index));
        let (mut servers, mut lists) = (BTreeMap::new(), Vec::new());
        let absent = directory.absent.iter();
        let mut warnings: Vec<String> = absent
            .map(|absent| format!("the toolset {} is {} and left out", absent.name, absent.status))
            .collect();
        let mut failure = None;
        for opened in futures::future::join_all(openings).await {
            match opened {
                Ok((peer, list, server)) => {
                    servers.insert(peer.name().to_owned(), server);
                    lists.push((Arc::new(peer), list));
                }
                Err(error) if is_index => {
                    warnings.push(error.message.clone());
                    failure = Some(error);
                }
                Err(error) => return Err(error),
            }
        }
        if let Some(failure) = failure.filter(|_| servers.is_empty()) {
            return Err(failure);
        }
        let (toolbox, found) = Toolbox::bind(&lists, &COMMANDS);
        warnings.extend(found.iter().map(ToString::to_string));
        let session = Self {
            servers,
            toolbox,
            state: State::default(),
            turn: 0,
        };
        Ok((session, warnings))
    }

    /// The tools of all servers.
    pub(crate) fn toolbox(&self) -> &Toolbox {
        &self.toolbox
    }

    /// The values that calls have published.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Names of the servers.
    pub(crate) fn servers(&self) -> impl Iterator<Item = &str> {
        self.servers.keys().map(String::as_str)
    }

    /// The tool of a typed name: the one it is listed under, or `TOOLSET/TOOL`.
    pub(crate) fn tool(&self, name: &str) -> Result<&Tool, CliError> {
        let by_path = |(server, tool): (&str, &str)| {
            let mut tools = self.toolbox.tools().iter();
            tools.find(|candidate| candidate.connection().name() == server && candidate.name() == tool)
        };
        let found = self
            .toolbox
            .get(name)
            .or_else(|| name.split_once('/').and_then(by_path));
        found.ok_or_else(|| {
            let names = self.toolbox.tools().iter().map(Tool::exposed_name);
            let hint = match nearest(name, names.chain(COMMANDS)) {
                Some(near) => format!("did you mean {near:?}?"),
                None => "`tools` lists the tools, `help` the commands".to_owned(),
            };
            CliError::usage(format!("there is no tool or command {name:?}")).hint(hint)
        })
    }

    /// Settles the arguments of a call.
    ///
    /// # Errors
    /// There is no such tool, the arguments cannot be read, or a handle names nothing.
    pub(crate) fn prepare(&self, name: &str, pairs: &[String]) -> Result<Prepared, CliError> {
        let tool = self.tool(name)?.clone();
        let (_, remote) = self.remote(&tool)?;
        let schema: Value = serde_json::from_str(remote.input_schema.get()).unwrap_or_default();
        let arguments = arguments::read(pairs, None, Some(&schema))?;
        let resolved = resolve(&tool, arguments, &self.state).map_err(|refusal| refused(name, &refusal))?;
        Ok(Prepared { tool, resolved })
    }

    /// Makes a call and keeps what it publishes, or comes back with what the tool asks first.
    ///
    /// # Errors
    /// The server cannot be reached, or the tool failed.
    pub(crate) async fn send(
        &mut self,
        call: &Prepared,
        answers: Option<&Answers>,
    ) -> Result<Step, CliError> {
        let Prepared { tool, resolved } = call;
        let (server, remote) = self.remote(tool)?;
        let outcome = server
            .connection
            .call(remote, &resolved.arguments, answers, &server.credentials)
            .await?;
        let result = match outcome {
            CallOutcome::Complete(result) => result,
            CallOutcome::InputRequired(questions) => return Ok(Step::Asked(questions)),
        };
        let captured = capture(
            tool,
            Reply::from_result(result.raw),
            &resolved.inputs,
            &resolved.receipts,
            CaptureLimits::default(),
        );
        if captured.is_error {
            return Err(crate::commands::call::failed(tool.name(), &captured.text));
        }
        self.turn += 1;
        self.state.start_turn(self.turn);
        self.state.apply(captured.writes.clone());
        Ok(Step::Said(self.said(resolved, &captured)))
    }

    /// The server of a tool, and the tool as that server lists it.
    fn remote(&self, tool: &Tool) -> Result<(&Server, &RemoteTool), CliError> {
        let server = self.servers.get(tool.connection().name());
        let found = server.and_then(|server| Some((server, server.tools.get(tool.name())?)));
        found.ok_or_else(|| CliError::answer(format!("{} is of no server of this session", tool.name())))
    }

    fn said(&self, resolved: &Resolved, captured: &Captured) -> Said {
        let mut notes: Vec<String> = resolved
            .receipts
            .iter()
            .map(|(parameter, receipt)| receipt.line(parameter))
            .collect();
        notes.extend(captured.warnings.iter().map(ToString::to_string));
        notes.extend(captured.writes.iter().map(published));
        Said {
            text: shown(captured),
            notes,
        }
    }

    /// What is under a key, as an agent would read it.
    pub(crate) fn inspect(&self, key: &str, path: Option<&str>) -> String {
        let request = InspectRequest {
            key: key.to_owned(),
            path: path.map(str::to_owned),
            ..InspectRequest::default()
        };
        printer::legible(inspect(&request, Moment::Now(&self.state), &self.toolbox))
    }

    /// Ends the sessions that servers keep.
    pub(crate) async fn close(&self) {
        futures::future::join_all(self.servers.values().map(|server| server.connection.close())).await;
    }
}

async fn open_server(
    app: &App,
    connection: Connection,
    headers: &[(String, String)],
    is_index: bool,
) -> Result<(periplus_state::Connection, Vec<Value>, Server), CliError> {
    let credentials = remote::credentials(&connection, headers, &app.settings)?;
    let tools = connection.list_tools(&credentials).await?;
    let name = if is_index {
        connection.name().to_owned()
    } else {
        remote::toolset_name(&connection, &credentials).await?
    };
    // A stranger may introduce itself by any name; not every name can begin a key.
    let peer = periplus_state::Connection::new(&name).or_else(|_| periplus_state::Connection::new("server"));
    let peer = peer.map_err(|error| CliError::answer(error.to_string()))?;
    let list = tools.iter().map(declared).collect();
    let tools = tools.into_iter().map(|tool| (tool.name.clone(), tool)).collect();
    let server = Server {
        connection,
        credentials,
        tools,
    };
    Ok((peer, list, server))
}

/// A published value: itself if it is short, else its shape.
fn published(write: &Write) -> String {
    let value = write.value.json();
    if write.value.bytes() > MAX_SHORT_BYTES {
        return format!("{} — {}", write.key.handle(), describe(value));
    }
    format!("{} = {value}", write.key.handle())
}

/// A refusal in words for the person who typed the call; its own words are for a model.
fn refused(tool: &str, refusal: &Refusal) -> CliError {
    let problems: Vec<String> = match refusal.reason() {
        Reason::NotAuthored(problems) => problems
            .iter()
            .map(|problem| match problem {
                NotAuthoredProblem::Literal { parameter } => {
                    format!("{parameter} takes only a published value, as {parameter}=@state:KEY")
                }
                NotAuthoredProblem::Omitted { parameter } => {
                    format!("{parameter} is missing; it takes a published value, as {parameter}=@state:KEY")
                }
            })
            .collect(),
        Reason::Unresolved(handles) => handles
            .iter()
            .map(|handle| {
                format!(
                    "{}: {HANDLE_PREFIX}{}: {}",
                    handle.path, handle.key, handle.reason
                )
            })
            .collect(),
    };
    CliError::usage(format!("{tool} was not called: {}", problems.join("; ")))
        .hint("`state` lists the published values")
}

/// The message as it is, then the other fields that were not kept under keys.
fn shown(captured: &Captured) -> String {
    let Some(mut fields) = captured.artifact.structured_content.clone() else {
        return captured.text.clone();
    };
    let message = match fields.shift_remove("message") {
        Some(Value::String(message)) => message,
        Some(other) => other.to_string(),
        None => String::new(),
    };
    if fields.is_empty() {
        return message;
    }
    let rest = format!("{:#}", Value::Object(fields));
    if message.is_empty() {
        rest
    } else {
        format!("{message}\n{rest}")
    }
}
