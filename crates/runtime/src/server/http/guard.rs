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
    /// From the request line, as HTTP/2 has it, or from the `Host` header.
    pub(in crate::server) fn of(uri: &'a Uri, headers: &'a HeaderMap) -> Option<Self> {
        match uri.authority() {
            Some(authority) => Some(Self(authority.as_str())),
            None => headers.get(header::HOST)?.to_str().ok().map(Self),
        }
    }

    /// The one host that a request names; whoever stands in front of the server may have looked at another one.
    ///
    /// # Errors
    /// 400 if it names none, or several.
    fn only(uri: &'a Uri, headers: &'a HeaderMap) -> Result<Self, RpcError> {
        let bad = |message: &str| RpcError::refused(StatusCode::BAD_REQUEST, message);
        let host = Self::of(uri, headers).ok_or_else(|| bad("the request names no host"))?;
        let mut others = headers.get_all(header::HOST).iter();
        let repeats = others
            .next()
            .is_none_or(|sent| sent.as_bytes().eq_ignore_ascii_case(host.0.as_bytes()));
        if !repeats || others.next().is_some() {
            return Err(bad("the request names several hosts: send one"));
        }
        Ok(host)
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
    /// 403 that names what was rejected and the setting that would allow it; 400 if it is not clear what to check.
    pub(in crate::server) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), RpcError> {
        let host = RequestHost::only(uri, headers)?.0;
        if !self.any_host && !self.allows_host(host) {
            return Err(refuse(format!(
                "host `{}` is not allowed: add it to ALLOWED_HOSTS",
                shown(host)
            )));
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let Some(origin) = origins.next() else {
            return Ok(());
        };
        if origins.next().is_some() {
            let message = "the request names several origins: send one";
            return Err(RpcError::refused(StatusCode::BAD_REQUEST, message));
        }
        let origin = &*String::from_utf8_lossy(origin.as_bytes());
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
            "localhost.",
            "",
            "a@localhost",
            "[::1",
        ] {
            assert!(!passes(&guard, host, None), "{host}");
        }
    }

    #[test]
    fn a_request_has_to_name_one_host_and_at_most_one_origin() {
        let check = |uri: &'static str, sent: &[(http::HeaderName, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in sent {
                headers.append(name, value.parse().unwrap());
            }
            let checked = Guard::loopback().check(&Uri::from_static(uri), &headers);
            checked.map_err(|refusal| refusal.status().as_u16())
        };
        let (host, origin) = (header::HOST, header::ORIGIN);
        assert_eq!(check("/mcp", &[]), Err(400));
        assert_eq!(
            check(
                "/mcp",
                &[(host.clone(), "localhost"), (host.clone(), "evil.example")]
            ),
            Err(400)
        );
        // As a proxy reads it, and as HTTP/2 has it.
        assert_eq!(check("http://localhost/mcp", &[]), Ok(()));
        assert_eq!(
            check("http://localhost/mcp", &[(host.clone(), "LOCALHOST")]),
            Ok(())
        );
        assert_eq!(
            check("http://localhost/mcp", &[(host.clone(), "evil.example")]),
            Err(400)
        );
        assert_eq!(
            check("http://evil.example/mcp", &[(host.clone(), "localhost")]),
            Err(400)
        );
        assert_eq!(check("http://evil.example/mcp", &[]), Err(403));
        let local = "http://localhost";
        assert_eq!(
            check("/mcp", &[(host.clone(), "localhost"), (origin.clone(), local)]),
            Ok(())
        );
        let two = [
            (host, "localhost"),
            (origin.clone(), local),
            (origin, "http://evil.example"),
        ];
        assert_eq!(check("/mcp", &two), Err(400));
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
