//! Both protocol eras on one endpoint.

use serde_json::{Value, json};

use crate::support::{MODERN, TestServer, modern_meta, probe, request};

const INFO: &str = "io.modelcontextprotocol/serverInfo";

fn server() -> TestServer {
    TestServer::start(probe().0)
}

fn initialize(version: &str) -> Value {
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } })
}

#[tokio::test]
async fn initialize_answers_with_the_version_asked_for_or_the_newest_legacy_one() {
    let server = server();
    for (asked, answered) in [
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
        (MODERN, "2025-11-25"),
        ("nonsense", "2025-11-25"),
    ] {
        let result = server.legacy("initialize", initialize(asked)).await.result();
        assert_eq!(result["protocolVersion"], answered, "{asked}");
    }
    let reply = server.legacy("initialize", json!({})).await;
    assert_eq!(reply.code(), -32602);
}

#[tokio::test]
async fn initialize_says_who_serves_and_how_credentials_travel() {
    let result = server()
        .legacy("initialize", initialize("2025-11-25"))
        .await
        .result();
    assert_eq!(
        result["serverInfo"],
        json!({ "name": "mcp-probe", "version": "1.2.3" })
    );
    let instructions = result["instructions"].as_str().unwrap();
    assert!(instructions.starts_with("Only for tests."), "{instructions}");
    assert!(instructions.contains("``x-demo-token``"), "{instructions}");
    assert!(result["capabilities"]["tools"].is_object() && result["capabilities"]["resources"].is_object());
    assert!(
        result.get("resultType").is_none() && result.get("_meta").is_none(),
        "legacy results have no modern keys"
    );
}

#[tokio::test]
async fn initialize_selects_the_legacy_era_whatever_the_header_says() {
    let body = request("initialize", initialize(MODERN)).to_string();
    let reply = server()
        .post(&[("mcp-protocol-version", MODERN)], body.as_bytes())
        .await;
    assert_eq!(reply.result()["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn legacy_requests_need_no_handshake_and_no_header() {
    let server = server();
    for headers in [
        &[][..],
        &[("mcp-protocol-version", "2025-03-26")],
        &[("mcp-protocol-version", "2025-11-25")],
    ] {
        let reply = server
            .post(headers, request("tools/list", json!({})).to_string().as_bytes())
            .await;
        assert_eq!(reply.status, 200, "{headers:?}");
    }
    assert_eq!(server.legacy("ping", json!({})).await.result(), json!({}));
}

#[tokio::test]
async fn what_the_modern_era_removed_is_not_found_there() {
    let server = server();
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
    ] {
        let reply = server.modern(method, initialize(MODERN)).await;
        assert_eq!((reply.status, reply.code()), (404, -32601), "{method}");
    }
}

#[tokio::test]
async fn discovery_is_modern_and_lists_what_is_served() {
    let server = server();
    let result = server.modern("server/discover", json!({})).await.result();
    assert_eq!(
        result["supportedVersions"],
        json!(["2025-03-26", "2025-06-18", "2025-11-25", MODERN])
    );
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["ttlMs"], 60_000);
    assert_eq!(
        result["cacheScope"], "private",
        "the toolset acts for its callers"
    );
    assert_eq!(
        result["_meta"][INFO],
        json!({ "name": "mcp-probe", "version": "1.2.3" })
    );
    assert!(
        result["instructions"]
            .as_str()
            .unwrap()
            .contains("``x-demo-token``")
    );
    let without_meta = server.legacy("server/discover", json!({})).await;
    assert_eq!((without_meta.status, without_meta.code()), (400, -32602));
}

#[tokio::test]
async fn lists_of_a_toolset_without_credentials_may_be_shared() {
    let (toolset, _) = probe();
    let echo = toolset.find("echo").unwrap().clone();
    let server = TestServer::start(periplus_toolset::Toolset::new("open").tool(echo));
    for method in [
        "server/discover",
        "tools/list",
        "resources/list",
        "prompts/list",
        "resources/templates/list",
    ] {
        let result = server.modern(method, json!({})).await.result();
        assert_eq!(
            (&result["cacheScope"], &result["ttlMs"]),
            (&json!("public"), &json!(60_000)),
            "{method}"
        );
    }
    let result = server
        .legacy("initialize", initialize("2025-11-25"))
        .await
        .result();
    assert!(
        result.get("instructions").is_none(),
        "nothing is said where there is nothing to say"
    );
    assert!(result["capabilities"].get("resources").is_none());
}

#[tokio::test]
async fn every_modern_result_says_who_answered() {
    let server = server();
    for (method, params) in [
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("resources/read", json!({ "uri": "ui://probe/panel" })),
        ("tools/call", json!({ "name": "echo" })),
        ("tools/call", json!({ "name": "panics" })),
    ] {
        let result = server.modern(method, params.clone()).await.result();
        assert_eq!(result["_meta"][INFO]["name"], "mcp-probe", "{method} {params}");
        assert_eq!(result["resultType"], "complete");
        let legacy = server.legacy(method, params).await.result();
        assert!(
            legacy.get("_meta").is_none()
                && legacy.get("resultType").is_none()
                && legacy.get("ttlMs").is_none()
        );
    }
}

#[tokio::test]
async fn a_legacy_version_in_the_meta_is_the_legacy_era() {
    let server = server();
    let meta = modern_meta(json!({ "io.modelcontextprotocol/protocolVersion": "2025-11-25" }));
    let body = request("ping", json!({ "_meta": meta })).to_string();
    let reply = server
        .post(&[("mcp-protocol-version", "2025-11-25")], body.as_bytes())
        .await;
    assert_eq!(reply.result(), json!({}));
}

#[tokio::test]
async fn tools_are_listed_with_their_declarations() {
    let result = server().legacy("tools/list", json!({})).await.result();
    let tools = result["tools"].as_array().unwrap();
    assert_eq!(tools[0]["name"], "echo", "tools keep their order");
    assert_eq!(
        tools[0]["_meta"],
        json!({
            "ui": { "resourceUri": "ui://probe/panel" },
            "ui/resourceUri": "ui://probe/panel",
            "io.developmentseed.toolsets/produces": [{ "stateKey": "probe/echo/data", "field": "data" }],
            "io.developmentseed.toolsets/examples": ["What does the echo say?"],
        })
    );
    for tool in tools {
        assert!(tool["description"].is_string());
        assert_eq!(
            (&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]),
            (&json!("object"), &json!("object"))
        );
    }
}

#[tokio::test]
async fn a_view_is_a_resource_with_exactly_the_type_that_hosts_want() {
    let server = server();
    let listed = server.legacy("resources/list", json!({})).await.result();
    let expected = json!([{ "uri": "ui://probe/panel", "name": "probe-panel", "mimeType": "text/html;profile=mcp-app" }]);
    assert_eq!(listed["resources"], expected);
    let read = server
        .legacy("resources/read", json!({ "uri": "ui://probe/panel" }))
        .await
        .result();
    assert_eq!(read["contents"][0]["mimeType"], "text/html;profile=mcp-app");
    assert_eq!(read["contents"][0]["text"], "<!doctype html><title>panel</title>");
    assert_eq!(
        server
            .legacy("resources/templates/list", json!({}))
            .await
            .result(),
        json!({ "resourceTemplates": [] })
    );
    assert_eq!(
        server.legacy("prompts/list", json!({})).await.result(),
        json!({ "prompts": [] })
    );
}
