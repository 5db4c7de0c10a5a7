//! News about a toolset, for clients that listen.

use tokio::sync::broadcast;

/// News that may wait for a slow listener; it misses the oldest beyond that.
const BACKLOG: usize = 32;

/// What changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// The contents of the resource with this URI.
    Resource(String),
}

/// Tells clients what changed: the toolset is built with one clone, the code that changes things keeps another.
#[derive(Debug, Clone)]
pub struct Changes(broadcast::Sender<Change>);

impl Default for Changes {
    fn default() -> Self {
        Self(broadcast::Sender::new(BACKLOG))
    }
}

impl Changes {
    /// Tells everybody who listens now; whoever comes later reads the new state anyway.
    pub fn announce(&self, change: Change) {
        // Nobody listening is no failure.
        let _ = self.0.send(change);
    }

    /// Listens from now on.
    #[must_use]
    pub fn listen(&self) -> broadcast::Receiver<Change> {
        self.0.subscribe()
    }
}
