//! Servers ask the user, and streams break while they do.

use super::*;

/// Fills every form with the same name.
#[derive(Debug)]
struct Ada;

impl Responder for Ada {
    fn respond<'a>(&'a self, question: &'a Question) -> futures::future::BoxFuture<'a, Option<Value>> {
        let content = Map::from_iter([("name".to_owned(), "Ada".into())]);
        let answer = (question.method == "elicitation/create").then(|| Question::accept(content));
        Box::pin(async { answer })
    }
}

fn responsive(fake: &Fake) -> Connection {
    let client = Client::new(ClientOptions {
        request_timeout: Duration::from_secs(5),
        responder: Some(Arc::new(Ada)),
        ..ClientOptions::default()
    });
    client.connection("fake", &fake.mcp(), DeclaredHeaders::Unknown)
}

/// What the client posted that is no request: answers to the server.
fn answers(fake: &Fake) -> Vec<Value> {
    let posted = fake.seen().into_iter().filter(|seen| seen.method == Method::POST);
    posted
        .map(|seen| seen.body)
        .filter(|body| body.get("method").is_none())
        .collect()
}

fn stream(messages: &[Value]) -> Response {
    let events: String = messages
        .iter()
        .map(|message| format!("data: {message}\n\n"))
        .collect();
    ([("content-type", "text/event-stream")], events).into_response()
}

fn question(method: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": "q", "method": method, "params": { "message": "Who?" } })
}

fn result(seen: &Seen) -> Value {
    json!({ "jsonrpc": "2.0", "id": seen.body["id"], "result": { "content": [] } })
}

#[tokio::test]
async fn a_legacy_server_is_answered_while_its_call_runs() {
    let fake = Fake::start(|seen| {
        legacy(seen, None, |seen| match seen.rpc() {
            "tools/call" => stream(&[
                question("elicitation/create"),
                question("sampling/createMessage"),
                result(seen),
            ]),
            "" => StatusCode::ACCEPTED.into_response(),
            _ => StatusCode::BAD_REQUEST.into_response(),
        })
    })
    .await;
    call(&responsive(&fake), json!({})).await.unwrap();
    let answers = answers(&fake);
    assert_eq!(
        answers[0]["result"],
        json!({ "action": "accept", "content": { "name": "Ada" } })
    );
    assert_eq!(
        answers[1]["error"]["code"], -32601,
        "there is no answer to be had"
    );
    assert!(answers.iter().all(|answer| answer["id"] == "q"));
}

#[tokio::test]
async fn a_legacy_server_with_sessions_may_ask_on_a_stream_of_its_own() {
    let fake = Fake::start(|seen| {
        if seen.method == Method::GET {
            return stream(&[question("elicitation/create")]);
        }
        legacy(seen, Some("s"), |seen| match seen.rpc() {
            "tools/call" => stream(&[result(seen)]),
            "" => StatusCode::ACCEPTED.into_response(),
            _ => StatusCode::BAD_REQUEST.into_response(),
        })
    })
    .await;
    let connection = responsive(&fake);
    // The question and the result race: a call that ends first needs no answer.
    for _ in 0..50 {
        call(&connection, json!({})).await.unwrap();
        if !answers(&fake).is_empty() {
            break;
        }
    }
    assert_eq!(answers(&fake)[0]["result"]["content"]["name"], "Ada");
    assert!(
        fake.seen()
            .iter()
            .filter(|seen| seen.method == Method::GET)
            .all(|seen| seen.header("mcp-session-id") == Some("s"))
    );
}

#[tokio::test]
async fn a_server_that_keeps_asking_is_given_up() {
    let fake = Fake::start(|seen| {
        modern(seen, |seen| {
            reply(
                seen,
                &json!({ "resultType": "input_required", "requestState": "again" }),
            )
        })
    })
    .await;
    let error = call(&responsive(&fake), json!({})).await.unwrap_err();
    assert!(
        matches!(&error, ClientError::Protocol { reason, .. } if reason.contains("10 times")),
        "{error}"
    );
    let states: Vec<Value> = fake
        .seen()
        .iter()
        .filter(|seen| seen.rpc() == "tools/call")
        .map(|seen| seen.body["params"]["requestState"].clone())
        .collect();
    assert_eq!(
        (states.len(), &states[0], &states[9]),
        (10, &Value::Null, &json!("again"))
    );
}

#[tokio::test]
async fn a_stream_that_ends_early_is_gone_on_with_where_it_stopped() {
    let id = Arc::new(Mutex::new(Value::Null));
    let fake = Fake::start(move |seen| {
        if seen.method == Method::GET {
            assert_eq!(seen.header("last-event-id"), Some("e-1"));
            let result = json!({ "jsonrpc": "2.0", "id": *id.lock().unwrap(), "result": { "structuredContent": { "n": 2 } } });
            return stream(&[result]);
        }
        modern(seen, |seen| {
            *id.lock().unwrap() = seen.body["id"].clone();
            ([("content-type", "text/event-stream")], "id: e-1\nretry: 1\ndata: \n\n").into_response()
        })
    })
    .await;
    let result = call(&fake.connection(DeclaredHeaders::Unknown), json!({}))
        .await
        .unwrap();
    assert_eq!(result.structured, Some(json!({ "n": 2 })));
}

#[tokio::test]
async fn a_modern_server_that_refuses_once_is_asked_again() {
    let refused = std::sync::atomic::AtomicBool::new(false);
    let fake = Fake::start(move |seen| {
        if !refused.swap(true, std::sync::atomic::Ordering::SeqCst) {
            let error = json!({ "code": -32022, "message": "no", "data": { "supported": ["2026-07-28"] } });
            let body = json!({ "jsonrpc": "2.0", "id": seen.body["id"], "error": error });
            return (StatusCode::BAD_REQUEST, axum::Json(body)).into_response();
        }
        modern(seen, |_| StatusCode::NOT_FOUND.into_response())
    })
    .await;
    assert_eq!(
        names(&fake.connection(DeclaredHeaders::Unknown)).await.unwrap(),
        ["hello"]
    );
    assert_eq!(
        fake.methods(),
        ["server/discover", "server/discover", "tools/list"]
    );
}
