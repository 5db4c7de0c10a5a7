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

/// Sends each case to one server and hands the status to `check`.
fn for_each_body<S>(strategy: &S, cases: u32, check: impl Fn(u16, &Value) -> bool)
where
    S: Strategy<Value = Vec<u8>>,
{
    let runtime = runtime();
    let server = runtime.block_on(async { TestServer::start(probe().0) });
    let mut runner = TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    runner
        .run(strategy, |body| {
            let reply = runtime.block_on(server.post(&[], &body));
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
