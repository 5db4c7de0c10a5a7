//! Toolsets of a Kubernetes namespace: Services that carry the label `mcp-toolsets/toolset`.
//!
//! Four requests and three fields of the API are all that is needed, so this speaks to the API server directly. The
//! list is read once and then followed by a watch; whatever ends the watch, the list is read again.

mod account;
mod api;
mod follow;
mod service;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use url::Url;

pub(super) use self::{api::Api, follow::follow};
use super::DirectoryError;

/// The namespace whose toolsets are listed, and how its API server is reached.
#[derive(Debug, Clone)]
pub struct Cluster {
    /// The API server.
    pub server: Url,
    /// The namespace.
    pub namespace: String,
    /// File with the bearer token; it is read again while it is in use, because it is replaced from time to time.
    pub token: PathBuf,
    /// File with the certificates of the API server; those of the system if there is none.
    pub certificates: Option<PathBuf>,
    /// Pauses and patience.
    pub timing: ClusterTiming,
}

/// Pauses and patience of the requests to an API server.
#[derive(Debug, Clone)]
pub struct ClusterTiming {
    /// Longest wait for an answer, not counting what a watch then has to tell. 5 s.
    pub request: Duration,
    /// How long one watch lasts, and with it the longest time until a dead connection is noticed. 60 s.
    pub watch: Duration,
    /// Pause between two lists where watching is not allowed. 10 s.
    pub poll: Duration,
    /// Pause after a failure, doubled with each further one. 500 ms.
    pub first_retry: Duration,
    /// Longest pause after failures. 15 s.
    pub last_retry: Duration,
    /// How long a token that was read is used. 60 s.
    pub token: Duration,
}

impl Default for ClusterTiming {
    fn default() -> Self {
        Self {
            request: Duration::from_secs(5),
            watch: Duration::from_secs(60),
            poll: Duration::from_secs(10),
            first_retry: Duration::from_millis(500),
            last_retry: Duration::from_secs(15),
            token: Duration::from_secs(60),
        }
    }
}

impl Cluster {
    /// The namespace of the pod that this runs in, by the folder that its service account is mounted at.
    ///
    /// # Errors
    /// [`DirectoryError::Account`] if the folder holds no token or no namespace.
    pub fn of_account(folder: &Path, server: Url) -> Result<Self, DirectoryError> {
        let (token, certificates) = (folder.join("token"), folder.join("ca.crt"));
        account::read(&token)?;
        let path = folder.join("namespace");
        let namespace = account::read(&path)?.trim().to_owned();
        let is_name = !namespace.is_empty()
            && namespace
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if !is_name {
            return Err(DirectoryError::Namespace { path });
        }
        Ok(Self {
            server,
            namespace,
            token,
            certificates: certificates.exists().then_some(certificates),
            timing: ClusterTiming::default(),
        })
    }
}
