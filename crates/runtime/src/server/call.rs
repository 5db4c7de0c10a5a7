//! One tool call: a place, a deadline, the tool, and an answer whatever the tool does.

use std::{
    any::Any,
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::FutureExt as _;
use http::HeaderMap;
use periplus_toolset::{Failure, JsonObject, NotificationSink, Output};
use tokio::sync::OwnedSemaphorePermit;
use tracing::{Instrument as _, field::Empty};

use super::{
    endpoint::{Endpoint, Served},
    protocol::Era,
    telemetry::{self, Outcome},
};

/// A call with all it needs, so that it can outlive the request's handler inside a response stream.
pub(super) struct Call {
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) tool: &'static str,
    pub(super) arguments: JsonObject,
    pub(super) era: Era,
    /// The request's headers; the tool sees of them what its toolset declared.
    pub(super) headers: HeaderMap,
    pub(super) request_id: String,
    pub(super) trace_id: Option<String>,
    pub(super) sink: Option<Arc<dyn NotificationSink>>,
    /// The request's place in the server, given back when the call ends.
    pub(super) permit: OwnedSemaphorePermit,
}

/// The server stopped before the call ended.
#[derive(Debug)]
pub(super) struct Stopped;

impl Call {
    /// Runs the tool; the answer is the JSON text of a call result.
    ///
    /// Dropping the future ends the call: the tool's cancellation token fires and its place is free.
    pub(super) async fn run(self) -> Result<String, Stopped> {
        let span = tracing::info_span!(
            "call",
            { telemetry::REQUEST_ID } = self.request_id,
            { telemetry::TOOLSET } = self.endpoint.name(),
            { telemetry::TOOL } = self.tool,
            { telemetry::TRACE_ID } = self.trace_id,
            { telemetry::OUTCOME } = Empty,
            { telemetry::MILLISECONDS } = Empty,
        );
        let Self {
            endpoint,
            tool,
            arguments,
            era,
            headers,
            request_id,
            sink,
            permit: _permit,
            ..
        } = self;
        let served = endpoint
            .find(tool)
            .expect("the tool was found when the call was prepared");
        let mut record = Record::new(&endpoint, served, span.clone());
        let stop = endpoint.shared.stop.clone();
        let work = execute(&endpoint, served, arguments, headers, request_id, sink);
        let outcome = tokio::select! {
            biased;
            outcome = work.instrument(span) => outcome,
            () = stop.cancelled() => {
                record.outcome = Outcome::Stopped;
                return Err(Stopped);
            }
        };
        Ok(match outcome {
            Ok(output) => {
                record.outcome = Outcome::Ok;
                success(&output, era, &endpoint)
            }
            Err(failure) => {
                record.outcome = Outcome::from(&failure);
                record.explain(&failure);
                error(&endpoint.toolset.describe_failure(tool, &failure), era, &endpoint)
            }
        })
    }
}

/// Runs the tool within its limits.
async fn execute(
    endpoint: &Endpoint,
    served: &Served,
    arguments: JsonObject,
    headers: HeaderMap,
    request_id: String,
    sink: Option<Arc<dyn NotificationSink>>,
) -> Result<Output, Failure> {
    let limits = &served.tool.declaration().limits;
    let server = &endpoint.shared.limits;
    let timeout = limits.timeout.min(server.request_timeout);
    let _place = match endpoint.gate(&served.tool) {
        Some(gate) => Some(gate.enter(timeout).await?),
        None => None,
    };
    let cancellation = endpoint.shared.stop.child_token();
    let _cancel_when_dropped = cancellation.clone().drop_guard();
    let mut cx = endpoint
        .toolset
        .context()
        .headers(&headers)
        .request_id(request_id)
        .deadline(Instant::now() + timeout)
        .cancellation(cancellation);
    if let Some(sink) = sink {
        cx = cx.sink(sink);
    }
    let cx = cx.build();
    let work = AssertUnwindSafe(served.tool.call(arguments, &cx)).catch_unwind();
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
    if output.text.len() > limit {
        return Err(Failure::TooLarge {
            bytes: output.text.len(),
            limit,
        });
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

/// A result: the value once as text for older clients, once as itself.
fn success(output: &Output, era: Era, endpoint: &Endpoint) -> String {
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
