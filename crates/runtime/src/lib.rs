//! Toolsets over MCP: the server, the client of any server, and the directory of toolsets that others serve.

pub mod client;
pub mod directory;
pub mod server;
