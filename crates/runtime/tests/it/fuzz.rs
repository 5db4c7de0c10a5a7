//! Hostile bodies, and many requests.

use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::{Value, json};

use crate::support::{Connection, TestServer, probe, request};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

/// Sends each body to one server and hands the status to `check`.
fn for_each_body<S>(strategy: &S, cases: u32, check: impl Fn(u16, &Value) -> bool)
where
    S: Strategy<Value = Vec<u8>>,
{
    for_each_request(&strategy.prop_map(|body| (Vec::new(), body)), cases, check);
}

/// Sends each request, its headers and its body, to one server and hands the status to `check`.
fn for_each_request<S>(strategy: &S, cases: u32, check: impl Fn(u16, &Value) -> bool)
where
    S: Strategy<Value = (Vec<(&'static str, String)>, Vec<u8>)>,
{
    let runtime = runtime();
    let server = runtime.block_on(async { TestServer::start(probe().0) });
    let mut runner = TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    runner
        .run(strategy, |(headers, body)| {
            let headers: Vec<(&str, &str)> = headers
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .collect();
            let reply = runtime.block_on(server.post(&headers, &body));
            let json = if reply.body.is_empty() {
                Value::Null
            } else {
                reply.json()
            };
            prop_assert!(
                reply.status < 500 && check(reply.status, &json),
                "{} {json}",
                reply.status
            );
            Ok(())
        })
        .unwrap();
    drop(runtime.enter());
    runtime.block_on(async { drop(server) });
}

#[test]
fn random_bytes_are_a_client_error() {
    let bytes = proptest::collection::vec(any::<u8>(), 0..2000);
    for_each_body(&bytes, 500, |status, body| {
        status == 400 && body["error"]["code"].is_i64()
    });
}

#[test]
fn a_message_with_random_bytes_in_it_is_answered() {
    let message = request(
        "tools/call",
        json!({ "name": "echo", "arguments": { "text": "hello" } }),
    )
    .to_string();
    let length = message.len();
    let mutated = proptest::collection::vec((0..length, any::<u8>()), 1..6).prop_map(move |edits| {
        let mut bytes = message.clone().into_bytes();
        for (place, byte) in edits {
            bytes[place] = byte;
        }
        bytes
    });
    for_each_body(&mutated, 500, |status, _| [200, 202, 400].contains(&status));
}

#[test]
fn a_message_of_random_json_is_answered() {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z_/]{0,12}".prop_map(Value::from),
        Just(json!("tools/call")),
        Just(json!("2.0")),
    ];
    let value = leaf.prop_recursive(4, 32, 4, |inner| {
        let key = prop_oneof![
            "jsonrpc",
            "id",
            "method",
            "params",
            "name",
            "arguments",
            "_meta",
            "text"
        ];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::hash_map(key, inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    let message = value.prop_map(|params| {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        body.to_string().into_bytes()
    });
    for_each_body(&message, 500, |status, _| [200, 400].contains(&status));
}

#[test]
fn a_message_under_random_headers_is_answered_or_refused_in_json() {
    let name = prop_oneof![
        Just("accept"),
        Just("authorization"),
        Just("content-encoding"),
        Just("content-type"),
        Just("host"),
        Just("mcp-method"),
        Just("mcp-name"),
        Just("mcp-param-region"),
        Just("mcp-protocol-version"),
        Just("mcp-session-id"),
        Just("origin"),
        Just("traceparent"),
        Just("x-demo-token"),
        Just("x-request-id"),
    ];
    let value = prop_oneof![
        "[ -~]{0,40}",
        "[a-z]{1,9}/[a-z*]{1,9}(;q=[0-9.]{0,4})?",
        Just("=?base64?!?=".to_owned()),
        Just("application/json".to_owned()),
        Just("http://localhost".to_owned()),
        Just("2026-07-28".to_owned()),
    ];
    let headers = proptest::collection::vec((name, value), 0..6);
    let message = request(
        "tools/call",
        json!({ "name": "echo", "arguments": { "text": "hello" } }),
    );
    let requests = headers.prop_map(move |headers| (headers, message.to_string().into_bytes()));
    for_each_request(&requests, 500, |status, body| {
        let is_explained = body["error"]["message"]
            .as_str()
            .is_some_and(|text| !text.is_empty());
        status == 200 || [400, 403, 406, 415].contains(&status) && is_explained
    });
}

/// Resident memory of this process in KiB, where the system tells it.
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn ten_thousand_requests_leave_nothing_behind() {
    let runtime = runtime();
    runtime.block_on(async {
        let server = TestServer::start(probe().0);
        let mut connection = Connection::open(server.address).await;
        let body = request(
            "tools/call",
            json!({ "name": "echo", "arguments": { "text": "x" } }),
        )
        .to_string();
        let mut serve = async |count: usize| {
            for _ in 0..count {
                assert_eq!(connection.post("/mcp", &[], body.as_bytes()).await.status, 200);
            }
        };
        serve(1000).await;
        let before = resident_kib();
        serve(10_000).await;
        if let (Some(before), Some(after)) = (before, resident_kib()) {
            // A kilobyte a request would be ten thousand.
            assert!(after < before + 4096, "{before} KiB grew to {after} KiB");
        }
    });
}
