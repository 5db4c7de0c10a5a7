//! `web`: the agent over HTTP until the process is told to stop.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use http::{HeaderMap, HeaderName};
use periplus_agent_api::{Api, ApiConfig, ApiLimits, Origin as PageOrigin, Owner, OwnerPolicy};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};
use tokio_util::sync::CancellationToken;

use super::{
    App,
    serve::{Address, server_config},
};
use crate::{
    agent::{self, Prepared},
    config::{ConfigError, Origin, Settings, keys},
    exit::{CliError, Exit, Outcome},
    printer,
};

/// The port beside that of `serve`.
const PORT: u16 = 8001;
/// Bytes of a thread id that nobody guesses.
const LONG_ID_BYTES: usize = 32;

pub(crate) fn run(app: &App) -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::answer(format!("cannot start the async runtime: {error}")))?;
    let outcome = runtime.block_on(serve(app));
    runtime.shutdown_background();
    outcome
}

async fn serve(app: &App) -> Outcome {
    let mut server = server_config(&app.settings)?;
    if app.settings.origin(&keys::PORT) == Some(&Origin::Default) {
        server.port = PORT;
    }
    let api = Api::new(api_config(&app.settings, server.host)?);
    let wanted = SocketAddr::new(server.host, server.port);
    let cannot_listen = |error: std::io::Error| CliError {
        exit: Exit::Connect,
        message: format!("cannot listen on {wanted}: {error}"),
        hint: Some("--port 0 takes a free port".to_owned()),
    };
    let listener = TcpListener::bind(wanted).await.map_err(cannot_listen)?;
    let port = listener.local_addr().map_err(cannot_listen)?.port();
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let stop = CancellationToken::new();
    let serving = periplus_agent_api::serve(&api, listener, stop.clone(), server.drain);
    tokio::pin!(serving);
    // Probes are answered while the agent connects to its toolsets.
    let prepared = tokio::select! {
        prepared = agent::prepare(app, &[]) => prepared?,
        () = &mut serving => return Ok(Exit::Success),
        _ = interrupt.recv() => return Ok(Exit::Success),
        _ = terminate.recv() => return Ok(Exit::Success),
    };
    api.ready_with(prepared.agent.clone(), prepared.headers.clone());
    printer::note(&announcement(&Address::of(&server).base(port), &prepared));
    tokio::select! {
        () = &mut serving => return Ok(Exit::Success),
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    printer::note("stopping: runs may finish; a second signal ends at once");
    stop.cancel();
    tokio::select! {
        () = serving => {}
        _ = interrupt.recv() => return Ok(Exit::Interrupted),
        _ = terminate.recv() => return Ok(Exit::Interrupted),
    }
    Ok(Exit::Success)
}

fn api_config(settings: &Settings, host: IpAddr) -> Result<ApiConfig, ConfigError> {
    let origins: Result<Vec<PageOrigin>, ConfigError> = settings
        .list(&keys::AGENT_CORS_ORIGINS)
        .into_iter()
        .map(|origin| origin.parse().map_err(|error| invalid("origin", origin, &error)))
        .collect();
    let owners = match settings.text(&keys::AGENT_OWNER_HEADER) {
        None => OwnerPolicy::Anyone,
        Some(name) => {
            let header = HeaderName::try_from(name)
                .map_err(|error| invalid("header name", name.to_owned(), &error))?;
            OwnerPolicy::Enforced(owner(header))
        }
    };
    // Others than this machine's user can reach it: then an id is the only protection of a thread.
    let thread_id_bytes = if host.is_loopback() { 1 } else { LONG_ID_BYTES };
    Ok(ApiConfig {
        origins: origins?,
        hosts: settings.list(&keys::ALLOWED_HOSTS),
        prefix: settings
            .text(&keys::MCP_PATH_PREFIX)
            .unwrap_or_default()
            .to_owned(),
        owners,
        limits: ApiLimits {
            thread_id_bytes,
            ..ApiLimits::default()
        },
    })
}

fn invalid(wanted: &'static str, value: String, reason: &dyn std::fmt::Display) -> ConfigError {
    ConfigError::Value {
        origin: "the configuration".to_owned(),
        value,
        wanted,
        reason: reason.to_string(),
    }
}

fn owner(header: HeaderName) -> Owner {
    Arc::new(move |headers: &HeaderMap| {
        let name = headers.get(&header)?.to_str().ok()?.trim();
        (!name.is_empty()).then(|| name.to_owned())
    })
}

fn announcement(base: &str, prepared: &Prepared) -> String {
    let toolsets = prepared.agent.toolsets();
    let names: Vec<&str> = toolsets
        .connected()
        .iter()
        .map(|connected| connected.name.as_str())
        .collect();
    let mut lines = vec![
        format!(
            "Periplus {}, the agent, serves at {base}\n",
            env!("CARGO_PKG_VERSION")
        ),
        format!("  model      {}", prepared.model),
        format!(
            "  toolsets   {} ({} tools)",
            names.join(", "),
            toolsets.tools().len()
        ),
        format!("  routes     {base}/docs\n"),
    ];
    lines.extend(prepared.notes.iter().map(|note| format!("note: {note}")));
    let problems = toolsets
        .unreachable()
        .iter()
        .map(|server| format!("cannot reach {server}"));
    lines.extend(problems);
    lines.join("\n")
}
