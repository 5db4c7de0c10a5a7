//! Tools that misbehave, and what their callers see.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use periplus_runtime::server::{ServerConfig, ServerLimits};
use serde_json::{Value, json};

use crate::support::{TestServer, local, probe, request};

fn limited(limits: ServerLimits) -> TestServer {
    TestServer::start_with(ServerConfig { limits, ..local() }, vec![probe().0])
}

fn assert_is_error(result: &Value) {
    assert_eq!(result["isError"], true, "{result}");
    assert!(
        result.get("structuredContent").is_none(),
        "clients would check it against the output schema: {result}"
    );
}

#[tokio::test]
async fn a_panicking_tool_answers_with_an_incident_and_nothing_else_suffers() {
    let server = TestServer::start(probe().0);
    let mut connection = server.connect().await;
    let body = request("tools/call", json!({ "name": "panics" })).to_string();
    let reply = connection
        .post("/mcp", &[("x-request-id", "incident-7")], body.as_bytes())
        .await;
    assert_eq!(reply.status, 200);
    assert_is_error(&reply.result());
    assert!(reply.content().contains("incident-7"), "{}", reply.content());
    assert!(!reply.content().contains("it broke"), "the cause is for the log");
    let ping = request("ping", json!({})).to_string();
    assert_eq!(
        connection.post("/mcp", &[], ping.as_bytes()).await.status,
        200,
        "the connection lives on"
    );
}

#[tokio::test]
async fn an_internal_error_and_a_broken_contract_tell_no_cause() {
    let server = TestServer::start(probe().0);
    for tool in ["fails", "breaks_its_contract"] {
        let reply = server.call(tool, json!({})).await;
        assert_is_error(&reply.result());
        assert!(reply.content().contains("incident"), "{}", reply.content());
        assert!(!reply.content().contains("hunter2"));
    }
}

#[tokio::test]
async fn an_error_of_the_tools_own_is_its_text() {
    let reply = TestServer::start(probe().0).call("refuses", json!({})).await;
    assert_is_error(&reply.result());
    assert!(
        reply.content().contains(r#"{"code":"NO"}"#),
        "{}",
        reply.content()
    );
}

#[tokio::test]
async fn bad_arguments_are_a_result_that_lists_every_mistake() {
    let reply = TestServer::start(probe().0)
        .call("echo", json!({ "txet": "x", "bytes": -1 }))
        .await;
    assert_eq!(reply.status, 200);
    assert_is_error(&reply.result());
    let text = reply.content();
    assert!(
        text.contains("txet") && text.contains("text") && text.contains("bytes"),
        "{text}"
    );
}

#[tokio::test]
async fn a_toolset_can_phrase_failures_its_own_way() {
    let toolset = probe()
        .0
        .failure_text(|tool, _| (tool == "panics").then(|| "sorry".to_owned()));
    let server = TestServer::start(toolset);
    assert_eq!(server.call("panics", json!({})).await.content(), "sorry");
    assert!(
        server
            .call("fails", json!({}))
            .await
            .content()
            .starts_with("Error executing tool fails")
    );
}

#[tokio::test]
async fn a_hanging_tool_is_given_up_after_its_time_and_its_place_is_free() {
    let (toolset, seen) = probe();
    let server = TestServer::start(toolset);
    for _ in 0..2 {
        let reply = server.call("hangs_briefly", json!({})).await;
        assert_is_error(&reply.result());
        assert!(reply.content().contains("0.3 s"), "{}", reply.content());
        seen.cancelled.notified().await;
    }
}

#[tokio::test]
async fn a_result_over_the_limit_is_an_error_that_names_the_limit() {
    let server = limited(ServerLimits {
        max_result_bytes: 1000,
        ..ServerLimits::default()
    });
    assert_eq!(
        server.call("large", json!({ "bytes": 500 })).await.result()["isError"],
        false
    );
    let reply = server.call("large", json!({ "bytes": 5000 })).await;
    assert_is_error(&reply.result());
    assert!(reply.content().contains("1000"), "{}", reply.content());
    assert!(reply.body.len() < 1000);
}

#[tokio::test]
async fn a_full_class_is_busy_and_other_tools_are_not() {
    let (toolset, seen) = probe();
    let server = TestServer::start(toolset);
    let mut first = server.connect().await;
    first.write_hanging_call().await;
    seen.started.notified().await;
    let reply = server.call("hangs_briefly", json!({})).await;
    assert_is_error(&reply.result());
    assert!(reply.content().contains("3 s"), "{}", reply.content());
    assert_eq!(server.call("echo", json!({})).await.result()["isError"], false);
}

#[tokio::test]
async fn a_caller_that_leaves_ends_its_call_and_frees_its_place() {
    let (toolset, seen) = probe();
    let server = TestServer::start(toolset);
    for accept in ["application/json", "application/json, text/event-stream"] {
        let mut caller = server.connect().await;
        let body = request("tools/call", json!({ "name": "hangs" })).to_string();
        caller
            .write_post("/mcp", &[("accept", accept)], body.as_bytes())
            .await;
        seen.started.notified().await;
        assert_eq!(seen.running.load(Ordering::SeqCst), 1);
        let left = Instant::now();
        drop(caller);
        seen.cancelled.notified().await;
        // The budget is 50 ms; a machine that runs other tests at the same time gets more.
        assert!(
            left.elapsed() < Duration::from_millis(500),
            "{:?}",
            left.elapsed()
        );
    }
}

#[tokio::test]
async fn a_caller_that_leaves_a_stream_ends_its_call_too() {
    let (toolset, seen) = probe();
    let limits = ServerLimits {
        stream_after: Duration::from_millis(20),
        ..ServerLimits::default()
    };
    let server = TestServer::start_with(ServerConfig { limits, ..local() }, vec![toolset]);
    let mut caller = server.connect().await;
    caller.write_hanging_call().await;
    assert_eq!(
        caller.read_head().await.header("content-type"),
        Some("text/event-stream")
    );
    drop(caller);
    seen.cancelled.notified().await;
}

#[tokio::test]
async fn a_slow_call_becomes_a_stream_that_is_kept_alive() {
    let limits = ServerLimits {
        stream_after: Duration::from_millis(50),
        keep_alive: Duration::from_millis(50),
        ..ServerLimits::default()
    };
    let reply = limited(limits).call("hangs_briefly", json!({})).await;
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    assert_eq!(
        (reply.header("cache-control"), reply.header("x-accel-buffering")),
        (Some("no-cache"), Some("no"))
    );
    assert!(reply.text().starts_with(": keep-alive\n\n"), "{}", reply.text());
    assert_is_error(&reply.events()[0]["result"]);
}

#[tokio::test]
async fn a_slow_call_of_a_client_that_reads_json_only_stays_json() {
    let limits = ServerLimits {
        stream_after: Duration::from_millis(20),
        ..ServerLimits::default()
    };
    let server = limited(limits);
    let body = request("tools/call", json!({ "name": "hangs_briefly" })).to_string();
    let reply = server
        .post(&[("accept", "application/json")], body.as_bytes())
        .await;
    assert_is_error(&reply.result());
}

#[tokio::test]
async fn a_tool_that_talks_is_a_stream_only_for_who_asked() {
    let server = TestServer::start(probe().0);
    let quiet = server.modern("tools/call", json!({ "name": "talks" })).await;
    assert_eq!(quiet.result()["structuredContent"]["message"], "done");

    let params = json!({ "name": "talks" });
    let reply = server
        .modern_with(
            "tools/call",
            params.clone(),
            json!({ "progressToken": "p-1" }),
            &[],
        )
        .await;
    let events = reply.events();
    assert_eq!(
        events[0],
        json!({ "jsonrpc": "2.0", "method": "notifications/progress",
                "params": { "progressToken": "p-1", "progress": 1.0, "total": 2.0, "message": "half" } })
    );
    assert_eq!(events[1]["params"]["progress"], 2.0);
    assert_eq!(
        (events.len(), &events[2]["id"]),
        (3, &json!(1)),
        "the answer comes last"
    );
    assert_eq!(events[2]["result"]["structuredContent"]["message"], "done");

    let level = json!({ "io.modelcontextprotocol/logLevel": "warning" });
    let events = server
        .modern_with("tools/call", params, level, &[])
        .await
        .events();
    assert_eq!(
        events[0]["params"],
        json!({ "level": "warning", "logger": "probe", "data": "careful" }),
        "less severe lines are left out"
    );
    assert_eq!(events.len(), 2);
}

#[tokio::test]
async fn a_progress_token_keeps_its_type_and_legacy_callers_may_send_one() {
    let server = TestServer::start(probe().0);
    let params = json!({ "name": "talks", "_meta": { "progressToken": 7 } });
    let events = server.legacy("tools/call", params).await.events();
    assert_eq!(events[0]["params"]["progressToken"], 7);
}

#[tokio::test]
async fn wishes_that_make_no_sense_are_invalid_params() {
    let server = TestServer::start(probe().0);
    for meta in [
        json!({ "progressToken": {} }),
        json!({ "io.modelcontextprotocol/logLevel": "loud" }),
    ] {
        let reply = server
            .modern_with("tools/call", json!({ "name": "talks" }), meta.clone(), &[])
            .await;
        assert_eq!((reply.status, reply.code()), (200, -32602), "{meta}");
    }
}

#[tokio::test]
async fn many_calls_at_once_are_all_answered() {
    let server = TestServer::start(probe().0);
    let calls = (0..64).map(|n| {
        let server = &server;
        async move {
            let text = format!("{n}");
            let reply = server.call("echo", json!({ "text": text })).await;
            assert_eq!(reply.result()["structuredContent"]["message"], text);
        }
    });
    futures::future::join_all(calls).await;
}
