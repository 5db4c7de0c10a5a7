//! `analytics`: the stand-in for the analytics service.

use std::{net::SocketAddr, time::Duration};

use periplus_analytics_standin::{Options, start};
use tokio::signal::unix::{SignalKind, signal};

use crate::{
    args::Analytics,
    exit::{CliError, Exit, Outcome},
    printer,
};

pub(crate) fn run(args: &Analytics) -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::answer(format!("cannot start the async runtime: {error}")))?;
    let outcome = runtime.block_on(serve(Options {
        address: SocketAddr::new(args.host, args.port),
        delay: Duration::from_secs(args.delay),
    }));
    runtime.shutdown_background();
    outcome
}

/// Serves until it is told to stop; a look-up takes milliseconds, so that there is nothing to wait for then.
async fn serve(options: Options) -> Outcome {
    // Before the announcement: whoever reads it may stop the server at once.
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let address = options.address;
    let server = start(options)
        .await
        .map_err(|error| CliError::usage(format!("cannot listen on {address}: {error}")))?;
    printer::note(&format!(
        "The analytics stand-in serves at {0}\n\n  published statistics; the root lists what it holds\n  \
         use it with ANALYTICS_API_BASE_URL={0}",
        server.url()
    ));
    tokio::select! {
        ended = server.ended() => {
            ended.map_err(|error| CliError::answer(format!("the analytics stand-in ended: {error}")))?;
        }
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(Exit::Success)
}
