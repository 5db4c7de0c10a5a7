//! Messages: status codes and bodies, row by row.

use serde_json::json;

use crate::support::{MODERN, TestServer, probe, request};

pub(crate) fn server() -> TestServer {
    TestServer::start(probe().0)
}

pub(crate) fn ping() -> Vec<u8> {
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
async fn arguments_that_nest_beyond_reason_are_refused() {
    let server = server();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"text":{deep}}}}}}}"#
    );
    let reply = server.post(&[], body.as_bytes()).await;
    assert_eq!(reply.code(), -32602);
}
