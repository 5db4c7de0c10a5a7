//! Status codes and bodies, row by row.

use std::time::Duration;

use periplus_runtime::server::{ServerConfig, ServerLimits};
use periplus_toolset::{Access, Secret, Toolset};
use serde_json::json;

use crate::support::{MODERN, TestServer, local, modern_meta, probe, request};

fn server() -> TestServer {
    TestServer::start(probe().0)
}

fn ping() -> Vec<u8> {
    request("ping", json!({})).to_string().into_bytes()
}

#[tokio::test]
async fn a_request_with_one_answer_is_one_json_body() {
    let reply = server().call("echo", json!({ "text": "grüß dich" })).await;
    assert_eq!(
        (reply.status, reply.header("content-type")),
        (200, Some("application/json"))
    );
    assert_eq!(
        reply.json(),
        json!({ "jsonrpc": "2.0", "id": 1, "result": {
            "content": [{ "type": "text", "text": "{\"message\":\"grüß dich\"}" }],
            "structuredContent": { "message": "grüß dich" },
            "isError": false,
        }})
    );
    assert!(
        reply.text().contains("grüß dich"),
        "text beyond ASCII stays as it is"
    );
}

#[tokio::test]
async fn a_notification_is_accepted_without_a_body() {
    let server = server();
    for method in [
        "notifications/initialized",
        "notifications/cancelled",
        "notifications/unheard_of",
    ] {
        let body = json!({ "jsonrpc": "2.0", "method": method }).to_string();
        let reply = server.post(&[], body.as_bytes()).await;
        assert_eq!((reply.status, reply.body.len()), (202, 0), "{method}");
    }
}

#[tokio::test]
async fn a_legacy_response_is_accepted_and_a_modern_one_is_not() {
    let server = server();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "result": {} }).to_string();
    assert_eq!(server.post(&[], body.as_bytes()).await.status, 202);
    let reply = server
        .post(&[("mcp-protocol-version", MODERN)], body.as_bytes())
        .await;
    assert_eq!((reply.status, reply.code()), (400, -32600));
}

#[tokio::test]
async fn a_body_that_is_no_json_is_a_parse_error_without_an_id() {
    let server = server();
    for body in [
        &b""[..],
        b"{",
        b"hello",
        b"\xff\xfe{}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x",
    ] {
        let reply = server.post(&[], body).await;
        assert_eq!((reply.status, reply.code()), (400, -32700), "{body:?}");
        assert!(reply.json()["id"].is_null());
    }
}

#[tokio::test]
async fn json_that_is_no_message_is_an_invalid_request() {
    let server = server();
    for body in [
        "{}",
        "7",
        "null",
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
    ] {
        let reply = server.post(&[], body.as_bytes()).await;
        assert_eq!((reply.status, reply.code()), (400, -32600), "{body}");
    }
}

#[tokio::test]
async fn a_batch_is_refused_with_the_reason() {
    let reply = server()
        .post(&[], br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#)
        .await;
    assert_eq!((reply.status, reply.code()), (400, -32600));
    assert!(reply.text().contains("2025-06-18"));
}

#[tokio::test]
async fn an_error_answers_under_the_id_of_the_request_as_it_was_written() {
    let server = server();
    for id in ["7", "\"seven\"", "-1", "\"\\u00e9\""] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"nope"}}"#);
        let reply = server.post(&[], body.as_bytes()).await;
        assert!(
            reply.text().contains(&format!("\"id\":{id},")),
            "{}",
            reply.text()
        );
    }
}

#[tokio::test]
async fn an_unknown_method_is_200_in_the_legacy_era_and_404_in_the_modern() {
    let server = server();
    let reply = server.legacy("nope/nope", json!({})).await;
    assert_eq!((reply.status, reply.code()), (200, -32601));
    let reply = server.modern("nope/nope", json!({})).await;
    assert_eq!(
        (reply.status, reply.code(), reply.json()["id"].clone()),
        (404, -32601, json!(1))
    );
}

#[tokio::test]
async fn a_malformed_call_is_invalid_params_and_not_an_unknown_method() {
    let server = server();
    for params in [
        json!({}),
        json!({ "name": 7 }),
        json!({ "name": "echo", "arguments": [1] }),
        json!({ "name": "echo", "arguments": "x" }),
    ] {
        let reply = server.legacy("tools/call", params.clone()).await;
        assert_eq!((reply.status, reply.code()), (200, -32602), "{params}");
        let reply = server.modern("tools/call", params.clone()).await;
        assert_eq!((reply.status, reply.code()), (200, -32602), "{params}");
    }
    let reply = server
        .post(&[], br#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#)
        .await;
    assert_eq!(reply.code(), -32602);
    let reply = server
        .post(
            &[],
            br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}"#,
        )
        .await;
    assert_eq!(reply.code(), -32602);
}

#[tokio::test]
async fn absent_and_null_arguments_are_no_arguments() {
    let server = server();
    for params in [
        json!({ "name": "echo" }),
        json!({ "name": "echo", "arguments": null }),
    ] {
        assert_eq!(
            server.legacy("tools/call", params).await.result()["isError"],
            false
        );
    }
}

#[tokio::test]
async fn an_unknown_tool_is_named_with_its_neighbours() {
    let server = server();
    for reply in [
        server.call("ehco", json!({})).await,
        server.modern("tools/call", json!({ "name": "ehco" })).await,
    ] {
        assert_eq!((reply.status, reply.code()), (200, -32602));
        assert_eq!(reply.json()["error"]["message"], "Unknown tool: ehco");
        assert_eq!(reply.json()["error"]["data"]["didYouMean"][0], "echo");
    }
    let reply = server.call(&"x".repeat(100_000), json!({})).await;
    assert!(reply.body.len() < 1000, "a long name is not repeated in full");
}

#[tokio::test]
async fn an_unknown_cursor_is_invalid_params() {
    let server = server();
    for method in [
        "tools/list",
        "resources/list",
        "prompts/list",
        "resources/templates/list",
    ] {
        for cursor in [json!(""), json!("x"), json!(7)] {
            let reply = server.legacy(method, json!({ "cursor": cursor })).await;
            assert_eq!((reply.status, reply.code()), (200, -32602), "{method}");
        }
        assert!(
            server
                .legacy(method, json!({}))
                .await
                .result()
                .get("nextCursor")
                .is_none()
        );
    }
}

#[tokio::test]
async fn an_unknown_resource_has_the_code_of_its_era() {
    let server = server();
    let uri = json!({ "uri": "ui://probe/nope" });
    let legacy = server.legacy("resources/read", uri.clone()).await;
    assert_eq!((legacy.status, legacy.code()), (200, -32002));
    let modern = server.modern("resources/read", uri).await;
    assert_eq!((modern.status, modern.code()), (200, -32602));
    assert_eq!(modern.json()["error"]["data"]["uri"], "ui://probe/nope");
}

#[tokio::test]
async fn every_method_but_post_is_refused_at_once_and_names_what_is_allowed() {
    let server = server();
    for method in ["GET", "HEAD", "DELETE", "PUT", "PATCH"] {
        let reply = server
            .send(method, "/mcp", &[("accept", "text/event-stream")], b"")
            .await;
        assert_eq!(
            (reply.status, reply.header("allow")),
            (405, Some("POST, OPTIONS")),
            "{method}"
        );
    }
    let reply = server
        .send("GET", "/mcp", &[("accept", "text/html,*/*;q=0.8")], b"")
        .await;
    assert_eq!(reply.status, 405);
    assert!(reply.header("content-type").unwrap().starts_with("text/html"));
    assert!(reply.text().contains("echo"), "people see what it is");
}

#[tokio::test]
async fn accept_is_read_leniently_and_refused_with_both_types_named() {
    let server = server();
    for accept in ["-", "*/*", "application/json", "application/*"] {
        let reply = server.post(&[("accept", accept)], &ping()).await;
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (200, Some("application/json")),
            "{accept}"
        );
    }
    let reply = server.post(&[("accept", "text/event-stream")], &ping()).await;
    assert_eq!(
        reply.events(),
        [json!({ "jsonrpc": "2.0", "id": 1, "result": {} })]
    );
    let reply = server.post(&[("accept", "text/html")], &ping()).await;
    assert_eq!((reply.status, reply.code()), (406, -32600));
    assert!(reply.text().contains("application/json") && reply.text().contains("text/event-stream"));
}

#[tokio::test]
async fn a_content_type_other_than_json_is_415() {
    let server = server();
    for content_type in ["-", "text/plain", "application/jsonp"] {
        let reply = server.post(&[("content-type", content_type)], &ping()).await;
        assert_eq!((reply.status, reply.code()), (415, -32600), "{content_type}");
    }
    let reply = server
        .post(&[("content-type", "Application/JSON; charset=utf-8")], &ping())
        .await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn an_encoded_body_is_415_and_not_taken_for_bad_json() {
    let server = server();
    for encoding in ["gzip", "br", "identity, gzip"] {
        let reply = server.post(&[("content-encoding", encoding)], &ping()).await;
        assert_eq!((reply.status, reply.code()), (415, -32600), "{encoding}");
        assert!(reply.text().contains("encoded"), "{}", reply.text());
    }
    let length = format!("{:x}\r\n", ping().len());
    let chunk = [length.as_bytes(), &ping(), b"\r\n0\r\n\r\n"].concat();
    for (encoding, status) in [("chunked", 200), ("gzip, chunked", 415)] {
        let headers = [("transfer-encoding", encoding), ("content-length", "-")];
        assert_eq!(server.post(&headers, &chunk).await.status, status, "{encoding}");
    }
}

#[tokio::test]
async fn a_header_that_contradicts_itself_is_400() {
    let server = server();
    for (name, value, other) in [
        ("content-type", "application/json", "text/plain"),
        ("authorization", "Bearer a", "Bearer b"),
        ("mcp-name", "echo", "fails"),
        ("mcp-method", "ping", "tools/call"),
        ("mcp-protocol-version", "2025-11-25", "2025-06-18"),
        ("host", "localhost", "evil.example"),
        ("origin", "http://localhost", "http://evil.example"),
    ] {
        let reply = server.post(&[(name, value), (name, other)], &ping()).await;
        assert_eq!((reply.status, reply.code()), (400, -32600), "{name}");
        assert!(
            !reply.text().contains(other),
            "nothing is echoed: {}",
            reply.text()
        );
    }
}

#[tokio::test]
async fn a_request_line_that_names_another_host_is_not_answered() {
    let server = server();
    for (line, status) in [("http://evil.example/mcp", 400), ("http://localhost/mcp", 200)] {
        let headers = [("host", "localhost")];
        assert_eq!(
            server.post_to(line, &headers, &ping()).await.status,
            status,
            "{line}"
        );
    }
}

#[tokio::test]
async fn an_argument_that_is_given_twice_is_refused_rather_than_chosen() {
    let server = server();
    for arguments in [r#"{"text":"a","text":"b"}"#, r#"{"text":{"a":1,"a":2}}"#] {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{arguments}}}}}"#
        );
        let reply = server.post(&[], body.as_bytes()).await;
        assert_eq!((reply.status, reply.code()), (200, -32602), "{arguments}");
        assert!(reply.text().contains("given twice"), "{}", reply.text());
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_413_and_says_the_limit() {
    let limits = ServerLimits {
        max_body_bytes: 1000,
        ..ServerLimits::default()
    };
    let server = TestServer::start_with(ServerConfig { limits, ..local() }, vec![probe().0]);
    let body = request("ping", json!({ "x": "y".repeat(2000) })).to_string();
    let reply = server.post(&[], body.as_bytes()).await;
    assert_eq!((reply.status, reply.code()), (413, -32600));
    assert!(reply.text().contains("1000"));
    // The same without an announced length.
    let chunk = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    let headers = [("transfer-encoding", "chunked"), ("content-length", "-")];
    assert_eq!(server.post(&headers, chunk.as_bytes()).await.status, 413);
}

#[tokio::test]
async fn a_body_that_does_not_arrive_is_408() {
    let limits = ServerLimits {
        body_timeout: Duration::from_millis(50),
        ..ServerLimits::default()
    };
    let server = TestServer::start_with(ServerConfig { limits, ..local() }, vec![probe().0]);
    let reply = server.post(&[("content-length", "100")], b"{").await;
    assert_eq!(reply.status, 408);
}

#[tokio::test]
async fn a_connection_that_sends_no_request_is_closed() {
    let limits = ServerLimits {
        header_timeout: Duration::from_millis(100),
        ..ServerLimits::default()
    };
    let server = TestServer::start_with(ServerConfig { limits, ..local() }, vec![probe().0]);
    for beginning in [&b""[..], b"P", b"POST /mcp HTTP/1.1\r\nhost: loc"] {
        let mut connection = server.connect().await;
        connection.write_raw(beginning).await;
        assert!(connection.is_closed().await, "{beginning:?}");
    }
    assert_eq!(server.post(&[], &ping()).await.status, 200);
}

#[tokio::test]
async fn a_bearer_secret_is_required_and_compared_whole() {
    let access = Access {
        bearer: Some(Secret::new("s3cret")),
        ..Access::default()
    };
    let server = TestServer::start(probe().0.access(access));
    for sent in [
        "-",
        "Bearer",
        "Bearer ",
        "Bearer s3cre",
        "Bearer s3cret1",
        "Basic s3cret",
        "s3cret",
    ] {
        // The body would be refused too: nothing of it is looked at.
        let reply = server
            .post(&[("authorization", sent), ("content-length", "9999")], b"{")
            .await;
        assert_eq!(
            (reply.status, reply.header("www-authenticate")),
            (401, Some("Bearer")),
            "{sent}"
        );
        assert!(!reply.text().contains("s3cret"));
    }
    assert_eq!(
        server
            .post(&[("authorization", "bearer s3cret")], &ping())
            .await
            .status,
        200
    );
    let preflight = server
        .send("OPTIONS", "/mcp", &[("origin", "http://localhost:1")], b"")
        .await;
    assert_eq!(preflight.status, 204, "a preflight carries no credentials");
    assert_eq!(server.get("/health/liveness").await.status, 200);
}

#[tokio::test]
async fn more_requests_than_allowed_are_told_to_come_back() {
    let (toolset, seen) = probe();
    let limits = ServerLimits {
        max_concurrent_requests: 1,
        ..ServerLimits::default()
    };
    let server = TestServer::start_with(ServerConfig { limits, ..local() }, vec![toolset]);
    let mut first = server.connect().await;
    first
        .write_post(
            "/mcp",
            &[],
            request("tools/call", json!({ "name": "hangs" }))
                .to_string()
                .as_bytes(),
        )
        .await;
    seen.started.notified().await;
    let reply = server.post(&[], &ping()).await;
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some("1")));
    assert_eq!(server.get("/health").await.status, 200, "probes are not counted");
    drop(first);
    seen.cancelled.notified().await;
    assert_eq!(server.post(&[], &ping()).await.status, 200);
}

#[tokio::test]
async fn a_trailing_slash_is_served_and_a_session_id_is_ignored() {
    let server = server();
    assert_eq!(server.post_to("/mcp/", &[], &ping()).await.status, 200);
    let reply = server.post(&[("mcp-session-id", "gone")], &ping()).await;
    assert_eq!((reply.status, reply.header("mcp-session-id")), (200, None));
}

#[tokio::test]
async fn an_unknown_path_is_a_404_in_json() {
    let server = server();
    for path in ["/", "/nope", "/mcp/x", "/docs"] {
        let reply = server.get(path).await;
        assert_eq!(
            (reply.status, reply.json()["error"].as_str()),
            (404, Some("not_found")),
            "{path}"
        );
    }
}

#[tokio::test]
async fn http2_without_tls_is_served() {
    let server = server();
    let mut connection = server.connect().await;
    connection
        .write_raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0")
        .await;
    assert!(
        !connection.is_closed().await,
        "the server answers with its settings"
    );
}

#[tokio::test]
async fn a_request_id_comes_back_or_is_made_up() {
    let server = server();
    let reply = server.post(&[("x-request-id", "mine-1")], &ping()).await;
    assert_eq!(reply.header("x-request-id"), Some("mine-1"));
    let reply = server.post(&[("x-request-id", "not plain")], &ping()).await;
    assert!(reply.header("x-request-id").is_some_and(|id| id != "not plain"));
}

#[tokio::test]
async fn arguments_that_nest_beyond_reason_are_refused() {
    let server = server();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"text":{deep}}}}}}}"#
    );
    let reply = server.post(&[], body.as_bytes()).await;
    assert_eq!(reply.code(), -32602);
}

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
