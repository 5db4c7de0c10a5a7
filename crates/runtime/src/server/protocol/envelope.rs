//! The JSON-RPC envelope, read without copying.
//!
//! The values inside stay raw text until the method is known, so a message is scanned, not built, and the id goes
//! back exactly as it came.

use std::{borrow::Cow, collections::BTreeMap};

use periplus_toolset::{Answers, ClientCapabilities, JsonObject, PromptArguments};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, IgnoredAny},
};
use serde_json::{Value, error::Category, value::RawValue};

use super::{RpcError, TASKS_EXTENSION, distinct::Distinct};

/// One message of a client.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "it lives on the stack while one request is answered, and nearly all are requests"
)]
pub(in crate::server) enum Message<'a> {
    /// It wants an answer.
    Request(Request<'a>),
    /// It wants none; the method is all that is looked at.
    Notification { method: Cow<'a, str> },
    /// It answers a question that was put on the stream of a legacy call.
    Response(Response<'a>),
}

/// The answer to a request of ours.
#[derive(Debug)]
pub(in crate::server) struct Response<'a> {
    pub(in crate::server) id: Option<&'a str>,
    pub(in crate::server) outcome: Result<&'a RawValue, &'a RawValue>,
}

/// A request: what is asked, and the id to answer under.
#[derive(Debug)]
pub(in crate::server) struct Request<'a> {
    /// The id as it was written: a string or a number.
    pub(in crate::server) id: &'a str,
    pub(in crate::server) method: Cow<'a, str>,
    pub(in crate::server) params: Params<'a>,
}

/// Every parameter that a served method knows, as raw JSON; absent and `null` are the same.
#[derive(Debug, Default, Deserialize)]
pub(in crate::server) struct Params<'a> {
    #[serde(borrow, rename = "_meta")]
    raw_meta: Option<&'a RawValue>,
    #[serde(skip)]
    pub(in crate::server) meta: Option<Meta<'a>>,
    #[serde(borrow)]
    pub(in crate::server) name: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(in crate::server) arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(in crate::server) uri: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(in crate::server) cursor: Option<&'a RawValue>,
    #[serde(borrow, rename = "protocolVersion")]
    pub(in crate::server) protocol_version: Option<&'a RawValue>,
    #[serde(borrow, rename = "inputResponses")]
    input_responses: Option<&'a RawValue>,
    #[serde(borrow, rename = "requestState")]
    request_state: Option<&'a RawValue>,
    #[serde(borrow, rename = "taskId")]
    task_id: Option<&'a RawValue>,
    #[serde(borrow)]
    level: Option<&'a RawValue>,
    #[serde(borrow)]
    notifications: Option<&'a RawValue>,
    #[serde(borrow, rename = "ref")]
    reference: Option<&'a RawValue>,
    #[serde(borrow)]
    argument: Option<&'a RawValue>,
}

/// The keys of a request's `_meta` that mean something here.
#[derive(Debug, Default, Deserialize)]
pub(in crate::server) struct Meta<'a> {
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    pub(in crate::server) protocol_version: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities")]
    pub(in crate::server) client_capabilities: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/logLevel")]
    pub(in crate::server) log_level: Option<&'a RawValue>,
    #[serde(borrow, rename = "progressToken")]
    pub(in crate::server) progress_token: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(in crate::server) traceparent: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// Keeps `null` apart from an absent key, which `Option` alone does not.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl<'a> Message<'a> {
    /// Reads one message.
    ///
    /// # Errors
    /// The JSON-RPC error to answer with, and the id to answer under if the message had a usable one.
    pub(in crate::server) fn parse(body: &'a [u8]) -> Result<Self, (Option<&'a str>, RpcError)> {
        let text = std::str::from_utf8(body)
            .map_err(|error| (None, RpcError::parse(format!("the body is not UTF-8: {error}"))))?;
        if !text.trim_start().starts_with('{') {
            return Err((None, refuse_non_object(text)));
        }
        let envelope: Envelope<'a> = serde_json::from_str(text).map_err(|e| (None, refuse(&e)))?;
        let id = match envelope.id.map(RawValue::get) {
            None => None,
            Some(id) if is_id(id) => Some(id),
            Some(_) => {
                return Err((
                    None,
                    RpcError::invalid_request("`id` must be a string or a number"),
                ));
            }
        };
        envelope.classify(id).map_err(|error| (id, error))
    }
}

impl<'a> Envelope<'a> {
    fn classify(self, id: Option<&'a str>) -> Result<Message<'a>, RpcError> {
        if self.jsonrpc.and_then(text_of).as_deref() != Some("2.0") {
            return Err(RpcError::invalid_request("`jsonrpc` must be \"2.0\""));
        }
        let Some(method) = self.method else {
            let outcome = match (self.result, self.error) {
                (Some(result), None) => Ok(result),
                (None, Some(error)) => Err(error),
                _ => return Err(RpcError::invalid_request("`method` is missing")),
            };
            return Ok(Message::Response(Response { id, outcome }));
        };
        if self.result.is_some() || self.error.is_some() {
            return Err(RpcError::invalid_request(
                "a message has a `method` or a result, not both",
            ));
        }
        let method = text_of(method).ok_or_else(|| RpcError::invalid_request("`method` must be a string"))?;
        match id {
            None => Ok(Message::Notification { method }),
            Some(id) => Ok(Message::Request(Request {
                id,
                method,
                params: Params::parse(self.params)?,
            })),
        }
    }
}

impl<'a> Params<'a> {
    fn parse(params: Option<&'a RawValue>) -> Result<Self, RpcError> {
        let Some(params) = params else {
            return Ok(Self::default());
        };
        let mut params: Self = object(params, "params")?;
        params.meta = params
            .raw_meta
            .map(|meta| object(meta, "params._meta"))
            .transpose()?;
        Ok(params)
    }
}

/// Reads a raw value as an object; serde alone would take an array for the fields in order.
fn object<'a, T: Deserialize<'a>>(raw: &'a RawValue, name: &str) -> Result<T, RpcError> {
    if !raw.get().starts_with('{') {
        return Err(RpcError::malformed_meta(format!("`{name}` must be an object")));
    }
    serde_json::from_str(raw.get())
        .map_err(|error| RpcError::malformed_meta(format!("`{name}` cannot be read: {error}")))
}

/// Why a body that starts as an object is no envelope.
fn refuse(error: &serde_json::Error) -> RpcError {
    if error.classify() == Category::Data {
        RpcError::invalid_request(format!("the body is not a JSON-RPC message: {error}"))
    } else {
        RpcError::parse(format!("the body is not JSON: {error}"))
    }
}

fn refuse_non_object(text: &str) -> RpcError {
    match serde_json::from_str::<IgnoredAny>(text) {
        Err(error) => RpcError::parse(format!("the body is not JSON: {error}")),
        Ok(_) if text.trim_start().starts_with('[') => RpcError::invalid_request(
            "batches are not served: they were removed from the protocol in 2025-06-18; send one message a request",
        ),
        Ok(_) => RpcError::invalid_request("the body is not a JSON-RPC message: it must be an object"),
    }
}

fn is_id(raw: &str) -> bool {
    raw.starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit())
}

/// The string that a raw value is, if it is one.
pub(in crate::server) fn text_of(raw: &RawValue) -> Option<Cow<'_, str>> {
    /// Borrows where the text has no escapes.
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    raw.get().starts_with('"').then(|| {
        serde_json::from_str::<Text<'_>>(raw.get())
            .ok()
            .map(|text| text.0)
    })?
}

impl Params<'_> {
    /// The tool or prompt name.
    pub(in crate::server) fn name(&self) -> Option<Cow<'_, str>> {
        self.name.and_then(text_of)
    }

    /// The resource's URI.
    pub(in crate::server) fn uri(&self) -> Option<Cow<'_, str>> {
        self.uri.and_then(text_of)
    }

    /// The version that `initialize` asks for.
    pub(in crate::server) fn protocol_version(&self) -> Option<Cow<'_, str>> {
        self.protocol_version.and_then(text_of)
    }

    /// The task that a request is about.
    pub(in crate::server) fn task_id(&self) -> Option<Cow<'_, str>> {
        self.task_id.and_then(text_of)
    }

    /// The level from which on a legacy client wants log lines.
    pub(in crate::server) fn level(&self) -> Option<Cow<'_, str>> {
        self.level.and_then(text_of)
    }

    /// The state that came with the questions which this request answers.
    ///
    /// # Errors
    /// If it is no text.
    pub(in crate::server) fn request_state(&self) -> Result<Option<Cow<'_, str>>, RpcError> {
        self.request_state
            .map(|raw| {
                text_of(raw).ok_or_else(|| RpcError::invalid_params("`requestState` must be a string"))
            })
            .transpose()
    }

    /// The answers to questions, by their keys.
    ///
    /// # Errors
    /// If they are no object.
    pub(in crate::server) fn input_responses(&self) -> Result<Answers, RpcError> {
        read(self.input_responses, "inputResponses")
    }

    /// What a listener wants to hear about.
    ///
    /// # Errors
    /// If it is missing or no object of the known shape.
    pub(in crate::server) fn notifications<T: DeserializeOwned>(&self) -> Result<T, RpcError> {
        required(self.notifications, "notifications")
    }

    /// What a completion is for.
    ///
    /// # Errors
    /// If it is missing or no object of the known shape.
    pub(in crate::server) fn reference<T: DeserializeOwned>(&self) -> Result<T, RpcError> {
        required(self.reference, "ref")
    }

    /// The argument that is completed.
    ///
    /// # Errors
    /// If it is missing or no object of the known shape.
    pub(in crate::server) fn argument<T: DeserializeOwned>(&self) -> Result<T, RpcError> {
        required(self.argument, "argument")
    }

    /// The arguments of a call, empty if there are none.
    ///
    /// # Errors
    /// If they are not an object, or an object in them names a key twice.
    pub(in crate::server) fn arguments(&self) -> Result<JsonObject, RpcError> {
        let Some(raw) = self.arguments else {
            return Ok(JsonObject::new());
        };
        match parse::<Distinct>(raw, "arguments")? {
            Distinct(Value::Object(arguments)) => Ok(arguments),
            Distinct(_) => Err(RpcError::invalid_params("`arguments` must be an object")),
        }
    }

    /// The arguments of a prompt, empty if there are none.
    ///
    /// # Errors
    /// If they are not an object of texts.
    pub(in crate::server) fn prompt_arguments(&self) -> Result<PromptArguments, RpcError> {
        read(self.arguments, "arguments")
    }
}

/// An object that may be left out.
fn read<T: DeserializeOwned + Default>(raw: Option<&RawValue>, name: &str) -> Result<T, RpcError> {
    raw.map_or_else(|| Ok(T::default()), |raw| parse(raw, name))
}

fn required<T: DeserializeOwned>(raw: Option<&RawValue>, name: &str) -> Result<T, RpcError> {
    let raw = raw.ok_or_else(|| RpcError::invalid_params(format!("`{name}` is missing")))?;
    parse(raw, name)
}

fn parse<T: DeserializeOwned>(raw: &RawValue, name: &str) -> Result<T, RpcError> {
    // Without this, serde would take a list for the fields of a struct in order.
    if !raw.get().starts_with('{') {
        return Err(RpcError::invalid_params(format!("`{name}` must be an object")));
    }
    serde_json::from_str(raw.get())
        .map_err(|error| RpcError::invalid_params(format!("`{name}` cannot be read: {error}")))
}

impl Meta<'_> {
    /// What the client says it can do.
    pub(in crate::server) fn capabilities(&self) -> ClientCapabilities {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Declared {
            elicitation: Option<IgnoredAny>,
            sampling: Option<IgnoredAny>,
            roots: Option<IgnoredAny>,
            extensions: BTreeMap<String, IgnoredAny>,
        }
        let declared = self
            .client_capabilities
            .map(|raw| serde_json::from_str::<Declared>(raw.get()));
        // That it is an object at all has been checked; what is malformed inside declares nothing.
        let declared = declared.and_then(Result::ok).unwrap_or_default();
        ClientCapabilities {
            elicitation: declared.elicitation.is_some(),
            sampling: declared.sampling.is_some(),
            roots: declared.roots.is_some(),
            tasks: declared.extensions.contains_key(TASKS_EXTENSION),
        }
    }

    /// The level from which on the caller wants log lines.
    pub(in crate::server) fn log_level(&self) -> Option<Cow<'_, str>> {
        self.log_level.and_then(text_of)
    }

    /// The W3C trace id that the caller is part of.
    pub(in crate::server) fn trace_id(&self) -> Option<String> {
        let parent = self.traceparent.and_then(text_of)?;
        let id = parent.split('-').nth(1)?;
        (id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit())).then(|| id.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(body: &str) -> Request<'_> {
        match Message::parse(body.as_bytes()) {
            Ok(Message::Request(request)) => request,
            other => panic!("not a request: {other:?}"),
        }
    }

    fn code(body: &str) -> i64 {
        let (_, error) = Message::parse(body.as_bytes()).unwrap_err();
        serde_json::to_value(&error).unwrap()["code"].as_i64().unwrap()
    }

    #[test]
    fn an_id_is_kept_exactly_as_it_was_written() {
        for id in ["1", "-7", "\"a\\u00e9\"", "12345678901234567890123"] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            assert_eq!(request(&body).id, id);
        }
    }

    #[test]
    fn what_is_no_json_is_a_parse_error() {
        for body in ["", "{", "nonsense", "{\"jsonrpc\":\"2.0\",}", "{} trailing"] {
            assert_eq!(code(body), -32700, "{body}");
        }
        assert!(Message::parse(b"\xff\xfe").is_err());
    }

    #[test]
    fn what_is_json_but_no_message_is_an_invalid_request() {
        for body in [
            "[]",
            r#"["2.0",1,"ping",null,null,null]"#,
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            "3",
            "{}",
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
            r#"{"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","error":null}"#,
        ] {
            assert_eq!(code(body), -32600, "{body}");
        }
    }

    #[test]
    fn params_that_are_no_object_are_invalid_params_under_the_request_id() {
        let (id, _) =
            Message::parse(br#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":[1]}"#).unwrap_err();
        assert_eq!(id, Some("\"x\""));
        assert_eq!(
            code(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}"#),
            -32602
        );
        assert_eq!(
            code(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":[]}}"#),
            -32602
        );
    }

    #[test]
    fn a_trace_id_is_taken_from_a_well_formed_traceparent_only() {
        let with = |parent: &str| {
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"_meta":{{"traceparent":"{parent}"}}}}}}"#
            );
            request(&body).params.meta.and_then(|meta| meta.trace_id())
        };
        assert_eq!(
            with("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .unwrap()
                .len(),
            32
        );
        assert_eq!(with("00-secret-x-01"), None);
    }
}
