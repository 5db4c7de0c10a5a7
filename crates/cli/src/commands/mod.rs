//! One file per command; each returns how the process ends.

pub(crate) mod analytics;
pub(crate) mod aoi;
pub(crate) mod call;
pub(crate) mod chat;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod conformance_client;
pub(crate) mod doctor;
pub(crate) mod eval;
pub(crate) mod index;
pub(crate) mod list;
mod local;
pub(crate) mod man;
pub(crate) mod met;
pub(crate) mod new;
pub(crate) mod reference;
pub(crate) mod remote;
pub(crate) mod remove;
pub(crate) mod repl;
pub(crate) mod serve;
pub(crate) mod stdio;
pub(crate) mod web;

use std::{
    future::Future,
    time::{Duration, Instant},
};

use periplus_runtime::client::RemoteTool;
use periplus_toolset::{Readiness, Toolset};
use serde_json::{Value, json, value::RawValue};

use crate::{
    Entry, Profile, Purpose,
    config::{ConfigError, Settings, keys},
    exit::{CliError, Exit, Outcome},
};

/// Longest wait for a toolset to load; building the embedded catalogue takes a second or two.
const LOAD_DEADLINE: Duration = Duration::from_secs(60);

/// Pause between two looks at it.
const LOAD_PAUSE: Duration = Duration::from_millis(20);

/// What every command works with.
pub(crate) struct App {
    pub(crate) entries: Vec<Entry>,
    /// Toolsets that exist for those who name them.
    pub(crate) fixtures: Vec<Entry>,
    /// The work behind `aoi`.
    pub(crate) areas: Option<crate::areas::Areas>,
    /// What an agent can be for.
    pub(crate) profiles: Vec<Profile>,
    pub(crate) settings: Settings,
}

impl App {
    /// The shipped toolset of that name.
    pub(crate) fn entry(&self, name: &str) -> Result<&Entry, CliError> {
        let mut all = self.entries.iter().chain(&self.fixtures);
        let found = all.find(|entry| entry.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.entries.iter().map(|entry| entry.name).collect();
            let nearest = crate::config::nearest(name, names.iter().copied()).map(str::to_owned);
            ConfigError::UnknownToolset {
                name: name.to_owned(),
                nearest,
                known: names.join(", "),
            }
            .into()
        })
    }

    /// The profile that the settings name, if they name one.
    pub(crate) fn profile(&self) -> Result<Option<&Profile>, CliError> {
        let Some(name) = self.settings.text(&keys::AGENT_PROFILE) else {
            return Ok(None);
        };
        let found = self.profiles.iter().find(|profile| profile.name == name);
        found.map(Some).ok_or_else(|| {
            let names: Vec<&str> = self.profiles.iter().map(|profile| profile.name).collect();
            let error = CliError::usage(format!("there is no profile {name:?}"));
            if names.is_empty() {
                return error.hint("this binary has no profiles: leave --profile and MCP_AGENT_PROFILE out");
            }
            error.hint(format!("the profiles are {}", names.join(", ")))
        })
    }

    /// Builds a shipped toolset.
    pub(crate) fn build(&self, entry: &Entry, purpose: Purpose) -> Result<Toolset, CliError> {
        (entry.build)(&self.settings, purpose)
            .map_err(|error| CliError::usage(format!("cannot start toolset {}: {error:#}", entry.name)))
    }

    /// The server that the settings name.
    pub(crate) fn server_url(&self) -> Result<url::Url, CliError> {
        let text = self.settings.text(&keys::MCP_URL).unwrap_or_default();
        // A host and a port alone are what people paste first.
        let with_scheme = if text.contains("://") {
            text.to_owned()
        } else {
            format!("http://{text}")
        };
        let refuse = |reason: String| {
            CliError::usage(format!("{text:?} is not a URL of a server: {reason}"))
                .hint("a form like http://127.0.0.1:8000")
        };
        let url: url::Url = with_scheme
            .parse()
            .map_err(|error: url::ParseError| refuse(error.to_string()))?;
        match url.scheme() {
            "http" | "https" => Ok(url),
            other => Err(refuse(format!("its scheme is {other:?}"))),
        }
    }
}

/// A server's tool as an entry of its tool list.
pub(crate) fn declared(tool: &RemoteTool) -> Value {
    let schema = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).ok();
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": schema(&tool.input_schema).unwrap_or_default(),
        "outputSchema": tool.output_schema.as_deref().and_then(schema),
        "_meta": tool.meta,
    })
}

/// Waits until a toolset has loaded what it needs, or says that it cannot.
pub(crate) async fn readiness(toolset: &Toolset) -> Readiness {
    let deadline = Instant::now() + LOAD_DEADLINE;
    loop {
        match toolset.ready().await {
            Readiness::Starting(_) if Instant::now() < deadline => tokio::time::sleep(LOAD_PAUSE).await,
            readiness => return readiness,
        }
    }
}

/// Runs asynchronous work to its end, or until the user interrupts it.
pub(crate) fn block_on(work: impl Future<Output = Outcome>) -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::answer(format!("cannot start the async runtime: {error}")))?;
    let outcome = runtime.block_on(async {
        tokio::select! {
            outcome = work => outcome,
            _ = tokio::signal::ctrl_c() => Ok(Exit::Interrupted),
        }
    });
    // Work that blocks a thread must not hold up the end of the process.
    runtime.shutdown_background();
    outcome
}
