//! A host of the test's own, with the routes it needs.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    extract::Request,
    middleware::{self, Next},
    routing::{any, get},
};
use periplus_stac_explorer::{Config, Endpoint};
use periplus_toolset::{Toolset, Value};
use tokio::task::JoinHandle;

/// A server on a free port, stopped when it is dropped.
pub(crate) struct Host {
    pub(crate) url: String,
    requests: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Drop for Host {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Host {
    pub(crate) async fn serve(router: Router) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("loopback has a free port");
        Self::serve_on(listener, router)
    }

    /// For routes that have to name their own host.
    pub(crate) fn serve_on(listener: tokio::net::TcpListener, router: Router) -> Self {
        let url = format!(
            "http://{}",
            listener.local_addr().expect("a bound listener has an address")
        );
        let requests = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&requests);
        let router = router
            .fallback(any(async || {
                (axum::http::StatusCode::NOT_FOUND, "\"no such thing\"")
            }))
            .layer(middleware::from_fn(move |request: Request, next: Next| {
                counter.fetch_add(1, Ordering::Relaxed);
                next.run(request)
            }));
        let task = tokio::spawn(async move {
            axum::serve(listener, router)
                .await
                .expect("the test host runs until it is stopped")
        });
        Self { url, requests, task }
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }

    pub(crate) fn endpoint(&self) -> Endpoint {
        self.url.parse().expect("the address of the test host is a root")
    }

    /// The toolset with this host as its catalogue.
    pub(crate) fn catalogue(&self) -> Toolset {
        self.toolset(None, PATIENCE)
    }

    /// The same, hardly waiting for an answer.
    pub(crate) fn impatient(&self) -> Toolset {
        self.toolset(None, Duration::from_millis(50))
    }

    pub(crate) fn toolset(&self, tiler: Option<&Self>, patience: Duration) -> Toolset {
        periplus_stac_explorer::toolset(Config {
            root: Some(self.endpoint()),
            tiler: tiler.map(Self::endpoint),
            patience,
        })
    }
}

/// Longer than any answer takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A route that answers with this JSON.
pub(crate) fn json_at(path: &str, body: Value) -> Router {
    Router::new().route(path, get(async move || axum::Json(body)))
}
