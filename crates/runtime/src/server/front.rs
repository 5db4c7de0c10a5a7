//! What the directory of any server has in front of it: who may read it, and under which address it was found.

use axum::{
    extract::Request,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    ServeError, ServerConfig, endpoint,
    http::{self as mcp, Guard, RequestHost},
    openapi::OpenApi,
    pages,
    protocol::RpcError,
};

/// The guarded part of a server that is not MCP.
pub(super) struct Front {
    guard: Guard,
    /// Empty, or a path with a leading and no trailing slash.
    pub(super) prefix: String,
    /// The public address without a trailing slash, prefix included.
    public_base: Option<String>,
}

impl Front {
    pub(super) fn new(config: &ServerConfig) -> Result<Self, ServeError> {
        Ok(Self {
            guard: endpoint::server_guard(config)?,
            prefix: prefix(&config.path_prefix)?,
            public_base: config
                .public_url
                .as_ref()
                .map(|url| url.as_str().trim_end_matches('/').to_owned()),
        })
    }

    /// The address under which this reader finds the server, if the reader may be here.
    ///
    /// # Errors
    /// The refusal of a host or an origin.
    pub(super) fn admit(&self, request: &Request) -> Result<String, RpcError> {
        let (uri, headers) = (request.uri(), request.headers());
        self.guard.check(uri, headers)?;
        Ok(self.base(uri, headers))
    }

    /// Where clients find the server: what was configured, else where this client found it.
    fn base(&self, uri: &Uri, headers: &HeaderMap) -> String {
        self.public_base.clone().unwrap_or_else(|| {
            let host = RequestHost::of(uri, headers).map_or("localhost", |host| host.0);
            format!("http://{host}{}", self.prefix)
        })
    }
}

/// The answer to a reader who may not be here.
pub(super) fn refused(refusal: &RpcError) -> Response {
    mcp::rpc_error(None, refusal)
}

/// A document in the form that the reader prefers: JSON, or a page for people.
pub(super) fn json_or_page(
    headers: &HeaderMap,
    json: impl FnOnce() -> Response,
    page: impl FnOnce() -> String,
) -> Response {
    let mut response = if mcp::prefers_html(headers) {
        mcp::html(StatusCode::OK, page())
    } else {
        json()
    };
    response
        .headers_mut()
        .insert(header::VARY, HeaderValue::from_static("Accept"));
    response
}

/// The description of the HTTP interface as it is.
pub(super) fn openapi(document: OpenApi) -> Response {
    self::document(StatusCode::OK, &document.finish())
}

/// The description of the HTTP interface as a page.
pub(super) fn docs(document: OpenApi) -> Response {
    mcp::html(StatusCode::OK, pages::docs(&document.finish()))
}

pub(super) fn document(status: StatusCode, document: &impl Serialize) -> Response {
    let body = serde_json::to_vec(document).expect("a document of texts and numbers is serialisable");
    mcp::json(status, body)
}

/// The process runs; whether it can answer is readiness.
pub(super) async fn liveness() -> Response {
    status("ok")
}

/// A readiness document: anything but `ok` is 503.
pub(super) fn status(status: &str) -> Response {
    let code = if status == "ok" {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    document(code, &json!({ "status": status }))
}

/// What cannot be answered yet, in the form of [`error`].
pub(super) fn not_yet(detail: &str) -> Response {
    let error = error(StatusCode::SERVICE_UNAVAILABLE, "starting", detail);
    ([(header::RETRY_AFTER, "1")], error).into_response()
}

pub(super) async fn not_found() -> Response {
    error(
        StatusCode::NOT_FOUND,
        "not_found",
        "nothing is served at this path",
    )
}

pub(super) async fn method_not_allowed() -> Response {
    error(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "this path answers GET and HEAD",
    )
}

fn error(status: StatusCode, error: &str, detail: &str) -> Response {
    let body: Value = json!({ "error": error, "detail": detail });
    document(status, &body)
}

/// The prefix with a leading and no trailing slash, or empty.
fn prefix(prefix: &str) -> Result<String, ServeError> {
    let plain = prefix.trim_matches('/');
    let is_segment = |segment: &str| {
        !segment.is_empty()
            && segment
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'~'))
    };
    if plain.is_empty() {
        Ok(String::new())
    } else if plain.split('/').all(is_segment) {
        Ok(format!("/{plain}"))
    } else {
        Err(ServeError::PathPrefix {
            prefix: prefix.to_owned(),
        })
    }
}
