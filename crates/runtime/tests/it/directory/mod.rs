//! Directories of toolsets that other processes serve: real servers on both sides, and an API server that speaks as
//! the real one does.

mod cluster;
mod credentials;
mod fake;
mod fixed;
mod tls;

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use axum::{
    Router,
    extract::Request,
    response::{IntoResponse as _, Response},
};
use http::{HeaderMap, StatusCode};
use periplus_runtime::{
    directory::{Index, IndexOptions, Source},
    server::Server,
};
use serde_json::{Value, json};

use crate::support::{TestServer, local};

/// No change takes this long to be seen, on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Health checks so often that tests need not wait for them.
fn options(public_url: Option<&str>) -> IndexOptions {
    IndexOptions {
        public_url: public_url.map(|url| url.parse().unwrap()),
        refresh: Duration::from_millis(20),
        health_timeout: Duration::from_secs(2),
    }
}

fn start(source: Source, options: &IndexOptions) -> TestServer {
    install_tls();
    let config = periplus_runtime::server::ServerConfig {
        public_url: options.public_url.clone(),
        ..local()
    };
    TestServer::run(Server::index(config, Index::start(source, options).unwrap()).unwrap())
}

fn install_tls() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Asks for the directory until it is as it should be.
async fn wait_for(server: &TestServer, is_right: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + PATIENCE;
    let mut last = Value::Null;
    while Instant::now() < end {
        let reply = server.get("/").await;
        last = reply.json();
        if reply.status == 200 && is_right(&last) {
            return last;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the directory never became right: {last:#}");
}

/// `name=status` of every listed toolset.
fn statuses(document: &Value) -> Vec<String> {
    let entries = document["toolsets"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    entries
        .iter()
        .map(|entry| format!("{}={}", text(&entry["name"]), text(&entry["status"])))
        .collect()
}

fn connected(document: &Value) -> Vec<&str> {
    document["connections"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

/// What a fake server was asked: path and headers.
type Asked = Arc<Mutex<Vec<(String, HeaderMap)>>>;

/// A server on any address of this machine that answers by a function.
async fn serve_fake(
    host: &str,
    answer: impl Fn(&str, Value) -> Response + Clone + Send + Sync + 'static,
) -> (std::net::SocketAddr, Asked) {
    let listener = tokio::net::TcpListener::bind((host, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Asked::default();
    let log = Arc::clone(&asked);
    let router = Router::new().fallback(move |request: Request| {
        let (log, answer) = (Arc::clone(&log), answer.clone());
        async move {
            let (parts, body) = request.into_parts();
            log.lock()
                .unwrap()
                .push((parts.uri.path().to_owned(), parts.headers));
            let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
            answer(
                parts.uri.path(),
                serde_json::from_slice(&body).unwrap_or_default(),
            )
        }
    });
    tokio::spawn(async move { axum::serve(listener, router).await });
    (address, asked)
}

/// A toolset that tells its health and nothing else.
async fn healthy(host: &str, tools: &[&str], headers: &[&str]) -> (std::net::SocketAddr, Asked) {
    let health = json!({ "status": "ok", "tools": tools, "credential_headers": headers,
                         "state": { "produces": [], "not_authored": [] } });
    serve_fake(host, move |path, _| match path {
        "/health" => axum::Json(health.clone()).into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    })
    .await
}
