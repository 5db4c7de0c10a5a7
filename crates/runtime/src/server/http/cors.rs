//! Cross-origin rules for browser clients: preflights are answered before authentication, credentials are never
//! allowed, and only origins that passed the guard are named.

use axum::{body::Body, response::Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

const REQUEST_HEADERS: [&str; 10] = [
    "accept",
    "authorization",
    "content-type",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "traceparent",
    "x-request-id",
];
const EXPOSED: &str = "mcp-session-id, mcp-protocol-version, www-authenticate, x-request-id, retry-after";
const MAX_AGE: &str = "600";

/// Answers a preflight: the methods, and of the headers asked for those that are allowed.
pub(super) fn preflight(headers: &HeaderMap, credential_headers: &[String]) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let answer = response.headers_mut();
    answer.insert(header::ALLOW, HeaderValue::from_static("POST, OPTIONS"));
    answer.insert(
        header::ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("POST, OPTIONS"),
    );
    answer.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(MAX_AGE));
    let allowed = allowed_headers(headers, credential_headers).join(", ");
    if let Ok(allowed) = HeaderValue::try_from(allowed) {
        answer.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    }
    response
}

/// Lets the page of that origin read the response.
pub(super) fn expose(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(EXPOSED),
    );
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
}

fn allowed_headers(headers: &HeaderMap, credential_headers: &[String]) -> Vec<String> {
    let Some(requested) = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) else {
        return REQUEST_HEADERS
            .map(str::to_owned)
            .into_iter()
            .chain(credential_headers.iter().cloned())
            .collect();
    };
    let requested = requested.to_str().unwrap_or_default().to_ascii_lowercase();
    let is_allowed = |name: &str| {
        REQUEST_HEADERS.contains(&name)
            || credential_headers.iter().any(|header| header == name)
            || (name.starts_with("mcp-param-") && HeaderName::try_from(name).is_ok())
    };
    requested
        .split(',')
        .map(str::trim)
        .filter(|name| is_allowed(name))
        .map(str::to_owned)
        .collect()
}
