//! The HTTP side of one MCP endpoint: who may ask, in what form, and the order in which that is decided.

mod accept;
mod body;
mod cors;
mod guard;
mod reply;

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Request, State},
    response::Response,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts};
use subtle::ConstantTimeEq as _;

use super::{endpoint::Endpoint, handler, protocol::RpcError, telemetry};
pub(super) use accept::{Accepts, prefers_html};
pub(super) use guard::{Guard, RequestHost};
pub(super) use reply::{error_body, escape_html, event, event_stream, html, json, message, rpc_error};

/// Answers whatever comes to an MCP path.
pub(super) async fn serve(State(endpoint): State<Arc<Endpoint>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let request_id = endpoint.shared.request_ids.id(&parts.headers);
    let mut response = match endpoint.guard.check(&parts.uri, &parts.headers) {
        Ok(()) => admitted(&endpoint, parts, body, &request_id).await,
        Err(refusal) => {
            tracing::warn!({ telemetry::TOOLSET } = endpoint.name(), %refusal, "request refused");
            rpc_error(None, &refusal)
        }
    };
    if let Ok(id) = HeaderValue::try_from(request_id) {
        response.headers_mut().insert(telemetry::REQUEST_ID_HEADER, id);
    }
    endpoint.metrics.responded(response.status());
    response
}

/// Answers a request from an allowed host and origin.
async fn admitted(endpoint: &Arc<Endpoint>, parts: Parts, body: Body, request_id: &str) -> Response {
    let origin = parts.headers.get(header::ORIGIN).cloned();
    let mut response = match parts.method {
        Method::OPTIONS => cors::preflight(&parts.headers, endpoint.toolset.credential_headers()),
        Method::POST => post(endpoint, parts, body, request_id).await,
        _ => method_not_allowed(&parts.headers, endpoint),
    };
    if let Some(origin) = origin {
        cors::expose(response.headers_mut(), origin);
    }
    response
}

async fn post(endpoint: &Arc<Endpoint>, parts: Parts, body: Body, request_id: &str) -> Response {
    if endpoint.shared.draining.is_cancelled() {
        return retry_later(None, &RpcError::shutting_down());
    }
    if let Err(error) = check_repeated(endpoint, &parts.headers) {
        return rpc_error(None, &error);
    }
    if !is_authorised(endpoint, &parts.headers) {
        return unauthorised();
    }
    let accepts = match accept::negotiate(&parts.headers) {
        Ok(accepts) => accepts,
        Err(error) => return rpc_error(None, &error),
    };
    let Ok(permit) = Arc::clone(&endpoint.shared.admission).try_acquire_owned() else {
        return retry_later(None, &RpcError::overloaded());
    };
    let reading = body::read(&parts.headers, body, &endpoint.shared.limits);
    // A request that has not arrived yet is not begun any more, so it does not hold up the end.
    let Some(body) = endpoint.shared.draining.run_until_cancelled(reading).await else {
        return retry_later(None, &RpcError::shutting_down());
    };
    match body {
        Ok(body) => handler::answer(endpoint, parts.headers, &body, accepts, request_id, permit).await,
        Err(error) => rpc_error(None, &error),
    }
}

/// Headers that say one thing, or nothing that can be relied on.
const SINGLE: [&str; 5] = [
    "authorization",
    "content-type",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
];

/// Two values of one credential are two users, two names two tools: which of them is meant is not for the server to choose.
fn check_repeated(endpoint: &Endpoint, headers: &HeaderMap) -> Result<(), RpcError> {
    let credentials = endpoint.toolset.credential_headers().iter().map(String::as_str);
    for name in credentials.chain(SINGLE) {
        let mut values = headers.get_all(name).iter();
        let first = values.next();
        if values.any(|value| Some(value) != first) {
            return Err(RpcError::refused(
                StatusCode::BAD_REQUEST,
                format!("the header `{name}` was sent with different values: send one"),
            ));
        }
    }
    Ok(())
}

/// Compares the bearer secret in constant time.
fn is_authorised(endpoint: &Endpoint, headers: &HeaderMap) -> bool {
    let Some(secret) = &endpoint.toolset.access_rules().bearer else {
        return true;
    };
    let sent = headers
        .get(header::AUTHORIZATION)
        .map(HeaderValue::as_bytes)
        .unwrap_or_default();
    let (scheme, token) = sent.split_at(sent.len().min(b"Bearer ".len()));
    scheme.eq_ignore_ascii_case(b"Bearer ") && token.trim_ascii().ct_eq(secret.expose().as_bytes()).into()
}

fn unauthorised() -> Response {
    let error = RpcError::refused(
        StatusCode::UNAUTHORIZED,
        "send the bearer secret in the Authorization header",
    );
    let mut response = rpc_error(None, &error);
    response
        .headers_mut()
        .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// An error that goes away by itself.
pub(super) fn retry_later(id: Option<&str>, error: &RpcError) -> Response {
    let mut response = rpc_error(id, error);
    response
        .headers_mut()
        .insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// Refuses at once: clients wait for the answer to a GET before they go on.
fn method_not_allowed(headers: &HeaderMap, endpoint: &Endpoint) -> Response {
    let mut response = if prefers_html(headers) {
        html(StatusCode::METHOD_NOT_ALLOWED, endpoint.published.page.clone())
    } else {
        let error = RpcError::refused(
            StatusCode::METHOD_NOT_ALLOWED,
            "send messages with POST; there are no sessions",
        );
        rpc_error(None, &error)
    };
    response
        .headers_mut()
        .insert(header::ALLOW, HeaderValue::from_static("POST, OPTIONS"));
    response
}
