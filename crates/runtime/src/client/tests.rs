//! The client against servers of every temper, each a function from request to response.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use ::http::{HeaderMap, Method, StatusCode};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;

use super::*;

/// A request as the fake server saw it.
#[derive(Debug, Clone)]
struct Seen {
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Value,
}

impl Seen {
    fn rpc(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// A server on a free port that answers by a function, and remembers what it was asked.
struct Fake {
    url: Url,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Fake {
    async fn start(answer: impl Fn(&Seen) -> Response + Send + Sync + 'static) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap())
            .parse()
            .unwrap();
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (log, answer) = (Arc::clone(&seen), Arc::new(answer));
        let router = Router::new().fallback(move |request: Request| {
            let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
            async move {
                let (parts, body) = request.into_parts();
                let body = to_bytes(body, usize::MAX).await.unwrap();
                let seen = Seen {
                    method: parts.method,
                    path: parts.uri.path().to_owned(),
                    headers: parts.headers,
                    body: serde_json::from_slice(&body).unwrap_or_default(),
                };
                log.lock().unwrap().push(seen.clone());
                answer(&seen)
            }
        });
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, seen }
    }

    fn mcp(&self) -> Url {
        self.url.join("mcp").unwrap()
    }

    fn connection(&self, headers: DeclaredHeaders) -> Connection {
        client().connection("fake", &self.mcp(), headers)
    }

    fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    fn methods(&self) -> Vec<String> {
        self.seen().iter().map(|seen| seen.rpc().to_owned()).collect()
    }
}

fn client() -> Client {
    Client::new(ClientOptions {
        request_timeout: Duration::from_secs(5),
        ..ClientOptions::default()
    })
}

fn reply(seen: &Seen, result: &Value) -> Response {
    axum::Json(json!({ "jsonrpc": "2.0", "id": seen.body["id"], "result": result })).into_response()
}

fn rpc_error(seen: &Seen, status: StatusCode, code: i64) -> Response {
    let error = json!({ "code": code, "message": "no" });
    (
        status,
        axum::Json(json!({ "jsonrpc": "2.0", "id": seen.body["id"], "error": error })),
    )
        .into_response()
}

fn discovered(seen: &Seen) -> Response {
    let info = json!({ "io.modelcontextprotocol/serverInfo": { "name": "mcp-fake", "version": "1" } });
    reply(
        seen,
        &json!({ "supportedVersions": ["2026-07-28"], "capabilities": {}, "_meta": info }),
    )
}

fn initialized(seen: &Seen, session: Option<&str>) -> Response {
    let result = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
                         "serverInfo": { "name": "mcp-old", "version": "1" } });
    let mut response = reply(seen, &result);
    if let Some(session) = session {
        response
            .headers_mut()
            .insert("mcp-session-id", session.parse().unwrap());
    }
    response
}

fn tool(name: &str) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object" } })
}

/// A modern server of one tool, whose results are made by `call`.
fn modern(seen: &Seen, call: impl Fn(&Seen) -> Response) -> Response {
    match seen.rpc() {
        "server/discover" => discovered(seen),
        "tools/list" => reply(seen, &json!({ "tools": [tool("hello")] })),
        "tools/call" => call(seen),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// A legacy server; what it makes of a modern request is up to `stranger`.
fn legacy(seen: &Seen, session: Option<&str>, stranger: impl Fn(&Seen) -> Response) -> Response {
    match seen.rpc() {
        "initialize" => initialized(seen, session),
        "notifications/initialized" => StatusCode::ACCEPTED.into_response(),
        "tools/list" if seen.header("mcp-session-id") == session => {
            reply(seen, &json!({ "tools": [tool("old")] }))
        }
        _ => stranger(seen),
    }
}

async fn names(connection: &Connection) -> Result<Vec<String>, ClientError> {
    let tools = connection.list_tools(&Credentials::default()).await?;
    Ok(tools.into_iter().map(|tool| tool.name).collect())
}

async fn call(connection: &Connection, arguments: Value) -> Result<CallResult, ClientError> {
    let tools = connection.list_tools(&Credentials::default()).await?;
    let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
    connection
        .call_tool(&tools[0], &arguments, &Credentials::default())
        .await
}

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

/// A modern server whose list is cut into pages by `next`: the cursor given, the cursor to give.
async fn paged(next: impl Fn(Option<&str>) -> Option<String> + Send + Sync + 'static) -> Fake {
    Fake::start(move |seen| match seen.rpc() {
        "server/discover" => discovered(seen),
        _ => {
            let cursor = seen.body["params"]["cursor"].as_str();
            let mut page = json!({ "tools": [tool(&format!("after-{}", cursor.unwrap_or("nothing")))] });
            if let Some(next) = next(cursor) {
                page["nextCursor"] = json!(next);
            }
            reply(seen, &page)
        }
    })
    .await
}

#[tokio::test]
async fn all_pages_are_read() {
    let fake = paged(|cursor| cursor.is_none().then(|| "p2".to_owned())).await;
    let names = names(&fake.connection(DeclaredHeaders::Unknown)).await.unwrap();
    assert_eq!(names, ["after-nothing", "after-p2"]);
}

#[tokio::test]
async fn a_list_that_does_not_end_is_an_error() {
    let repeating = paged(|_| Some("same".to_owned())).await;
    let error = names(&repeating.connection(DeclaredHeaders::Unknown))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("\"same\" came back"), "{error}");
    let counting = paged(|cursor| Some(format!("x{}", cursor.unwrap_or_default()))).await;
    let error = names(&counting.connection(DeclaredHeaders::Unknown))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("more than 100 pages"), "{error}");
}

#[tokio::test]
async fn an_empty_cursor_is_followed_once() {
    let fake = paged(|_| Some(String::new())).await;
    let names = names(&fake.connection(DeclaredHeaders::Unknown)).await.unwrap();
    assert_eq!(names, ["after-nothing", "after-"]);
}

#[tokio::test]
async fn an_answer_beyond_the_limit_is_refused() {
    let fake = Fake::start(|seen| {
        modern(seen, |seen| {
            reply(
                seen,
                &json!({ "content": [{ "type": "text", "text": "x".repeat(100_000) }] }),
            )
        })
    })
    .await;
    let client = Client::new(ClientOptions {
        max_response_bytes: 50_000,
        ..ClientOptions::default()
    });
    let connection = client.connection("fake", &fake.mcp(), DeclaredHeaders::Unknown);
    let error = call(&connection, json!({})).await.unwrap_err();
    assert!(
        matches!(error, ClientError::TooLarge { limit: 50_000, .. }),
        "{error}"
    );
}

#[tokio::test]
async fn a_slow_server_ends_in_a_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url: Url = format!("http://{}/mcp", listener.local_addr().unwrap())
        .parse()
        .unwrap();
    let options = ClientOptions {
        request_timeout: Duration::from_millis(100),
        ..ClientOptions::default()
    };
    let error = Client::new(options).open(&url).await.unwrap_err();
    assert!(matches!(error, ClientError::Timeout { .. }), "{error}");
    drop(listener);
    let error = client().open(&url).await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error}");
}

#[tokio::test]
async fn schemas_arrive_as_they_were_sent() {
    const SCHEMA: &str = r#"{"type":"object","properties":{"b":{"maximum":1.0},"a":{"const":1e2}}}"#;
    let fake = Fake::start(|seen| match seen.rpc() {
        "server/discover" => discovered(seen),
        _ => {
            let id = &seen.body["id"];
            let text = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{{"name":"t","inputSchema":{SCHEMA}}}]}}}}"#
            );
            ([("content-type", "application/json")], text).into_response()
        }
    })
    .await;
    let tools = fake
        .connection(DeclaredHeaders::Unknown)
        .list_tools(&Credentials::default())
        .await
        .unwrap();
    assert_eq!(tools[0].input_schema.get(), SCHEMA);
}

#[tokio::test]
async fn a_tool_with_broken_header_annotations_is_left_out() {
    let fake = Fake::start(|seen| match seen.rpc() {
        "server/discover" => discovered(seen),
        _ => {
            let broken =
                json!({ "type": "object", "properties": { "a": { "type": "object", "x-mcp-header": "A" } } });
            reply(
                seen,
                &json!({ "tools": [tool("fine"), { "name": "broken", "inputSchema": broken }] }),
            )
        }
    })
    .await;
    assert_eq!(
        names(&fake.connection(DeclaredHeaders::Unknown)).await.unwrap(),
        ["fine"]
    );
}

#[tokio::test]
async fn a_tool_that_asks_its_user_is_an_error_of_its_own() {
    let fake = Fake::start(|seen| {
        modern(seen, |seen| {
            reply(
                seen,
                &json!({ "resultType": "input_required", "requestState": "s" }),
            )
        })
    })
    .await;
    let error = call(&fake.connection(DeclaredHeaders::Unknown), json!({}))
        .await
        .unwrap_err();
    assert!(matches!(error, ClientError::InputRequired { .. }), "{error}");
}

#[tokio::test]
async fn credentials_reach_only_the_connection_that_declares_them() {
    let fake = Fake::start(|seen| modern(seen, |seen| reply(seen, &json!({ "content": [] })))).await;
    let credentials = Credentials::new([("X-Demo-Token", "s3"), ("X-Other", "o")]).unwrap();
    let declared = DeclaredHeaders::Only(vec!["x-demo-token".to_owned()]);
    fake.connection(declared).list_tools(&credentials).await.unwrap();
    for seen in fake.seen() {
        assert_eq!(seen.header("x-demo-token"), Some("s3"));
        assert_eq!(seen.header("x-other"), None);
    }
}

#[tokio::test]
async fn authorization_is_sent_once_it_is_asked_for() {
    let fake = Fake::start(|seen| match seen.header("authorization") {
        Some("Bearer b") => modern(seen, |seen| reply(seen, &json!({ "content": [] }))),
        _ => (StatusCode::UNAUTHORIZED, [("www-authenticate", "Bearer")]).into_response(),
    })
    .await;
    let connection = fake.connection(DeclaredHeaders::Only(vec![]));
    let error = names(&connection).await.unwrap_err();
    assert!(matches!(error, ClientError::Unauthorized { .. }), "{error}");
    let credentials = Credentials::new([("Authorization", "Bearer b")]).unwrap();
    connection.list_tools(&credentials).await.unwrap();
    let refused = fake
        .seen()
        .iter()
        .filter(|seen| seen.header("authorization").is_none())
        .count();
    assert_eq!(
        refused, 2,
        "once without a credential, once before the challenge was known"
    );
}

#[tokio::test]
async fn a_redirect_is_followed_within_the_origin_and_refused_beyond_it() {
    let other = Fake::start(|_| StatusCode::OK.into_response()).await;
    let target = other.url.clone();
    let fake = Fake::start(move |seen| match seen.path.as_str() {
        "/moved/mcp" => (StatusCode::TEMPORARY_REDIRECT, [("location", "/mcp")]).into_response(),
        "/away/mcp" => (StatusCode::TEMPORARY_REDIRECT, [("location", target.as_str())]).into_response(),
        _ => modern(seen, |seen| reply(seen, &json!({ "content": [] }))),
    })
    .await;
    let credentials = Credentials::new([("X-Demo-Token", "s3")]).unwrap();
    let moved = client().connection(
        "fake",
        &fake.url.join("moved/mcp").unwrap(),
        DeclaredHeaders::Unknown,
    );
    assert_eq!(moved.list_tools(&credentials).await.unwrap().len(), 1);
    let away = client().connection(
        "fake",
        &fake.url.join("away/mcp").unwrap(),
        DeclaredHeaders::Unknown,
    );
    let error = away.list_tools(&credentials).await.unwrap_err();
    assert!(matches!(error, ClientError::Redirect { .. }), "{error}");
    assert!(other.seen().is_empty(), "nothing reaches the other origin");
}

#[tokio::test]
async fn refusals_say_what_the_server_said() {
    let fake = Fake::start(|seen| match seen.header("x-case") {
        Some("403") => {
            let error = json!({ "error": { "code": -32600, "message": "host x is not allowed" } });
            (StatusCode::FORBIDDEN, axum::Json(error)).into_response()
        }
        Some("503") => (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "7")]).into_response(),
        _ => (StatusCode::INTERNAL_SERVER_ERROR, Body::from("boom\n\nboom")).into_response(),
    })
    .await;
    for (case, expected) in [
        ("403", "host x is not allowed"),
        ("503", "try again in 7 s"),
        ("500", "status 500: boom boom"),
    ] {
        let credentials = Credentials::new([("x-case", case)]).unwrap();
        let error = fake
            .connection(DeclaredHeaders::Unknown)
            .list_tools(&credentials)
            .await
            .unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn an_index_is_read_and_its_declarations_are_kept() {
    let fake = Fake::start(|seen| match (seen.method.as_str(), seen.path.as_str()) {
        ("GET", "/") => axum::Json(json!({
            "connections": { "a": { "transport": "streamable_http", "url": "/a/mcp" },
                             "b": { "transport": "streamable_http", "url": "/b/mcp" } },
            "toolsets": [{ "name": "a", "status": "ok", "credential_headers": ["X-Demo-Token"] },
                         { "name": "b", "status": "failed", "credential_headers": [] },
                         { "name": "c", "url": "/c/mcp", "status": "unreachable" }],
        }))
        .into_response(),
        _ => modern(seen, |seen| reply(seen, &json!({ "content": [] }))),
    })
    .await;
    let directory = client().open(&fake.url).await.unwrap();
    assert!(directory.is_index);
    let [a, b] = directory.entries.as_slice() else {
        panic!("two entries")
    };
    assert_eq!((a.connection.name(), a.status.as_str()), ("a", "ok"));
    assert_eq!(
        a.connection.declared_headers(),
        &DeclaredHeaders::Only(vec!["x-demo-token".to_owned()])
    );
    assert_eq!((b.connection.name(), b.status.as_str()), ("b", "failed"));
    assert_eq!(b.connection.url().path(), "/b/mcp");
    let absent = Absent {
        name: "c".to_owned(),
        url: "/c/mcp".to_owned(),
        status: "unreachable".to_owned(),
    };
    assert_eq!(directory.absent, [absent]);
}

#[tokio::test]
async fn a_malformed_index_is_an_error_that_says_so() {
    for (connections, reason) in [
        (json!({ "a": {} }), "connection `a`"),
        (json!({ "a": { "url": "http://[" } }), "the URL of \"a\""),
        (json!([]), "malformed"),
    ] {
        let fake =
            Fake::start(move |_| axum::Json(json!({ "connections": connections })).into_response()).await;
        let error = client().open(&fake.url).await.unwrap_err().to_string();
        assert!(
            error.contains("index is malformed") && error.contains(reason),
            "{error}"
        );
    }
}

#[tokio::test]
async fn the_root_of_a_server_without_an_index_leads_to_its_endpoint() {
    let fake = Fake::start(|seen| match (seen.method.as_str(), seen.path.as_str()) {
        ("GET", "/health") => {
            axum::Json(json!({ "status": "ok", "credential_headers": ["x-t"] })).into_response()
        }
        ("POST", "/mcp") => modern(seen, |seen| reply(seen, &json!({ "content": [] }))),
        _ => StatusCode::NOT_FOUND.into_response(),
    })
    .await;
    for url in [fake.url.clone(), fake.mcp()] {
        let directory = client().open(&url).await.unwrap();
        assert!(!directory.is_index);
        let connection = &directory.entries[0].connection;
        assert_eq!(connection.url(), &fake.mcp());
        assert_eq!(
            connection.declared_headers(),
            &DeclaredHeaders::Only(vec!["x-t".to_owned()])
        );
        assert_eq!(names(connection).await.unwrap(), ["hello"]);
    }
}

#[tokio::test]
async fn an_endpoint_of_another_name_is_found_too() {
    let fake = Fake::start(|seen| match (seen.method.as_str(), seen.path.as_str()) {
        ("POST", "/tools") => modern(seen, |seen| reply(seen, &json!({ "content": [] }))),
        _ => StatusCode::NOT_FOUND.into_response(),
    })
    .await;
    let directory = client().open(&fake.url.join("tools").unwrap()).await.unwrap();
    let connection = &directory.entries[0].connection;
    assert_eq!(connection.declared_headers(), &DeclaredHeaders::Unknown);
    assert_eq!(names(connection).await.unwrap(), ["hello"]);
}

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
