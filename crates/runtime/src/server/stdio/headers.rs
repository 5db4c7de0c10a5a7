//! The headers of a message that came without any.
//!
//! Over HTTP a modern request repeats version, method and name in headers, for proxies that route without reading
//! bodies. The handler insists on them; over a pipe they are derived from the body, as an HTTP client would do.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderValue};

use super::Endpoint;
use crate::server::protocol::{METHOD_HEADER, NAME_HEADER, Request, VERSION_HEADER, text_of};

/// The headers of a request, with the user's credentials.
pub(super) fn derive(request: &Request<'_>, endpoint: &Endpoint, credentials: &HeaderMap) -> HeaderMap {
    let mut headers = credentials.clone();
    let params = &request.params;
    let version = params.meta.as_ref().and_then(|meta| meta.protocol_version);
    // A legacy request needs none.
    let Some(version) = version.and_then(text_of) else {
        return headers;
    };
    if let Ok(version) = HeaderValue::try_from(version.as_ref()) {
        headers.insert(VERSION_HEADER, version);
    }
    headers.insert(METHOD_HEADER, encode(&request.method));
    if let Some(name) = params
        .name()
        .or_else(|| params.uri())
        .or_else(|| params.task_id())
    {
        headers.insert(NAME_HEADER, encode(&name));
        let arguments = params.arguments().unwrap_or_default();
        if let Some(served) = endpoint.find(&name) {
            for (header, value) in served.param_headers.values(&arguments) {
                headers.insert(header, encode(&value));
            }
        }
    }
    headers
}

/// Any text as a header value, in the protocol's own encoding.
fn encode(text: &str) -> HeaderValue {
    let value = format!("=?base64?{}?=", STANDARD.encode(text));
    HeaderValue::try_from(value).expect("base64 between question marks is a header value")
}
