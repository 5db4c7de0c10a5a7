//! Methods, headers, bodies and connections, before a message is read.

use std::time::Duration;

use periplus_runtime::server::{ServerConfig, ServerLimits};
use periplus_toolset::{Access, Secret};
use serde_json::json;

use crate::{
    support::{TestServer, local, probe, request},
    wire::{ping, server},
};

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
    first.write_hanging_call().await;
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
