//! Toolsets over MCP: the server, and the client of any server.

pub mod client;
pub mod server;
