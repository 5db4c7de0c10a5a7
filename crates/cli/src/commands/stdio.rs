//! `serve --stdio`: toolsets for the program that started this one, over standard input and output.
//!
//! Standard output carries protocol messages and nothing else; the log and words for people go to standard error.

use http::{HeaderMap, HeaderName, HeaderValue};
use periplus_runtime::server::StdioServer;
use periplus_toolset::Toolset;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::{App, serve};
use crate::{
    config::Settings,
    exit::{CliError, Exit, Outcome},
    printer,
};

pub(crate) fn run(app: &App) -> Outcome {
    let config = serve::server_config(&app.settings)?;
    let toolsets = serve::chosen(app)?;
    let announcement = announcement(&toolsets);
    let credentials = credentials(&toolsets, &app.settings)?;
    let server = StdioServer::new(config.limits, config.drain, toolsets, credentials)?;
    printer::note(&announcement);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::answer(format!("cannot start the async runtime: {error}")))?;
    let outcome = runtime.block_on(answer(server));
    // A thread that still waits for input must not hold up the end of the process.
    runtime.shutdown_background();
    outcome
}

async fn answer(server: StdioServer) -> Outcome {
    let stop = CancellationToken::new();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let running = server.run(tokio::io::stdin(), tokio::io::stdout(), stop.clone());
    tokio::pin!(running);
    let ended = |ended: std::io::Result<()>| {
        ended
            .map(|()| Exit::Success)
            .map_err(|error| CliError::answer(format!("cannot read standard input: {error}")))
    };
    tokio::select! {
        outcome = &mut running => return ended(outcome),
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    stop.cancel();
    ended(running.await)
}

/// Declared credential headers, each from the variable of its name: there is no request to carry them.
fn credentials(toolsets: &[Toolset], settings: &Settings) -> Result<HeaderMap, CliError> {
    let mut headers = HeaderMap::new();
    for name in toolsets.iter().flat_map(|toolset| toolset.credential_headers()) {
        let Some(value) = settings.credential(name) else {
            continue;
        };
        let header = HeaderName::try_from(name)
            .ok()
            .zip(HeaderValue::try_from(value).ok())
            // The value is not quoted: it is a secret.
            .ok_or_else(|| {
                CliError::usage(format!("the variable of header {name:?} holds no header value"))
            })?;
        headers.insert(header.0, header.1);
    }
    Ok(headers)
}

fn announcement(toolsets: &[Toolset]) -> String {
    let shown: Vec<String> = toolsets
        .iter()
        .map(|toolset| {
            let count = toolset.tools().len();
            format!(
                "{} ({count} tool{})",
                toolset.name(),
                if count == 1 { "" } else { "s" }
            )
        })
        .collect();
    format!(
        "Periplus {} serves {} over standard input and output",
        env!("CARGO_PKG_VERSION"),
        shown.join(", ")
    )
}
