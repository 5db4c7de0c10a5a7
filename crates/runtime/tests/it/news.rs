//! `subscriptions/listen`: news for clients that listen.

use std::time::Duration;

use periplus_runtime::server::{ServerConfig, ServerLimits};
use periplus_toolset::Change;
use serde_json::{Value, json};

use crate::support::{Connection, MODERN, TestServer, asking, local, modern_meta, probe, request};

async fn listen(server: &TestServer, notifications: Value) -> Connection {
    let mut params = json!({ "notifications": notifications });
    params["_meta"] = modern_meta(json!({}));
    let body = request("subscriptions/listen", params).to_string();
    let headers = [
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "subscriptions/listen"),
    ];
    let mut listener = server.connect().await;
    listener.write_post("/mcp", &headers, body.as_bytes()).await;
    listener
}

async fn next(listener: &mut Connection) -> Value {
    let chunk = listener.read_chunk().await.expect("the stream goes on");
    let text = std::str::from_utf8(&chunk).unwrap();
    serde_json::from_str(
        text.trim()
            .strip_prefix("data: ")
            .unwrap_or_else(|| panic!("{text}")),
    )
    .unwrap()
}

#[tokio::test]
async fn a_listener_hears_what_it_asked_for_under_its_own_id() {
    let (toolset, _, changes) = asking();
    let server = TestServer::start(toolset);
    let wanted = json!({ "toolsListChanged": true, "resourceSubscriptions": ["asking://note"] });
    let mut listener = listen(&server, wanted.clone()).await;
    assert_eq!(
        listener.read_head().await.header("content-type"),
        Some("text/event-stream")
    );
    let first = next(&mut listener).await;
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(first["params"]["notifications"], wanted);

    changes.announce(Change::Prompts);
    changes.announce(Change::Resource("asking://bytes".to_owned()));
    changes.announce(Change::Tools);
    changes.announce(Change::Resource("asking://note".to_owned()));
    let news = [next(&mut listener).await, next(&mut listener).await];
    assert_eq!(news[0]["method"], "notifications/tools/list_changed");
    assert_eq!(news[1]["method"], "notifications/resources/updated");
    assert_eq!(news[1]["params"]["uri"], "asking://note");
    for message in news.iter().chain([&first]) {
        assert_eq!(
            message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"],
            1
        );
    }
}

#[tokio::test]
async fn a_listener_is_told_what_of_its_wishes_there_is() {
    let server = TestServer::start(probe().0);
    let mut listener = listen(
        &server,
        json!({ "toolsListChanged": true, "promptsListChanged": true }),
    )
    .await;
    listener.read_head().await;
    assert_eq!(next(&mut listener).await["params"]["notifications"], json!({}));
    let legacy = server
        .legacy("subscriptions/listen", json!({ "notifications": {} }))
        .await;
    assert_eq!(legacy.code(), -32601);
    let malformed = server
        .modern("subscriptions/listen", json!({ "notifications": [true] }))
        .await;
    assert_eq!(malformed.code(), -32602);
}

#[tokio::test]
async fn a_stopping_server_says_goodbye_to_its_listeners() {
    let (toolset, ..) = asking();
    let mut server = TestServer::start(toolset);
    let mut listener = listen(&server, json!({})).await;
    listener.read_head().await;
    next(&mut listener).await;
    server.shutdown.cancel();
    let goodbye = next(&mut listener).await;
    assert_eq!(
        (&goodbye["id"], &goodbye["result"]["resultType"]),
        (&json!(1), &json!("complete"))
    );
    assert_eq!(
        goodbye["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"],
        1
    );
    assert!(listener.read_chunk().await.is_none(), "the stream ends");
    tokio::time::timeout(Duration::from_secs(5), &mut server.task)
        .await
        .expect("no drain time is spent on a listener")
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn a_quiet_stream_is_kept_alive_and_listeners_are_bounded() {
    let limits = ServerLimits {
        keep_alive: Duration::from_millis(30),
        max_listeners: 1,
        ..ServerLimits::default()
    };
    let server = TestServer::start_with(ServerConfig { limits, ..local() }, vec![asking().0]);
    let mut listener = listen(&server, json!({})).await;
    listener.read_head().await;
    next(&mut listener).await;
    assert_eq!(listener.read_chunk().await.unwrap(), b": keep-alive\n\n");
    assert_eq!(listen(&server, json!({})).await.read_head().await.status, 503);
}
