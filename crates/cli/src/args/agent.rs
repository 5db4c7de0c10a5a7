//! The flags of every command that runs an agent.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Agent {
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
}
