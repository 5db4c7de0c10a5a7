//! The flags of everything that listens.

use clap::Args;

/// Where to listen, who may come, how to stop.
#[derive(Debug, Args)]
pub(crate) struct Listen {
    /// IP address to listen on [env: HOST] [default: 127.0.0.1]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) host: Option<String>,
    /// Port to listen on; 0 takes a free one [env: PORT] [default: 8000]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<String>,
    /// URL that clients use, if it differs from the address listened on [env: PUBLIC_URL]
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Path in front of every route [env: MCP_PATH_PREFIX]
    #[arg(long, value_name = "PATH")]
    pub(crate) path_prefix: Option<String>,
    /// Host name accepted beside loopback names; may be repeated [env: ALLOWED_HOSTS]
    #[arg(long = "allowed-host", value_name = "HOST")]
    pub(crate) allowed_hosts: Vec<String>,
    /// Browser origin accepted beside loopback origins; may be repeated [env: ALLOWED_ORIGINS]
    #[arg(long = "allowed-origin", value_name = "ORIGIN")]
    pub(crate) allowed_origins: Vec<String>,
    /// Seconds that running calls get to finish at the end [env: PERIPLUS_DRAIN_SECONDS] [default: 10]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) drain_seconds: Option<String>,
}
