//! What a tool may know about the call it serves: declared credentials, time, cancellation, and no more.

use std::{
    any::Any,
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use http::HeaderMap;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{
    Answers, Capability, ClientCapabilities, Line, MissingCredential, Questions, ToolError, caller::Caller,
};

/// Severity of a log notification (RFC 5424 names, as MCP uses them).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are RFC 5424's")]
pub enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

/// Something a running tool tells its caller before the result.
#[derive(Debug, Clone)]
pub enum Notification {
    /// How far the work has come; `progress` must grow.
    Progress {
        /// Amount done so far.
        progress: f64,
        /// The whole amount, if known.
        total: Option<f64>,
        /// A line for people.
        message: Option<String>,
    },
    /// A log line for the caller.
    Log {
        /// Its severity.
        level: LogLevel,
        /// Its content.
        data: Value,
    },
}

/// Where notifications go; the runtime turns them into events of the response stream.
pub trait NotificationSink: Send + Sync {
    /// Takes one notification without waiting; a sink that is full or closed drops it.
    fn send(&self, notification: Notification);
}

/// The call that a tool is serving.
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    request_id: String,
    declared: Vec<String>,
    headers: HeaderMap,
    deadline: Instant,
    cancellation: CancellationToken,
    sink: Option<Arc<dyn NotificationSink>>,
    state: Option<Arc<dyn Any + Send + Sync>>,
    caller: Caller,
}

impl Context {
    /// The value of a declared credential header.
    ///
    /// # Errors
    /// [`MissingCredential`] if the caller sent none, an empty one, or the toolset did not declare the header.
    pub fn credential(&self, header: &str) -> Result<&str, MissingCredential> {
        let name = header.to_ascii_lowercase();
        self.0
            .headers
            .get(&name)
            .and_then(|value| value.to_str().ok())
            .filter(|value| !value.trim().is_empty())
            .ok_or(MissingCredential { header: name })
    }

    /// The state the toolset was built with ([`Toolset::state`](crate::Toolset::state)).
    #[must_use]
    pub fn state<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.0
            .state
            .as_deref()
            .and_then(<dyn Any + Send + Sync>::downcast_ref)
    }

    /// Id of the request, as it stands in the log.
    #[must_use]
    pub fn request_id(&self) -> &str {
        &self.0.request_id
    }

    /// When the call is given up.
    #[must_use]
    pub fn deadline(&self) -> Instant {
        self.0.deadline
    }

    /// Fires when the caller is gone or the time is up; blocking work polls `is_cancelled` on it.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        &self.0.cancellation
    }

    /// Tells the caller how far the work has come; nothing happens if the caller did not ask.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        self.notify(Notification::Progress {
            progress,
            total,
            message: message.map(str::to_owned),
        });
    }

    /// Sends the caller a log line.
    pub fn log(&self, level: LogLevel, data: Value) {
        self.notify(Notification::Log { level, data });
    }

    /// What the caller's client says it can do; nothing of a legacy client, which says it once and not with each call.
    #[must_use]
    pub fn client(&self) -> ClientCapabilities {
        self.0.caller.capabilities
    }

    /// Insists on something that the client must be able to do.
    ///
    /// # Errors
    /// [`ToolError::MissingCapability`], which tells the client what to declare.
    pub fn require(&self, capability: Capability) -> Result<(), ToolError> {
        self.0.caller.require(capability)
    }

    /// Asks the caller, one [`Question`](crate::Question) or several together.
    ///
    /// Unless the call has become a task, the first time this fails with [`ToolError::InputRequired`], to be passed on
    /// with `?`: the client repeats the call with the answers, the tool runs again from its start, and `ask` returns.
    /// So ask before changing anything, and give every question of a tool a key of its own.
    ///
    /// # Errors
    /// Also [`ToolError::MissingCapability`] if the client cannot ask its user, and a structured `declined` if the
    /// user would rather not say.
    pub async fn ask<Q: Questions>(&self, questions: Q) -> Result<Q::Answers, ToolError> {
        self.0.caller.ask(&questions).await
    }

    /// Lets the caller go, which comes back for the result: what follows may take long.
    ///
    /// Only tools that are declared as tasks can, for clients that know tasks; for others nothing happens.
    pub async fn detach(&self) {
        if let Some(line) = &self.0.caller.line {
            line.detach().await;
        }
    }

    fn notify(&self, notification: Notification) {
        if let Some(sink) = &self.0.sink {
            sink.send(notification);
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Header values are secrets: only the declared names are shown.
        f.debug_struct("Context")
            .field("request_id", &self.0.request_id)
            .field("credential_headers", &self.0.declared)
            .finish_non_exhaustive()
    }
}

/// Builds the [`Context`] of one call; [`Toolset::context`](crate::Toolset::context) starts one.
pub struct ContextBuilder(Inner);

impl ContextBuilder {
    pub(crate) fn new(declared: Vec<String>, state: Option<Arc<dyn Any + Send + Sync>>) -> Self {
        Self(Inner {
            request_id: String::new(),
            declared,
            headers: HeaderMap::new(),
            deadline: Instant::now() + Duration::from_secs(60),
            cancellation: CancellationToken::new(),
            sink: None,
            state,
            caller: Caller::default(),
        })
    }

    /// The id under which the request is logged.
    #[must_use]
    pub fn request_id(mut self, id: impl Into<String>) -> Self {
        self.0.request_id = id.into();
        self
    }

    /// The caller's headers; all but the declared credential headers are dropped here.
    #[must_use]
    pub fn headers(mut self, headers: &HeaderMap) -> Self {
        for name in &self.0.declared {
            if let Some((name, value)) = http::HeaderName::try_from(name.as_str())
                .ok()
                .zip(headers.get(name))
            {
                self.0.headers.insert(name, value.clone());
            }
        }
        self
    }

    /// When the call is given up.
    #[must_use]
    pub fn deadline(mut self, deadline: Instant) -> Self {
        self.0.deadline = deadline;
        self
    }

    /// What ends the call early.
    #[must_use]
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.0.cancellation = token;
        self
    }

    /// Where progress and log lines go.
    #[must_use]
    pub fn sink(mut self, sink: Arc<dyn NotificationSink>) -> Self {
        self.0.sink = Some(sink);
        self
    }

    /// What the caller's client can do.
    #[must_use]
    pub fn client(mut self, capabilities: ClientCapabilities) -> Self {
        self.0.caller.capabilities = capabilities;
        self
    }

    /// Answers to questions of earlier rounds, and to those of the last.
    #[must_use]
    pub fn answers(mut self, answers: Answers) -> Self {
        self.0.caller.answers = answers;
        self
    }

    /// A line to the caller that stays open while the call runs.
    #[must_use]
    pub fn line(mut self, line: Arc<dyn Line>) -> Self {
        self.0.caller.line = Some(line);
        self
    }

    /// The finished context.
    #[must_use]
    pub fn build(self) -> Context {
        Context(Arc::new(self.0))
    }
}

impl fmt::Debug for ContextBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContextBuilder")
            .field("credential_headers", &self.0.declared)
            .finish_non_exhaustive()
    }
}
