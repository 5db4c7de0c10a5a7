//! Whom the API answers: a page in a browser that has made a name point here is not one of them.

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use http::{HeaderValue, header, uri::Authority};

use crate::{Api, error::ApiError};

/// Refuses requests for a host that nobody listed.
pub(crate) async fn check_host(
    State(api): State<Api>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    match host_of(&request) {
        Some(host) if is_allowed(&host, &api.config().hosts) => Ok(next.run(request).await),
        _ => Err(ApiError::ForeignHost),
    }
}

/// The host that a request names, unless it names several: a proxy may have looked at another one.
fn host_of(request: &Request) -> Option<String> {
    let sent = request.headers().get_all(header::HOST).iter();
    let line = request
        .uri()
        .authority()
        .map(|authority| authority.as_str().as_bytes());
    let mut named = line.into_iter().chain(sent.map(HeaderValue::as_bytes));
    let first = named.next()?;
    if named.any(|other| !other.eq_ignore_ascii_case(first)) {
        return None;
    }
    Some(Authority::try_from(first).ok()?.host().to_owned())
}

fn is_allowed(host: &str, allowed: &[String]) -> bool {
    let name = host.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = name.eq_ignore_ascii_case("localhost")
        || name
            .parse()
            .is_ok_and(|address: std::net::IpAddr| address.is_loopback());
    is_loopback
        || allowed
            .iter()
            .any(|listed| listed == "*" || listed.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_names_two_hosts_names_none() {
        let host = |line: &str, sent: &[&str]| {
            let mut request = Request::builder().uri(line);
            for host in sent {
                request = request.header(header::HOST, *host);
            }
            host_of(&request.body(axum::body::Body::empty()).unwrap())
        };
        assert_eq!(host("/runs", &["localhost:1"]).as_deref(), Some("localhost"));
        assert_eq!(
            host("http://localhost:1/runs", &["LOCALHOST:1"]).as_deref(),
            Some("localhost")
        );
        assert_eq!(host("/runs", &["localhost", "evil.example"]), None);
        assert_eq!(host("http://localhost/runs", &["evil.example"]), None);
        assert_eq!(host("/runs", &[]), None);
    }

    #[test]
    fn loopback_and_listed_names_are_answered_and_no_others() {
        let listed = ["chat.example".to_owned()];
        for good in ["localhost", "127.0.0.1", "127.8.9.1", "[::1]", "Chat.Example"] {
            assert!(is_allowed(good, &listed), "{good}");
        }
        for bad in [
            "evil.example",
            "10.0.0.1",
            "localhost.evil.example",
            "",
            "127.0.0.1.evil.example",
        ] {
            assert!(!is_allowed(bad, &listed), "{bad}");
        }
        assert!(is_allowed("anything", &["*".to_owned()]));
    }
}
