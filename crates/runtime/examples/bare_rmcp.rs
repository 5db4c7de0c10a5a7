//! The peer of the throughput figures: `hello` on the SDK's own HTTP service, stateless, with nothing around it.
//!
//! `bare_rmcp [PORT]` prints its address and serves until it is stopped.

use std::sync::Arc;

use periplus_toolset::JsonObject;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ListToolsResult, PaginatedRequestParams,
        ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use serde_json::{Value, json};

#[derive(Clone)]
struct Hello {
    tools: Arc<[Tool]>,
}

impl ServerHandler for Hello {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let name = arguments.get("name").and_then(Value::as_str).unwrap_or("world");
        let result = CallToolResult::structured(json!({ "message": format!("Hello, {name}!") }));
        Ok(CallToolResponse::Complete(result))
    }
}

fn object(schema: Value) -> Arc<JsonObject> {
    Arc::new(serde_json::from_value(schema).unwrap_or_default())
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let port = std::env::args()
        .nth(1)
        .and_then(|port| port.parse().ok())
        .unwrap_or(0);
    let input = object(
        json!({ "type": "object", "properties": { "name": { "type": "string", "default": "world" } } }),
    );
    let output = object(json!({
        "type": "object", "properties": { "message": { "type": "string" } }, "required": ["message"],
    }));
    let hello = Tool::new("hello", "Say hello to someone by name.", input).with_raw_output_schema(output);
    let handler = Hello {
        tools: vec![hello].into(),
    };
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true);
    let service = StreamableHttpService::new(
        move || Ok(handler.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let router = axum::Router::new().nest_service("/mcp", service);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    announce(listener.local_addr()?);
    axum::serve(listener, router).await
}

#[expect(clippy::print_stdout, reason = "the address is the program's output")]
fn announce(address: std::net::SocketAddr) {
    println!("http://{address}/mcp");
}
