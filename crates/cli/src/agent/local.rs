//! The toolsets of this binary, served in this process for its own agent.

use std::{
    net::{TcpStream, ToSocketAddrs as _},
    time::Duration,
};

use periplus_runtime::server::{Server, ServerConfig};
use tokio_util::sync::{CancellationToken, DropGuard};
use url::Url;

use crate::{Entry, Profile, Purpose, commands::App, exit::CliError};

/// Longest wait for an answer from this machine.
const CONNECT: Duration = Duration::from_millis(300);

/// Whether something listens at an address of this machine.
pub(super) fn answers(url: &Url) -> bool {
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
        return false;
    };
    (host, port).to_socket_addrs().is_ok_and(|mut addresses| {
        addresses.any(|address| TcpStream::connect_timeout(&address, CONNECT).is_ok())
    })
}

/// Serves the toolsets of the profile, or every shipped one, on a free loopback port until the guard is dropped.
pub(super) fn serve(app: &App, profile: Option<&Profile>) -> Result<(Url, DropGuard), CliError> {
    let entries: Vec<&Entry> = match profile {
        Some(profile) => profile
            .toolsets
            .iter()
            .map(|name| app.entry(name))
            .collect::<Result<_, _>>()?,
        None => app.entries.iter().collect(),
    };
    let toolsets: Result<Vec<_>, CliError> = entries
        .into_iter()
        .map(|entry| app.build(entry, Purpose::Calls))
        .collect();
    let config = ServerConfig {
        port: 0,
        drain: Duration::ZERO,
        ..ServerConfig::default()
    };
    let server = Server::bind(config, toolsets?)?;
    let port = server.addresses().first().map_or(0, std::net::SocketAddr::port);
    let url = format!("http://127.0.0.1:{port}")
        .parse()
        .expect("a loopback address and a port make a URL");
    let stop = CancellationToken::new();
    tokio::spawn(server.run(stop.clone()));
    Ok((url, stop.drop_guard()))
}
