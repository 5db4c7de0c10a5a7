//! JSON-RPC errors with the HTTP status they travel under.

use http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Era, version::SUPPORTED};

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const INTERNAL_ERROR: i32 = -32603;
/// Resource not found, towards legacy peers.
const RESOURCE_NOT_FOUND: i32 = -32002;
const HEADER_MISMATCH: i32 = -32020;
const UNSUPPORTED_VERSION: i32 = -32022;

/// Why a message has no result.
#[derive(Debug, thiserror::Error, Serialize)]
#[error("{message}")]
pub(in crate::server) struct RpcError {
    code: i32,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
    #[serde(skip)]
    status: StatusCode,
}

impl RpcError {
    fn new(status: StatusCode, code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
            status,
        }
    }

    fn with_data(self, data: Value) -> Self {
        Self {
            data: Some(data),
            ..self
        }
    }

    /// The HTTP status of the response that carries the error.
    pub(in crate::server) fn status(&self) -> StatusCode {
        self.status
    }

    /// The body is not JSON.
    pub(in crate::server) fn parse(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, PARSE_ERROR, message)
    }

    /// The body is JSON, but no message.
    pub(in crate::server) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, INVALID_REQUEST, message)
    }

    /// The request was refused on the HTTP level.
    pub(in crate::server) fn refused(status: StatusCode, message: impl Into<String>) -> Self {
        Self::new(status, INVALID_REQUEST, message)
    }

    /// The server is stopping.
    pub(in crate::server) fn shutting_down() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            INTERNAL_ERROR,
            "the server is shutting down; send the request again",
        )
    }

    /// As many requests as may be are being answered.
    pub(in crate::server) fn overloaded() -> Self {
        let message = "the server is answering as many requests as it may; try again";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, INTERNAL_ERROR, message)
    }

    /// There is no such method in that era.
    pub(in crate::server) fn method_not_found(era: Era, method: &str) -> Self {
        let status = match era {
            Era::Legacy => StatusCode::OK,
            Era::Modern => StatusCode::NOT_FOUND,
        };
        Self::new(
            status,
            METHOD_NOT_FOUND,
            format!("method not found: {}", shortened(method)),
        )
    }

    /// The parameters do not fit the method.
    pub(in crate::server) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, INVALID_PARAMS, message)
    }

    /// The request's `_meta` lacks what the modern era requires.
    pub(in crate::server) fn malformed_meta(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, INVALID_PARAMS, message)
    }

    /// A tool of that name does not exist; `near` are names that it may have been meant to be.
    pub(in crate::server) fn unknown_tool(name: &str, near: &[&str]) -> Self {
        let error = Self::invalid_params(format!("Unknown tool: {}", shortened(name)));
        if near.is_empty() {
            error
        } else {
            error.with_data(json!({ "didYouMean": near }))
        }
    }

    /// A resource of that URI does not exist.
    pub(in crate::server) fn unknown_resource(era: Era, uri: &str) -> Self {
        let code = match era {
            Era::Legacy => RESOURCE_NOT_FOUND,
            Era::Modern => INVALID_PARAMS,
        };
        let uri = shortened(uri);
        Self::new(StatusCode::OK, code, format!("resource not found: {uri}")).with_data(json!({ "uri": uri }))
    }

    /// A header contradicts the body, or is missing.
    pub(in crate::server) fn header_mismatch(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, HEADER_MISMATCH, message)
    }

    /// A modern request names a version that is not served.
    pub(in crate::server) fn unsupported_version(requested: &str) -> Self {
        let requested = shortened(requested);
        let message = format!(
            "protocol version {requested} is not served; these are: {}",
            SUPPORTED.join(", ")
        );
        Self::new(StatusCode::BAD_REQUEST, UNSUPPORTED_VERSION, message)
            .with_data(json!({ "supported": SUPPORTED, "requested": requested }))
    }

    /// A legacy request's header names a version that is not served.
    pub(in crate::server) fn unsupported_version_header(requested: &str) -> Self {
        let requested = shortened(requested);
        let message = format!(
            "MCP-Protocol-Version {requested} is not served; these versions are: {}",
            SUPPORTED.join(", ")
        );
        Self::invalid_request(message).with_data(json!({ "supported": SUPPORTED, "requested": requested }))
    }
}

/// A caller's text, short enough to be repeated in an answer.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 128;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
