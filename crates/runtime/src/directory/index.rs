//! The directory of toolsets that other processes serve, kept current in the background.
//!
//! A request is answered from what is known, so a dead toolset or API server never slows one down. What cannot be
//! renewed is still told, marked with its age.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};
use url::Url;

use super::{
    Cluster, DirectoryError, Endpoint, IndexDocument, Place, ToolsetEntry,
    document::UNREACHABLE,
    health,
    kubernetes::{self, Api},
    place,
};
use crate::client::{ClientOptions, Http};

/// Largest health document that is read, in bytes.
const MAX_HEALTH_BYTES: usize = 1024 * 1024;

/// Where the toolsets of a directory are found.
#[derive(Debug, Clone)]
pub enum Source {
    /// A list that does not change.
    Fixed(Vec<Place>),
    /// The Services of a Kubernetes namespace that carry the label of a toolset.
    Kubernetes(Box<Cluster>),
}

/// How a directory is kept.
#[derive(Debug, Clone)]
pub struct IndexOptions {
    /// The address below which clients reach each toolset, at `<name>/mcp`; without one, clients are told the
    /// addresses of the list.
    pub public_url: Option<Url>,
    /// Pause between two rounds of health checks. 5 s unless set.
    pub refresh: Duration,
    /// Longest wait for the health of one toolset. 2 s unless set.
    pub health_timeout: Duration,
}

impl Default for IndexOptions {
    fn default() -> Self {
        Self {
            public_url: None,
            refresh: Duration::from_secs(5),
            health_timeout: Duration::from_secs(2),
        }
    }
}

/// What is known about where toolsets are.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    /// Sorted by name; `None` until the source has answered once.
    pub(super) known: Option<Arc<[Place]>>,
    /// Since when the source has not answered.
    pub(super) lost_at: Option<Instant>,
}

/// A directory that keeps itself current until it is dropped.
#[derive(Debug)]
pub struct Index {
    places: watch::Receiver<Places>,
    entries: watch::Receiver<Option<Arc<[ToolsetEntry]>>>,
    public_base: Option<String>,
    _stop: DropGuard,
}

impl Index {
    /// Begins to find toolsets and to ask them how they are; has to be called inside a Tokio runtime.
    ///
    /// # Errors
    /// [`DirectoryError`] if the list is no list, the service account cannot be used, or a cluster has no public
    /// address. An API server that does not answer is no error: it is asked until it does.
    pub fn start(source: Source, options: &IndexOptions) -> Result<Self, DirectoryError> {
        let stop = CancellationToken::new();
        let (found, places) = watch::channel(Places::default());
        match source {
            Source::Fixed(list) => {
                found.send_replace(Places {
                    known: Some(place::sorted(list)?.into()),
                    lost_at: None,
                });
                // The list never changes, so nobody has to be told.
                drop(found);
            }
            Source::Kubernetes(_) if options.public_url.is_none() => return Err(DirectoryError::NoPublicUrl),
            Source::Kubernetes(cluster) => {
                let following = kubernetes::follow(Api::new(*cluster)?, found);
                tokio::spawn(stop.clone().run_until_cancelled_owned(following));
            }
        }
        let public_base = options
            .public_url
            .as_ref()
            .map(|url| url.as_str().trim_end_matches('/').to_owned());
        let checker = Checker {
            http: Http::new(&ClientOptions {
                request_timeout: options.health_timeout,
                connect_timeout: options.health_timeout,
                max_response_bytes: MAX_HEALTH_BYTES,
                ..ClientOptions::default()
            }),
            public_base: public_base.clone(),
            refresh: options.refresh,
        };
        let (checked, entries) = watch::channel(None);
        tokio::spawn(
            stop.clone()
                .run_until_cancelled_owned(checker.run(places.clone(), checked)),
        );
        Ok(Self {
            places,
            entries,
            public_base,
            _stop: stop.drop_guard(),
        })
    }

    /// The directory as it is known now; `None` until toolsets were found and asked for the first time.
    #[must_use]
    pub fn document(&self) -> Option<IndexDocument> {
        let toolsets = self.entries.borrow().clone()?;
        let connections = toolsets
            .iter()
            .filter(|entry| entry.status != UNREACHABLE)
            .map(|entry| (entry.name.clone(), Endpoint::new(&entry.url)))
            .collect();
        let lost_at = self.places.borrow().lost_at;
        Some(IndexDocument {
            connections,
            toolsets: toolsets.to_vec(),
            stale_seconds: lost_at.map(|lost_at| lost_at.elapsed().as_secs()),
        })
    }

    /// The common address of the toolsets, without a slash at its end.
    pub(crate) fn public_base(&self) -> Option<&str> {
        self.public_base.as_deref()
    }
}

/// Asks the known toolsets how they are, over and over.
struct Checker {
    http: Http,
    public_base: Option<String>,
    refresh: Duration,
}

impl Checker {
    async fn run(
        self,
        mut places: watch::Receiver<Places>,
        checked: watch::Sender<Option<Arc<[ToolsetEntry]>>>,
    ) {
        loop {
            let known = places.borrow_and_update().known.clone();
            if let Some(known) = known {
                let entries = self.entries(&known).await;
                report_changes(checked.borrow().as_deref().unwrap_or_default(), &entries);
                checked.send_replace(Some(entries.into()));
            }
            tokio::select! {
                () = tokio::time::sleep(self.refresh) => {}
                // A toolset that has just been deployed is not left waiting for the next round.
                () = changed(&mut places) => {}
            }
        }
    }

    async fn entries(&self, places: &[Place]) -> Vec<ToolsetEntry> {
        let health = health::check(&self.http, places).await;
        let entries = places.iter().zip(health).map(|(place, health)| ToolsetEntry {
            name: place.name().to_owned(),
            url: self.public_url(place),
            status: health.status,
            declares: health.declares,
        });
        entries.collect()
    }

    fn public_url(&self, place: &Place) -> String {
        match &self.public_base {
            Some(base) => format!("{base}/{}/mcp", place.name()),
            None => place.mcp().to_string(),
        }
    }
}

/// Waits for a change, for ever if there can be none.
async fn changed(places: &mut watch::Receiver<Places>) {
    if places.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Tells the operator what became of whom, once.
fn report_changes(before: &[ToolsetEntry], now: &[ToolsetEntry]) {
    let status_in = |entries: &[ToolsetEntry], name: &str| {
        entries
            .iter()
            .find(|entry| entry.name == name)
            .map(|entry| entry.status.clone())
    };
    for entry in now {
        let was = status_in(before, &entry.name);
        if was.as_ref() != Some(&entry.status) {
            let (toolset, status) = (entry.name.as_str(), entry.status.as_str());
            tracing::info!(
                toolset,
                status,
                was = was.as_deref().unwrap_or("unknown"),
                "a toolset of the directory"
            );
        }
    }
    for entry in before
        .iter()
        .filter(|entry| status_in(now, &entry.name).is_none())
    {
        tracing::info!(toolset = entry.name, "a toolset has left the directory");
    }
}
