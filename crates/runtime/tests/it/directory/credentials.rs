//! A user's credentials on their way through a directory: each toolset sees what it declared, nobody else anything.

use axum::response::{IntoResponse as _, Response};
use http::{StatusCode, header};
use periplus_runtime::{
    client::{Client, ClientError, ClientOptions, Credentials},
    directory::{Place, Source},
};
use periplus_toolset::Toolset;
use serde_json::{Map, Value, json};

use super::{Asked, options, serve_fake, start, wait_for};
use crate::support::{TestServer, text_tool};

const ALPHA: &str = "the-secret-of-alpha";
const BETA: &str = "the-secret-of-beta";

fn credentials() -> Credentials {
    Credentials::new([
        ("X-Alpha", ALPHA),
        ("X-Beta", BETA),
        ("X-Nobody", "the-secret-of-nobody"),
    ])
    .unwrap()
}

/// A modern server of one tool that declares a header.
fn toolset(declares: &'static str) -> impl Fn(&str, Value) -> Response + Clone + Send + Sync + 'static {
    move |path, body| {
        let result = match (path, body["method"].as_str().unwrap_or_default()) {
            ("/health", _) => {
                return axum::Json(
                    json!({ "status": "ok", "tools": ["who"], "credential_headers": [declares] }),
                )
                .into_response();
            }
            (_, "server/discover") => json!({ "supportedVersions": ["2026-07-28"], "capabilities": {} }),
            (_, "tools/list") => json!({ "tools": [{ "name": "who", "inputSchema": { "type": "object" } }] }),
            (_, "tools/call") => json!({ "content": [], "resultType": "complete" }),
            _ => return StatusCode::NOT_FOUND.into_response(),
        };
        axum::Json(json!({ "jsonrpc": "2.0", "id": body["id"], "result": result })).into_response()
    }
}

fn place(name: &str, address: std::net::SocketAddr) -> Place {
    Place::new(name, &format!("http://{address}")).unwrap()
}

async fn directory(places: Vec<Place>) -> TestServer {
    let server = start(Source::Fixed(places), &options(None));
    wait_for(&server, |_| true).await;
    server
}

/// Calls `who` of every toolset with all credentials.
async fn call_all(index: &TestServer) -> Vec<Result<Value, ClientError>> {
    let url = format!("http://{}", index.address).parse().unwrap();
    let directory = Client::new(ClientOptions::default()).open(&url).await.unwrap();
    let mut results = Vec::new();
    for entry in &directory.entries {
        let result = match entry.connection.list_tools(&credentials()).await {
            Ok(tools) => {
                entry
                    .connection
                    .call_tool(&tools[0], &Map::new(), &credentials())
                    .await
            }
            Err(error) => Err(error),
        };
        results.push(result.map(|result| result.raw));
    }
    results
}

fn secrets_seen(asked: &Asked) -> Vec<String> {
    let asked = asked.lock().unwrap();
    let values = asked.iter().flat_map(|(_, headers)| headers.values().cloned());
    let mut seen: Vec<String> = values
        .filter_map(|value| value.to_str().ok().map(str::to_owned))
        .filter(|value| value.starts_with("the-secret"))
        .collect();
    seen.sort();
    seen.dedup();
    seen
}

#[tokio::test]
async fn a_header_that_one_toolset_declares_never_reaches_another() {
    let (alpha, asked_of_alpha) = serve_fake("127.0.0.1", toolset("x-alpha")).await;
    let (beta, asked_of_beta) = serve_fake("127.0.0.1", toolset("x-beta")).await;
    let index = directory(vec![place("alpha", alpha), place("beta", beta)]).await;
    for result in call_all(&index).await {
        result.unwrap();
    }
    assert_eq!(secrets_seen(&asked_of_alpha), [ALPHA]);
    assert_eq!(secrets_seen(&asked_of_beta), [BETA]);
}

#[tokio::test]
async fn no_header_crosses_a_redirect_to_another_server() {
    let (beta, asked_of_beta) = serve_fake("127.0.0.1", toolset("x-alpha")).await;
    let answer = toolset("x-alpha");
    let target = format!("http://{beta}/mcp");
    let (alpha, asked_of_alpha) = serve_fake("127.0.0.1", move |path, body| {
        if path == "/health" {
            return answer(path, body);
        }
        (
            StatusCode::PERMANENT_REDIRECT,
            [(header::LOCATION, target.as_str())],
        )
            .into_response()
    })
    .await;
    let index = directory(vec![place("alpha", alpha)]).await;
    let error = call_all(&index).await.remove(0).unwrap_err();
    assert!(matches!(error, ClientError::Redirect { .. }), "{error}");
    assert!(!error.to_string().contains(ALPHA));
    assert_eq!(secrets_seen(&asked_of_alpha), [ALPHA]);
    assert!(asked_of_beta.lock().unwrap().is_empty());
}

#[tokio::test]
async fn real_toolsets_read_their_own_header_through_a_directory() {
    let reads = |header: &'static str| {
        text_tool("who", move |_, cx| {
            Box::pin(async move { Ok(json!({ "message": cx.credential(header)? })) })
        })
    };
    let serve = |name: &str, header: &'static str| {
        TestServer::start(Toolset::new(name).tool(reads(header)).credential_header(header))
    };
    let (alpha, beta) = (serve("alpha", "x-alpha"), serve("beta", "x-beta"));
    let index = directory(vec![place("alpha", alpha.address), place("beta", beta.address)]).await;
    let messages: Vec<Value> = call_all(&index)
        .await
        .into_iter()
        .map(|result| result.unwrap()["structuredContent"]["message"].clone())
        .collect();
    assert_eq!(messages, [ALPHA, BETA]);
}
