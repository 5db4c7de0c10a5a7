//! A server on a free port, a plain HTTP client, and the toolset that the tests call.

mod asking;
mod client;
mod probe;

use std::net::SocketAddr;

use periplus_runtime::server::{ServeError, Server, ServerConfig};
use periplus_toolset::Toolset;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) use asking::{asking, asking_on_streams};
pub(crate) use client::{Connection, Reply};
pub(crate) use probe::{object, probe, text_tool};

pub(crate) const MODERN: &str = "2026-07-28";

/// A server that stops when it is dropped.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    pub(crate) shutdown: CancellationToken,
    pub(crate) task: JoinHandle<Result<(), ServeError>>,
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.shutdown.cancel();
        self.task.abort();
    }
}

pub(crate) fn local() -> ServerConfig {
    ServerConfig {
        port: 0,
        ..ServerConfig::default()
    }
}

impl TestServer {
    pub(crate) fn start(toolset: Toolset) -> Self {
        Self::start_with(local(), vec![toolset])
    }

    pub(crate) fn start_with(config: ServerConfig, toolsets: Vec<Toolset>) -> Self {
        Self::run(Server::bind(config, toolsets).unwrap())
    }

    pub(crate) fn run(server: Server) -> Self {
        let address = server.addresses()[0];
        let shutdown = CancellationToken::new();
        let task = tokio::spawn(server.run(shutdown.clone()));
        Self {
            address,
            shutdown,
            task,
        }
    }

    pub(crate) async fn connect(&self) -> Connection {
        Connection::open(self.address).await
    }

    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        self.connect().await.send(method, path, headers, body).await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], b"").await
    }

    /// A POST as a well-behaved client sends it; later headers replace earlier ones of the same name.
    pub(crate) async fn post(&self, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        self.post_to("/mcp", headers, body).await
    }

    pub(crate) async fn post_to(&self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        self.connect().await.post(path, headers, body).await
    }

    /// A legacy request.
    pub(crate) async fn legacy(&self, method: &str, params: Value) -> Reply {
        self.post(&[], request(method, params).to_string().as_bytes())
            .await
    }

    /// A modern request with everything that it must carry.
    pub(crate) async fn modern(&self, method: &str, params: Value) -> Reply {
        self.modern_with(method, params, json!({}), &[]).await
    }

    pub(crate) async fn modern_with(
        &self,
        method: &str,
        mut params: Value,
        meta: Value,
        headers: &[(&str, &str)],
    ) -> Reply {
        let name = params
            .get("name")
            .or(params.get("uri"))
            .and_then(Value::as_str)
            .map(str::to_owned);
        params["_meta"] = modern_meta(meta);
        let mut all = vec![("mcp-protocol-version", MODERN), ("mcp-method", method)];
        if let Some(name) = &name {
            all.push(("mcp-name", name));
        }
        all.extend_from_slice(headers);
        self.post(&all, request(method, params).to_string().as_bytes())
            .await
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Reply {
        self.legacy("tools/call", json!({ "name": tool, "arguments": arguments }))
            .await
    }
}

pub(crate) fn request(method: &str, params: Value) -> Value {
    let mut request = json!({ "jsonrpc": "2.0", "id": 1, "method": method });
    request["params"] = params;
    request
}

pub(crate) fn modern_meta(more: Value) -> Value {
    let mut meta = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    });
    for (key, value) in object(more) {
        meta[key] = value;
    }
    meta
}
