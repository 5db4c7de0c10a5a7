//! Responses: JSON bodies, one-event streams, errors, pages.

use axum::{body::Body, response::Response};
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};

use super::{Accepts, RpcError};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// A JSON response.
pub(in crate::server) fn json(status: StatusCode, body: impl Into<Bytes>) -> Response {
    with_type(status, JSON, Body::from(body.into()))
}

/// An HTML response that may load nothing.
pub(in crate::server) fn html(status: StatusCode, page: String) -> Response {
    let mut response = with_type(status, HTML, Body::from(page));
    let policy = HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'");
    response
        .headers_mut()
        .insert(header::CONTENT_SECURITY_POLICY, policy);
    response
}

/// A JSON-RPC message in the form that the client reads.
pub(in crate::server) fn message(status: StatusCode, body: Vec<u8>, accepts: Accepts) -> Response {
    if accepts.json {
        return json(status, body);
    }
    let mut response = event_stream(Body::from(event(&body)));
    *response.status_mut() = status;
    response
}

/// An event stream, marked so that proxies pass each event on at once.
pub(in crate::server) fn event_stream(body: Body) -> Response {
    let mut response = with_type(StatusCode::OK, EVENTS, body);
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
        .headers_mut()
        .insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// One event. Compact JSON has no line breaks, so one data line holds it.
pub(in crate::server) fn event(message: &[u8]) -> Bytes {
    [b"data: ".as_slice(), message, b"\n\n"].concat().into()
}

/// A JSON-RPC error with its HTTP status.
pub(in crate::server) fn rpc_error(id: Option<&str>, error: &RpcError) -> Response {
    json(error.status(), error_body(id, error))
}

/// The JSON-RPC error message; without a known id it is null, which older readers insist on.
pub(in crate::server) fn error_body(id: Option<&str>, error: &RpcError) -> Vec<u8> {
    let error = serde_json::to_vec(error).expect("an error of strings and JSON values is serialisable");
    let id = id.unwrap_or("null").as_bytes();
    [
        br#"{"jsonrpc":"2.0","id":"#.as_slice(),
        id,
        br#","error":"#,
        &error,
        b"}",
    ]
    .concat()
}

/// Text as it may stand in a page.
pub(in crate::server) fn escape_html(text: &str) -> String {
    text.chars()
        .fold(String::with_capacity(text.len()), |mut page, c| {
            match c {
                '&' => page.push_str("&amp;"),
                '<' => page.push_str("&lt;"),
                '>' => page.push_str("&gt;"),
                '"' => page.push_str("&quot;"),
                '\'' => page.push_str("&#39;"),
                other => page.push(other),
            }
            page
        })
}

fn with_type(status: StatusCode, content_type: HeaderValue, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    response
}
