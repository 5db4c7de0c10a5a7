//! One server made of several: which toolset answers a request, and under which names.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::Arc,
};

use axum::response::Response;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt as _;
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::{Endpoint, headers, is_event_stream, merge::merge};
use crate::server::{
    handler,
    http::{Accepts, json as json_response, rpc_error},
    protocol::{Message, Request, Response as Reply, RpcError},
    published::SERVER_INFO_KEY,
};

/// Methods whose answer is what all toolsets answer together.
const ASKED_OF_ALL: [&str; 6] = [
    "initialize",
    "server/discover",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
];

/// Methods that answer from the request alone, so that any toolset will do.
const ASKED_OF_ANY: [&str; 3] = ["ping", "logging/setLevel", "subscriptions/listen"];

/// A message whose values stay as they were written.
type RawObject = BTreeMap<String, Box<RawValue>>;

/// All toolsets behind one pair of pipes.
pub(super) struct Front {
    endpoints: Vec<Arc<Endpoint>>,
    credentials: HeaderMap,
    /// Which toolset has a tool, and its name there, by the name that the client sees.
    tools: HashMap<String, (usize, String)>,
}

impl Front {
    pub(super) fn new(endpoints: Vec<Arc<Endpoint>>, credentials: HeaderMap) -> Self {
        let mut tools = HashMap::new();
        for (index, endpoint) in endpoints.iter().enumerate() {
            for tool in endpoint.toolset.tools() {
                let name = &*tool.declaration().name;
                tools.insert(exposed(&endpoints, index, name), (index, name.to_owned()));
            }
        }
        Self {
            endpoints,
            credentials,
            tools,
        }
    }

    /// Answers a line that is a request.
    pub(super) async fn answer(&self, line: &[u8]) -> Response {
        let request = match Message::parse(line) {
            Ok(Message::Request(request)) => request,
            Ok(Message::Notification { .. } | Message::Response(_)) => return Response::default(),
            Err((id, error)) => return rpc_error(id, &error),
        };
        if let [only] = self.endpoints.as_slice() {
            return self.ask(only, &request, line).await;
        }
        match request.method.as_ref() {
            "tools/call" => self.call(&request, line).await,
            method if ASKED_OF_ALL.contains(&method) => self.ask_all(&request, line).await,
            method if ASKED_OF_ANY.contains(&method) => self.ask(&self.endpoints[0], &request, line).await,
            _ => self.ask_in_turn(&request, line).await,
        }
    }

    /// Hands the client's answer to the call that asked, whichever toolset it is of.
    pub(super) fn deliver(&self, reply: &Reply<'_>) {
        for endpoint in &self.endpoints {
            endpoint.dialogues.deliver(reply);
        }
    }

    /// What one toolset answers.
    async fn ask(&self, endpoint: &Arc<Endpoint>, request: &Request<'_>, line: &[u8]) -> Response {
        let Ok(permit) = Arc::clone(&endpoint.shared.admission).try_acquire_owned() else {
            return rpc_error(Some(request.id), &RpcError::overloaded());
        };
        let headers = headers::derive(request, endpoint, &self.credentials);
        let request_id = endpoint.shared.request_ids.id(&headers);
        let accepts = Accepts {
            json: true,
            events: true,
        };
        handler::answer(endpoint, headers, line, accepts, &request_id, permit).await
    }

    async fn call(&self, request: &Request<'_>, line: &[u8]) -> Response {
        let Some(name) = request.params.name() else {
            return self.ask(&self.endpoints[0], request, line).await;
        };
        let Some((index, own)) = self.tools.get(name.as_ref()) else {
            let near = self.near(&name);
            let near: Vec<&str> = near.iter().map(String::as_str).collect();
            return rpc_error(Some(request.id), &RpcError::unknown_tool(&name, &near));
        };
        let endpoint = &self.endpoints[*index];
        if name == *own {
            return self.ask(endpoint, request, line).await;
        }
        let renamed = renamed(line, own).map_err(|error| RpcError::invalid_request(error.to_string()));
        let renamed = match renamed {
            Ok(line) => line,
            Err(error) => return rpc_error(Some(request.id), &error),
        };
        match Message::parse(&renamed) {
            Ok(Message::Request(request)) => self.ask(endpoint, &request, &renamed).await,
            Ok(_) => Response::default(),
            Err((id, error)) => rpc_error(id, &error),
        }
    }

    /// One answer of all toolsets; the first error if one of them refuses.
    async fn ask_all(&self, request: &Request<'_>, line: &[u8]) -> Response {
        let mut whole: Option<Value> = None;
        for (index, endpoint) in self.endpoints.iter().enumerate() {
            let response = self.ask(endpoint, request, line).await;
            let (status, mut result) = match result_of(response).await {
                Ok(result) => result,
                Err(refusal) => return refusal,
            };
            debug_assert_eq!(status, StatusCode::OK, "a result is always sent with 200");
            self.rename(index, &mut result);
            match &mut whole {
                None => whole = Some(result),
                Some(whole) => merge(whole, result),
            }
        }
        let mut result = whole.unwrap_or_default();
        introduce(&mut result);
        let body = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request.id);
        json_response(StatusCode::OK, body)
    }

    /// The answer of the first toolset that has what is asked for, such as a resource.
    async fn ask_in_turn(&self, request: &Request<'_>, line: &[u8]) -> Response {
        let mut refusal = None;
        for endpoint in &self.endpoints {
            let response = self.ask(endpoint, request, line).await;
            if is_event_stream(&response) {
                return response;
            }
            let (parts, body) = response.into_parts();
            let body = body
                .collect()
                .await
                .map(http_body_util::Collected::to_bytes)
                .unwrap_or_default();
            let is_error =
                serde_json::from_slice::<RawObject>(&body).is_ok_and(|answer| answer.contains_key("error"));
            let response = Response::from_parts(parts, body.into());
            if !is_error {
                return response;
            }
            refusal.get_or_insert(response);
        }
        refusal.unwrap_or_default()
    }

    /// Puts the names that the client sees into a list of tools.
    fn rename(&self, index: usize, result: &mut Value) {
        let tools = result.get_mut("tools").and_then(Value::as_array_mut);
        for tool in tools.into_iter().flatten() {
            if let Some(name) = tool.get("name").and_then(Value::as_str) {
                tool["name"] = exposed(&self.endpoints, index, name).into();
            }
        }
    }

    /// Names that may have been meant, qualified where they must be.
    fn near(&self, name: &str) -> Vec<String> {
        let near = |(index, endpoint): (usize, &Arc<Endpoint>)| {
            let names = endpoint.near(name).into_iter();
            names
                .map(|name| exposed(&self.endpoints, index, name))
                .collect::<Vec<_>>()
        };
        self.endpoints.iter().enumerate().flat_map(near).collect()
    }
}

impl fmt::Debug for Front {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let toolsets: Vec<&str> = self.endpoints.iter().map(|endpoint| endpoint.name()).collect();
        f.debug_struct("Front")
            .field("toolsets", &toolsets)
            .finish_non_exhaustive()
    }
}

/// The name under which a client sees a tool: its own, unless several toolsets have a tool of that name.
fn exposed(endpoints: &[Arc<Endpoint>], index: usize, name: &str) -> String {
    let owners = endpoints.iter().filter(|endpoint| endpoint.find(name).is_some());
    match endpoints.get(index) {
        Some(endpoint) if owners.count() > 1 => format!("{}__{name}", endpoint.name()),
        _ => name.to_owned(),
    }
}

/// The same call under another tool name, with everything else as it was written.
fn renamed(line: &[u8], name: &str) -> serde_json::Result<Vec<u8>> {
    let mut message: RawObject = serde_json::from_slice(line)?;
    let mut params: RawObject = match message.get("params") {
        Some(params) => serde_json::from_str(params.get())?,
        None => RawObject::new(),
    };
    params.insert("name".to_owned(), serde_json::value::to_raw_value(name)?);
    message.insert("params".to_owned(), serde_json::value::to_raw_value(&params)?);
    serde_json::to_vec(&message)
}

/// The result that a response carries, or the response if it carries none.
async fn result_of(response: Response) -> Result<(StatusCode, Value), Response> {
    #[derive(Deserialize)]
    struct Answer {
        result: Value,
    }
    let (parts, body) = response.into_parts();
    let body = body
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes)
        .unwrap_or_default();
    match serde_json::from_slice::<Answer>(&body) {
        Ok(answer) => Ok((parts.status, answer.result)),
        Err(_) => Err(Response::from_parts(parts, body.into())),
    }
}

/// The server that all toolsets are together has a name of its own.
fn introduce(result: &mut Value) {
    let info = json!({ "name": "periplus", "version": env!("CARGO_PKG_VERSION") });
    if result.get("serverInfo").is_some() {
        result["serverInfo"] = info;
    } else if result
        .pointer("/_meta")
        .and_then(|meta| meta.get(SERVER_INFO_KEY))
        .is_some()
    {
        result["_meta"][SERVER_INFO_KEY] = info;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renamed_call_keeps_everything_else_as_it_was_written() {
        let line = br#"{"jsonrpc":"2.0","id":12345678901234567890123,"method":"tools/call",
            "params":{"name":"a__clip","arguments":{"x":1.00,"y":"\u00e9"}}}"#;
        let renamed = String::from_utf8(renamed(line, "clip").unwrap()).unwrap();
        for part in [
            r#""id":12345678901234567890123"#,
            r#"{"x":1.00,"y":"\u00e9"}"#,
            r#""name":"clip""#,
        ] {
            assert!(renamed.contains(part), "{renamed}");
        }
    }
}
