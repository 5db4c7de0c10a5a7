//! Starting, serving and stopping.

use std::{collections::BTreeSet, net::SocketAddr, sync::Arc, time::Duration};

use axum::Router;
use periplus_toolset::Toolset;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{
    Connections, ServeError, ServerConfig, bind,
    endpoint::{Endpoint, Shared},
    front::Front,
    index::{self, IndexSite},
    routes::{self, Site},
};
use crate::directory::Index;

/// How often recorded durations are moved into their buckets.
const UPKEEP_PAUSE: Duration = Duration::from_secs(5);
/// How long answers of given-up calls may take to be written.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A set of toolsets, bound to its addresses and ready to serve.
pub struct Server {
    listeners: Vec<std::net::TcpListener>,
    addresses: Vec<SocketAddr>,
    router: Router,
    shared: Arc<Shared>,
    drain: Duration,
}

impl Server {
    /// Checks the toolsets and listens.
    ///
    /// # Errors
    /// If there is no toolset, one breaks its contract or must not be served on that address, a setting is
    /// malformed, or the address cannot be had.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a configuration is made for one server"
    )]
    pub fn bind(config: ServerConfig, toolsets: Vec<Toolset>) -> Result<Self, ServeError> {
        check(&config, &toolsets)?;
        let shared = Arc::new(Shared::new(&config));
        let endpoints = toolsets
            .into_iter()
            .map(|toolset| Endpoint::new(toolset, &config, Arc::clone(&shared)).map(Arc::new))
            .collect::<Result<Vec<_>, _>>()?;
        let site = Arc::new(Site {
            endpoints,
            shared: Arc::clone(&shared),
            front: Front::new(&config)?,
        });
        Self::listen(&config, shared, routes::router(&site))
    }

    /// Listens for readers of a directory of toolsets that other processes serve.
    ///
    /// # Errors
    /// If a setting is malformed, or the address cannot be had.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a configuration is made for one server"
    )]
    pub fn index(config: ServerConfig, index: Index) -> Result<Self, ServeError> {
        let shared = Arc::new(Shared::new(&config));
        let site = Arc::new(IndexSite {
            index,
            front: Front::new(&config)?,
            shared: Arc::clone(&shared),
        });
        Self::listen(&config, shared, index::router(&site))
    }

    fn listen(config: &ServerConfig, shared: Arc<Shared>, router: Router) -> Result<Self, ServeError> {
        let listeners = bind::listen(config.host, config.port)?;
        let addresses = listeners
            .iter()
            .map(std::net::TcpListener::local_addr)
            .collect::<Result<Vec<_>, _>>()
            .map_err(ServeError::Listen)?;
        Ok(Self {
            listeners,
            addresses,
            router,
            shared,
            drain: config.drain,
        })
    }

    /// The addresses listened on; the first is the one that was asked for.
    #[must_use]
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// The routes, for tests in process and for mounting in another server.
    pub fn router(&self) -> Router {
        self.router.clone()
    }

    /// Serves until `shutdown` fires, then lets running calls finish within the drain time and gives up the rest.
    ///
    /// # Errors
    /// If a listening socket cannot be used.
    pub async fn run(self, shutdown: CancellationToken) -> Result<(), ServeError> {
        let Self {
            listeners,
            router,
            shared,
            drain,
            ..
        } = self;
        let listeners = listeners
            .into_iter()
            .map(TcpListener::from_std)
            .collect::<Result<Vec<_>, _>>()
            .map_err(ServeError::Listen)?;
        let connections = Connections::new(router, &shared.limits);
        let upkeep = tokio::spawn(keep_up(Arc::clone(&shared))).abort_handle();
        shutdown
            .run_until_cancelled(connections.accept_all(&listeners))
            .await;
        drop(listeners);
        shared.draining.cancel();
        tracing::info!(
            seconds = drain.as_secs_f64(),
            "stopping: running calls may finish"
        );
        finish(connections, &shared, drain).await;
        upkeep.abort();
        Ok(())
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("addresses", &self.addresses)
            .finish_non_exhaustive()
    }
}

/// Refuses what cannot be served.
pub(super) fn check(config: &ServerConfig, toolsets: &[Toolset]) -> Result<(), ServeError> {
    if toolsets.is_empty() {
        return Err(ServeError::NoToolset);
    }
    let mut names = BTreeSet::new();
    for toolset in toolsets {
        if !names.insert(toolset.name()) {
            return Err(ServeError::DuplicateToolset {
                name: toolset.name().to_owned(),
            });
        }
        toolset.check().map_err(|problems| ServeError::Contract {
            toolset: toolset.name().to_owned(),
            problems: problems
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join("; "),
        })?;
        let access = toolset.access_rules();
        if access.loopback_without_bearer && access.bearer.is_none() && !config.host.is_loopback() {
            return Err(ServeError::NeedsBearer {
                toolset: toolset.name().to_owned(),
                host: config.host,
            });
        }
    }
    Ok(())
}

async fn keep_up(shared: Arc<Shared>) {
    let mut ticks = tokio::time::interval(UPKEEP_PAUSE);
    loop {
        ticks.tick().await;
        shared.metrics.upkeep();
    }
}

/// Waits for the connections, at most as long as they may take.
async fn finish(connections: Connections, shared: &Shared, drain: Duration) {
    let done = connections.finish();
    tokio::pin!(done);
    if tokio::time::timeout(drain, &mut done).await.is_ok() {
        return;
    }
    tracing::warn!("the time to finish is over: running calls are given up");
    shared.stop.cancel();
    if tokio::time::timeout(LAST_WORDS, done).await.is_err() {
        tracing::warn!("connections are still open and are closed");
    }
}
