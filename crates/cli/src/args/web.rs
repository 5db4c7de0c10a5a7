//! The flags of `web`.

use clap::Args;

use super::{Agent, Listen};

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
    #[command(flatten)]
    pub(crate) agent: Agent,
    /// Origin of web pages that may call the API with credentials; may be repeated [env: MCP_AGENT_API_CORS_ORIGINS]
    #[arg(long = "origin", value_name = "ORIGIN")]
    pub(crate) origins: Vec<String>,
    /// Header in which a proxy in front names the user; threads belong to their user then [env: MCP_AGENT_OWNER_HEADER]
    #[arg(long, value_name = "NAME")]
    pub(crate) owner_header: Option<String>,
    #[command(flatten)]
    pub(crate) listen: Listen,
}
