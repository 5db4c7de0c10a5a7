//! Taking connections: how many, how long a peer may be silent, how much it may send before it has asked for anything.

use std::{
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
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tower::ServiceExt as _;

use super::ServerLimits;

/// The pause after a failed accept, most often for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Room for one request's line and headers.
const HEADER_BYTES: usize = 64 * 1024;
const HTTP2_STREAMS: u32 = 128;

/// Takes connections and serves each in its own task, within the limits of a server.
///
/// Bounded are the number of connections, the size of headers and the time they take, and the requests that one
/// connection may have in flight.
pub struct Connections {
    router: Router,
    builder: auto::Builder<TokioExecutor>,
    graceful: GracefulShutdown,
    places: Arc<Semaphore>,
    header_timeout: Duration,
}

impl Connections {
    /// Prepares to serve these routes.
    #[must_use]
    pub fn new(router: Router, limits: &ServerLimits) -> Self {
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

    /// Accepts and serves until it is dropped; connections that are open then go on.
    pub async fn accept_all(&self, listeners: &[TcpListener]) {
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

    /// Lets requests that are being answered finish, and ends when no connection is left.
    pub async fn finish(self) {
        self.graceful.shutdown().await;
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

impl std::fmt::Debug for Connections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connections")
            .field("places", &self.places.available_permits())
            .finish_non_exhaustive()
    }
}

/// Ends if no request has begun within `patience`.
async fn silence(begun: &AtomicBool, patience: Duration) {
    tokio::time::sleep(patience).await;
    if begun.load(Ordering::Relaxed) {
        std::future::pending::<()>().await;
    }
}
