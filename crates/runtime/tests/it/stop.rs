//! Stopping: what runs may finish, what does not finish is given up, and the server ends.

use std::time::{Duration, Instant};

use periplus_runtime::{
    client::{Client, ClientOptions, Credentials, DeclaredHeaders},
    server::{Server, ServerConfig, ServerLimits},
};
use serde_json::json;
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use crate::support::{TestServer, local, probe, request};

fn call(tool: &str) -> Vec<u8> {
    request("tools/call", json!({ "name": tool }))
        .to_string()
        .into_bytes()
}

async fn stops(mut server: TestServer) {
    let task = &mut server.task;
    tokio::time::timeout(Duration::from_secs(20), task)
        .await
        .expect("the server ends")
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn a_running_call_is_finished_and_nothing_new_is_taken() {
    let (toolset, seen) = probe();
    let server = TestServer::start(toolset);
    let mut caller = server.connect().await;
    caller.write_post("/mcp", &[], &call("hangs_briefly")).await;
    seen.started.notified().await;
    server.shutdown.cancel();
    let reply = caller.read().await;
    assert_eq!(
        (reply.status, reply.result()["isError"].clone()),
        (200, json!(true)),
        "its own time limit ended it"
    );
    let address = server.address;
    stops(server).await;
    assert!(TcpStream::connect(address).await.is_err(), "the port is free");
}

#[tokio::test]
async fn an_idle_connection_does_not_hold_the_server() {
    let server = TestServer::start(probe().0);
    let mut idle = server.connect().await;
    let ping = request("ping", json!({})).to_string();
    assert_eq!(idle.post("/mcp", &[], ping.as_bytes()).await.status, 200);
    server.shutdown.cancel();
    let began = Instant::now();
    stops(server).await;
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "no drain time is spent on it: {:?}",
        began.elapsed()
    );
    assert!(idle.is_closed().await);
}

#[tokio::test]
async fn a_body_that_is_still_coming_does_not_hold_the_server() {
    let server = TestServer::start(probe().0);
    let mut stalled = server.connect().await;
    let length = [("content-length", "1000")];
    stalled.write_post("/mcp", &length, b"{\"jsonrpc\":").await;
    // The request has to be under way before the stop; a later one would find the port closed.
    let ping = request("ping", json!({})).to_string();
    assert_eq!(server.post(&[], ping.as_bytes()).await.status, 200);
    server.shutdown.cancel();
    let began = Instant::now();
    let reply = stalled.read().await;
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some("1")));
    stops(server).await;
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_call_that_outlasts_the_drain_time_is_told_so() {
    let (toolset, seen) = probe();
    let config = ServerConfig {
        drain: Duration::from_millis(100),
        ..local()
    };
    let server = TestServer::start_with(config, vec![toolset]);
    let mut caller = server.connect().await;
    caller.write_post("/mcp", &[], &call("hangs")).await;
    seen.started.notified().await;
    server.shutdown.cancel();
    let reply = caller.read().await;
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some("1")));
    assert_eq!((reply.code(), reply.json()["id"].clone()), (-32603, json!(1)));
    seen.cancelled.notified().await;
    stops(server).await;
}

#[tokio::test]
async fn an_open_stream_ends_with_an_error_event() {
    let (toolset, seen) = probe();
    let limits = ServerLimits {
        stream_after: Duration::from_millis(10),
        ..ServerLimits::default()
    };
    let config = ServerConfig {
        drain: Duration::from_millis(50),
        limits,
        ..local()
    };
    let server = TestServer::start_with(config, vec![toolset]);
    let mut caller = server.connect().await;
    caller.write_post("/mcp", &[], &call("hangs")).await;
    seen.started.notified().await;
    let head = caller.read_head().await;
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    server.shutdown.cancel();
    let event = caller.read_chunk().await.unwrap();
    assert!(String::from_utf8(event).unwrap().contains("-32603"));
    assert_eq!(caller.read_chunk().await, None, "the stream is closed in order");
    stops(server).await;
}

#[tokio::test]
async fn while_it_stops_the_server_is_not_ready_and_takes_no_requests() {
    let (toolset, seen) = probe();
    let server = Server::bind(local(), vec![toolset]).unwrap();
    let (router, address, shutdown) = (server.router(), server.addresses()[0], CancellationToken::new());
    let task = tokio::spawn(server.run(shutdown.clone()));
    let mut caller = crate::support::Connection::open(address).await;
    caller.write_post("/mcp", &[], &call("hangs_briefly")).await;
    seen.started.notified().await;
    shutdown.cancel();
    let ask = async |method: &str, path: &str| {
        let request = http::Request::builder()
            .method(method)
            .uri(path)
            .header("host", "localhost")
            .header("content-type", "application/json")
            .body(axum::body::Body::empty())
            .unwrap();
        router.clone().oneshot(request).await.unwrap()
    };
    while ask("GET", "/readyz").await.status() != 503 {
        tokio::task::yield_now().await;
    }
    let refused = ask("POST", "/mcp").await;
    assert_eq!(
        (
            refused.status().as_u16(),
            refused.headers()["retry-after"].to_str().unwrap()
        ),
        (503, "1")
    );
    assert_eq!(ask("GET", "/healthz").await.status(), 200);
    drop(caller);
    task.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_restart_between_two_calls_is_invisible_to_their_client() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let server = TestServer::start(probe().0);
    let address = server.address;
    let url = format!("http://{address}/mcp").parse().unwrap();
    let client = Client::new(ClientOptions::default());
    let connection = client.connection("probe", &url, DeclaredHeaders::Unknown);
    let credentials = Credentials::default();
    let tools = connection.list_tools(&credentials).await.unwrap();
    let echo = tools.iter().find(|tool| tool.name == "echo").unwrap();
    let arguments = serde_json::Map::from_iter([("text".to_owned(), json!("still here"))]);
    let call = || connection.call_tool(echo, &arguments, &credentials);
    assert_eq!(
        call().await.unwrap().structured,
        Some(json!({ "message": "still here" }))
    );
    server.shutdown.cancel();
    stops(server).await;
    assert!(call().await.is_err(), "nobody is there");
    let config = ServerConfig {
        port: address.port(),
        ..local()
    };
    let _again = TestServer::start_with(config, vec![probe().0]);
    assert_eq!(
        call().await.unwrap().structured,
        Some(json!({ "message": "still here" }))
    );
}
