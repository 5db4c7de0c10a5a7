//! Serving the API until it is told to stop.

use std::{future::IntoFuture as _, time::Duration};

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::Api;

/// Serves the API until `stop` is cancelled. Runs get the time of `drain` to finish; then they are cancelled, and what they
/// had finished stays in their threads.
///
/// # Errors
/// The listener fails.
pub async fn serve(
    api: &Api,
    listener: TcpListener,
    stop: CancellationToken,
    drain: Duration,
) -> std::io::Result<()> {
    let serving = axum::serve(listener, api.router())
        .with_graceful_shutdown(stop.clone().cancelled_owned())
        .into_future();
    let overdue = async {
        stop.cancelled().await;
        tokio::time::sleep(drain).await;
    };
    tokio::select! {
        outcome = serving => outcome,
        () = overdue => Ok(()),
    }
}
