//! Who calls: whose threads a request may read, and the credential headers it carries for toolsets.

use std::{collections::BTreeSet, fmt, sync::Arc};

use http::HeaderMap;
use periplus_agent::{Agent, Thread, ThreadId};
use periplus_runtime::client::Credentials;

use crate::{Api, error::ApiError};

/// Tells who sent a request, from its headers; nothing if it does not say.
pub type Owner = Arc<dyn Fn(&HeaderMap) -> Option<String> + Send + Sync>;

/// Whose threads a caller may read.
#[derive(Clone, Default)]
pub enum OwnerPolicy {
    /// Whoever knows the id of a thread may read it and go on with it; nobody can list threads.
    #[default]
    Anyone,
    /// The same, and the owner is kept with a thread, so that callers can list theirs.
    Recorded(Owner),
    /// A thread exists for its owner only, and requests without an identity are refused.
    Enforced(Owner),
}

impl fmt::Debug for OwnerPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anyone => "Anyone",
            Self::Recorded(_) => "Recorded",
            Self::Enforced(_) => "Enforced",
        })
    }
}

impl OwnerPolicy {
    /// Who sent the request, as far as this policy asks.
    ///
    /// # Errors
    /// No identity where one is enforced.
    pub(crate) fn caller(&self, headers: &HeaderMap) -> Result<Option<String>, ApiError> {
        match self {
            Self::Anyone => Ok(None),
            Self::Recorded(owner) => Ok(owner(headers)),
            Self::Enforced(owner) => owner(headers).map(Some).ok_or(ApiError::NoIdentity),
        }
    }

    /// Whether a caller may use what belongs to `owner`.
    pub(crate) fn admits(&self, caller: Option<&str>, owner: Option<&str>) -> bool {
        !matches!(self, Self::Enforced(_)) || caller == owner
    }

    pub(crate) fn is_enforced(&self) -> bool {
        matches!(self, Self::Enforced(_))
    }

    /// Reads a thread that the sender of a request may read. A thread of somebody else looks as if it did not exist.
    pub(crate) async fn thread(
        &self,
        agent: &Agent,
        id: &str,
        headers: &HeaderMap,
    ) -> Result<Thread, ApiError> {
        let caller = self.caller(headers)?;
        let missing = || ApiError::NoThread(id.to_owned());
        let id = ThreadId::parse(id).map_err(|_malformed| missing())?;
        let thread = agent.thread(&id).await?.ok_or_else(missing)?;
        if self.admits(caller.as_deref(), thread.head.opening.owner.as_deref()) {
            Ok(thread)
        } else {
            Err(missing())
        }
    }
}

/// The headers that some connected toolset declares, lower case.
fn declared_headers(agent: &Agent) -> BTreeSet<String> {
    agent
        .toolsets()
        .connected()
        .iter()
        .flat_map(|connected| connected.credential_headers().unwrap_or_default())
        .cloned()
        .collect()
}

/// What a run has for toolsets: the headers they declare and no other, from the request, else from the host.
pub(crate) fn credentials(api: &Api, headers: &HeaderMap) -> Result<Credentials, ApiError> {
    let declared = declared_headers(api.agent()?);
    let value = |name: &str| match headers.get(name) {
        Some(value) => value.to_str().ok(),
        None => api.supplied(name),
    };
    let given = declared
        .iter()
        .filter_map(|name| Some((name.as_str(), value(name)?)));
    Credentials::new(given).map_err(|error| ApiError::Invalid(error.to_string()))
}
