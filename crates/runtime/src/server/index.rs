//! The paths of a directory of toolsets that other processes serve.

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    response::Response,
    routing::get,
};
use http::StatusCode;

use super::{
    endpoint::Shared,
    front::{self, Front, liveness},
    openapi::OpenApi,
    pages, routes,
};
use crate::directory::Index;

/// What the routes of a directory draw on.
pub(super) struct IndexSite {
    pub(super) index: Index,
    pub(super) front: Front,
    pub(super) shared: Arc<Shared>,
}

pub(super) fn router(site: &Arc<IndexSite>) -> Router {
    let prefix = &site.front.prefix;
    let mut router = operations("");
    if !prefix.is_empty() {
        router = router.merge(operations(prefix)).route(prefix, get(directory));
    }
    router
        .route(&format!("{prefix}/"), get(directory))
        .route(&format!("{prefix}/docs"), get(docs))
        .route(&format!("{prefix}/openapi.json"), get(openapi))
        .fallback(front::not_found)
        .method_not_allowed_fallback(front::method_not_allowed)
        .with_state(Arc::clone(site))
}

/// What probes and scrapers ask; they come by the address of the machine, so no host is refused.
fn operations(base: &str) -> Router<Arc<IndexSite>> {
    Router::new()
        .route(&format!("{base}/health"), get(liveness))
        .route(&format!("{base}/health/liveness"), get(liveness))
        .route(&format!("{base}/healthz"), get(liveness))
        .route(&format!("{base}/health/readiness"), get(readiness))
        .route(&format!("{base}/readyz"), get(readiness))
        .route(&format!("{base}/metrics"), get(metrics))
}

/// Ready once something is known; what is known is told even if it cannot be renewed.
async fn readiness(State(site): State<Arc<IndexSite>>) -> Response {
    front::status(if site.shared.draining.is_cancelled() {
        "stopping"
    } else if site.index.document().is_none() {
        "starting"
    } else {
        "ok"
    })
}

async fn metrics(State(site): State<Arc<IndexSite>>) -> Response {
    routes::render(&site.shared.metrics)
}

async fn directory(State(site): State<Arc<IndexSite>>, request: Request) -> Response {
    let base = match site.front.admit(&request) {
        Ok(base) => base,
        Err(refusal) => return front::refused(&refusal),
    };
    let Some(document) = site.index.document() else {
        return front::not_yet("the toolsets are not known yet: ask again soon");
    };
    front::json_or_page(
        request.headers(),
        || front::document(StatusCode::OK, &document),
        || pages::index(&document, &base, |_| None),
    )
}

async fn openapi(State(site): State<Arc<IndexSite>>, request: Request) -> Response {
    match site.front.admit(&request) {
        Ok(base) => front::openapi(describe(&site, &base)),
        Err(refusal) => front::refused(&refusal),
    }
}

async fn docs(State(site): State<Arc<IndexSite>>, request: Request) -> Response {
    match site.front.admit(&request) {
        Ok(base) => front::docs(describe(&site, &base)),
        Err(refusal) => front::refused(&refusal),
    }
}

fn describe(site: &IndexSite, base: &str) -> OpenApi {
    let description = "The directory of MCP toolsets. It tells where each toolset is served and what it declares; \
                       calls go to the toolsets themselves.";
    let mut openapi = OpenApi::new(base, description);
    let document = site.index.document();
    if let Some(document) = document.filter(|_| site.index.public_base() == Some(base)) {
        let names: Vec<&str> = document
            .toolsets
            .iter()
            .map(|entry| entry.name.as_str())
            .collect();
        if !names.is_empty() {
            openapi.toolsets_elsewhere(&names);
        }
    }
    openapi
}
