//! Toolsets over a pair of pipes, from the protocol's own SDK and by hand.

use std::time::Duration;

use http::{HeaderMap, HeaderValue};
use periplus_runtime::server::{ServeError, ServerLimits, StdioServer};
use periplus_toolset::{Toolset, View};
use rmcp::{
    ClientHandler,
    model::{CallToolRequestParams, ProtocolVersion},
    service::{ClientLifecycleMode, ClientServiceExt as _},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use crate::support::{MODERN, modern_meta, object, probe, request, text_tool};

const PATIENCE: Duration = Duration::from_secs(30);

/// A server and the client's ends of its pipes.
struct Pipes {
    input: WriteHalf<DuplexStream>,
    output: BufReader<ReadHalf<DuplexStream>>,
    shutdown: CancellationToken,
    task: JoinHandle<std::io::Result<()>>,
}

fn start(toolsets: Vec<Toolset>) -> (DuplexStream, CancellationToken, JoinHandle<std::io::Result<()>>) {
    let limits = ServerLimits {
        max_body_bytes: 100_000,
        ..ServerLimits::default()
    };
    let mut credentials = HeaderMap::new();
    credentials.insert("x-demo-token", HeaderValue::from_static("t-1"));
    let server = StdioServer::new(limits, Duration::from_millis(300), toolsets, credentials).unwrap();
    let (ours, theirs) = tokio::io::duplex(16 * 1024);
    let (input, output) = tokio::io::split(theirs);
    let shutdown = CancellationToken::new();
    let task = tokio::spawn(server.run(input, output, shutdown.clone()));
    (ours, shutdown, task)
}

impl Pipes {
    fn open(toolsets: Vec<Toolset>) -> Self {
        let (ours, shutdown, task) = start(toolsets);
        let (output, input) = tokio::io::split(ours);
        Self {
            input,
            output: BufReader::new(output),
            shutdown,
            task,
        }
    }

    async fn send(&mut self, message: &Value) {
        self.send_text(&format!("{message}\n")).await;
    }

    async fn send_text(&mut self, text: &str) {
        self.input.write_all(text.as_bytes()).await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        let mut line = String::new();
        tokio::time::timeout(PATIENCE, self.output.read_line(&mut line))
            .await
            .expect("the server answers")
            .unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// A legacy request's result.
    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(&request(method, params)).await;
        let mut answer = self.receive().await;
        assert_eq!(answer["id"], 1, "{answer}");
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].take()
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self
            .ask("tools/call", json!({ "name": tool, "arguments": arguments }))
            .await;
        result["structuredContent"]["message"].clone()
    }

    /// Closes the input and reads to the end.
    async fn close(mut self) -> Vec<Value> {
        self.input.shutdown().await.unwrap();
        let mut left = Vec::new();
        let mut line = String::new();
        while self.output.read_line(&mut line).await.unwrap() > 0 {
            left.push(serde_json::from_str(&line).unwrap());
            line.clear();
        }
        ended(self.task).await;
        left
    }
}

async fn ended(task: JoinHandle<std::io::Result<()>>) {
    tokio::time::timeout(PATIENCE, task)
        .await
        .expect("the server ends")
        .unwrap()
        .unwrap();
}

/// A toolset with a tool `clip`, which says whose it is and which token it sees, and a view.
fn clipper(name: &'static str, declares: bool) -> Toolset {
    let tool = text_tool("clip", move |_, cx| {
        Box::pin(async move {
            let token = cx.credential("x-demo-token").unwrap_or("nothing");
            Ok(json!({ "message": format!("{name} sees {token}") }))
        })
    });
    let toolset = Toolset::new(name)
        .version("1")
        .instructions(&format!("This is {name}."))
        .tool(tool)
        .view(
            "clip",
            View::embedded("panel", "<!doctype html><title>panel</title>"),
        );
    if declares {
        toolset.credential_header("x-demo-token")
    } else {
        toolset
    }
}

struct Caller;

impl ClientHandler for Caller {}

#[tokio::test]
async fn the_sdk_client_works_over_pipes_in_both_eras() {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    for lifecycle in [
        ClientLifecycleMode::Initialize,
        ClientLifecycleMode::Discover { preferred_versions },
    ] {
        let (pipe, _, task) = start(vec![probe().0, clipper("raster", false)]);
        let client = Caller
            .serve_with_lifecycle(tokio::io::split(pipe), lifecycle)
            .await
            .unwrap();
        let tools = client.peer().list_all_tools().await.unwrap();
        assert!(tools.iter().any(|tool| tool.name == "clip"));
        for (tool, arguments, expected) in [
            ("echo", json!({ "text": "grüß\ndich" }), "grüß\ndich"),
            ("whoami", json!({}), "t-1"),
            ("clip", json!({}), "raster sees nothing"),
            ("talks", json!({}), "done"),
        ] {
            let call = CallToolRequestParams::new(tool).with_arguments(object(arguments));
            let result = client.peer().call_tool(call).await.unwrap();
            assert_eq!(result.structured_content, Some(json!({ "message": expected })));
        }
        assert!(
            client
                .peer()
                .call_tool(CallToolRequestParams::new("nope"))
                .await
                .is_err()
        );
        client.cancel().await.unwrap();
        ended(task).await;
    }
}

#[tokio::test]
async fn a_name_of_several_toolsets_is_qualified_and_leads_to_each_of_them() {
    let mut pipes = Pipes::open(vec![clipper("a", true), clipper("b", false), probe().0]);
    let listed = pipes.ask("tools/list", json!({})).await;
    let names: Vec<&str> = listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(&names[..3], ["a__clip", "b__clip", "echo"]);
    assert_eq!(pipes.call("a__clip", json!({})).await, "a sees t-1");
    assert_eq!(
        pipes.call("b__clip", json!({})).await,
        "b sees nothing",
        "a header that one toolset declares does not reach another"
    );
    assert_eq!(pipes.call("echo", json!({ "text": "x" })).await, "x");
    pipes
        .send(&request("tools/call", json!({ "name": "clip" })))
        .await;
    let refused = pipes.receive().await;
    assert_eq!(refused["error"]["code"], -32602);
    assert_eq!(
        refused["error"]["data"]["didYouMean"],
        json!(["a__clip", "b__clip"])
    );
}

#[tokio::test]
async fn several_toolsets_introduce_themselves_as_one_server() {
    let mut pipes = Pipes::open(vec![clipper("a", false), clipper("b", true)]);
    let welcome = pipes
        .ask("initialize", json!({ "protocolVersion": "2025-06-18" }))
        .await;
    assert_eq!(welcome["serverInfo"]["name"], "periplus");
    assert_eq!(welcome["protocolVersion"], "2025-06-18");
    let instructions = welcome["instructions"].as_str().unwrap();
    assert!(
        instructions.starts_with("This is a.\n\nThis is b."),
        "{instructions}"
    );
    pipes
        .send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .await;
    let views = pipes.ask("resources/list", json!({})).await;
    let uris: Vec<&Value> = views["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|view| &view["uri"])
        .collect();
    assert_eq!(uris, ["ui://a/panel", "ui://b/panel"]);
    for uri in ["ui://a/panel", "ui://b/panel"] {
        let read = pipes.ask("resources/read", json!({ "uri": uri })).await;
        assert_eq!(read["contents"][0]["uri"], uri);
    }
    let mut message = request("server/discover", json!({ "_meta": modern_meta(json!({})) }));
    message["id"] = json!("x");
    pipes.send(&message).await;
    let discovered = pipes.receive().await;
    assert_eq!(discovered["id"], "x");
    assert_eq!(discovered["result"]["cacheScope"], "private", "{discovered}");
    assert!(
        discovered["result"]["supportedVersions"]
            .as_array()
            .unwrap()
            .contains(&json!(MODERN))
    );
}

#[tokio::test]
async fn what_a_tool_says_comes_before_its_result() {
    let mut pipes = Pipes::open(vec![probe().0]);
    let params = json!({ "name": "talks", "_meta": { "progressToken": "p" } });
    pipes.send(&request("tools/call", params)).await;
    let said = [
        pipes.receive().await,
        pipes.receive().await,
        pipes.receive().await,
    ];
    assert_eq!(said[0]["method"], "notifications/progress");
    assert_eq!(said[1]["params"]["progress"], 2.0);
    assert_eq!(said[2]["result"]["structuredContent"]["message"], "done");
}

#[tokio::test]
async fn a_cancelled_call_ends_without_an_answer_and_others_go_on() {
    let (toolset, seen) = probe();
    let mut pipes = Pipes::open(vec![toolset]);
    let mut call = request("tools/call", json!({ "name": "hangs" }));
    call["id"] = json!("slow");
    pipes.send(&call).await;
    seen.started.notified().await;
    assert_eq!(
        pipes.call("echo", json!({ "text": "meanwhile" })).await,
        "meanwhile"
    );
    pipes
        .send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "slow" } }))
        .await;
    seen.cancelled.notified().await;
    assert_eq!(pipes.call("echo", json!({ "text": "after" })).await, "after");
    assert_eq!(pipes.close().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_line_that_is_no_message_is_answered_and_skipped() {
    let mut pipes = Pipes::open(vec![probe().0]);
    for (line, code) in [
        ("nonsense\n".to_owned(), -32700),
        ("[]\n".to_owned(), -32600),
        (format!("{}\n", "x".repeat(100_001)), -32600),
    ] {
        pipes.send_text(&line).await;
        let answer = pipes.receive().await;
        assert_eq!(
            (&answer["error"]["code"], &answer["id"]),
            (&json!(code), &Value::Null)
        );
    }
    pipes.send_text("\n  \r\n").await;
    assert_eq!(
        pipes.call("echo", json!({ "text": "still here" })).await,
        "still here"
    );
}

#[tokio::test]
async fn at_the_end_of_the_input_running_calls_are_answered() {
    let (toolset, _) = probe();
    let mut pipes = Pipes::open(vec![toolset]);
    let text = [
        request("tools/call", json!({ "name": "hangs_briefly" })),
        request(
            "tools/call",
            json!({ "name": "echo", "arguments": { "text": "last" } }),
        ),
    ];
    // The last line has no line break.
    pipes.send_text(&format!("{}\n{}", text[0], text[1])).await;
    let left = pipes.close().await;
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(
        left.iter()
            .any(|answer| answer["result"]["structuredContent"]["message"] == "last")
    );
}

#[tokio::test]
async fn a_server_that_is_told_to_stop_gives_up_what_does_not_finish() {
    let (toolset, seen) = probe();
    let mut pipes = Pipes::open(vec![toolset]);
    pipes
        .send(&request("tools/call", json!({ "name": "hangs" })))
        .await;
    seen.started.notified().await;
    pipes.shutdown.cancel();
    assert_eq!(pipes.receive().await["error"]["code"], -32603);
    seen.cancelled.notified().await;
    ended(pipes.task).await;
}

#[tokio::test]
async fn a_client_that_is_gone_ends_the_server() {
    let (toolset, seen) = probe();
    let mut pipes = Pipes::open(vec![toolset]);
    pipes
        .send(&request("tools/call", json!({ "name": "hangs" })))
        .await;
    seen.started.notified().await;
    let Pipes {
        input, output, task, ..
    } = pipes;
    drop((input, output));
    ended(task).await;
    seen.cancelled.notified().await;
}

#[test]
fn what_cannot_be_served_is_refused() {
    let new = |toolsets| StdioServer::new(ServerLimits::default(), PATIENCE, toolsets, HeaderMap::new());
    assert!(matches!(new(vec![]), Err(ServeError::NoToolset)));
    let twice = vec![clipper("a", false), clipper("a", false)];
    assert!(matches!(new(twice), Err(ServeError::DuplicateToolset { .. })));
}
