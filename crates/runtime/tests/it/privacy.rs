//! What must not leak: into logs, and from one toolset to another.

use std::{
    io,
    sync::{Arc, Mutex},
};

use periplus_toolset::{Access, Secret, Toolset};
use serde_json::json;
use tracing_subscriber::fmt::MakeWriter;

use crate::support::{TestServer, asking, local, probe, request, text_tool};

/// What was logged until it was closed.
#[derive(Clone)]
struct Log(Arc<Mutex<Option<Vec<u8>>>>);

impl Log {
    fn close(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().take().unwrap()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(log) = self.0.lock().unwrap().as_mut() {
            log.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Everything is logged, by every crate, down to the finest level.
#[tokio::test]
async fn a_full_log_names_requests_and_holds_nothing_that_was_said() {
    let log = Log(Arc::new(Mutex::new(Some(Vec::new()))));
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(log.clone())
        .with_ansi(false)
        .finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();

    let access = Access {
        bearer: Some(Secret::new("the-bearer-secret")),
        ..Access::default()
    };
    let server = TestServer::start(probe().0.access(access));
    let headers = [
        ("authorization", "Bearer the-bearer-secret"),
        ("x-demo-token", "the-demo-token"),
        ("x-request-id", "request-4711"),
        ("cookie", "the-cookie"),
    ];
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let meta = json!({ "traceparent": format!("00-{trace}-b7ad6b7169203331-01"), "progressToken": "the-progress-token" });
    for (tool, arguments) in [
        ("echo", json!({ "text": "the-argument" })),
        ("echo", json!({ "the-mistake": "the-argument" })),
        ("whoami", json!({})),
        ("talks", json!({})),
    ] {
        let body = request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments, "_meta": meta }),
        )
        .to_string();
        let reply = server.post(&headers, body.as_bytes()).await;
        assert_eq!(reply.status, 200);
    }
    server
        .post(&[("authorization", "Bearer the-wrong-secret")], b"the-body")
        .await;

    let asking = TestServer::start(asking().0);
    let answer = json!({ "action": "accept", "content": { "name": "the-answer" } });
    let params = json!({ "name": "greet", "inputResponses": { "user": answer } });
    let meta = json!({ "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} } });
    let answered = asking.modern_with("tools/call", params, meta, &[]).await;
    assert!(answered.content().contains("the-answer"));

    let log = log.close();
    for said in [
        "the-answer",
        "the-bearer",
        "the-wrong",
        "the-demo-token",
        "the-cookie",
        "the-argument",
        "the-mistake",
        "the-progress",
        "the-body",
        "careful",
    ] {
        assert!(!log.contains(said), "{said} is in the log:\n{log}");
    }
    for named in [
        "request_id=\"request-4711\"",
        "toolset=\"probe\"",
        "tool=\"whoami\"",
        "outcome=\"ok\"",
        "ms=",
        trace,
    ] {
        assert!(log.contains(named), "{named} is not in the log:\n{log}");
    }
}

#[tokio::test]
async fn a_toolset_sees_its_own_credential_header_and_no_other() {
    let reads = |header: &'static str| {
        text_tool("read", move |_, cx| {
            Box::pin(async move {
                let seen = cx.credential(header).map(str::to_owned);
                Ok(json!({ "message": seen.unwrap_or_else(|missing| format!("nothing: {missing}")) }))
            })
        })
    };
    let first = Toolset::new("first")
        .tool(reads("x-first"))
        .credential_header("x-first");
    let second = Toolset::new("second")
        .tool(reads("x-first"))
        .credential_header("x-second");
    let server = TestServer::start_with(local(), vec![first, second]);
    let headers = [("x-first", "one"), ("x-second", "two")];
    let body = request("tools/call", json!({ "name": "read" })).to_string();
    let own = server
        .post_to("/first/mcp", &headers, body.as_bytes())
        .await
        .result();
    assert_eq!(own["structuredContent"]["message"], "one");
    let foreign = server
        .post_to("/second/mcp", &headers, body.as_bytes())
        .await
        .result();
    assert!(
        foreign["structuredContent"]["message"]
            .as_str()
            .unwrap()
            .starts_with("nothing"),
        "{foreign}"
    );
}

#[tokio::test]
async fn two_callers_at_once_keep_their_own_credentials() {
    let server = TestServer::start(probe().0);
    let body = request("tools/call", json!({ "name": "whoami" })).to_string();
    let calls = (0..32).map(|n| {
        let (server, body) = (&server, &body);
        async move {
            let token = format!("token-{n}");
            let reply = server.post(&[("X-Demo-Token", &token)], body.as_bytes()).await;
            assert_eq!(reply.result()["structuredContent"]["message"], token);
        }
    });
    futures::future::join_all(calls).await;
    let missing = server.post(&[], body.as_bytes()).await;
    assert!(
        missing.content().contains("x-demo-token"),
        "{}",
        missing.content()
    );
    assert_eq!(missing.result()["isError"], true);
}

#[tokio::test]
async fn a_credential_with_two_values_is_refused_and_neither_is_repeated() {
    let server = TestServer::start(probe().0);
    let body = request("tools/call", json!({ "name": "whoami" })).to_string();
    let twice = [("X-Demo-Token", "mine"), ("x-demo-token", "theirs")];
    let reply = server.post(&twice, body.as_bytes()).await;
    assert_eq!((reply.status, reply.code()), (400, -32600));
    let text = reply.text();
    assert!(text.contains("x-demo-token"), "{text}");
    assert!(!text.contains("mine") && !text.contains("theirs"), "{text}");
    let same = [("x-demo-token", "mine"), ("x-demo-token", "mine")];
    let reply = server.post(&same, body.as_bytes()).await;
    assert_eq!(reply.result()["structuredContent"]["message"], "mine");
    // A header that nobody declared is nobody's business.
    let undeclared = [("x-other", "1"), ("x-other", "2")];
    assert_eq!(server.post(&undeclared, body.as_bytes()).await.status, 200);
}
