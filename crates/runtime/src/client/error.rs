//! Why a server gave no answer, told with its URL and the root cause.

use std::time::Duration;

use serde_json::Value;

/// Why a request to a server has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// No connection could be made.
    #[error("cannot connect to {url}: {reason}")]
    Unreachable {
        /// The URL that was asked.
        url: String,
        /// The root cause, such as a refused connection or an unknown host.
        reason: String,
    },
    /// The answer did not come in time.
    #[error("{url} did not answer within {} s", .limit.as_secs_f64())]
    Timeout {
        /// The URL that was asked.
        url: String,
        /// How long was waited.
        limit: Duration,
    },
    /// The connection broke while the answer was being read.
    #[error("the connection to {url} broke before the answer was complete: {reason}")]
    Interrupted {
        /// The URL that was asked.
        url: String,
        /// The root cause.
        reason: String,
    },
    /// The server points elsewhere; credentials are not carried to another origin.
    #[error("{url} redirects to {target}, which is another server; use that URL directly if you trust it")]
    Redirect {
        /// The URL that was asked.
        url: String,
        /// Where it points.
        target: String,
    },
    /// The server wants a credential that was not sent, or refuses the one that was.
    #[error("{url} asks for a credential (401): send it as a header, for example `Authorization: Bearer …`")]
    Unauthorized {
        /// The URL that was asked.
        url: String,
        /// The server's `WWW-Authenticate` header.
        challenge: Option<String>,
    },
    /// The server refuses this caller, its host name or its origin.
    #[error("{url} refuses the request (403): {detail}")]
    Forbidden {
        /// The URL that was asked.
        url: String,
        /// What the server said.
        detail: String,
    },
    /// The server is overloaded, starting or stopping.
    #[error("{url} is busy or not ready ({status}){}", wait(.retry_after))]
    Busy {
        /// The URL that was asked.
        url: String,
        /// 429 or 503.
        status: u16,
        /// Seconds after which the server wants to be asked again.
        retry_after: Option<u64>,
    },
    /// Any other HTTP status that is not an answer.
    #[error("{url} answered with status {status}: {detail}")]
    Status {
        /// The URL that was asked.
        url: String,
        /// The HTTP status.
        status: u16,
        /// The start of what the server said.
        detail: String,
    },
    /// The answer is larger than what is read.
    #[error("the answer of {url} is larger than {limit} bytes; ask for less")]
    TooLarge {
        /// The URL that was asked.
        url: String,
        /// The limit.
        limit: usize,
    },
    /// What answers is not an MCP server, or breaks the protocol.
    #[error("{url} does not answer as an MCP server: {reason}")]
    Protocol {
        /// The URL that was asked.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// The server answered with a protocol error.
    #[error("{server} answered {method} with error {code}: {message}")]
    Rpc {
        /// Name of the connection.
        server: String,
        /// The method that was asked.
        method: &'static str,
        /// The JSON-RPC error code.
        code: i64,
        /// The server's message.
        message: String,
        /// What the server added.
        data: Option<Box<Value>>,
    },
    /// A list that would not end.
    #[error("the list of tools of {server} does not end: {reason}")]
    EndlessList {
        /// Name of the connection.
        server: String,
        /// A repeated cursor, or too many pages.
        reason: String,
    },
    /// The tool asks its user something, which needs a client that can ask.
    #[error("tool {tool} asks for input from its user, which this client cannot give")]
    InputRequired {
        /// Name of the tool.
        tool: String,
    },
    /// A header that may not be given as a credential.
    #[error("header {name:?} cannot be sent: {reason}")]
    Header {
        /// The name as given.
        name: String,
        /// Why not.
        reason: &'static str,
    },
}

impl ClientError {
    /// No server was reached: another address, or a running server, would help.
    #[must_use]
    pub fn is_connection(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. } | Self::Timeout { .. } | Self::Interrupted { .. }
        )
    }
}

fn wait(seconds: &Option<u64>) -> String {
    seconds
        .map(|seconds| format!("; try again in {seconds} s"))
        .unwrap_or_default()
}
