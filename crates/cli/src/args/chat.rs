//! The flags of `chat`.

use clap::Args;

use super::Agent;

/// Talk to an agent that has the tools of a server
#[derive(Debug, Args)]
#[command(after_long_help = "\
Without a server at MCP_URL the toolsets of this program are used, without a model the guide answers.
Type a question, or /help. In a pipe, each line is a message, and the command ends with 1 if one failed,
with 3 if no server can be reached.

Examples:
  periplus chat
  periplus chat http://127.0.0.1:8000/met/mcp
  PROVIDER_MODEL=anthropic:claude-haiku-4-5 PROVIDER_API_KEY=… periplus chat
  periplus chat --profile zeno
  echo 'what can you do?' | periplus chat")]
pub(crate) struct Chat {
    #[command(flatten)]
    pub(crate) agent: Agent,
    /// Thread to go on with; a new one unless named
    #[arg(long, value_name = "ID")]
    pub(crate) thread: Option<String>,
    /// Credential header, sent to the toolsets that declare it; may be repeated
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,
}
