//! One tool call: a place, a deadline, the tool, and an answer whatever the tool does.

use std::{
    any::Any,
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::FutureExt as _;
use http::HeaderMap;
use periplus_toolset::{Context, Failure, JsonObject, Line, NotificationSink, Output};
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;
use tracing::{Instrument as _, field::Empty};

use super::{
    ServerLimits, content,
    endpoint::{Endpoint, Served},
    protocol::{Era, RpcError},
    round::Round,
    telemetry::{self, Outcome},
};

/// A call with all it needs, so that it can outlive the request's handler inside a response stream.
pub(super) struct Call {
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) served: Arc<Served>,
    pub(super) arguments: JsonObject,
    pub(super) era: Era,
    /// The request's headers; the tool sees of them what its toolset declared.
    pub(super) headers: HeaderMap,
    pub(super) request_id: String,
    pub(super) trace_id: Option<String>,
    pub(super) sink: Option<Arc<dyn NotificationSink>>,
    pub(super) round: Round,
    /// The line to the caller, if there is one while the call runs.
    pub(super) line: Option<Arc<dyn Line>>,
    /// Whether the call may become a task, which may take longer.
    pub(super) is_detachable: bool,
    /// The request's place in the server, given back when the call ends.
    pub(super) permit: Option<OwnedSemaphorePermit>,
}

/// How a call ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// With the JSON text of a result.
    Result(String),
    /// Without one.
    Refused(RpcError),
    /// By a fault of the tool: with an error result, which for a task is no result.
    Broken { result: String, incident: String },
}

impl Ended {
    /// What the caller of a tool gets.
    pub(super) fn into_answer(self) -> Result<String, RpcError> {
        match self {
            Self::Result(result) | Self::Broken { result, .. } => Ok(result),
            Self::Refused(error) => Err(error),
        }
    }

    /// What a task ends with.
    pub(super) fn into_task_end(self) -> Result<String, RpcError> {
        match self {
            Self::Result(result) => Ok(result),
            Self::Refused(error) => Err(error),
            Self::Broken { incident, .. } => Err(RpcError::internal(format!(
                "internal error in the tool; the server's log has the cause under incident {incident}"
            ))),
        }
    }
}

impl Call {
    /// Runs the tool.
    ///
    /// Dropping the future ends the call: the tool's cancellation token fires and its place is free.
    pub(super) async fn run(mut self) -> Ended {
        let span = tracing::info_span!(
            "call",
            { telemetry::REQUEST_ID } = self.request_id,
            { telemetry::TOOLSET } = self.endpoint.name(),
            { telemetry::TOOL } = self.served.name(),
            { telemetry::TRACE_ID } = self.trace_id,
            { telemetry::OUTCOME } = Empty,
            { telemetry::MILLISECONDS } = Empty,
        );
        let endpoint = Arc::clone(&self.endpoint);
        let served = Arc::clone(&self.served);
        let mut record = Record::new(&endpoint, &served, span.clone());
        let stop = endpoint.shared.stop.clone();
        let outcome = tokio::select! {
            biased;
            outcome = self.execute().instrument(span) => outcome,
            () = stop.cancelled() => {
                record.outcome = Outcome::Stopped;
                return Ended::Refused(RpcError::shutting_down());
            }
        };
        match outcome {
            Ok(output) => {
                record.outcome = Outcome::Ok;
                Ended::Result(success(&output, self.era, &endpoint))
            }
            Err(failure) => {
                record.outcome = Outcome::from(&failure);
                record.explain(&failure);
                self.failed(failure)
            }
        }
    }

    /// What a failure is to the caller.
    fn failed(&self, failure: Failure) -> Ended {
        let endpoint = &*self.endpoint;
        let result = |failure: &Failure| {
            error(
                &endpoint.toolset.describe_failure(self.served.name(), failure),
                self.era,
                endpoint,
            )
        };
        match failure {
            Failure::InputRequired(asked) if self.era == Era::Modern => match self.round.ask(endpoint, asked)
            {
                Ok(questions) => Ended::Result(questions),
                Err(error) => Ended::Refused(error),
            },
            Failure::MissingCapability(capability) if self.era == Era::Modern => {
                Ended::Refused(RpcError::missing_capability(capability))
            }
            Failure::Internal { ref incident, .. } => Ended::Broken {
                result: result(&failure),
                incident: incident.clone(),
            },
            failure => Ended::Result(result(&failure)),
        }
    }

    /// Runs the tool within its limits.
    async fn execute(&mut self) -> Result<Output, Failure> {
        let (endpoint, served) = (&*self.endpoint, &*self.served);
        let limits = &served.tool.declaration().limits;
        let server = &endpoint.shared.limits;
        let longest = if self.is_detachable {
            server.task_timeout
        } else {
            server.request_timeout
        };
        let timeout = limits.timeout.min(longest);
        let _place = match endpoint.gate(&served.tool) {
            Some(gate) => Some(gate.enter(timeout).await?),
            None => None,
        };
        let cancellation = endpoint.shared.stop.child_token();
        let _cancel_when_dropped = cancellation.clone().drop_guard();
        let cx = endpoint
            .toolset
            .context()
            .headers(&self.headers)
            .request_id(&*self.request_id)
            .deadline(Instant::now() + timeout)
            .cancellation(cancellation);
        let mut cx = self.round.inform(cx);
        if let Some(sink) = self.sink.take() {
            cx = cx.sink(sink);
        }
        if let Some(line) = self.line.take() {
            cx = cx.line(line);
        }
        run_bounded(
            served,
            std::mem::take(&mut self.arguments),
            &cx.build(),
            timeout,
            server,
        )
        .await
    }
}

/// Runs the tool, whatever it does, and measures what it returns.
async fn run_bounded(
    served: &Served,
    arguments: JsonObject,
    cx: &Context,
    timeout: Duration,
    server: &ServerLimits,
) -> Result<Output, Failure> {
    let limits = &served.tool.declaration().limits;
    let work = AssertUnwindSafe(served.tool.call(arguments, cx)).catch_unwind();
    let output = match tokio::time::timeout(timeout, work).await {
        Ok(Ok(output)) => output?,
        Ok(Err(panic)) => {
            return Err(Failure::Internal {
                incident: cx.request_id().to_owned(),
                cause: panic_text(&*panic),
            });
        }
        Err(_) => return Err(Failure::Timeout { limit: timeout }),
    };
    let limit = limits.max_result_bytes.min(server.max_result_bytes);
    let bytes = output.size();
    if bytes > limit {
        return Err(Failure::TooLarge { bytes, limit });
    }
    Ok(output)
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the tool panicked: {}", text.unwrap_or("(no message)"))
}

/// A result: the value once as text for older clients, once as itself; or blocks of content.
fn success(output: &Output, era: Era, endpoint: &Endpoint) -> String {
    if output.structured.is_null() {
        let blocks: Vec<Value> = output.content.iter().map(content::block).collect();
        let result = format!(r#"{{"content":{},"isError":false"#, Value::from(blocks));
        return finish(result, era, endpoint);
    }
    // The text is the value as compact JSON, so it is written twice and serialised once.
    let text = quoted(&output.text);
    let mut result = String::with_capacity(text.len() + output.text.len() + 256);
    result.push_str(r#"{"content":[{"type":"text","text":"#);
    result.push_str(&text);
    result.push_str(r#"}],"structuredContent":"#);
    result.push_str(&output.text);
    result.push_str(r#","isError":false"#);
    finish(result, era, endpoint)
}

/// An error result: no structured content, which clients would check against the output schema.
fn error(text: &str, era: Era, endpoint: &Endpoint) -> String {
    let result = format!(
        r#"{{"content":[{{"type":"text","text":{}}}],"isError":true"#,
        quoted(text)
    );
    finish(result, era, endpoint)
}

fn finish(mut result: String, era: Era, endpoint: &Endpoint) -> String {
    if era == Era::Modern {
        result.push(',');
        result.push_str(&endpoint.published.modern_tail);
    }
    result.push('}');
    result
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string is serialisable")
}

/// Counts and logs one call when it ends, also when it ends by being dropped.
struct Record<'a> {
    endpoint: &'a Endpoint,
    served: &'a Served,
    span: tracing::Span,
    started: Instant,
    outcome: Outcome,
}

impl<'a> Record<'a> {
    fn new(endpoint: &'a Endpoint, served: &'a Served, span: tracing::Span) -> Self {
        endpoint.metrics.running.increment(1.0);
        Self {
            endpoint,
            served,
            span,
            started: Instant::now(),
            outcome: Outcome::Gone,
        }
    }

    /// Logs the cause of an internal error, which the caller is not told.
    fn explain(&self, failure: &Failure) {
        if let Failure::Internal { incident, cause } = failure {
            tracing::error!(parent: &self.span, incident, cause, "the tool failed unexpectedly");
        }
    }
}

impl Drop for Record<'_> {
    fn drop(&mut self) {
        let took: Duration = self.started.elapsed();
        self.endpoint.metrics.running.decrement(1.0);
        self.served.metrics.called(self.outcome, took.as_secs_f64());
        self.span.record(telemetry::OUTCOME, self.outcome.name());
        self.span
            .record(telemetry::MILLISECONDS, took.as_secs_f64() * 1e3);
        self.span.in_scope(|| tracing::info!("call ended"));
    }
}
