//! Putting an agent together.

use std::sync::{Arc, RwLock};

use periplus_llm::ChatModel;
use periplus_runtime::client::{Client, ClientOptions, Credentials};
use serde_json::json;
use tokio::{sync::Mutex as AsyncMutex, time::Instant};
use url::Url;

use super::{Agent, Inner, Listing};
use crate::{
    AgentSettings, Checkpoints, Clock, HostTool, Note, ToolsetSources, Toolsets,
    host::{date_note, system_clock},
};

/// An agent that is being put together; [`connect`](Self::connect) ends it.
#[must_use = "nothing is connected yet"]
pub struct AgentBuilder {
    inner: Inner,
}

impl std::fmt::Debug for AgentBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.fmt(f)
    }
}

impl AgentBuilder {
    pub(super) fn new(model: Arc<dyn ChatModel>, checkpoints: Arc<dyn Checkpoints>) -> Self {
        // The client's TLS takes the provider of the process; a host that has chosen one keeps it.
        let _already_installed = rustls::crypto::ring::default_provider().install_default();
        let inner = Inner {
            model,
            checkpoints,
            settings: AgentSettings::default(),
            host_tools: Vec::new(),
            note: Some(date_note()),
            clock: system_clock(),
            client: Client::new(asking()),
            sources: ToolsetSources::default(),
            credentials: Credentials::default(),
            toolsets: RwLock::new(Listing {
                toolsets: Arc::new(Toolsets::default()),
                at: Instant::now(),
                is_stale: true,
            }),
            refreshing: AsyncMutex::new(()),
            running: Arc::default(),
        };
        Self { inner }
    }

    /// Adds a directory of toolsets, the root of a server, or an MCP endpoint.
    pub fn toolsets(mut self, url: Url) -> Self {
        self.inner.sources.urls.push(url);
        self
    }

    /// Sets all addresses at once, with what each server may do with session state.
    pub fn sources(mut self, sources: ToolsetSources) -> Self {
        self.inner.sources = sources;
        self
    }

    /// Says how the agent works.
    pub fn settings(mut self, settings: AgentSettings) -> Self {
        self.inner.settings = settings;
        self
    }

    /// Adds a tool of the host. Its name goes before that of a server's tool.
    pub fn host_tool(mut self, tool: Arc<dyn HostTool>) -> Self {
        self.inner.host_tools.push(tool);
        self
    }

    /// Sets what stands at the end of the system prompt of each model call; by default today's date, nothing for nothing.
    pub fn note(mut self, note: Option<Note>) -> Self {
        self.inner.note = note;
        self
    }

    /// Sets the clock; by default that of the machine.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.inner.clock = clock;
        self
    }

    /// Sets the client that servers are reached with. One that does not declare `elicitation` is not asked anything by tools.
    pub fn client(mut self, client: Client) -> Self {
        self.inner.client = client;
        self
    }

    /// Sets the credential headers that servers are shown while their tools are listed; each run brings its own for calls.
    pub fn credentials(mut self, credentials: Credentials) -> Self {
        self.inner.credentials = credentials;
        self
    }

    /// Connects to the servers. What cannot be reached is reported by [`Toolsets::unreachable`] and tried again by later
    /// runs.
    pub async fn connect(self) -> Agent {
        let agent = Agent(Arc::new(self.inner));
        if agent.0.sources.urls.is_empty() {
            agent
                .0
                .toolsets
                .write()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .is_stale = false;
        } else {
            agent.refresh().await;
        }
        agent
    }
}

/// A client whose person can be asked.
fn asking() -> ClientOptions {
    ClientOptions {
        capabilities: json!({ "elicitation": {} }),
        ..ClientOptions::default()
    }
}
