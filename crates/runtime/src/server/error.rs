//! Why a server does not start.

use std::net::{IpAddr, SocketAddr};

/// Why a server could not start or keep serving.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// No toolset was given.
    #[error("there is nothing to serve: name at least one toolset")]
    NoToolset,
    /// Two toolsets have the same name.
    #[error(
        "two toolsets are named `{name}`: each needs a name of its own, it is the path it is served under"
    )]
    DuplicateToolset {
        /// The name.
        name: String,
    },
    /// A toolset breaks its own contract.
    #[error("toolset `{toolset}` cannot be served: {problems}")]
    Contract {
        /// The toolset.
        toolset: String,
        /// Everything that is wrong with it.
        problems: String,
    },
    /// A toolset that must not be reachable from elsewhere without a secret would be.
    #[error(
        "toolset `{toolset}` has no bearer secret, so it is served on a loopback address only, not on {host}: \
         configure its bearer secret, or listen on 127.0.0.1"
    )]
    NeedsBearer {
        /// The toolset.
        toolset: String,
        /// The address it would have been reachable on.
        host: IpAddr,
    },
    /// The path prefix is not a path.
    #[error("path prefix `{prefix}` is not a plain path: use a form like `/tools`")]
    PathPrefix {
        /// The prefix.
        prefix: String,
    },
    /// An entry of the host allow list is no host.
    #[error(
        "allowed host `{entry}` is not a host name with an optional port: use a form like `mcp.example.org`, or `*`"
    )]
    AllowedHost {
        /// The entry.
        entry: String,
    },
    /// An entry of the origin allow list is no origin.
    #[error("allowed origin `{entry}` is not an origin: use a form like `https://app.example.org`, or `*`")]
    AllowedOrigin {
        /// The entry.
        entry: String,
    },
    /// The address could not be listened on.
    #[error("cannot listen on {address}: choose another host or port, or stop what is using it")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// A listening socket failed.
    #[error("the listening socket failed")]
    Listen(#[source] std::io::Error),
}
