//! JSON-RPC 2.0 messages, as far as a caller needs them.

use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

/// A request, or a notification when it has no id.
#[derive(Debug, Serialize)]
pub(super) struct Request<'a> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i64>,
    method: &'a str,
    params: &'a Value,
}

impl<'a> Request<'a> {
    pub(super) fn new(id: Option<i64>, method: &'a str, params: &'a Value) -> Self {
        Self {
            jsonrpc: "2.0",
            id,
            method,
            params,
        }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a request of JSON values serialises")
    }
}

/// The answer to a request.
#[derive(Debug, Deserialize)]
pub(super) struct Reply<'a> {
    #[serde(borrow)]
    pub(super) result: Option<&'a RawValue>,
    pub(super) error: Option<RpcError>,
    id: Option<Value>,
}

/// The error of an answer.
#[derive(Debug, Deserialize)]
pub(super) struct RpcError {
    pub(super) code: i64,
    #[serde(default)]
    pub(super) message: String,
    pub(super) data: Option<Box<Value>>,
}

impl<'a> Reply<'a> {
    /// Reads an answer to the request `id`. An error without an id counts: the server could not read the request.
    pub(super) fn parse(body: &'a [u8], id: i64) -> Result<Self, String> {
        let reply: Self =
            serde_json::from_slice(body).map_err(|error| format!("the answer is not JSON-RPC ({error})"))?;
        let answers = match &reply.id {
            Some(Value::Null) | None => reply.error.is_some(),
            Some(given) => given.as_i64() == Some(id),
        };
        match (answers, reply.result.is_some() || reply.error.is_some()) {
            (true, true) => Ok(reply),
            (true, false) => Err("the answer holds neither a result nor an error".to_owned()),
            (false, _) => Err("the answer is to another request".to_owned()),
        }
    }
}

/// Whether a message of a stream is the answer to `id`, rather than a notification or a request of the server's.
pub(super) fn answers(message: &[u8], id: i64) -> bool {
    Reply::parse(message, id).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_known_by_its_id() {
        assert!(answers(br#"{"jsonrpc":"2.0","id":7,"result":{}}"#, 7));
        assert!(answers(
            br#"{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"m"}}"#,
            7
        ));
        assert!(answers(
            br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#,
            7
        ));
        assert!(!answers(br#"{"jsonrpc":"2.0","id":8,"result":{}}"#, 7));
        assert!(!answers(
            br#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#,
            7
        ));
        assert!(!answers(br#"{"jsonrpc":"2.0","id":7}"#, 7));
        assert!(!answers(b"not json", 7));
    }
}
