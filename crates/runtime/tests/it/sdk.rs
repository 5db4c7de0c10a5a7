//! The protocol's own SDK as the client, in both eras: what we write, it must read.

use std::collections::HashMap;

use rmcp::{
    ClientHandler, RoleClient,
    model::{CallToolRequestParams, CallToolResult, ProtocolVersion},
    service::{ClientLifecycleMode, ClientServiceExt as _, RunningService},
    transport::streamable_http_client::{StreamableHttpClientTransport, StreamableHttpClientTransportConfig},
};
use serde_json::{Value, json};

use crate::support::{TestServer, object, probe};

struct Caller;

impl ClientHandler for Caller {}

type Client = RunningService<RoleClient, Caller>;

async fn connect(server: &TestServer, lifecycle: ClientLifecycleMode) -> Client {
    // The tests speak plain HTTP; the provider is needed to build any client at all.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = reqwest::Client::builder()
        .tls_certs_only([])
        .no_proxy()
        .build()
        .unwrap();
    let url = format!("http://{}/mcp", server.address);
    let token = (
        http::HeaderName::from_static("x-demo-token"),
        http::HeaderValue::from_static("t-1"),
    );
    let config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(HashMap::from([token]));
    let transport = StreamableHttpClientTransport::with_client(http, config);
    Caller.serve_with_lifecycle(transport, lifecycle).await.unwrap()
}

async fn call(client: &Client, tool: &'static str, arguments: Value) -> CallToolResult {
    let request = CallToolRequestParams::new(tool).with_arguments(object(arguments));
    client.peer().call_tool(request).await.unwrap()
}

async fn uses_everything(client: &Client) {
    let tools = client.peer().list_all_tools().await.unwrap();
    assert!(
        tools
            .iter()
            .any(|tool| tool.name == "echo" && tool.output_schema.is_some())
    );

    let echoed = call(client, "echo", json!({ "text": "grüß dich" })).await;
    assert_eq!(echoed.structured_content, Some(json!({ "message": "grüß dich" })));
    assert_eq!(echoed.is_error, Some(false));
    assert_eq!(
        call(client, "whoami", json!({})).await.structured_content,
        Some(json!({ "message": "t-1" }))
    );

    let failed = call(client, "panics", json!({})).await;
    assert_eq!((failed.is_error, failed.structured_content), (Some(true), None));
    let talked = call(client, "talks", json!({})).await;
    assert_eq!(talked.structured_content, Some(json!({ "message": "done" })));

    let unknown = client
        .peer()
        .call_tool(CallToolRequestParams::new("nope"))
        .await
        .unwrap_err();
    assert!(unknown.to_string().contains("Unknown tool: nope"), "{unknown}");
    let views = client.peer().list_all_resources().await.unwrap();
    assert_eq!(views[0].uri, "ui://probe/panel");
}

#[tokio::test]
async fn the_sdk_client_works_in_the_legacy_era() {
    let server = TestServer::start(probe().0);
    let client = connect(&server, ClientLifecycleMode::Initialize).await;
    assert_eq!(
        client.peer_info().unwrap().server_info.as_ref().unwrap().name,
        "mcp-probe"
    );
    uses_everything(&client).await;
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn the_sdk_client_works_in_the_modern_era() {
    let server = TestServer::start(probe().0);
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    let client = connect(&server, ClientLifecycleMode::Discover { preferred_versions }).await;
    uses_everything(&client).await;
    client.cancel().await.unwrap();
}
