//! The flags of `web`.

use clap::Args;

use super::Listen;

/// Serve the agent over HTTP
#[derive(Debug, Args)]
#[command(after_long_help = "\
Runs are streamed as AG-UI events from POST /runs; /docs describes every route.
Without a server at MCP_URL the toolsets of this program are used, without a model the guide answers.

Examples:
  periplus web
  PROVIDER_MODEL=openai:gpt-4o-mini PROVIDER_API_KEY=… periplus web https://tools.example.org
  periplus web --profile zeno
  periplus web --origin https://chat.example.org --owner-header x-forwarded-user")]
pub(crate) struct Web {
    /// An index, a server's root, or one MCP URL [env: MCP_URL] [default: http://127.0.0.1:8000]
    #[arg(value_name = "URL")]
    pub(crate) address: Option<String>,
    /// Model, as provider:model [env: PROVIDER_MODEL] [default: guide:]
    #[arg(long, value_name = "PROVIDER:MODEL")]
    pub(crate) model: Option<String>,
    /// What the agent is for: a name that brings a prompt and toolsets, such as zeno [env: MCP_AGENT_PROFILE]
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Where threads are kept: memory, sqlite:PATH or a PostgreSQL address [env: MCP_AGENT_CHECKPOINT]
    #[arg(long, value_name = "PLACE")]
    pub(crate) checkpoint: Option<String>,
    /// Origin of web pages that may call the API with credentials; may be repeated [env: MCP_AGENT_API_CORS_ORIGINS]
    #[arg(long = "origin", value_name = "ORIGIN")]
    pub(crate) origins: Vec<String>,
    /// Header in which a proxy in front names the user; threads belong to their user then [env: MCP_AGENT_OWNER_HEADER]
    #[arg(long, value_name = "NAME")]
    pub(crate) owner_header: Option<String>,
    #[command(flatten)]
    pub(crate) listen: Listen,
}
