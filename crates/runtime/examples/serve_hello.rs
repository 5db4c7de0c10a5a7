//! The other side of the throughput figures: `hello` on this server, with everything that is on by default.
//!
//! `serve_hello [PORT]` prints its address and serves until it is stopped.

use std::net::SocketAddr;

use periplus_runtime::server::{Server, ServerConfig};
use periplus_toolset::{JsonObject, Tool, Toolset};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

fn object(schema: Value) -> JsonObject {
    serde_json::from_value(schema).unwrap_or_default()
}

fn hello() -> Tool {
    Tool::builder("hello")
        .description("Say hello to someone by name.")
        .input_schema(object(json!({
            "type": "object",
            "properties": { "name": { "type": "string", "default": "world", "maxLength": 200 } },
            "additionalProperties": false,
        })))
        .output_schema(object(json!({
            "type": "object", "properties": { "message": { "type": "string" } }, "required": ["message"],
        })))
        .handler(|arguments, _cx| {
            let name = arguments
                .get("name")
                .and_then(Value::as_str)
                .unwrap_or("world")
                .to_owned();
            Box::pin(async move { Ok(json!({ "message": format!("Hello, {name}!") })) })
        })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port = std::env::args()
        .nth(1)
        .and_then(|port| port.parse().ok())
        .unwrap_or(0);
    let server = Server::bind(
        ServerConfig {
            port,
            ..ServerConfig::default()
        },
        vec![Toolset::new("hello").tool(hello())],
    )?;
    server.addresses().first().into_iter().for_each(announce);
    server.run(CancellationToken::new()).await?;
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the address is the program's output")]
fn announce(address: &SocketAddr) {
    println!("http://{address}/mcp");
}
