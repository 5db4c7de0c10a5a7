//! A toolset whose tools do everything that a server must survive.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::future::BoxFuture;
use periplus_toolset::{Concurrency, Context, JsonObject, LogLevel, Tool, ToolError, Toolset, View};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// What the tools did, as the test sees it.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) started: Notify,
    pub(crate) cancelled: Notify,
    pub(crate) running: AtomicUsize,
}

pub(crate) fn object(value: Value) -> JsonObject {
    serde_json::from_value(value).unwrap()
}

/// A tool with free-form arguments.
pub(crate) fn text_tool<F>(name: &'static str, handler: F) -> Tool
where
    F: for<'a> Fn(JsonObject, &'a Context) -> BoxFuture<'a, Result<Value, ToolError>> + Send + Sync + 'static,
{
    builder(name).handler(handler)
}

fn builder(name: &'static str) -> periplus_toolset::ToolBuilder {
    Tool::builder(name)
        .description("A tool of the tests.")
        .timeout(Duration::from_secs(20))
        .input_schema(object(json!({
            "type": "object",
            "properties": {
                "text": { "type": "string", "description": "Any text." },
                "bytes": { "type": "integer", "minimum": 0, "description": "A size." },
            },
            "additionalProperties": false,
        })))
        .output_schema(object(json!({
            "type": "object",
            "properties": { "message": { "type": "string" }, "data": { "type": "string" } },
            "required": ["message"],
            "additionalProperties": false,
        })))
}

fn message(text: impl Into<String>) -> Result<Value, ToolError> {
    Ok(json!({ "message": text.into() }))
}

fn text_of(arguments: &JsonObject) -> String {
    arguments
        .get("text")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// The toolset, and what its tools were seen doing.
pub(crate) fn probe() -> (Toolset, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let toolset = Toolset::new("probe")
        .version("1.2.3")
        .example("echo", "What does the echo say?".into())
        .instructions("Only for tests.")
        .tool(text_tool("echo", |arguments, _| {
            Box::pin(async move { message(text_of(&arguments)) })
        }))
        .tool(text_tool("whoami", |_, cx| {
            Box::pin(async move { message(cx.credential("x-demo-token")?) })
        }))
        .tool(text_tool("panics", |_, _| Box::pin(async { panic!("it broke") })))
        .tool(text_tool("breaks_its_contract", |_, _| {
            Box::pin(async { Ok(json!({ "data": "no message" })) })
        }))
        .tool(text_tool("fails", |_, _| {
            Box::pin(async { Err(ToolError::internal("password is hunter2")) })
        }))
        .tool(text_tool("refuses", |_, _| {
            Box::pin(async { Err(ToolError::is_error(json!({ "code": "NO" }))) })
        }))
        .tool(text_tool("large", |arguments, _| {
            let bytes = arguments.get("bytes").and_then(Value::as_u64).unwrap_or_default();
            Box::pin(async move { message("x".repeat(usize::try_from(bytes).unwrap())) })
        }))
        .tool(text_tool("talks", talks))
        .tool(hangs(&seen, "hangs", 20_000))
        .tool(hangs(&seen, "hangs_briefly", 300))
        .concurrency(
            "one",
            Concurrency {
                running: 1,
                waiting: 0,
                retry_after: Duration::from_secs(3),
            },
        )
        .view(
            "echo",
            View::embedded("panel", "<!doctype html><title>panel</title>"),
        )
        .credential_header("X-Demo-Token");
    (toolset, seen)
}

/// Emits what a caller can ask for: progress, and log lines of two levels.
fn talks(_arguments: JsonObject, cx: &Context) -> BoxFuture<'_, Result<Value, ToolError>> {
    Box::pin(async move {
        cx.progress(1.0, Some(2.0), Some("half"));
        cx.log(LogLevel::Debug, json!("detail"));
        cx.log(LogLevel::Warning, json!("careful"));
        cx.progress(2.0, Some(2.0), None);
        message("done")
    })
}

/// A tool of class `one` that does not answer until its time limit, and tells when it starts and is cancelled.
fn hangs(seen: &Arc<Seen>, name: &'static str, limit_ms: u64) -> Tool {
    let seen = Arc::clone(seen);
    builder(name)
        .timeout(Duration::from_millis(limit_ms))
        .concurrency("one")
        .handler(move |_, cx| {
            let seen = Arc::clone(&seen);
            Box::pin(async move {
                let (token, watcher) = (cx.cancellation().clone(), Arc::clone(&seen));
                seen.running.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(async move {
                    token.cancelled().await;
                    watcher.running.fetch_sub(1, Ordering::SeqCst);
                    watcher.cancelled.notify_one();
                });
                seen.started.notify_one();
                std::future::pending().await
            })
        })
}
