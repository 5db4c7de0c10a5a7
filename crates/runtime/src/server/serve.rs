//! Starting, serving and stopping.

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::Router;
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto, graceful::GracefulShutdown},
};
use periplus_toolset::Toolset;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::{
    ServeError, ServerConfig, ServerLimits, bind,
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
/// The pause after a failed accept, most often for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Room for one request's line and headers.
const HEADER_BYTES: usize = 64 * 1024;
const HTTP2_STREAMS: u32 = 128;

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
        finish(connections.graceful, &shared, drain).await;
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
async fn finish(graceful: GracefulShutdown, shared: &Shared, drain: Duration) {
    let done = graceful.shutdown();
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

/// Takes connections and serves each in its own task.
struct Connections {
    router: Router,
    builder: auto::Builder<TokioExecutor>,
    graceful: GracefulShutdown,
    places: Arc<Semaphore>,
    header_timeout: Duration,
}

impl Connections {
    fn new(router: Router, limits: &ServerLimits) -> Self {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.header_timeout)
            .max_buf_size(HEADER_BYTES);
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(HTTP2_STREAMS)
            .keep_alive_interval(limits.header_timeout);
        Self {
            router,
            builder,
            graceful: GracefulShutdown::new(),
            places: Arc::new(Semaphore::new(limits.max_connections.min(Semaphore::MAX_PERMITS))),
            header_timeout: limits.header_timeout,
        }
    }

    async fn accept_all(&self, listeners: &[TcpListener]) {
        loop {
            let Ok(place) = Arc::clone(&self.places).acquire_owned().await else {
                return;
            };
            let accepts = listeners.iter().map(|listener| Box::pin(listener.accept()));
            match futures::future::select_all(accepts).await.0 {
                Ok((stream, _)) => self.serve(stream, place),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    fn serve(&self, stream: TcpStream, place: OwnedSemaphorePermit) {
        // Small answers on kept connections would otherwise wait for the peer's acknowledgement.
        let _ = stream.set_nodelay(true);
        let begun = Arc::new(AtomicBool::new(false));
        let (router, asked) = (self.router.clone(), Arc::clone(&begun));
        let service = hyper::service::service_fn(move |request: http::Request<Incoming>| {
            asked.store(true, Ordering::Relaxed);
            router.clone().oneshot(request)
        });
        let connection = self
            .builder
            .serve_connection(TokioIo::new(stream), service)
            .into_owned();
        let connection = self.graceful.watch(connection);
        let patience = self.header_timeout;
        tokio::spawn(async move {
            let _place = place;
            tokio::select! {
                result = connection => if let Err(error) = result {
                    tracing::debug!(%error, "a connection ended early");
                },
                // The HTTP library times headers, but not the wait for the first bytes that tell the version.
                () = silence(&begun, patience) => tracing::debug!("a connection sent no request and is closed"),
            }
        });
    }
}

/// Ends if no request has begun within `patience`.
async fn silence(begun: &AtomicBool, patience: Duration) {
    tokio::time::sleep(patience).await;
    if begun.load(Ordering::Relaxed) {
        std::future::pending::<()>().await;
    }
}
