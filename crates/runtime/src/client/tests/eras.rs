//! Which era a server speaks, and what each is sent.

use super::*;

#[tokio::test]
async fn a_modern_server_gets_the_modern_headers_and_meta() {
    let fake = Fake::start(|seen| {
        modern(seen, |seen| {
            reply(
                seen,
                &json!({ "content": [{ "type": "text", "text": "hi" }], "resultType": "complete" }),
            )
        })
    })
    .await;
    let connection = fake.connection(DeclaredHeaders::Only(vec![]));
    let result = call(&connection, json!({ "name": "Ada" })).await.unwrap();
    assert_eq!((result.is_error, result.text), (false, vec!["hi".to_owned()]));
    assert_eq!(fake.methods(), ["server/discover", "tools/list", "tools/call"]);
    let seen = fake.seen().pop().unwrap();
    assert_eq!(seen.header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(seen.header("mcp-method"), Some("tools/call"));
    assert_eq!(seen.header("mcp-name"), Some("hello"));
    assert_eq!(
        seen.body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    assert_eq!(seen.body["params"]["arguments"], json!({ "name": "Ada" }));
    let name = connection.server_name(&Credentials::default()).await.unwrap();
    assert_eq!(name.as_deref(), Some("mcp-fake"));
}

#[tokio::test]
async fn a_legacy_server_is_found_however_it_refuses_the_modern_era() {
    let refusals: [fn(&Seen) -> Response; 5] = [
        |_| (StatusCode::BAD_REQUEST, "Bad Request: no session").into_response(),
        |_| StatusCode::NOT_FOUND.into_response(),
        |_| (StatusCode::OK, "surprise").into_response(),
        |seen| rpc_error(seen, StatusCode::OK, -32601),
        |seen| rpc_error(seen, StatusCode::BAD_REQUEST, -32022),
    ];
    for (index, refusal) in refusals.into_iter().enumerate() {
        let fake = Fake::start(move |seen| legacy(seen, None, refusal)).await;
        let connection = fake.connection(DeclaredHeaders::Unknown);
        assert_eq!(names(&connection).await.unwrap(), ["old"], "refusal {index}");
        let expected = [
            "server/discover",
            "initialize",
            "notifications/initialized",
            "tools/list",
        ];
        assert_eq!(fake.methods(), expected, "refusal {index}");
        let seen = fake.seen().pop().unwrap();
        assert_eq!(seen.header("mcp-protocol-version"), Some("2025-11-25"));
        assert_eq!(seen.header("mcp-method"), None);
        assert!(seen.body["params"].get("_meta").is_none());
    }
}

#[tokio::test]
async fn the_era_of_an_origin_is_asked_once() {
    let fake = Fake::start(|seen| legacy(seen, None, |_| StatusCode::BAD_REQUEST.into_response())).await;
    let client = client();
    for _ in 0..2 {
        let connection = client.connection("fake", &fake.mcp(), DeclaredHeaders::Unknown);
        names(&connection).await.unwrap();
    }
    let probes = fake
        .methods()
        .iter()
        .filter(|method| *method == "server/discover")
        .count();
    assert_eq!(probes, 1);
}

#[tokio::test]
async fn a_forgotten_session_is_agreed_anew_and_ended_at_the_close() {
    let restarted = Arc::new(Mutex::new(false));
    let switch = Arc::clone(&restarted);
    let fake = Fake::start(move |seen| {
        let session = if *switch.lock().unwrap() {
            "second"
        } else {
            "first"
        };
        legacy(seen, Some(session), |_| StatusCode::NOT_FOUND.into_response())
    })
    .await;
    let connection = fake.connection(DeclaredHeaders::Unknown);
    assert_eq!(names(&connection).await.unwrap(), ["old"]);
    *restarted.lock().unwrap() = true;
    assert_eq!(
        names(&connection).await.unwrap(),
        ["old"],
        "the restart is invisible"
    );
    connection.close().await;
    let last = fake.seen().pop().unwrap();
    assert_eq!(
        (last.method.as_str(), last.header("mcp-session-id")),
        ("DELETE", Some("second"))
    );
}

#[tokio::test]
async fn an_answer_may_come_as_a_stream_after_notifications() {
    let fake = Fake::start(|seen| {
        modern(seen, |seen| {
            let progress = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": {} });
            let result = json!({ "jsonrpc": "2.0", "id": seen.body["id"], "result": { "structuredContent": { "n": 1 } } });
            let text = format!(": ping\n\ndata: {progress}\n\nevent: message\ndata: {result}\n\n");
            ([("content-type", "text/event-stream")], text).into_response()
        })
    })
    .await;
    let result = call(&fake.connection(DeclaredHeaders::Unknown), json!({}))
        .await
        .unwrap();
    assert_eq!(result.structured, Some(json!({ "n": 1 })));
}

#[tokio::test]
async fn a_stream_that_ends_early_is_an_interruption() {
    let fake = Fake::start(|seen| {
        modern(seen, |_| {
            ([("content-type", "text/event-stream")], ": ping\n\n").into_response()
        })
    })
    .await;
    let error = call(&fake.connection(DeclaredHeaders::Unknown), json!({}))
        .await
        .unwrap_err();
    assert!(matches!(error, ClientError::Interrupted { .. }), "{error}");
}
