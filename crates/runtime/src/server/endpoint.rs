//! One toolset as it is served: its answers, its rules, its limits.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use periplus_toolset::{Tool, Toolset};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::{
    ServeError, ServerConfig, ServerLimits,
    dialogue::Dialogues,
    gate::Gate,
    http::Guard,
    protocol::ParamHeaders,
    published::Published,
    seal::Seal,
    tasks::Tasks,
    telemetry::{Metrics, RequestIds, ToolMetrics, ToolsetMetrics},
};

/// What all endpoints of a server share.
pub(super) struct Shared {
    pub(super) limits: ServerLimits,
    /// Places for requests, over all endpoints.
    pub(super) admission: Arc<Semaphore>,
    /// Places for listeners, over all endpoints.
    pub(super) listeners: Arc<Semaphore>,
    pub(super) seal: Seal,
    pub(super) metrics: Metrics,
    pub(super) request_ids: RequestIds,
    /// Fires when the server is told to stop: nothing new is begun.
    pub(super) draining: CancellationToken,
    /// Fires when the time to finish is over: what still runs is given up.
    pub(super) stop: CancellationToken,
}

impl Shared {
    pub(super) fn new(config: &ServerConfig) -> Self {
        let places = |count: usize| Arc::new(Semaphore::new(count.min(Semaphore::MAX_PERMITS)));
        let limits = config.limits.clone();
        Self {
            admission: places(limits.max_concurrent_requests),
            listeners: places(limits.max_listeners),
            seal: match &config.state_key {
                Some(key) => Seal::new(key.expose().as_bytes()),
                None => Seal::random(),
            },
            metrics: Metrics::new(),
            request_ids: RequestIds::new(),
            draining: CancellationToken::new(),
            stop: CancellationToken::new(),
            limits,
        }
    }
}

/// One toolset behind one path.
pub(super) struct Endpoint {
    pub(super) toolset: Toolset,
    pub(super) published: Published,
    pub(super) guard: Guard,
    pub(super) metrics: ToolsetMetrics,
    pub(super) shared: Arc<Shared>,
    pub(super) dialogues: Arc<Dialogues>,
    /// `None` if calls never become tasks here.
    pub(super) tasks: Option<Arc<Tasks>>,
    is_only_replica: bool,
    tools: HashMap<String, Arc<Served>>,
    gates: BTreeMap<&'static str, Gate>,
}

/// A tool with what the server keeps for it.
pub(super) struct Served {
    pub(super) tool: Tool,
    pub(super) param_headers: ParamHeaders,
    pub(super) metrics: ToolMetrics,
}

impl Served {
    pub(super) fn name(&self) -> &str {
        &self.tool.declaration().name
    }
}

impl Endpoint {
    pub(super) fn new(
        toolset: Toolset,
        config: &ServerConfig,
        shared: Arc<Shared>,
    ) -> Result<Self, ServeError> {
        let serve = |tool: &Tool| {
            let declaration = tool.declaration();
            let served = Served {
                tool: tool.clone(),
                param_headers: ParamHeaders::of(&declaration.input_schema),
                metrics: shared.metrics.tool(toolset.name(), &declaration.name),
            };
            (declaration.name.to_string(), Arc::new(served))
        };
        let is_only_replica = config.replicas <= 1;
        let has_tasks = toolset
            .tools()
            .iter()
            .any(|tool| tool.declaration().task.is_some());
        let tasks = (is_only_replica && has_tasks).then(|| Arc::new(Tasks::new(config.limits.max_tasks)));
        Ok(Self {
            published: Published::of(&toolset, tasks.is_some()),
            dialogues: Arc::default(),
            tasks,
            is_only_replica,
            guard: guard(config, &toolset)?,
            metrics: shared.metrics.toolset(&toolset),
            tools: toolset.tools().iter().map(serve).collect(),
            gates: toolset
                .concurrency_classes()
                .iter()
                .map(|(class, limit)| (*class, Gate::new(*limit)))
                .collect(),
            toolset,
            shared,
        })
    }

    pub(super) fn name(&self) -> &str {
        self.toolset.name()
    }

    /// Whether legacy clients are asked on the streams of their calls.
    pub(super) fn asks_legacy_clients(&self) -> bool {
        self.is_only_replica && self.toolset.legacy().questions
    }

    pub(super) fn find(&self, tool: &str) -> Option<&Arc<Served>> {
        self.tools.get(tool)
    }

    /// The gate of the tool's concurrency class, if it has one.
    pub(super) fn gate(&self, tool: &Tool) -> Option<&Gate> {
        self.gates.get(tool.declaration().limits.concurrency?)
    }

    /// Tool names that `name` may have been meant to be, the closest first.
    pub(super) fn near(&self, name: &str) -> Vec<&str> {
        const CLOSE: f64 = 0.7;
        const LONGEST: usize = 128;
        if name.len() > LONGEST {
            return Vec::new();
        }
        let mut near: Vec<(f64, &str)> = self
            .tools
            .keys()
            .map(|tool| (strsim::jaro_winkler(name, tool), tool.as_str()))
            .filter(|(closeness, _)| *closeness >= CLOSE)
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        near.into_iter().take(3).map(|(_, tool)| tool).collect()
    }
}

/// The allow lists of the server and of the toolset together.
pub(super) fn guard(config: &ServerConfig, toolset: &Toolset) -> Result<Guard, ServeError> {
    let mut guard = server_guard(config)?;
    let access = toolset.access_rules();
    access
        .allowed_hosts
        .iter()
        .try_for_each(|entry| guard.allow_host(entry))?;
    access
        .allowed_origins
        .iter()
        .try_for_each(|entry| guard.allow_origin(entry))?;
    Ok(guard)
}

/// The allow lists of the server itself.
pub(super) fn server_guard(config: &ServerConfig) -> Result<Guard, ServeError> {
    let mut guard = Guard::loopback();
    if !config.host.is_unspecified() {
        guard.allow_name(&config.host.to_string());
    }
    if let Some(url) = &config.public_url {
        guard.allow_url(url);
    }
    config
        .allowed_hosts
        .iter()
        .try_for_each(|entry| guard.allow_host(entry))?;
    config
        .allowed_origins
        .iter()
        .try_for_each(|entry| guard.allow_origin(entry))?;
    Ok(guard)
}
