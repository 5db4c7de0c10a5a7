//! A server that is none of ours: it speaks the older protocol, declares nothing, and answers by a function.

use std::sync::{Arc, Mutex};

use axum::{Json, Router, http::StatusCode, response::IntoResponse, routing::any};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use url::Url;

/// What a call is answered with: a result, or a JSON-RPC error with `code` and `message`.
type Answer = dyn Fn(&str, &Value) -> Result<Value, Value> + Send + Sync;

/// A stranger on a free port.
pub(crate) struct Stranger {
    pub(crate) url: Url,
    /// Its tool list, which may change while it runs.
    pub(crate) tools: Arc<Mutex<Value>>,
    /// The parameters of the calls that came.
    pub(crate) calls: Arc<Mutex<Vec<Value>>>,
}

/// A tool without arguments.
pub(crate) fn tool(name: &str) -> Value {
    json!({ "name": name, "description": name, "inputSchema": { "type": "object", "properties": {} } })
}

impl Stranger {
    pub(crate) async fn start(
        tools: Value,
        answer: impl Fn(&str, &Value) -> Result<Value, Value> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap())
            .parse()
            .unwrap();
        let (tools, calls) = (Arc::new(Mutex::new(tools)), Arc::<Mutex<Vec<Value>>>::default());
        let answer: Arc<Answer> = Arc::new(answer);
        let (listed, log) = (Arc::clone(&tools), Arc::clone(&calls));
        let endpoint = any(move |body: Option<Json<Value>>| {
            let (listed, log, answer) = (Arc::clone(&listed), Arc::clone(&log), Arc::clone(&answer));
            async move {
                let request = body.map(|Json(request)| request).unwrap_or_default();
                let params = request["params"].clone();
                let outcome = match request["method"].as_str().unwrap_or_default() {
                    "initialize" => Ok(
                        json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
                                               "serverInfo": { "name": "stranger", "version": "1" } }),
                    ),
                    "tools/list" => Ok(json!({ "tools": *listed.lock().unwrap() })),
                    "tools/call" => {
                        log.lock().unwrap().push(params.clone());
                        answer(params["name"].as_str().unwrap_or_default(), &params)
                    }
                    _ if request["id"].is_null() => return StatusCode::ACCEPTED.into_response(),
                    _ => Err(json!({ "code": -32601, "message": "no such method" })),
                };
                let mut reply = json!({ "jsonrpc": "2.0", "id": request["id"] });
                match outcome {
                    Ok(result) => reply["result"] = result,
                    Err(error) => reply["error"] = error,
                }
                Json(reply).into_response()
            }
        });
        let router = Router::new().route("/mcp", endpoint);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, tools, calls }
    }
}
