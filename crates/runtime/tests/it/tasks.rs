//! Calls that become tasks: their callers are let go and come back.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use periplus_runtime::server::{ServerConfig, ServerLimits};
use serde_json::{Value, json};

use crate::support::{Reply, TestServer, asking, local};

const CLIENT: &str = "io.modelcontextprotocol/clientCapabilities";

fn knows_tasks() -> Value {
    json!({ CLIENT: { "elicitation": {}, "extensions": { "io.modelcontextprotocol/tasks": {} } } })
}

async fn call(server: &TestServer, tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    server
        .modern_with("tools/call", params, knows_tasks(), &[])
        .await
        .result()
}

/// A request about a task.
async fn about(server: &TestServer, method: &str, id: &str, more: Value, headers: &[(&str, &str)]) -> Reply {
    let mut params = json!({ "taskId": id });
    for (key, value) in more.as_object().unwrap() {
        params[key] = value.clone();
    }
    let headers: Vec<(&str, &str)> = [("mcp-name", id)]
        .into_iter()
        .chain(headers.iter().copied())
        .collect();
    server.modern_with(method, params, knows_tasks(), &headers).await
}

async fn get(server: &TestServer, id: &str) -> Value {
    about(server, "tasks/get", id, json!({}), &[]).await.result()
}

/// Looks until the task has another status than `status`.
async fn after(server: &TestServer, id: &str, status: &str) -> Value {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let task = get(server, id).await;
        if task["status"] != status {
            return task;
        }
        assert!(Instant::now() < deadline, "still {status}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn id(task: &Value) -> &str {
    task["taskId"].as_str().unwrap()
}

#[tokio::test]
async fn a_long_call_answers_with_a_task_whose_result_is_fetched_later() {
    let server = TestServer::start(asking().0);
    let task = call(&server, "toil", json!({ "milliseconds": 50 })).await;
    assert_eq!(
        (&task["resultType"], &task["status"]),
        (&json!("task"), &json!("working"))
    );
    for field in ["createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs"] {
        assert!(task.get(field).is_some(), "{field}: {task}");
    }
    let ended = after(&server, id(&task), "working").await;
    assert_eq!(
        (&ended["resultType"], &ended["status"]),
        (&json!("complete"), &json!("completed"))
    );
    assert_eq!(
        ended["result"]["structuredContent"]["message"],
        "The work is done."
    );
}

#[tokio::test]
async fn a_client_that_knows_no_tasks_waits_or_is_told_what_to_declare() {
    let (toolset, ..) = asking();
    let server = TestServer::start(toolset);
    let params = json!({ "name": "toil", "arguments": { "milliseconds": 10 } });
    let waited = server.modern("tools/call", params.clone()).await.result();
    assert_eq!(waited["structuredContent"]["message"], "The work is done.");
    let waited = server.legacy("tools/call", params).await.result();
    assert_eq!(waited["structuredContent"]["message"], "The work is done.");

    let refused = server
        .modern("tools/call", json!({ "name": "toil_and_ask" }))
        .await;
    assert_eq!((refused.status, refused.code()), (400, -32021));
    let needed = &refused.json()["error"]["data"]["requiredCapabilities"];
    assert!(
        needed["extensions"]
            .get("io.modelcontextprotocol/tasks")
            .is_some()
    );
    let refused = server
        .modern_with(
            "tasks/get",
            json!({ "taskId": "x" }),
            json!({}),
            &[("mcp-name", "x")],
        )
        .await;
    assert_eq!(refused.code(), -32021);
}

#[tokio::test]
async fn a_cancelled_task_stops_working_at_once() {
    let (toolset, work, _) = asking();
    let server = TestServer::start(toolset);
    let task = call(&server, "toil", json!({})).await;
    assert_eq!(work.running.load(Ordering::SeqCst), 1);
    let cancelled = Instant::now();
    let ack = about(&server, "tasks/cancel", id(&task), json!({}), &[])
        .await
        .result();
    assert_eq!(ack["resultType"], "complete");
    assert!(ack.get("taskId").is_none());
    while work.running.load(Ordering::SeqCst) > 0 {
        // The budget is 50 ms; a machine that runs other tests at the same time gets more.
        assert!(cancelled.elapsed() < Duration::from_millis(500));
        tokio::task::yield_now().await;
    }
    assert_eq!(get(&server, id(&task)).await["status"], "cancelled");
    let again = about(&server, "tasks/cancel", id(&task), json!({}), &[]).await;
    assert_eq!(again.result()["resultType"], "complete");
    assert_eq!(work.done.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_task_asks_and_waits_until_everything_is_answered() {
    let server = TestServer::start(asking().0);
    let task = call(&server, "toil_and_ask", json!({})).await;
    let id = id(&task);
    let asking = after(&server, id, "working").await;
    assert_eq!(asking["status"], "input_required");
    assert_eq!(asking["inputRequests"].as_object().unwrap().len(), 2);

    let answer = |key: &str, name: &str| json!({ "inputResponses": { key: { "action": "accept", "content": { "name": name } } } });
    about(&server, "tasks/update", id, answer("first", "Ada"), &[])
        .await
        .result();
    let open = get(&server, id).await;
    assert_eq!(open["status"], "input_required");
    let left: Vec<&String> = open["inputRequests"].as_object().unwrap().keys().collect();
    assert_eq!(left, ["second"]);
    about(&server, "tasks/update", id, answer("second", "Eve"), &[])
        .await
        .result();
    let ended = after(&server, id, "working").await;
    assert_eq!(ended["result"]["structuredContent"]["message"], "Ada and Eve");
}

#[tokio::test]
async fn a_task_that_breaks_down_has_failed_and_tells_no_cause() {
    let server = TestServer::start(asking().0);
    let task = call(&server, "break_down", json!({})).await;
    let failed = after(&server, id(&task), "working").await;
    assert_eq!(
        (&failed["status"], &failed["error"]["code"]),
        (&json!("failed"), &json!(-32603))
    );
    assert!(!failed.to_string().contains("hunter2"));
    assert!(failed.get("result").is_none());
}

#[tokio::test]
async fn a_task_is_its_callers_and_nobody_elses() {
    let server = TestServer::start(asking().0);
    let task = call(&server, "toil", json!({})).await;
    let id = id(&task);
    let somebody = [("x-demo-token", "somebody else")];
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let refused = about(&server, method, id, json!({}), &somebody).await;
        assert_eq!((refused.status, refused.code()), (200, -32602), "{method}");
        assert_eq!(
            about(&server, method, "unknown", json!({}), &[]).await.code(),
            -32602
        );
    }
    assert_eq!(get(&server, id).await["status"], "working");
    let other_name = server
        .modern_with(
            "tasks/get",
            json!({ "taskId": id }),
            knows_tasks(),
            &[("mcp-name", "x")],
        )
        .await;
    assert_eq!(other_name.code(), -32020);
}

#[tokio::test]
async fn a_caller_that_leaves_before_its_call_became_a_task_ends_it() {
    let (toolset, work, _) = asking();
    let limits = ServerLimits {
        max_tasks: 0,
        ..ServerLimits::default()
    };
    let server = TestServer::start_with(ServerConfig { limits, ..local() }, vec![toolset]);
    let mut params = json!({ "name": "toil" });
    params["_meta"] = crate::support::modern_meta(knows_tasks());
    let body = crate::support::request("tools/call", params).to_string();
    let headers = [
        ("mcp-protocol-version", crate::support::MODERN),
        ("mcp-method", "tools/call"),
        ("mcp-name", "toil"),
    ];
    let mut caller = server.connect().await;
    caller.write_post("/mcp", &headers, body.as_bytes()).await;
    while work.running.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    // There is no room for a task, so the caller waits; it leaves.
    drop(caller);
    let left = Instant::now();
    while work.running.load(Ordering::SeqCst) > 0 {
        assert!(left.elapsed() < Duration::from_millis(500));
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn several_replicas_offer_no_tasks() {
    let replicated = ServerConfig {
        replicas: 2,
        ..local()
    };
    for (config, offers) in [(local(), true), (replicated, false)] {
        let server = TestServer::start_with(config, vec![asking().0]);
        let discovered = server.modern("server/discover", json!({})).await.result();
        let extensions = &discovered["capabilities"]["extensions"];
        assert_eq!(extensions.get("io.modelcontextprotocol/tasks").is_some(), offers);
        let outcome = call(&server, "toil", json!({ "milliseconds": 5 })).await;
        assert_eq!(outcome["resultType"] == "task", offers);
    }
}
