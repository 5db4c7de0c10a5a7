//! The connected servers and their tools.
//!
//! A set starts with the servers that answer and reports the rest. Every tool is known by its server and its name there;
//! the model sees a name that is the tool's alone and that every provider accepts.

mod connect;
mod names;

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use periplus_llm::ToolDefinition;
use periplus_runtime::client::{Client, Connection, Credentials, DeclaredHeaders, RemoteTool};
use periplus_state::{KeyPrefix, PRODUCES_META, Receives, Tool, Toolbox};
use serde::Serialize;
use serde_json::{Map, Value, json};
use url::Url;

pub(crate) use self::connect::redacted;
use crate::ToolSource;

/// Longest wait for one server while tools are listed.
const LIST_TIMEOUT: Duration = Duration::from_secs(15);

/// Where toolsets are, and what each of them may do with session state.
#[derive(Debug, Clone, Default)]
pub struct ToolsetSources {
    /// Directories of toolsets, roots of servers, or MCP endpoints.
    pub urls: Vec<Url>,
    /// Grants by name of the connection; one that is not named may publish under its own prefix and receive every value.
    pub grants: BTreeMap<String, Grant>,
    /// What connections that are not named may do, if not that.
    pub default_grant: Grant,
}

/// What a server may do with session state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Whether anything it returns is kept.
    pub publishes: bool,
    /// Prefixes of the keys whose values it may be given beside its own; nothing means every value.
    pub receives: Option<Vec<String>>,
}

impl Default for Grant {
    fn default() -> Self {
        Self {
            publishes: true,
            receives: None,
        }
    }
}

impl Grant {
    fn receives(&self) -> Receives {
        match &self.receives {
            None => Receives::Everything,
            Some(prefixes) => Receives::Only(prefixes.iter().map(|prefix| KeyPrefix::new(prefix)).collect()),
        }
    }
}

/// A server that could not be connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unreachable {
    /// Its name, if a directory gave one.
    pub name: Option<String>,
    /// Its address, without credentials and query.
    pub url: String,
    /// Why.
    pub reason: String,
}

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name} at {}: {}", self.url, self.reason),
            None => write!(f, "{}: {}", self.url, self.reason),
        }
    }
}

/// The servers that are connected, and their tools.
#[derive(Debug, Default)]
pub struct Toolsets {
    connected: Vec<Connected>,
    tools: Vec<ConnectedTool>,
    by_offered_name: BTreeMap<String, usize>,
    toolbox: Toolbox,
    unreachable: Vec<Unreachable>,
    warnings: Vec<String>,
}

/// A connected server.
#[derive(Debug, Clone)]
pub struct Connected {
    /// Its name: the first part of every key it publishes.
    pub name: String,
    /// How it is reached.
    pub connection: Arc<Connection>,
    /// The address behind which it was found.
    source: Url,
}

impl Connected {
    /// The credential headers that it declares, lower case; nothing if it is not known which it takes.
    #[must_use]
    pub fn credential_headers(&self) -> Option<&[String]> {
        match self.connection.declared_headers() {
            DeclaredHeaders::Unknown => None,
            DeclaredHeaders::Only(names) => Some(names),
        }
    }
}

/// A tool of a connected server.
#[derive(Debug, Clone)]
pub struct ConnectedTool {
    /// The server and the tool's name there.
    pub source: ToolSource,
    /// The name the model calls it by.
    pub offered_name: String,
    /// The tool as its server lists it.
    pub remote: Arc<RemoteTool>,
    pub(crate) bound: Tool,
    pub(crate) connection: Arc<Connection>,
}

impl ConnectedTool {
    /// The resource that shows its results, such as `ui://stac-explorer/map`.
    #[must_use]
    pub fn view(&self) -> Option<&str> {
        let meta = self.remote.meta.as_ref()?;
        let nested = meta.get("ui").and_then(|ui| ui.get("resourceUri"));
        nested.or_else(|| meta.get("ui/resourceUri"))?.as_str()
    }

    /// The tool as a model is offered it.
    pub(crate) fn definition(&self, session_state: bool) -> ToolDefinition {
        let parameters = if session_state {
            Value::Object(self.bound.input_schema().clone())
        } else {
            serde_json::from_str(self.remote.input_schema.get())
                .unwrap_or_else(|_| json!({ "type": "object" }))
        };
        ToolDefinition {
            name: self.offered_name.clone(),
            description: self.bound.description().to_owned(),
            parameters,
            meta: if session_state { self.meta() } else { Map::new() },
        }
    }

    /// The declaration's `_meta`, with the keys that are really in use.
    fn meta(&self) -> Map<String, Value> {
        let mut meta = match &self.remote.meta {
            Some(Value::Object(meta)) => meta.clone(),
            _ => Map::new(),
        };
        let produces = self.bound.produces();
        if !produces.is_empty() {
            let entries = produces
                .iter()
                .map(|(field, key)| json!({ "stateKey": key, "field": field }));
            meta.insert(PRODUCES_META.to_owned(), entries.collect());
        }
        meta
    }
}

impl Toolsets {
    /// Connects to everything behind the sources. It does not fail: what cannot be reached is reported.
    ///
    /// `own_tools` are the names of the agent's own tools. `credentials` are shown to the servers that declare them. A server
    /// of the `previous` set that is away just now keeps the tools it had, and is reported all the same.
    pub async fn connect(
        client: &Client,
        sources: &ToolsetSources,
        credentials: &Credentials,
        own_tools: &[&str],
        previous: &Self,
    ) -> Self {
        connect::connect(client, sources, credentials, own_tools, previous).await
    }

    /// The connected servers, in the order of the sources.
    #[must_use]
    pub fn connected(&self) -> &[Connected] {
        &self.connected
    }

    /// All tools, in the order of the servers and of their lists.
    #[must_use]
    pub fn tools(&self) -> &[ConnectedTool] {
        &self.tools
    }

    /// The servers that could not be connected.
    #[must_use]
    pub fn unreachable(&self) -> &[Unreachable] {
        &self.unreachable
    }

    /// What in the servers' declarations was changed or ignored, one line each.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The tool that the model calls by this name.
    #[must_use]
    pub fn get(&self, offered_name: &str) -> Option<&ConnectedTool> {
        self.tools.get(*self.by_offered_name.get(offered_name)?)
    }

    /// The tool of a server.
    #[must_use]
    pub fn find(&self, source: &ToolSource) -> Option<&ConnectedTool> {
        self.tools.iter().find(|tool| tool.source == *source)
    }

    pub(crate) fn toolbox(&self) -> &Toolbox {
        &self.toolbox
    }
}
