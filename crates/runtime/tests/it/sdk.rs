//! The protocol's own SDK as the client, in both eras: what we write, it must read.

use std::collections::HashMap;

use periplus_toolset::Change;
use rmcp::{
    ClientHandler, RoleClient,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ClientCapabilities,
        ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction, GetPromptRequestParams,
        GetTaskParams, Implementation, ProtocolVersion, ReadResourceRequestParams, SubscriptionFilter,
    },
    service::{ClientLifecycleMode, ClientServiceExt as _, RequestContext, RunningService},
    transport::streamable_http_client::{StreamableHttpClientTransport, StreamableHttpClientTransportConfig},
};
use serde_json::{Value, json};

use crate::support::{TestServer, asking, asking_on_streams, object, probe};

struct Caller;

impl ClientHandler for Caller {}

type Client = RunningService<RoleClient, Caller>;

async fn connect(server: &TestServer, lifecycle: ClientLifecycleMode) -> Client {
    connect_as(Caller, server, lifecycle).await
}

async fn connect_as<H: ClientHandler>(
    handler: H,
    server: &TestServer,
    lifecycle: ClientLifecycleMode,
) -> RunningService<RoleClient, H> {
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
    handler.serve_with_lifecycle(transport, lifecycle).await.unwrap()
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

fn modern() -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    ClientLifecycleMode::Discover { preferred_versions }
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
    let client = connect(&server, modern()).await;
    uses_everything(&client).await;
    client.cancel().await.unwrap();
}

/// A client that fills forms and knows tasks.
struct Ada;

impl ClientHandler for Ada {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().enable_tasks();
        ClientConfig::new(capabilities.build(), Implementation::new("test", "1"))
    }

    async fn create_elicitation(
        &self,
        _request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, rmcp::ErrorData> {
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "name": "Ada" })))
    }
}

#[tokio::test]
async fn the_sdk_client_answers_questions_in_both_eras() {
    let server = TestServer::start(asking_on_streams());
    for lifecycle in [modern(), ClientLifecycleMode::Initialize] {
        let client = connect_as(Ada, &server, lifecycle).await;
        let result = client
            .call_tool(CallToolRequestParams::new("greet"))
            .await
            .unwrap();
        assert_eq!(
            result.structured_content,
            Some(json!({ "message": "Hello, Ada!" }))
        );
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn the_sdk_client_reads_documents_and_prompts_in_both_eras() {
    let server = TestServer::start(asking().0);
    for lifecycle in [modern(), ClientLifecycleMode::Initialize] {
        let client = connect_as(Ada, &server, lifecycle).await;
        let peer = client.peer();
        let listed = peer.list_all_resources().await.unwrap();
        let uris: Vec<&str> = listed.iter().map(|resource| resource.uri.as_str()).collect();
        assert_eq!(uris, ["asking://note", "asking://bytes"]);
        let templates = peer.list_all_resource_templates().await.unwrap();
        assert_eq!(templates[0].uri_template, "asking://{id}/row");
        let row = ReadResourceRequestParams::new("asking://7/row");
        let read = serde_json::to_value(client.read_resource(row).await.unwrap()).unwrap();
        assert_eq!(read["contents"][0]["text"], "Row 7");

        assert_eq!(peer.list_all_prompts().await.unwrap()[0].name, "verse");
        let about_you =
            GetPromptRequestParams::new("verse").with_arguments(object(json!({ "topic": "moon" })));
        let written = serde_json::to_value(client.get_prompt(about_you).await.unwrap()).unwrap();
        assert_eq!(written["messages"][0]["content"]["text"], "Write about moon.");
        let suggested = peer.complete_prompt_simple("verse", "topic", "mo").await.unwrap();
        assert_eq!(suggested, ["moon", "moss"]);
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn the_sdk_client_follows_and_cancels_tasks() {
    let server = TestServer::start(asking().0);
    let client = connect_as(Ada, &server, modern()).await;
    for (milliseconds, is_cancelled, end) in [(20, false, "completed"), (60_000, true, "cancelled")] {
        let arguments = object(json!({ "milliseconds": milliseconds }));
        let toil = CallToolRequestParams::new("toil").with_arguments(arguments);
        let CallToolResponse::Task(task) = client.call_tool_once(toil).await.unwrap() else {
            panic!("no task");
        };
        let id = task.task.task_id;
        if is_cancelled {
            client
                .peer()
                .cancel_task(CancelTaskParams::new(id.clone()))
                .await
                .unwrap();
        }
        let ended = loop {
            let task = client
                .peer()
                .get_task(GetTaskParams::new(id.clone()))
                .await
                .unwrap();
            let task = serde_json::to_value(task).unwrap();
            if task["status"] != "working" {
                break task;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        };
        assert_eq!(ended["status"], end);
        assert_eq!(ended["result"]["structuredContent"].is_object(), !is_cancelled);
    }
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn the_sdk_client_hears_news() {
    let (toolset, _, changes) = asking();
    let server = TestServer::start(toolset);
    let client = connect_as(Ada, &server, modern()).await;
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut subscription = client.peer().listen(filter).await.unwrap();
    changes.announce(Change::Prompts);
    changes.announce(Change::Tools);
    let news = subscription.next().await.unwrap().unwrap();
    let news = serde_json::to_value(news).unwrap();
    assert_eq!(news["method"], "notifications/tools/list_changed");
    client.cancel().await.unwrap();
}
