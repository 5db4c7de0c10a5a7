//! One MCP endpoint: listing its tools, calling them.

use std::{
    collections::{HashMap, HashSet},
    sync::atomic::{AtomicBool, AtomicI64, Ordering},
};

use ::http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde_json::{Map, Value, json, value::RawValue};
use tokio::sync::Mutex;
use tracing::warn;
use url::Url;

use super::{
    Answers, CallOutcome, CallResult, Client, ClientError, Credentials, DeclaredHeaders, RemoteTool,
    http::Answer,
    params,
    respond::{Hearing, MAX_ROUNDS},
    rpc::{Reply, Request, RpcError},
    session::{self, Era, Session},
    stream::{Expecting, hear_all},
};

/// An MCP endpoint with what it declares.
#[derive(Debug)]
pub struct Connection {
    pub(super) client: Client,
    name: String,
    pub(super) url: Url,
    headers: DeclaredHeaders,
    /// The server answered 401 once: from then on it gets `Authorization`, if the user gave one.
    challenged: AtomicBool,
    pub(super) sessions: Mutex<HashMap<Credentials, Session>>,
    pub(super) next_id: AtomicI64,
}

/// One request, before it is put in the form of an era.
struct Ask<'a> {
    method: &'static str,
    /// What `Mcp-Name` repeats.
    name: Option<&'a str>,
    params: Value,
    headers: HeaderMap,
}

impl Connection {
    pub(super) fn new(client: Client, name: &str, url: &Url, headers: DeclaredHeaders) -> Self {
        Self {
            client,
            name: name.to_owned(),
            url: url.clone(),
            headers,
            challenged: AtomicBool::new(false),
            sessions: Mutex::default(),
            next_id: AtomicI64::new(1),
        }
    }

    /// Its name in the directory; `server` for an endpoint that was addressed directly.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The endpoint.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Which credential headers it declares.
    #[must_use]
    pub fn declared_headers(&self) -> &DeclaredHeaders {
        &self.headers
    }

    /// The name under which the server introduces itself, such as `mcp-hello`.
    ///
    /// # Errors
    /// [`ClientError`] if the server cannot be reached or speaks no revision that is spoken here.
    pub async fn server_name(&self, credentials: &Credentials) -> Result<Option<String>, ClientError> {
        Ok(self.session(credentials).await?.server)
    }

    /// All tools of the server, over all pages. A tool that breaks the protocol's rules is left out with a warning.
    ///
    /// # Errors
    /// [`ClientError`], also for a list that repeats a cursor or has too many pages.
    pub async fn list_tools(&self, credentials: &Credentials) -> Result<Vec<RemoteTool>, ClientError> {
        let mut tools = Vec::new();
        let mut cursor: Option<String> = None;
        let mut seen = HashSet::new();
        for _ in 0..self.client.options().max_pages {
            let page = self.tools_page(cursor.as_deref(), credentials).await?;
            tools.extend(page.tools.into_iter().filter(|tool| self.is_usable(tool)));
            match page.next_cursor {
                None => return Ok(tools),
                Some(next) if seen.insert(next.clone()) => cursor = Some(next),
                // Some servers mark their last page with an empty cursor, which leads back to the start.
                Some(next) if next.is_empty() => return Ok(tools),
                Some(next) => return Err(self.endless(format!("cursor {next:?} came back"))),
            }
        }
        Err(self.endless(format!(
            "it has more than {} pages",
            self.client.options().max_pages
        )))
    }

    /// Calls a tool, and answers what it asks if the client has a [`Responder`](super::Responder). A tool's own error is
    /// a result with `is_error`.
    ///
    /// # Errors
    /// [`ClientError`] if there is no result: no server, a protocol error, or a tool that asks its user something.
    pub async fn call_tool(
        &self,
        tool: &RemoteTool,
        arguments: &Map<String, Value>,
        credentials: &Credentials,
    ) -> Result<CallResult, ClientError> {
        let mut answers = None;
        for _ in 0..MAX_ROUNDS {
            match self.call(tool, arguments, answers.as_ref(), credentials).await? {
                CallOutcome::Complete(result) => return Ok(result),
                CallOutcome::InputRequired(questions) => {
                    answers = Some(self.respond(tool, &questions).await?)
                }
            }
        }
        Err(self.protocol(format!("it asked {MAX_ROUNDS} times and gave no result")))
    }

    /// Calls a tool that may ask something first; `answers` are those to the questions that this very call ended with
    /// the last time.
    ///
    /// # Errors
    /// [`ClientError`] if there is neither a result nor a question: no server, or a protocol error.
    pub async fn call(
        &self,
        tool: &RemoteTool,
        arguments: &Map<String, Value>,
        answers: Option<&Answers>,
        credentials: &Credentials,
    ) -> Result<CallOutcome, ClientError> {
        let schema: Value = serde_json::from_str(tool.input_schema.get()).unwrap_or_default();
        let headers = params::headers(&schema, arguments).map_err(|reason| self.protocol(reason))?;
        let mut params = json!({ "name": tool.name, "arguments": arguments });
        if let Some(answers) = answers {
            answers.add_to(&mut params);
        }
        let ask = Ask {
            method: "tools/call",
            name: Some(&tool.name),
            params,
            headers,
        };
        let result = self.request(&ask, credentials).await?;
        let raw: Value = parse(&result).map_err(|reason| self.protocol(reason))?;
        match raw.get("resultType").and_then(Value::as_str) {
            None | Some("complete") => Ok(CallOutcome::Complete(CallResult::from_raw(raw))),
            Some("input_required") => serde_json::from_value(raw)
                .map(CallOutcome::InputRequired)
                .map_err(|error| self.protocol(format!("its questions cannot be read ({error})"))),
            Some(other) => Err(self.protocol(format!("result type {other:?} is not known"))),
        }
    }

    /// Reads a resource of the server, such as a view; the result as the server sent it.
    ///
    /// # Errors
    /// [`ClientError`] if the server has no such resource or gives no answer.
    pub async fn read_resource(&self, uri: &str, credentials: &Credentials) -> Result<Value, ClientError> {
        let ask = Ask {
            method: "resources/read",
            name: Some(uri),
            params: json!({ "uri": uri }),
            headers: HeaderMap::new(),
        };
        let result = self.request(&ask, credentials).await?;
        parse(&result).map_err(|reason| self.protocol(reason))
    }

    /// Ends the sessions that the server keeps for this connection.
    pub async fn close(&self) {
        for (credentials, session) in std::mem::take(&mut *self.sessions.lock().await) {
            if session.id.is_some() {
                let mut headers = session.headers("", None);
                headers.extend(
                    credentials.for_connection(&self.headers, self.challenged.load(Ordering::Relaxed)),
                );
                self.client.http().delete(&self.url, headers).await;
            }
        }
    }

    async fn tools_page(
        &self,
        cursor: Option<&str>,
        credentials: &Credentials,
    ) -> Result<ToolsPage, ClientError> {
        let params = cursor.map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
        let ask = Ask {
            method: "tools/list",
            name: None,
            params,
            headers: HeaderMap::new(),
        };
        let result = self.request(&ask, credentials).await?;
        parse(&result).map_err(|reason| self.protocol(reason))
    }

    fn is_usable(&self, tool: &RemoteTool) -> bool {
        let schema: Value = serde_json::from_str(tool.input_schema.get()).unwrap_or_default();
        match params::annotations(&schema) {
            Ok(_) => true,
            Err(reason) => {
                warn!(server = %self.name, tool = %tool.name, reason, "leaving out a tool that cannot be called");
                false
            }
        }
    }

    /// Sends a request; once more if the server turns out to speak another era than it did before.
    async fn request(&self, ask: &Ask<'_>, credentials: &Credentials) -> Result<Box<RawValue>, ClientError> {
        let (session, is_fresh) = self.known_session(credentials).await?;
        match self.attempt(ask, &session, credentials).await {
            Err(error) if !is_fresh && session::is_stale(&session, &error) => {
                self.forget(credentials).await;
                let session = self.session(credentials).await?;
                self.attempt(ask, &session, credentials).await
            }
            outcome => outcome,
        }
    }

    async fn attempt(
        &self,
        ask: &Ask<'_>,
        session: &Session,
        credentials: &Credentials,
    ) -> Result<Box<RawValue>, ClientError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let params = session.params(ask.params.clone(), self.client.options());
        let mut headers = session.headers(ask.method, ask.name);
        if session.era == Era::Modern {
            headers.extend(ask.headers.clone());
        }
        let body = Request::new(Some(id), ask.method, &params).to_bytes();
        let hearing = Hearing {
            connection: self,
            session,
            credentials,
        };
        let expecting = Expecting {
            id,
            listener: Some(&hearing),
        };
        let answer = match self.open_stream(ask, session, credentials).await {
            None => self.post(headers, body, Some(expecting), credentials).await?,
            Some(stream) => tokio::select! {
                answer = self.post(headers, body, Some(expecting), credentials) => answer?,
                never = hear_all(stream, &hearing, self.client.options().max_response_bytes) => match never {},
            },
        };
        match self.reply(&answer, id)? {
            Ok(result) => Ok(result),
            Err(error) => Err(self.rpc_error(ask.method, error)),
        }
    }

    /// Where a legacy server with sessions may ask while a tool runs, if there is somebody to answer.
    async fn open_stream(
        &self,
        ask: &Ask<'_>,
        session: &Session,
        credentials: &Credentials,
    ) -> Option<reqwest::Response> {
        let options = self.client.options();
        session.id.as_ref()?;
        options
            .responder
            .as_ref()
            .filter(|_| ask.method == "tools/call")?;
        let mut headers = session.headers("", None);
        headers.extend(credentials.for_connection(&self.headers, self.challenged.load(Ordering::Relaxed)));
        self.client.http().open_stream(&self.url, headers).await
    }

    /// Posts a message with the credentials this server may see; `Authorization` only once it has asked for it.
    pub(super) async fn post(
        &self,
        headers: HeaderMap,
        body: Vec<u8>,
        expecting: Option<Expecting<'_>>,
        credentials: &Credentials,
    ) -> Result<Answer, ClientError> {
        let was_challenged = self.challenged.load(Ordering::Relaxed);
        let shown = credentials.for_connection(&self.headers, was_challenged);
        let with = |shown: &HeaderMap| {
            let mut all = headers.clone();
            all.extend(shown.clone());
            all
        };
        let answer = self
            .client
            .http()
            .post(&self.url, with(&shown), body.clone(), expecting)
            .await?;
        let on_challenge = credentials.for_connection(&self.headers, true);
        if answer.status == StatusCode::UNAUTHORIZED && on_challenge.len() > shown.len() {
            self.challenged.store(true, Ordering::Relaxed);
            return self
                .client
                .http()
                .post(&self.url, with(&on_challenge), body, expecting)
                .await;
        }
        Ok(answer)
    }

    /// Reads an answer: a result, a JSON-RPC error, or an HTTP refusal.
    pub(super) fn reply(
        &self,
        answer: &Answer,
        id: i64,
    ) -> Result<Result<Box<RawValue>, RpcError>, ClientError> {
        let is_gate = matches!(answer.status.as_u16(), 401 | 403 | 429 | 503);
        match Reply::parse(&answer.body, id) {
            Ok(reply) if !is_gate => match (reply.result, reply.error) {
                (_, Some(error)) => Ok(Err(error)),
                (Some(result), None) if answer.status.is_success() => Ok(Ok(result.to_owned())),
                _ => Err(self.refusal(answer)),
            },
            Err(reason) if answer.status.is_success() => Err(self.protocol(reason)),
            Ok(_) | Err(_) => Err(self.refusal(answer)),
        }
    }

    pub(super) fn refusal(&self, answer: &Answer) -> ClientError {
        let url = self.url.to_string();
        match answer.status.as_u16() {
            401 => ClientError::Unauthorized {
                url,
                challenge: answer.header("www-authenticate").map(str::to_owned),
            },
            403 => ClientError::Forbidden {
                url,
                detail: said(answer),
            },
            status @ (429 | 503) => {
                let retry_after = answer
                    .header("retry-after")
                    .and_then(|seconds| seconds.parse().ok());
                ClientError::Busy {
                    url,
                    status,
                    retry_after,
                }
            }
            status => ClientError::Status {
                url,
                status,
                detail: said(answer),
            },
        }
    }

    pub(super) fn rpc_error(&self, method: &'static str, error: RpcError) -> ClientError {
        let RpcError { code, message, data } = error;
        ClientError::Rpc {
            server: self.name.clone(),
            method,
            code,
            message,
            data,
        }
    }

    pub(super) fn protocol(&self, reason: String) -> ClientError {
        ClientError::Protocol {
            url: self.url.to_string(),
            reason,
        }
    }

    fn endless(&self, reason: String) -> ClientError {
        ClientError::EndlessList {
            server: self.name.clone(),
            reason,
        }
    }
}

/// What the server said: the message of a JSON-RPC error, the detail of another one, else the start of the page.
fn said(answer: &Answer) -> String {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Refusal {
        Rpc { error: RpcError },
        Other { detail: String },
    }
    match serde_json::from_slice(&answer.body) {
        Ok(Refusal::Rpc { error }) if !error.message.is_empty() => error.message,
        Ok(Refusal::Other { detail }) if !detail.is_empty() => detail,
        _ => answer.excerpt(),
    }
}

pub(super) fn parse<'a, T: Deserialize<'a>>(result: &'a RawValue) -> Result<T, String> {
    serde_json::from_str(result.get())
        .map_err(|error| format!("its answer has an unexpected shape ({error})"))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolsPage {
    tools: Vec<RemoteTool>,
    next_cursor: Option<String>,
}
