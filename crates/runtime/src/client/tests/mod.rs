//! The client against servers of every temper, each a function from request to response.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use ::http::{HeaderMap, Method, StatusCode};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;

use super::*;

mod bounds;
mod credentials;
mod directory;
mod eras;
mod questions;
mod tools;

/// A request as the fake server saw it.
#[derive(Debug, Clone)]
struct Seen {
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Value,
}

impl Seen {
    fn rpc(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// A server on a free port that answers by a function, and remembers what it was asked.
struct Fake {
    url: Url,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Fake {
    async fn start(answer: impl Fn(&Seen) -> Response + Send + Sync + 'static) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap())
            .parse()
            .unwrap();
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (log, answer) = (Arc::clone(&seen), Arc::new(answer));
        let router = Router::new().fallback(move |request: Request| {
            let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
            async move {
                let (parts, body) = request.into_parts();
                let body = to_bytes(body, usize::MAX).await.unwrap();
                let seen = Seen {
                    method: parts.method,
                    path: parts.uri.path().to_owned(),
                    headers: parts.headers,
                    body: serde_json::from_slice(&body).unwrap_or_default(),
                };
                log.lock().unwrap().push(seen.clone());
                answer(&seen)
            }
        });
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, seen }
    }

    fn mcp(&self) -> Url {
        self.url.join("mcp").unwrap()
    }

    fn connection(&self, headers: DeclaredHeaders) -> Connection {
        client().connection("fake", &self.mcp(), headers)
    }

    fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    fn methods(&self) -> Vec<String> {
        self.seen().iter().map(|seen| seen.rpc().to_owned()).collect()
    }
}

fn client() -> Client {
    Client::new(ClientOptions {
        request_timeout: Duration::from_secs(5),
        ..ClientOptions::default()
    })
}

fn reply(seen: &Seen, result: &Value) -> Response {
    axum::Json(json!({ "jsonrpc": "2.0", "id": seen.body["id"], "result": result })).into_response()
}

fn rpc_error(seen: &Seen, status: StatusCode, code: i64) -> Response {
    let error = json!({ "code": code, "message": "no" });
    (
        status,
        axum::Json(json!({ "jsonrpc": "2.0", "id": seen.body["id"], "error": error })),
    )
        .into_response()
}

fn discovered(seen: &Seen) -> Response {
    let info = json!({ "io.modelcontextprotocol/serverInfo": { "name": "mcp-fake", "version": "1" } });
    reply(
        seen,
        &json!({ "supportedVersions": ["2026-07-28"], "capabilities": {}, "_meta": info }),
    )
}

fn initialized(seen: &Seen, session: Option<&str>) -> Response {
    let result = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
                         "serverInfo": { "name": "mcp-old", "version": "1" } });
    let mut response = reply(seen, &result);
    if let Some(session) = session {
        response
            .headers_mut()
            .insert("mcp-session-id", session.parse().unwrap());
    }
    response
}

fn tool(name: &str) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object" } })
}

/// A modern server of one tool, whose results are made by `call`.
fn modern(seen: &Seen, call: impl Fn(&Seen) -> Response) -> Response {
    match seen.rpc() {
        "server/discover" => discovered(seen),
        "tools/list" => reply(seen, &json!({ "tools": [tool("hello")] })),
        "tools/call" => call(seen),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// A legacy server; what it makes of a modern request is up to `stranger`.
fn legacy(seen: &Seen, session: Option<&str>, stranger: impl Fn(&Seen) -> Response) -> Response {
    match seen.rpc() {
        "initialize" => initialized(seen, session),
        "notifications/initialized" => StatusCode::ACCEPTED.into_response(),
        "tools/list" if seen.header("mcp-session-id") == session => {
            reply(seen, &json!({ "tools": [tool("old")] }))
        }
        _ => stranger(seen),
    }
}

async fn names(connection: &Connection) -> Result<Vec<String>, ClientError> {
    let tools = connection.list_tools(&Credentials::default()).await?;
    Ok(tools.into_iter().map(|tool| tool.name).collect())
}

async fn call(connection: &Connection, arguments: Value) -> Result<CallResult, ClientError> {
    let tools = connection.list_tools(&Credentials::default()).await?;
    let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
    connection
        .call_tool(&tools[0], &arguments, &Credentials::default())
        .await
}
