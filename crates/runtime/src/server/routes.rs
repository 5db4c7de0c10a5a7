//! The paths of a server.

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    response::Response,
    routing::{any, get},
};
use http::{HeaderValue, StatusCode, header};
use periplus_toolset::{Readiness, Toolset};

use super::{
    directory,
    endpoint::{Endpoint, Shared},
    front::{self, Front, document, liveness},
    http as mcp,
    openapi::OpenApi,
    pages,
    telemetry::Metrics,
};

/// What the routes of a server draw on.
pub(super) struct Site {
    pub(super) endpoints: Vec<Arc<Endpoint>>,
    pub(super) shared: Arc<Shared>,
    pub(super) front: Front,
}

impl Site {
    fn toolsets(&self) -> Vec<&Toolset> {
        self.endpoints.iter().map(|endpoint| &endpoint.toolset).collect()
    }
}

/// All routes: one toolset stands at the root, several under their names with a directory above them.
pub(super) fn router(site: &Arc<Site>) -> Router {
    let prefix = &site.front.prefix;
    let mut router = operations(site, "");
    if !prefix.is_empty() {
        router = router.merge(operations(site, prefix));
    }
    if let [only] = site.endpoints.as_slice() {
        router = endpoint_routes(router, only, prefix);
        if !prefix.is_empty() {
            let health = any(health).with_state(Arc::clone(only));
            router = router.route("/health", health);
        }
    } else {
        for endpoint in &site.endpoints {
            router = endpoint_routes(router, endpoint, &format!("{prefix}/{}", endpoint.name()));
        }
        router = router.merge(directory_routes(site));
    }
    router
        .fallback(front::not_found)
        .method_not_allowed_fallback(front::method_not_allowed)
}

/// The directory of several toolsets, and the description of everything.
fn directory_routes(site: &Arc<Site>) -> Router {
    let prefix = &site.front.prefix;
    let mut router = Router::new()
        .route(&format!("{prefix}/"), get(index))
        .route(&format!("{prefix}/docs"), get(docs))
        .route(&format!("{prefix}/openapi.json"), get(openapi));
    if !prefix.is_empty() {
        router = router.route(prefix, get(index));
    }
    router.with_state(Arc::clone(site))
}

fn endpoint_routes(router: Router, endpoint: &Arc<Endpoint>, base: &str) -> Router {
    let serve = any(mcp::serve).with_state(Arc::clone(endpoint));
    let health = get(health).with_state(Arc::clone(endpoint));
    router
        .route(&format!("{base}/mcp"), serve.clone())
        .route(&format!("{base}/mcp/"), serve)
        .route(&format!("{base}/health"), health)
}

/// What probes and scrapers ask; they come by the address of the machine, so no host is refused.
fn operations(site: &Arc<Site>, base: &str) -> Router {
    let mut router = Router::new()
        .route(&format!("{base}/health/liveness"), get(liveness))
        .route(&format!("{base}/healthz"), get(liveness))
        .route(&format!("{base}/health/readiness"), get(readiness))
        .route(&format!("{base}/readyz"), get(readiness))
        .route(&format!("{base}/metrics"), get(metrics));
    if site.endpoints.len() > 1 {
        router = router.route(&format!("{base}/health"), get(liveness));
    }
    router.with_state(Arc::clone(site))
}

async fn health(State(endpoint): State<Arc<Endpoint>>) -> Response {
    document(StatusCode::OK, &directory::health(&endpoint.toolset).await)
}

async fn readiness(State(site): State<Arc<Site>>) -> Response {
    front::status(readiness_status(&site).await)
}

async fn readiness_status(site: &Site) -> &'static str {
    if site.shared.draining.is_cancelled() {
        return "stopping";
    }
    for endpoint in &site.endpoints {
        let readiness = directory::readiness(&endpoint.toolset).await;
        if let Readiness::Failed(reason) | Readiness::Starting(reason) = &readiness {
            tracing::warn!(toolset = endpoint.name(), reason, "not ready");
            return directory::status(&readiness);
        }
    }
    "ok"
}

async fn metrics(State(site): State<Arc<Site>>) -> Response {
    render(&site.shared.metrics)
}

/// The figures as scrapers read them.
pub(super) fn render(metrics: &Metrics) -> Response {
    let mut response = mcp::json(StatusCode::OK, metrics.render());
    let text = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, text);
    response
}

async fn index(State(site): State<Arc<Site>>, request: Request) -> Response {
    let base = match site.front.admit(&request) {
        Ok(base) => base,
        Err(refusal) => return front::refused(&refusal),
    };
    let toolsets = site.toolsets();
    let index = directory::index(&toolsets, &base).await;
    let title = |name: &str| {
        let toolset = toolsets.iter().find(|toolset| toolset.name() == name)?;
        toolset.display_title().map(str::to_owned)
    };
    front::json_or_page(
        request.headers(),
        || document(StatusCode::OK, &index),
        || pages::index(&index, &base, title),
    )
}

async fn openapi(State(site): State<Arc<Site>>, request: Request) -> Response {
    match site.front.admit(&request) {
        Ok(base) => front::openapi(describe(&site, &base)),
        Err(refusal) => front::refused(&refusal),
    }
}

async fn docs(State(site): State<Arc<Site>>, request: Request) -> Response {
    match site.front.admit(&request) {
        Ok(base) => front::docs(describe(&site, &base)),
        Err(refusal) => front::refused(&refusal),
    }
}

fn describe(site: &Site, base: &str) -> OpenApi {
    let description = "Toolsets over the Model Context Protocol. Each toolset has an address of its own, which takes \
                       one JSON-RPC message a request; no session is needed.";
    let mut openapi = OpenApi::new(base, description);
    for toolset in site.toolsets() {
        openapi.toolset(toolset);
    }
    openapi
}
