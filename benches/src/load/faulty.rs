//! A server of tools that do what no tool should: panic, and answer with a megabyte.

use std::time::Duration;

use periplus_runtime::server::{Server, ServerConfig};
use periplus_toolset::{JsonObject, Tool, Toolset};
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::DRAIN_SECONDS;

/// The word that makes the bench program this server.
pub(crate) const SUBJECT: &str = "faulty-server";
const MUCH_BYTES: usize = 1024 * 1024;

/// Serves until the process is told to stop.
pub(crate) fn serve(port: u16) -> anyhow::Result<()> {
    // The panics are meant, and two hundred clients cause them all the time.
    std::panic::set_hook(Box::new(|_| {}));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let config = ServerConfig {
            port,
            drain: Duration::from_secs(DRAIN_SECONDS),
            ..ServerConfig::default()
        };
        let server = Server::bind(config, vec![toolset()])?;
        let stop = CancellationToken::new();
        let mut terminate = signal(SignalKind::terminate())?;
        let stopper = stop.clone();
        tokio::spawn(async move {
            terminate.recv().await;
            stopper.cancel();
        });
        server.run(stop).await?;
        Ok(())
    })
}

fn toolset() -> Toolset {
    Toolset::new("faulty")
        .tool(builder("panics").handler(|_, _| Box::pin(async { kaboom() })))
        .tool(
            builder("echo").handler(|arguments, _| {
                Box::pin(async move { Ok(json!({ "message": arguments.get("text") })) })
            }),
        )
        .tool(
            builder("much")
                .handler(|_, _| Box::pin(async { Ok(json!({ "message": "x".repeat(MUCH_BYTES) })) })),
        )
}

#[expect(clippy::panic, reason = "it is what this tool is for")]
fn kaboom() -> Result<Value, periplus_toolset::ToolError> {
    panic!("kaboom")
}

fn builder(name: &'static str) -> periplus_toolset::ToolBuilder {
    Tool::builder(name)
        .description("A tool of the load measurements.")
        .input_schema(object(json!({
            "type": "object",
            "properties": { "text": { "type": "string", "description": "Any text." } },
            "additionalProperties": false,
        })))
        .output_schema(object(json!({
            "type": "object", "properties": { "message": { "type": "string" } }, "required": ["message"],
        })))
}

fn object(schema: Value) -> JsonObject {
    serde_json::from_value(schema).unwrap_or_default()
}
