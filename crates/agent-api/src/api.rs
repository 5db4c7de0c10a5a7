//! The API as a whole: what it is told, what it holds between requests, and its routes.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware::from_fn_with_state,
    routing::{delete, get, post},
};
use bytes::Bytes;
use periplus_agent::Agent;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower_http::cors::{AllowHeaders, AllowMethods, CorsLayer};

use crate::{
    Origin, OwnerPolicy,
    error::ApiError,
    extract::{no_method, no_route},
    guard::check_host,
    routes,
};

/// How the API serves.
#[derive(Debug, Clone, Default)]
pub struct ApiConfig {
    /// Origins of web pages that may call the API with credentials; without any no page of another origin can.
    pub origins: Vec<Origin>,
    /// Host names that are answered beside loopback names; `*` for all.
    pub hosts: Vec<String>,
    /// Path under which all routes are found, such as `/agent`; empty for none.
    pub prefix: String,
    /// Whose threads callers may read.
    pub owners: OwnerPolicy,
    /// Bounds.
    pub limits: ApiLimits,
}

/// Bounds of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApiLimits {
    /// Bytes of a request: a client sends its whole conversation along.
    pub body_bytes: usize,
    /// Longest time to receive a request.
    pub body_time: Duration,
    /// Runs at once; more are refused.
    pub runs: usize,
    /// Longest run; it is cancelled then, and what it had finished stays.
    pub run_time: Duration,
    /// Longest wait of a request for the end of a run.
    pub idle_wait: Duration,
    /// Shortest id that a client may choose for a thread. An id is all that protects a thread unless owners are enforced.
    pub thread_id_bytes: usize,
}

impl Default for ApiLimits {
    /// 8 MiB within 30 s, 64 runs of 15 minutes, waits of 25 s, ids of any length.
    fn default() -> Self {
        Self {
            body_bytes: 8 * 1024 * 1024,
            body_time: Duration::from_secs(30),
            runs: 64,
            run_time: Duration::from_secs(15 * 60),
            idle_wait: Duration::from_secs(25),
            thread_id_bytes: 1,
        }
    }
}

/// The API. Clones are the same one.
#[derive(Clone)]
pub struct Api(Arc<Inner>);

struct Inner {
    config: ApiConfig,
    agent: OnceLock<Ready>,
    permits: Arc<Semaphore>,
    /// Views that were read, by URI; each is read once.
    views: Mutex<HashMap<String, Bytes>>,
}

/// The agent, and what every run has without sending it.
struct Ready {
    agent: Agent,
    /// Credential headers of the host, by lower-case name.
    supplied: BTreeMap<String, String>,
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api")
            .field("config", &self.0.config)
            .finish_non_exhaustive()
    }
}

impl Api {
    /// An API whose agent is still to come.
    #[must_use]
    pub fn new(config: ApiConfig) -> Self {
        Self(Arc::new(Inner {
            permits: Arc::new(Semaphore::new(config.limits.runs)),
            config,
            agent: OnceLock::new(),
            views: Mutex::default(),
        }))
    }

    /// Hands over the agent; from now on its routes answer. A second agent is ignored.
    pub fn ready(&self, agent: Agent) {
        self.ready_with(agent, []);
    }

    /// As [`ready`](Self::ready), with credential headers that runs have unless their request brings its own.
    pub fn ready_with(&self, agent: Agent, headers: impl IntoIterator<Item = (String, String)>) {
        let supplied = headers
            .into_iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), value))
            .collect();
        drop(self.0.agent.set(Ready { agent, supplied }));
    }

    /// All routes.
    pub fn router(&self) -> Router {
        // Probes come under the address of the machine, which nobody lists.
        let probes = Router::new()
            .route("/health/liveness", get(routes::health::liveness))
            .route("/health/readiness", get(routes::health::readiness))
            .with_state(self.clone());
        let routes = Router::new()
            .route("/runs", post(routes::runs::start))
            .route("/runs/{id}/cancel", post(routes::runs::cancel))
            .route("/threads", get(routes::threads::list))
            .route("/threads/{id}", get(routes::threads::read))
            .route("/threads/{id}", delete(routes::threads::remove))
            .route("/threads/{id}/turns", get(routes::threads::turns))
            .route("/threads/{id}/state/{*key}", get(routes::threads::value))
            .route("/threads/{id}/idle", get(routes::threads::idle))
            .route("/views/{toolset}/{view}", get(routes::views::read))
            .route("/connections", get(routes::connections::read))
            .route("/openapi.json", get(routes::docs::openapi))
            .route("/docs", get(routes::docs::page))
            .layer(DefaultBodyLimit::max(self.0.config.limits.body_bytes))
            .method_not_allowed_fallback(no_method)
            .fallback(no_route)
            .layer(from_fn_with_state(self.clone(), check_host))
            .with_state(self.clone())
            .merge(probes);
        let routes = match self.0.config.prefix.trim_matches('/') {
            "" => routes,
            prefix => Router::new()
                .nest(&format!("/{prefix}"), routes)
                .fallback(no_route),
        };
        match self.cors() {
            Some(cors) => routes.layer(cors),
            None => routes,
        }
    }

    /// What pages of the listed origins may do; nothing if none is listed.
    fn cors(&self) -> Option<CorsLayer> {
        let origins = &self.0.config.origins;
        let cors = CorsLayer::new()
            .allow_origin(origins.iter().map(Origin::header).collect::<Vec<_>>())
            .allow_credentials(true)
            .allow_methods(AllowMethods::mirror_request())
            .allow_headers(AllowHeaders::mirror_request());
        (!origins.is_empty()).then_some(cors)
    }

    pub(crate) fn config(&self) -> &ApiConfig {
        &self.0.config
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.0.agent.get().is_some()
    }

    pub(crate) fn agent(&self) -> Result<&Agent, ApiError> {
        let ready = self.0.agent.get().ok_or(ApiError::Connecting)?;
        Ok(&ready.agent)
    }

    /// The credential header that runs have without sending it.
    pub(crate) fn supplied(&self, header: &str) -> Option<&str> {
        self.0.agent.get()?.supplied.get(header).map(String::as_str)
    }

    /// A place among the runs, at once or not at all.
    pub(crate) fn permit(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        Arc::clone(&self.0.permits)
            .try_acquire_owned()
            .map_err(|_no_permits| ApiError::TooManyRuns {
                limit: self.0.config.limits.runs,
            })
    }

    pub(crate) fn view(&self, uri: &str) -> Option<Bytes> {
        self.views().get(uri).cloned()
    }

    pub(crate) fn keep_view(&self, uri: &str, html: Bytes) {
        self.views().insert(uri.to_owned(), html);
    }

    fn views(&self) -> std::sync::MutexGuard<'_, HashMap<String, Bytes>> {
        self.0.views.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
