//! Why a directory cannot be set up.

use std::{io, path::PathBuf};

/// Why the toolsets cannot be found, or an address of the directory makes no sense.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DirectoryError {
    /// An entry of the list is no toolset with an address.
    #[error(
        "`{entry}` is not a toolset with its address: {reason}; use a form like `hello=http://127.0.0.1:8001`"
    )]
    Place {
        /// The entry.
        entry: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A toolset is in the list twice.
    #[error("toolset `{name}` is listed twice: keep one address")]
    DuplicatePlace {
        /// The name.
        name: String,
    },
    /// The list is empty.
    #[error("the list of toolsets is empty: name at least one")]
    NoPlace,
    /// Clients would be sent to addresses inside the cluster.
    #[error("the toolsets of a cluster need a public address: say under which URL clients reach them")]
    NoPublicUrl,
    /// The service account of the pod is not there.
    #[error("cannot read {} of the service account: run in a pod that has one, or list the toolsets yourself", .path.display())]
    Account {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The namespace file does not hold a namespace.
    #[error("{} holds no namespace name", .path.display())]
    Namespace {
        /// The file.
        path: PathBuf,
    },
    /// The certificates for the API server are of no use.
    #[error("the certificates in {} cannot be used: {reason}", .path.display())]
    Certificates {
        /// The file.
        path: PathBuf,
        /// What is wrong with them.
        reason: String,
    },
    /// The token would travel where others can read it.
    #[error("{url} is not a safe address for the API server: use https, or http on this machine only")]
    UnsafeServer {
        /// The address.
        url: String,
    },
    /// No HTTP client could be made.
    #[error("cannot prepare requests to the API server: {reason}")]
    Client {
        /// The root cause.
        reason: String,
    },
}
