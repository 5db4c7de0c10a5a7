//! Tools that ask their callers: by ending the call with questions, or on the streams of legacy clients.

use std::{
    sync::{Arc, Mutex, atomic::Ordering},
    time::Duration,
};

use futures::future::BoxFuture;
use periplus_runtime::{
    client::{self, CallOutcome, Credentials, DeclaredHeaders, Question, Responder},
    server::ServerConfig,
};
use periplus_toolset::Secret;
use serde_json::{Value, json};

use crate::support::{Reply, TestServer, asking, asking_on_streams, local, request};

fn can(capabilities: &Value) -> Value {
    json!({ "io.modelcontextprotocol/clientCapabilities": capabilities })
}

/// A modern call of a client that can show forms.
async fn call(server: &TestServer, params: Value) -> Reply {
    server
        .modern_with("tools/call", params, can(&json!({ "elicitation": {} })), &[])
        .await
}

fn accept(name: &str) -> Value {
    json!({ "action": "accept", "content": { "name": name } })
}

#[tokio::test]
async fn a_question_ends_the_call_and_its_answer_is_brought_by_the_next() {
    let (toolset, work, _) = asking();
    let server = TestServer::start(toolset);
    let asked = call(&server, json!({ "name": "greet" })).await.result();
    assert_eq!(asked["resultType"], "input_required");
    let question = &asked["inputRequests"]["user"];
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["message"], "Who are you?");
    assert_eq!(question["params"]["requestedSchema"]["required"], json!(["name"]));
    assert_eq!(work.done.load(Ordering::SeqCst), 0, "nothing has happened yet");

    let params = json!({ "name": "greet", "requestState": asked["requestState"],
                         "inputResponses": { "user": accept("Ada"), "unknown": 1 } });
    let answered = call(&server, params).await.result();
    assert_eq!(answered["structuredContent"]["message"], "Hello, Ada!");
    assert_eq!(answered["resultType"], "complete");
    assert_eq!(work.done.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_asked_for_again() {
    let server = TestServer::start(asking().0);
    for responses in [
        json!({}),
        json!({ "other": accept("Ada") }),
        json!({ "user": 7 }),
        json!({ "user": { "action": "accept", "content": { "name": 7 } } }),
        Value::Null,
    ] {
        let params = json!({ "name": "greet", "inputResponses": responses });
        let asked = call(&server, params).await.result();
        assert_eq!(asked["resultType"], "input_required", "{responses}");
    }
    let params = json!({ "name": "greet", "inputResponses": [] });
    assert_eq!(call(&server, params).await.code(), -32602);
}

#[tokio::test]
async fn a_question_that_is_declined_is_an_answer_of_the_tool() {
    let server = TestServer::start(asking().0);
    let params = json!({ "name": "greet", "inputResponses": { "user": { "action": "decline" } } });
    let declined = call(&server, params).await.result();
    assert_eq!(declined["structuredContent"]["error"], "declined");
}

fn replica(key: &str) -> ServerConfig {
    ServerConfig {
        state_key: Some(Secret::new(key)),
        ..local()
    }
}

#[tokio::test]
async fn earlier_answers_travel_in_the_state_so_that_any_replica_goes_on() {
    let replicas = [(); 2].map(|()| TestServer::start_with(replica("shared"), vec![asking().0]));
    let mut params = json!({ "name": "rename" });
    let rounds = [
        ("from", accept("Ada")),
        ("to", accept("Eve")),
        (
            "sure",
            json!({ "action": "accept", "content": { "confirm": true } }),
        ),
    ];
    let mut states = Vec::new();
    for (round, (key, answer)) in rounds.into_iter().enumerate() {
        let asked = call(&replicas[round % 2], params).await.result();
        assert_eq!(asked["inputRequests"].as_object().unwrap().len(), 1);
        assert!(asked["inputRequests"].get(key).is_some(), "{asked}");
        states.push(asked["requestState"].clone());
        params = json!({ "name": "rename", "requestState": asked["requestState"], "inputResponses": { key: answer } });
    }
    let done = call(&replicas[1], params).await.result();
    assert_eq!(done["structuredContent"]["message"], "Ada is Eve now");
    states.dedup();
    assert_eq!(states.len(), 3, "each round has a state of its own");
}

#[tokio::test]
async fn a_state_is_refused_for_another_call_another_caller_and_another_key() {
    let server = TestServer::start_with(replica("one"), vec![asking().0]);
    let other = TestServer::start_with(replica("two"), vec![asking().0]);
    let params = |state: &Value, greeting: &str| {
        json!({ "name": "greet", "arguments": { "greeting": greeting }, "requestState": state,
                "inputResponses": { "user": accept("Ada") } })
    };
    let asked = call(
        &server,
        json!({ "name": "greet", "arguments": { "greeting": "Hi" } }),
    )
    .await
    .result();
    let state = &asked["requestState"];
    let tampered = json!(format!("{}x", state.as_str().unwrap()));
    for refused in [
        call(&server, params(state, "Bye")).await,
        call(&server, params(&tampered, "Hi")).await,
        call(&server, params(&json!(7), "Hi")).await,
        call(&other, params(state, "Hi")).await,
        call(&server, json!({ "name": "rename", "requestState": state })).await,
        server
            .modern_with(
                "tools/call",
                params(state, "Hi"),
                can(&json!({ "elicitation": {} })),
                &[("x-demo-token", "somebody else")],
            )
            .await,
    ] {
        assert_eq!((refused.status, refused.code()), (200, -32602));
    }
    let answered = call(&server, params(state, "Hi")).await.result();
    assert_eq!(answered["structuredContent"]["message"], "Hi, Ada!");
}

#[tokio::test]
async fn a_modern_client_that_cannot_be_asked_is_told_what_to_declare() {
    let server = TestServer::start(asking().0);
    for (tool, capabilities, needed) in [
        ("greet", json!({}), json!({ "elicitation": {} })),
        ("compose", json!({ "elicitation": {} }), json!({ "sampling": {} })),
        ("insists", json!({ "sampling": {} }), json!({ "roots": {} })),
    ] {
        let reply = server
            .modern_with("tools/call", json!({ "name": tool }), can(&capabilities), &[])
            .await;
        assert_eq!((reply.status, reply.code()), (400, -32021), "{tool}");
        assert_eq!(reply.json()["error"]["data"]["requiredCapabilities"], needed);
    }
}

#[tokio::test]
async fn a_legacy_client_is_told_at_once_that_it_cannot_be_asked() {
    let server = TestServer::start(asking().0);
    let reply = server.call("greet", json!({})).await;
    assert_eq!(reply.result()["isError"], true);
    assert!(reply.content().contains("elicitation"), "{}", reply.content());
}

#[tokio::test]
async fn a_legacy_client_is_asked_on_the_stream_of_its_call_where_that_is_allowed() {
    let server = TestServer::start(asking_on_streams());
    let mut caller = server.connect().await;
    let body = request("tools/call", json!({ "name": "greet" })).to_string();
    caller.write_post("/mcp", &[], body.as_bytes()).await;
    assert_eq!(
        caller.read_head().await.header("content-type"),
        Some("text/event-stream")
    );
    let question = event(&caller.read_chunk().await.unwrap());
    assert_eq!(question["method"], "elicitation/create");

    let stranger = json!({ "jsonrpc": "2.0", "id": "guessed", "result": accept("Eve") });
    assert_eq!(
        server.post(&[], stranger.to_string().as_bytes()).await.status,
        202
    );
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": accept("Ada") });
    assert_eq!(server.post(&[], answer.to_string().as_bytes()).await.status, 202);
    let result = event(&caller.read_chunk().await.unwrap());
    assert_eq!(result["result"]["structuredContent"]["message"], "Hello, Ada!");
}

#[tokio::test]
async fn a_legacy_client_that_refuses_the_question_gets_an_answer_of_the_tool() {
    let server = TestServer::start(asking_on_streams());
    let mut caller = server.connect().await;
    let body = request("tools/call", json!({ "name": "compose" })).to_string();
    caller.write_post("/mcp", &[], body.as_bytes()).await;
    caller.read_head().await;
    let question = event(&caller.read_chunk().await.unwrap());
    let error = json!({ "code": -32601, "message": "no sampling here" });
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "error": error });
    server.post(&[], answer.to_string().as_bytes()).await;
    let result = event(&caller.read_chunk().await.unwrap());
    let content = &result["result"]["structuredContent"];
    assert_eq!(content["error"], "no_answer");
    assert!(
        content["detail"].as_str().unwrap().contains("no sampling here"),
        "{content}"
    );
}

#[tokio::test]
async fn several_replicas_ask_no_legacy_client() {
    let config = ServerConfig {
        replicas: 2,
        ..local()
    };
    let server = TestServer::start_with(config, vec![asking_on_streams()]);
    assert_eq!(server.call("greet", json!({})).await.result()["isError"], true);
}

#[tokio::test]
async fn a_legacy_client_gets_log_lines_where_the_toolset_sends_them() {
    let server = TestServer::start(asking_on_streams());
    let events = server.call("log_a_line", json!({})).await.events();
    assert_eq!(
        events[0]["params"],
        json!({ "level": "info", "logger": "asking", "data": "line" })
    );
    assert_eq!(events.len(), 2, "less severe lines are left out");
    let level = |level: &str| json!({ "level": level });
    assert_eq!(
        server.legacy("logging/setLevel", level("error")).await.result(),
        json!({})
    );
    assert_eq!(
        server.legacy("logging/setLevel", level("loud")).await.code(),
        -32602
    );
    let quiet = TestServer::start(asking().0);
    assert_eq!(
        quiet.legacy("logging/setLevel", level("error")).await.code(),
        -32601
    );
}

fn event(chunk: &[u8]) -> Value {
    let text = std::str::from_utf8(chunk).unwrap();
    serde_json::from_str(text.trim().strip_prefix("data: ").unwrap()).unwrap()
}

/// Fills forms with one name, and remembers what it was asked.
#[derive(Debug, Default)]
struct Ada(Mutex<Vec<String>>);

impl Responder for Ada {
    fn respond<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Option<Value>> {
        self.0
            .lock()
            .unwrap()
            .push(question.message().unwrap_or(&question.method).to_owned());
        let form = question
            .schema()
            .map(|_| json!({ "name": "Ada", "confirm": true }));
        let answer = form.map(|form| json!({ "action": "accept", "content": form }));
        Box::pin(async { answer })
    }
}

fn connection(server: &TestServer, responder: Option<Arc<Ada>>) -> client::Connection {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let options = client::ClientOptions {
        capabilities: json!({ "elicitation": {} }),
        responder: responder.map(|ada| ada as Arc<dyn Responder>),
        request_timeout: Duration::from_secs(20),
        ..client::ClientOptions::default()
    };
    let url = format!("http://{}/mcp", server.address).parse().unwrap();
    client::Client::new(options).connection("asking", &url, DeclaredHeaders::Unknown)
}

async fn tool(connection: &client::Connection, name: &str) -> client::RemoteTool {
    let tools = connection.list_tools(&Credentials::default()).await.unwrap();
    tools.into_iter().find(|tool| tool.name == name).unwrap()
}

#[tokio::test]
async fn our_client_hands_questions_on_and_takes_the_answers_back() {
    let server = TestServer::start(asking().0);
    let connection = connection(&server, None);
    let (tool, credentials) = (tool(&connection, "greet").await, Credentials::default());
    let arguments = serde_json::Map::new();
    let asked = connection
        .call(&tool, &arguments, None, &credentials)
        .await
        .unwrap();
    let CallOutcome::InputRequired(questions) = asked else {
        panic!("no questions: {asked:?}");
    };
    assert_eq!(questions.requests["user"].message(), Some("Who are you?"));
    let content = json!({ "name": "Eve" }).as_object().unwrap().clone();
    let answers = questions.answer(
        [("user".to_owned(), Question::accept(content))]
            .into_iter()
            .collect(),
    );
    let answered = connection
        .call(&tool, &arguments, Some(&answers), &credentials)
        .await
        .unwrap();
    let CallOutcome::Complete(result) = answered else {
        panic!("no result: {answered:?}");
    };
    assert_eq!(result.structured, Some(json!({ "message": "Hello, Eve!" })));
}

#[tokio::test]
async fn our_client_follows_all_rounds_if_it_has_somebody_to_ask() {
    let server = TestServer::start(asking().0);
    let ada = Arc::new(Ada::default());
    let connection = connection(&server, Some(Arc::clone(&ada)));
    let tool = tool(&connection, "rename").await;
    let result = connection
        .call_tool(&tool, &serde_json::Map::new(), &Credentials::default())
        .await
        .unwrap();
    assert_eq!(result.structured, Some(json!({ "message": "Ada is Ada now" })));
    assert_eq!(
        *ada.0.lock().unwrap(),
        ["From what name?", "To what name?", "Sure?"]
    );
}
