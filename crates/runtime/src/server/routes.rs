//! The paths of a server.

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    response::Response,
    routing::{any, get},
};
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use periplus_toolset::{Readiness, Toolset};
use serde_json::{Value, json};

use super::{
    directory,
    endpoint::{Endpoint, Shared},
    http::{self as mcp, Guard, RequestHost},
};

/// What the routes of a server draw on.
pub(super) struct Site {
    pub(super) endpoints: Vec<Arc<Endpoint>>,
    pub(super) shared: Arc<Shared>,
    /// Who may read the directory.
    pub(super) guard: Guard,
    /// Empty, or a path with a leading and no trailing slash.
    pub(super) prefix: String,
    /// The public address without a trailing slash, prefix included.
    pub(super) public_base: Option<String>,
}

impl Site {
    fn toolsets(&self) -> Vec<&Toolset> {
        self.endpoints.iter().map(|endpoint| &endpoint.toolset).collect()
    }

    /// Where clients find the server: what was configured, else where this client found it.
    fn base(&self, uri: &Uri, headers: &HeaderMap) -> String {
        self.public_base.clone().unwrap_or_else(|| {
            let host = RequestHost::of(uri, headers).map_or("localhost", |host| host.0);
            format!("http://{host}{}", self.prefix)
        })
    }
}

/// All routes: one toolset stands at the root, several under their names with a directory above them.
pub(super) fn router(site: &Arc<Site>) -> Router {
    let prefix = &site.prefix;
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
        let index = get(index).with_state(Arc::clone(site));
        router = router.route(&format!("{prefix}/"), index.clone());
        if !prefix.is_empty() {
            router = router.route(prefix, index);
        }
    }
    router
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
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

/// The process runs; whether it can answer is readiness.
async fn liveness() -> Response {
    document(StatusCode::OK, &json!({ "status": "ok" }))
}

async fn readiness(State(site): State<Arc<Site>>) -> Response {
    let status = readiness_status(&site).await;
    let code = if status == "ok" {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    document(code, &json!({ "status": status }))
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
    let mut response = mcp::json(StatusCode::OK, site.shared.metrics.render());
    let text = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, text);
    response
}

async fn index(State(site): State<Arc<Site>>, request: Request) -> Response {
    let (uri, headers) = (request.uri(), request.headers());
    if let Err(refusal) = site.guard.check(uri, headers) {
        return mcp::rpc_error(None, &refusal);
    }
    let base = site.base(uri, headers);
    let mut response = if mcp::prefers_html(headers) {
        mcp::html(StatusCode::OK, directory::index_page(&site.toolsets(), &base))
    } else {
        document(StatusCode::OK, &directory::index(&site.toolsets(), &base).await)
    };
    response
        .headers_mut()
        .insert(header::VARY, HeaderValue::from_static("Accept"));
    response
}

async fn not_found() -> Response {
    document(
        StatusCode::NOT_FOUND,
        &json!({ "error": "not_found", "detail": "nothing is served at this path" }),
    )
}

async fn method_not_allowed() -> Response {
    let detail = "this path answers GET and HEAD";
    document(
        StatusCode::METHOD_NOT_ALLOWED,
        &json!({ "error": "method_not_allowed", "detail": detail }),
    )
}

fn document(status: StatusCode, document: &Value) -> Response {
    mcp::json(status, document.to_string())
}
