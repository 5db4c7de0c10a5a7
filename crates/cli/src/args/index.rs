//! The flags of `index`.

use clap::Args;

use super::Listen;

/// Serve the directory of toolsets that other processes serve
///
/// Without a list, the toolsets are the Services of the pod's Kubernetes namespace that carry the label
/// mcp-toolsets/toolset.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  periplus index --static hello=http://127.0.0.1:8001 --static met=http://127.0.0.1:8002
  TOOLSETS_STATIC=hello=http://hello:8000,met=http://met:8000 PUBLIC_URL=https://tools.example.org periplus index
  HOST=0.0.0.0 PUBLIC_URL=https://tools.example.org periplus index     in a pod of a cluster")]
pub(crate) struct Index {
    /// A toolset and its address; may be repeated [env: TOOLSETS_STATIC]
    #[arg(long = "static", value_name = "NAME=URL")]
    pub(crate) toolsets: Vec<String>,
    #[command(flatten)]
    pub(crate) listen: Listen,
}
