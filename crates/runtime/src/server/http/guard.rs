//! Which hosts and origins may talk to a server, on every address it listens on.
//!
//! A web page can make a browser send requests to a local server under a name of the page's own choosing (DNS
//! rebinding); the `Host` and `Origin` headers give that away.

use http::{HeaderMap, StatusCode, Uri, header};
use url::Url;

use super::RpcError;
use crate::server::ServeError;

/// Names of this machine, which no remote page can take for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The allow lists of one endpoint.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct Guard {
    any_host: bool,
    hosts: Vec<Host>,
    any_origin: bool,
    origins: Vec<Origin>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Host {
    name: String,
    /// `None` is any port.
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    scheme: String,
    name: String,
    /// `None` is any port.
    port: Option<u16>,
}

/// The host that a request names, as it was written.
#[derive(Debug, Clone, Copy)]
pub(in crate::server) struct RequestHost<'a>(pub(in crate::server) &'a str);

impl<'a> RequestHost<'a> {
    /// From the `Host` header, or from the request line as HTTP/2 has it.
    pub(in crate::server) fn of(uri: &'a Uri, headers: &'a HeaderMap) -> Option<Self> {
        match headers.get(header::HOST) {
            Some(host) => host.to_str().ok().map(Self),
            None => uri.authority().map(|authority| Self(authority.as_str())),
        }
    }
}

impl Guard {
    /// A guard that lets loopback names and origins pass.
    pub(in crate::server) fn loopback() -> Self {
        let mut guard = Self::default();
        for name in LOOPBACK {
            guard.allow_name(name);
        }
        guard
    }

    /// Lets the host and the origin of the server's public address pass.
    pub(in crate::server) fn allow_url(&mut self, url: &Url) {
        let Some(name) = url.host_str() else { return };
        let name = bare(name).to_ascii_lowercase();
        self.hosts.push(Host {
            name: name.clone(),
            port: None,
        });
        self.origins.push(Origin {
            scheme: url.scheme().to_owned(),
            name,
            port: url.port_or_known_default(),
        });
    }

    /// Lets an address pass on any port, under both schemes.
    pub(in crate::server) fn allow_name(&mut self, name: &str) {
        self.hosts.push(Host {
            name: name.to_owned(),
            port: None,
        });
        for scheme in ["http", "https"] {
            self.origins.push(Origin {
                scheme: scheme.to_owned(),
                name: name.to_owned(),
                port: None,
            });
        }
    }

    /// Adds an entry of the host list.
    ///
    /// # Errors
    /// If it is neither `*` nor a host name with an optional port.
    pub(in crate::server) fn allow_host(&mut self, entry: &str) -> Result<(), ServeError> {
        if entry == "*" {
            self.any_host = true;
            return Ok(());
        }
        let (name, port) = split_port(entry).ok_or_else(|| ServeError::AllowedHost {
            entry: entry.to_owned(),
        })?;
        self.hosts.push(Host {
            name: name.to_ascii_lowercase(),
            port,
        });
        Ok(())
    }

    /// Adds an entry of the origin list.
    ///
    /// # Errors
    /// If it is neither `*` nor an origin.
    pub(in crate::server) fn allow_origin(&mut self, entry: &str) -> Result<(), ServeError> {
        if entry == "*" {
            self.any_origin = true;
            return Ok(());
        }
        let (base, any_port) = entry
            .strip_suffix(":*")
            .map_or((entry, false), |base| (base, true));
        let (scheme, name, port) = split_origin(base).ok_or_else(|| ServeError::AllowedOrigin {
            entry: entry.to_owned(),
        })?;
        let port = if any_port { None } else { Some(port) };
        self.origins.push(Origin {
            scheme: scheme.to_ascii_lowercase(),
            name: name.to_ascii_lowercase(),
            port,
        });
        Ok(())
    }

    /// Checks the `Host`, and the `Origin` if there is one.
    ///
    /// # Errors
    /// 403 that names what was rejected and the setting that would allow it.
    pub(in crate::server) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), RpcError> {
        let host = RequestHost::of(uri, headers).map_or("", |host| host.0);
        if !self.any_host && !self.allows_host(host) {
            return Err(refuse(format!(
                "host `{}` is not allowed: add it to ALLOWED_HOSTS",
                shown(host)
            )));
        }
        let Some(origin) = headers.get(header::ORIGIN) else {
            return Ok(());
        };
        let origin = origin.to_str().unwrap_or_default();
        // A page of a host on the list may talk to that host; with every host allowed this would allow everyone.
        let is_same_origin =
            !self.any_host && split_origin(origin).is_some() && origin.ends_with(&format!("://{host}"));
        if !self.any_origin && !is_same_origin && !self.allows_origin(origin) {
            return Err(refuse(format!(
                "origin `{}` is not allowed: add it to ALLOWED_ORIGINS",
                shown(origin)
            )));
        }
        Ok(())
    }

    fn allows_host(&self, host: &str) -> bool {
        split_port(host).is_some_and(|(name, port)| {
            self.hosts.iter().any(|allowed| {
                allowed.name.eq_ignore_ascii_case(name) && (allowed.port.is_none() || allowed.port == port)
            })
        })
    }

    fn allows_origin(&self, origin: &str) -> bool {
        split_origin(origin).is_some_and(|(scheme, name, port)| {
            self.origins.iter().any(|allowed| {
                allowed.scheme.eq_ignore_ascii_case(scheme)
                    && allowed.name.eq_ignore_ascii_case(name)
                    && allowed.port.is_none_or(|allowed| allowed == port)
            })
        })
    }
}

fn refuse(message: String) -> RpcError {
    RpcError::refused(StatusCode::FORBIDDEN, message)
}

/// A client's text as it may be shown: short.
fn shown(text: &str) -> &str {
    let end = text.char_indices().nth(100).map_or(text.len(), |(end, _)| end);
    &text[..end]
}

fn bare(host: &str) -> &str {
    host.strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host)
}

/// Host name without brackets, and the port if there is one.
fn split_port(authority: &str) -> Option<(&str, Option<u16>)> {
    let (name, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (name, rest) = rest.split_once(']')?;
            (
                name,
                if rest.is_empty() {
                    None
                } else {
                    Some(rest.strip_prefix(':')?)
                },
            )
        }
        // An IPv6 address without brackets has several colons and no port.
        None if authority.matches(':').count() > 1 => (authority, None),
        None => authority
            .split_once(':')
            .map_or((authority, None), |(name, port)| (name, Some(port))),
    };
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b':'));
    let port = port.map(str::parse).transpose().ok()?;
    is_name.then_some((name, port))
}

/// Scheme, host name and port, which the scheme implies when it is not written.
fn split_origin(origin: &str) -> Option<(&str, &str, u16)> {
    let (scheme, authority) = origin.split_once("://")?;
    let (name, port) = split_port(authority)?;
    let implied = match scheme.to_ascii_lowercase().as_str() {
        "http" => 80,
        "https" => 443,
        _ => port?,
    };
    Some((scheme, name, port.unwrap_or(implied)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(guard: &Guard, host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        guard.check(&Uri::from_static("/mcp"), &headers).is_ok()
    }

    #[test]
    fn loopback_names_pass_on_any_port_and_others_do_not() {
        let guard = Guard::loopback();
        for host in [
            "localhost",
            "LOCALHOST:9",
            "127.0.0.1:8000",
            "[::1]:8000",
            "[::1]",
            "::1",
        ] {
            assert!(passes(&guard, host, None), "{host}");
        }
        for host in [
            "evil.example.com",
            "localhost.evil.com",
            "127.0.0.1.nip.io",
            "localhost:x",
            "",
            "a@localhost",
            "[::1",
        ] {
            assert!(!passes(&guard, host, None), "{host}");
        }
    }

    #[test]
    fn loopback_origins_pass_on_any_port_and_others_do_not() {
        let guard = Guard::loopback();
        for origin in ["http://localhost:5173", "https://127.0.0.1", "http://[::1]:3000"] {
            assert!(passes(&guard, "localhost", Some(origin)), "{origin}");
        }
        for origin in [
            "http://evil.example.com",
            "null",
            "file://",
            "localhost",
            "http://localhost.evil.com:80",
        ] {
            assert!(!passes(&guard, "localhost", Some(origin)), "{origin}");
        }
    }

    #[test]
    fn configured_entries_are_matched_with_their_ports() {
        let mut guard = Guard::loopback();
        guard.allow_host("mcp.example.org").unwrap();
        guard.allow_host("other.example.org:8443").unwrap();
        guard.allow_origin("https://app.example.org").unwrap();
        guard.allow_origin("http://dev.example.org:*").unwrap();
        assert!(passes(&guard, "MCP.example.org:1234", None));
        assert!(passes(&guard, "other.example.org:8443", None));
        assert!(!passes(&guard, "other.example.org:80", None));
        assert!(passes(&guard, "mcp.example.org", Some("https://mcp.example.org")));
        assert!(!passes(&guard, "localhost", Some("https://mcp.example.org")));
        assert!(passes(&guard, "localhost", Some("https://app.example.org:443")));
        assert!(!passes(&guard, "localhost", Some("https://app.example.org:444")));
        assert!(!passes(&guard, "localhost", Some("http://app.example.org")));
        assert!(passes(&guard, "localhost", Some("http://dev.example.org:5173")));
    }

    #[test]
    fn a_star_is_everything_and_nonsense_is_an_error() {
        let mut guard = Guard::default();
        guard.allow_host("*").unwrap();
        guard.allow_origin("*").unwrap();
        assert!(passes(&guard, "anything.example", Some("null")));
        let mut any_host = Guard::default();
        any_host.allow_host("*").unwrap();
        assert!(!passes(&any_host, "evil.example", Some("http://evil.example")));
        assert!(guard.allow_host("http://x/").is_err());
        assert!(guard.allow_origin("app.example.org").is_err());
    }
}
