//! Listening sockets.
//!
//! `localhost` is 127.0.0.1 for some programs and ::1 for others, so a loopback server listens on both.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener},
};

use super::ServeError;

/// How often a free port is looked for that is free in both loopback families.
const FREE_PORT_ATTEMPTS: usize = 16;

/// Listens on `host:port`, in both families if `host` is a loopback address.
pub(super) fn listen(host: IpAddr, port: u16) -> Result<Vec<TcpListener>, ServeError> {
    let Some(twin) = twin(host) else {
        return Ok(vec![listen_wildcard(host, port)?]);
    };
    let mut attempts = if port == 0 { FREE_PORT_ATTEMPTS } else { 1 };
    loop {
        let first = listen_on(SocketAddr::new(host, port))?;
        let chosen = first.local_addr().map_err(ServeError::Listen)?.port();
        match listen_on(SocketAddr::new(twin, chosen)) {
            Ok(second) => return Ok(vec![first, second]),
            Err(ServeError::Bind { source, .. }) if is_family_missing(&source) => return Ok(vec![first]),
            Err(error) => {
                attempts -= 1;
                if attempts == 0 {
                    return Err(error);
                }
            }
        }
    }
}

/// The loopback address of the other family.
fn twin(host: IpAddr) -> Option<IpAddr> {
    if host == Ipv4Addr::LOCALHOST {
        Some(Ipv6Addr::LOCALHOST.into())
    } else if host == Ipv6Addr::LOCALHOST {
        Some(Ipv4Addr::LOCALHOST.into())
    } else {
        None
    }
}

/// `[::]` takes both families where the system has IPv6, and falls back to IPv4 where it has not.
fn listen_wildcard(host: IpAddr, port: u16) -> Result<TcpListener, ServeError> {
    match listen_on(SocketAddr::new(host, port)) {
        Err(ServeError::Bind { source, .. })
            if host == Ipv6Addr::UNSPECIFIED && is_family_missing(&source) =>
        {
            listen_on((Ipv4Addr::UNSPECIFIED, port).into())
        }
        listener => listener,
    }
}

fn listen_on(address: SocketAddr) -> Result<TcpListener, ServeError> {
    let listener = TcpListener::bind(address).map_err(|source| ServeError::Bind { address, source })?;
    listener.set_nonblocking(true).map_err(ServeError::Listen)?;
    Ok(listener)
}

fn is_family_missing(error: &io::Error) -> bool {
    // Linux reports a missing family as "address family not supported", which std does not name.
    matches!(
        error.kind(),
        io::ErrorKind::AddrNotAvailable | io::ErrorKind::Unsupported
    ) || error.raw_os_error() == Some(97)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loopback_host_listens_in_both_families_on_one_port() {
        let listeners = listen(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
        let ports: Vec<u16> = listeners.iter().map(|l| l.local_addr().unwrap().port()).collect();
        assert_ne!(ports[0], 0);
        assert!(ports.iter().all(|port| *port == ports[0]));
    }

    #[test]
    fn a_taken_port_is_an_error_that_names_the_address() {
        let taken = listen(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
        let port = taken[0].local_addr().unwrap().port();
        let error = listen(Ipv4Addr::LOCALHOST.into(), port).unwrap_err();
        assert!(
            error.to_string().contains(&format!("127.0.0.1:{port}")),
            "{error}"
        );
    }
}
