//! Serving the API until it is told to stop.

use std::time::Duration;

use periplus_runtime::server::{Connections, ServerLimits};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::Api;

/// Serves the API until `stop` is cancelled. Runs get the time of `drain` to finish; then they are cancelled, and what they
/// had finished stays in their threads.
///
/// Connections are bounded as those of a server of toolsets are.
pub async fn serve(api: &Api, listener: TcpListener, stop: CancellationToken, drain: Duration) {
    let connections = Connections::new(api.router(), &ServerLimits::default());
    let listeners = [listener];
    stop.run_until_cancelled(connections.accept_all(&listeners)).await;
    drop(listeners);
    if tokio::time::timeout(drain, connections.finish()).await.is_err() {
        tracing::warn!("the time to finish is over: runs are cancelled");
    }
}
