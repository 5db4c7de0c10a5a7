//! JSON-RPC errors with the HTTP status they travel under.

use http::StatusCode;
use periplus_toolset::Capability;
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
const MISSING_CAPABILITY: i32 = -32021;
const UNSUPPORTED_VERSION: i32 = -32022;

/// Every HTTP status and JSON-RPC code that a message can be refused with, and when it is.
///
/// A call that reached its tool is not refused: whatever the tool says is a result, failures with `isError`.
pub const REFUSALS: &[(u16, i32, &str)] = &[
    (
        200,
        INVALID_PARAMS,
        "Parameters that do not fit the method, such as an unknown tool, log level or (modern era) resource.",
    ),
    (
        200,
        METHOD_NOT_FOUND,
        "A method that the server does not have, in the legacy era.",
    ),
    (
        200,
        INTERNAL_ERROR,
        "A prompt or a task that failed unexpectedly; the log has the cause under the incident that is named.",
    ),
    (
        200,
        RESOURCE_NOT_FOUND,
        "A resource that does not exist, in the legacy era.",
    ),
    (400, PARSE_ERROR, "A body that is not JSON in UTF-8."),
    (
        400,
        INVALID_REQUEST,
        "A body that is no JSON-RPC message or broke off, no host or several, a header with two values, or a legacy \
         version that is not served.",
    ),
    (
        400,
        INVALID_PARAMS,
        "A modern request whose `_meta` lacks what the era requires.",
    ),
    (
        400,
        HEADER_MISMATCH,
        "A modern request with a header that is missing or contradicts the body.",
    ),
    (
        400,
        MISSING_CAPABILITY,
        "A modern client that cannot do what a tool needs of it; `data.requiredCapabilities` is what to declare.",
    ),
    (
        400,
        UNSUPPORTED_VERSION,
        "A modern request for a version that is not served; `data` lists those that are.",
    ),
    (
        401,
        INVALID_REQUEST,
        "No bearer secret, or another one, where the toolset has one.",
    ),
    (
        403,
        INVALID_REQUEST,
        "A `Host` or `Origin` that is not allowed; the message names the setting.",
    ),
    (
        404,
        METHOD_NOT_FOUND,
        "A method that the server does not have, in the modern era.",
    ),
    (
        405,
        INVALID_REQUEST,
        "An HTTP method other than POST and OPTIONS; there are no sessions to get or delete.",
    ),
    (
        406,
        INVALID_REQUEST,
        "An `Accept` that allows neither JSON nor an event stream.",
    ),
    (408, INVALID_REQUEST, "A body that did not arrive in time."),
    (413, INVALID_REQUEST, "A body larger than is accepted."),
    (
        415,
        INVALID_REQUEST,
        "A body that is not declared as `application/json`.",
    ),
    (
        503,
        INTERNAL_ERROR,
        "The server is stopping or has no place free; `Retry-After` says when to try again.",
    ),
];

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
        debug_assert!(
            REFUSALS
                .iter()
                .any(|refusal| (refusal.0, refusal.1) == (status.as_u16(), code)),
            "{status} with {code} is not among the refusals that are documented"
        );
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

    /// A prompt of that name does not exist.
    pub(in crate::server) fn unknown_prompt(name: &str) -> Self {
        Self::invalid_params(format!("Unknown prompt: {}", shortened(name)))
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

    /// There is no such task for this caller.
    pub(in crate::server) fn unknown_task(id: &str) -> Self {
        Self::invalid_params(format!(
            "there is no task {}: it expired, or belongs to somebody else",
            shortened(id)
        ))
    }

    /// The client cannot do what is needed.
    pub(in crate::server) fn missing_capability(capability: Capability) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            MISSING_CAPABILITY,
            format!("this needs a client that can {capability}"),
        )
        .with_data(json!({ "requiredCapabilities": capability.declaration() }))
    }

    /// What was asked for failed unexpectedly; the log knows why.
    pub(in crate::server) fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, INTERNAL_ERROR, message)
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_status_and_a_code_are_documented_once() {
        let pairs: BTreeSet<(u16, i32)> = REFUSALS
            .iter()
            .map(|(status, code, _)| (*status, *code))
            .collect();
        assert_eq!(pairs.len(), REFUSALS.len());
    }

    #[test]
    fn every_refusal_with_a_shape_of_its_own_is_documented() {
        // Making one that the table lacks fails in `RpcError::new`.
        let errors = [
            RpcError::parse("x"),
            RpcError::invalid_request("x"),
            RpcError::shutting_down(),
            RpcError::overloaded(),
            RpcError::method_not_found(Era::Legacy, "x"),
            RpcError::method_not_found(Era::Modern, "x"),
            RpcError::invalid_params("x"),
            RpcError::malformed_meta("x"),
            RpcError::unknown_tool("x", &["y"]),
            RpcError::unknown_resource(Era::Legacy, "x"),
            RpcError::unknown_resource(Era::Modern, "x"),
            RpcError::unknown_task("x"),
            RpcError::missing_capability(Capability::Sampling),
            RpcError::internal("x"),
            RpcError::header_mismatch("x"),
            RpcError::unsupported_version("x"),
            RpcError::unsupported_version_header("x"),
        ];
        let made: BTreeSet<(u16, i32)> = errors
            .iter()
            .map(|error| (error.status().as_u16(), error.code))
            .collect();
        // What is left are the refusals of the HTTP level, one a status.
        let left: Vec<u16> = REFUSALS
            .iter()
            .filter(|(status, code, _)| !made.contains(&(*status, *code)))
            .map(|(status, ..)| *status)
            .collect();
        assert_eq!(left, [401, 403, 405, 406, 408, 413, 415]);
    }
}
