//! What the modern era asks of a request, and the legacy era of its version.

use periplus_toolset::Toolset;
use serde_json::json;

use crate::{
    support::{MODERN, TestServer, modern_meta, request},
    wire::{ping, server},
};

#[tokio::test]
async fn a_modern_request_lacking_its_meta_is_400() {
    let server = server();
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/list")];
    for meta in [
        json!(null),
        json!({}),
        json!({ "io.modelcontextprotocol/protocolVersion": MODERN }),
        json!({ "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": 1 }),
        json!({ "io.modelcontextprotocol/protocolVersion": 7, "io.modelcontextprotocol/clientCapabilities": {} }),
        json!([MODERN, {}, null, null, null]),
    ] {
        let body = request("tools/list", json!({ "_meta": meta })).to_string();
        let reply = server.post(&headers, body.as_bytes()).await;
        assert_eq!(
            (reply.status, reply.code(), reply.json()["id"].clone()),
            (400, -32602, json!(1)),
            "{meta}"
        );
    }
    let mut meta = modern_meta(json!({}));
    meta.as_object_mut()
        .unwrap()
        .remove("io.modelcontextprotocol/clientInfo");
    let body = request("tools/list", json!({ "_meta": meta })).to_string();
    assert_eq!(
        server.post(&headers, body.as_bytes()).await.status,
        200,
        "the client need not name itself"
    );
}

#[tokio::test]
async fn a_modern_request_whose_headers_differ_is_a_header_mismatch() {
    let server = server();
    let body = request(
        "tools/call",
        json!({ "name": "echo", "_meta": modern_meta(json!({})) }),
    )
    .to_string();
    let version = ("mcp-protocol-version", MODERN);
    let method = ("mcp-method", "tools/call");
    let name = ("mcp-name", "echo");
    for headers in [
        vec![method, name],
        vec![("mcp-protocol-version", "2025-11-25"), method, name],
        vec![version, name],
        vec![version, ("mcp-method", "tools/list"), name],
        vec![version, ("mcp-method", "Tools/Call"), name],
        vec![version, method],
        vec![version, method, ("mcp-name", "large")],
        vec![version, method, name, name],
        vec![version, method, ("mcp-name", "=?base64?%?=")],
    ] {
        let reply = server.post(&headers, body.as_bytes()).await;
        assert_eq!(
            (reply.status, reply.code(), reply.json()["id"].clone()),
            (400, -32020, json!(1)),
            "{headers:?}"
        );
    }
    for headers in [
        vec![version, method, name],
        vec![version, method, ("mcp-name", "=?base64?ZWNobw==?=")],
    ] {
        assert_eq!(
            server.post(&headers, body.as_bytes()).await.status,
            200,
            "{headers:?}"
        );
    }
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled" }).to_string();
    let reply = server.post(&[version, method], notification.as_bytes()).await;
    assert_eq!((reply.status, reply.code()), (400, -32020));
}

#[tokio::test]
async fn a_modern_version_that_is_not_served_is_answered_with_those_that_are() {
    let server = server();
    let mut meta = modern_meta(json!({}));
    meta["io.modelcontextprotocol/protocolVersion"] = "2099-01-01".into();
    let body = request("tools/list", json!({ "_meta": meta })).to_string();
    let headers = [
        ("mcp-protocol-version", "2099-01-01"),
        ("mcp-method", "tools/list"),
    ];
    let reply = server.post(&headers, body.as_bytes()).await;
    assert_eq!((reply.status, reply.code()), (400, -32022));
    assert_eq!(
        reply.json()["error"]["data"],
        json!({ "supported": ["2025-03-26", "2025-06-18", "2025-11-25", MODERN], "requested": "2099-01-01" })
    );
}

#[tokio::test]
async fn a_legacy_version_header_that_is_not_served_is_400_and_names_those_that_are() {
    let server = server();
    for version in ["2024-11-05", "2099-01-01", "nonsense"] {
        let reply = server.post(&[("mcp-protocol-version", version)], &ping()).await;
        assert_eq!((reply.status, reply.code()), (400, -32600), "{version}");
        assert!(reply.text().contains("2025-06-18"));
    }
}

#[tokio::test]
async fn an_annotated_argument_must_be_repeated_in_its_header() {
    let schema = json!({
        "type": "object",
        "properties": { "region": { "type": "string", "description": "A region.", "x-mcp-header": "Region" } },
        "additionalProperties": false,
    });
    let tool = periplus_toolset::Tool::builder("regional")
        .description("A tool whose argument proxies can route by.")
        .input_schema(crate::support::object(schema))
        .output_schema(crate::support::object(json!({
            "type": "object", "properties": { "message": { "type": "string" } }, "required": ["message"],
        })))
        .handler(|_, _| Box::pin(async { Ok(json!({ "message": "ok" })) }));
    let server = TestServer::start(Toolset::new("regions").tool(tool));
    let params = json!({ "name": "regional", "arguments": { "region": "nord" } });
    let with = async |headers: &[(&str, &str)]| {
        server
            .modern_with("tools/call", params.clone(), json!({}), headers)
            .await
    };
    assert_eq!(with(&[("mcp-param-region", "nord")]).await.status, 200);
    assert_eq!(with(&[("mcp-param-region", "sud")]).await.code(), -32020);
    assert_eq!(with(&[]).await.code(), -32020);
    assert_eq!(
        server.legacy("tools/call", params.clone()).await.status,
        200,
        "legacy clients send no such headers"
    );
}
