//! The catalogue behind the tools: loaded in the background, queried off the async threads.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use periplus_collection::{self as collection, Budget, Collection};
use periplus_toolset::{Context, Readiness, Refusal};

use crate::error;

/// Where the catalogue comes from.
pub enum Source {
    /// A folder that holds a snapshot.
    Directory(PathBuf),
    /// A snapshot that is made or found first; the error text is for people and names no secrets.
    Prepared(Box<dyn FnOnce() -> Result<PathBuf, String> + Send>),
    /// Nowhere: the tools are only to be listed, and a call is told that nothing is loaded.
    Nowhere,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Directory(_) => "Directory",
            Self::Prepared(_) => "Prepared",
            Self::Nowhere => "Nowhere",
        })
    }
}

/// What every tool of the toolset shares.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    loaded: Arc<OnceLock<Result<Arc<Collection>, String>>>,
    budget: Duration,
}

impl Service {
    /// Starts loading on a thread of its own and returns at once.
    pub(crate) fn start(source: Source, options: collection::Options, budget: Duration) -> Self {
        let loaded = Arc::new(OnceLock::new());
        if matches!(source, Source::Nowhere) {
            return Self { loaded, budget };
        }
        let slot = Arc::clone(&loaded);
        let spawned = std::thread::Builder::new()
            .name("met-load".to_owned())
            .spawn(move || {
                let outcome = load(source, options);
                if let Err(why) = &outcome {
                    tracing::error!(reason = %why, "the catalogue could not be loaded");
                }
                let collection = outcome.as_ref().ok().cloned();
                // The slot is empty: this thread is the only one that fills it.
                drop(slot.set(outcome));
                // Queries are answered already; this spares the first ranking by metadata its preparation.
                if let Some(collection) = collection {
                    collection.warm_up();
                }
            });
        if spawned.is_err() {
            drop(loaded.set(Err("no thread could be started to load it".to_owned())));
        }
        Self { loaded, budget }
    }

    pub(crate) fn readiness(&self) -> Readiness {
        match self.loaded.get() {
            None => Readiness::Starting("loading the catalogue".to_owned()),
            Some(Ok(_)) => Readiness::Ready,
            Some(Err(why)) => Readiness::Failed(why.clone()),
        }
    }

    async fn query<T, Q>(&self, cx: &Context, query: Q) -> Result<T, Refusal>
    where
        T: Send + 'static,
        Q: FnOnce(&Collection, &Budget<'_>) -> Result<T, collection::Error> + Send + 'static,
    {
        let collection = self.collection()?;
        let cancellation = cx.cancellation().clone();
        let deadline = cx.deadline().min(Instant::now() + self.budget);
        let run = move || {
            let stop = || cancellation.is_cancelled() || Instant::now() >= deadline;
            query(&collection, &Budget::until(&stop))
        };
        tokio::task::spawn_blocking(run)
            .await
            .map_err(Refusal::internal)?
            .map_err(error::from_engine)
    }

    fn collection(&self) -> Result<Arc<Collection>, Refusal> {
        match self.loaded.get() {
            Some(Ok(collection)) => Ok(Arc::clone(collection)),
            Some(Err(why)) => Err(error::not_ready(why)),
            None => Err(error::not_ready("it is being loaded")),
        }
    }
}

/// Runs a query of a tool on a blocking thread, within the time budget and while the caller waits.
pub(crate) async fn query<T, Q>(cx: &Context, query: Q) -> Result<T, Refusal>
where
    T: Send + 'static,
    Q: FnOnce(&Collection, &Budget<'_>) -> Result<T, collection::Error> + Send + 'static,
{
    match cx.state::<Service>() {
        Some(service) => service.query(cx, query).await,
        None => Err(Refusal::internal("the toolset was built without its service")),
    }
}

fn load(source: Source, options: collection::Options) -> Result<Arc<Collection>, String> {
    let directory = match source {
        Source::Directory(directory) => directory,
        Source::Prepared(prepare) => prepare()?,
        Source::Nowhere => return Err("no catalogue was named".to_owned()),
    };
    let snapshot = collection::Snapshot::open(&directory).map_err(|error| {
        // The operator needs the path and the check that failed; callers are told only that one did.
        tracing::error!(directory = %directory.display(), %error, "the snapshot cannot be opened");
        "the snapshot failed a check, which the server's log names".to_owned()
    })?;
    Ok(Arc::new(Collection::new(snapshot, options)))
}
