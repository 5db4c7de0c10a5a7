//! What the server says about itself: field names, request ids, metrics.
//!
//! Logs and metrics name toolsets, tools and outcomes; arguments, results, header values and tokens appear nowhere.

use std::sync::atomic::{AtomicU64, Ordering};

use http::{HeaderMap, StatusCode};
use metrics::{Counter, Gauge, Histogram, Key, Label, Level, Metadata, Recorder as _};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use periplus_toolset::{Failure, Toolset};

/// Log field: the request's id.
pub(super) const REQUEST_ID: &str = "request_id";
/// Log field: the toolset that was asked.
pub(super) const TOOLSET: &str = "toolset";
/// Log field: the tool that was called.
pub(super) const TOOL: &str = "tool";
/// Log field: how a call ended, one of [`Outcome::NAMES`].
pub(super) const OUTCOME: &str = "outcome";
/// Log field: how long a call took, in milliseconds.
pub(super) const MILLISECONDS: &str = "ms";
/// Log field: the W3C trace id that the caller named.
pub(super) const TRACE_ID: &str = "trace_id";

/// The header that carries a request's id, in both directions.
pub(super) const REQUEST_ID_HEADER: &str = "x-request-id";
const LONGEST_REQUEST_ID: usize = 64;

/// Gives each request an id.
#[derive(Debug)]
pub(super) struct RequestIds {
    /// Tells the ids of one process from those of another.
    process: u32,
    next: AtomicU64,
}

impl RequestIds {
    pub(super) fn new() -> Self {
        Self {
            process: uuid::Uuid::new_v4().as_fields().0,
            next: AtomicU64::new(1),
        }
    }

    /// The caller's own id if it is short and plain, else a new one.
    pub(super) fn id(&self, headers: &HeaderMap) -> String {
        let sent = headers
            .get(REQUEST_ID_HEADER)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let is_sane = (1..=LONGEST_REQUEST_ID).contains(&sent.len())
            && sent
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
        if is_sane {
            return sent.to_owned();
        }
        format!(
            "{:08x}-{:x}",
            self.process,
            self.next.fetch_add(1, Ordering::Relaxed)
        )
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Ok,
    Arguments,
    /// The tool asks something first.
    Asked,
    Error,
    MissingCredential,
    Timeout,
    Busy,
    TooLarge,
    Internal,
    /// The caller went away first.
    Gone,
    /// The server stopped first.
    Stopped,
}

impl Outcome {
    const ALL: [(Self, &str); 11] = [
        (Self::Ok, "ok"),
        (Self::Arguments, "arguments"),
        (Self::Asked, "input_required"),
        (Self::Error, "error"),
        (Self::MissingCredential, "missing_credential"),
        (Self::Timeout, "timeout"),
        (Self::Busy, "busy"),
        (Self::TooLarge, "too_large"),
        (Self::Internal, "internal"),
        (Self::Gone, "gone"),
        (Self::Stopped, "stopped"),
    ];

    pub(super) fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(outcome, _)| *outcome == self)
            .map_or("unknown", |(_, name)| name)
    }
}

impl From<&Failure> for Outcome {
    fn from(failure: &Failure) -> Self {
        match failure {
            Failure::Arguments(_) => Self::Arguments,
            Failure::InputRequired(_) => Self::Asked,
            Failure::MissingCredential(_) => Self::MissingCredential,
            Failure::Timeout { .. } => Self::Timeout,
            Failure::Busy { .. } => Self::Busy,
            Failure::TooLarge { .. } => Self::TooLarge,
            Failure::Internal { .. } => Self::Internal,
            _ => Self::Error,
        }
    }
}

/// The metrics registry of one server; several servers in one process do not mix.
pub(super) struct Metrics {
    recorder: PrometheusRecorder,
    handle: PrometheusHandle,
}

const METADATA: Metadata<'static> = Metadata::new("periplus", Level::INFO, None);
const REQUESTS: &str = "periplus_requests_total";
const RUNNING: &str = "periplus_calls_running";
const CALLS: &str = "periplus_tool_calls_total";
const CALL_SECONDS: &str = "periplus_tool_call_seconds";
/// Upper bounds of the call duration histogram, in seconds.
const BUCKETS: [f64; 12] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 2.5, 10.0, 60.0,
];

impl Metrics {
    pub(super) fn new() -> Self {
        let builder = PrometheusBuilder::new();
        let recorder = builder
            .set_buckets(&BUCKETS)
            .expect("there are buckets")
            .build_recorder();
        recorder.describe_counter(
            REQUESTS.into(),
            None,
            "HTTP requests to an MCP endpoint, by status class.".into(),
        );
        recorder.describe_gauge(
            RUNNING.into(),
            None,
            "Calls that are running or waiting for a place.".into(),
        );
        recorder.describe_counter(CALLS.into(), None, "Tool calls, by outcome.".into());
        recorder.describe_histogram(CALL_SECONDS.into(), None, "Duration of tool calls.".into());
        let handle = recorder.handle();
        Self { recorder, handle }
    }

    /// Everything in the Prometheus text format.
    pub(super) fn render(&self) -> String {
        self.handle.render()
    }

    /// Moves what was recorded into its buckets; to be called every few seconds.
    pub(super) fn upkeep(&self) {
        self.handle.run_upkeep();
    }

    /// The handles of one toolset, registered once.
    pub(super) fn toolset(&self, toolset: &Toolset) -> ToolsetMetrics {
        let name = Label::new("toolset", toolset.name().to_owned());
        let class = |class: &'static str| {
            let labels = vec![name.clone(), Label::new("status", class)];
            self.recorder
                .register_counter(&Key::from_parts(REQUESTS, labels), &METADATA)
        };
        ToolsetMetrics {
            responses: ["2xx", "4xx", "5xx"].map(class),
            running: self
                .recorder
                .register_gauge(&Key::from_parts(RUNNING, vec![name]), &METADATA),
        }
    }

    /// The handles of one tool, registered once.
    pub(super) fn tool(&self, toolset: &str, tool: &str) -> ToolMetrics {
        let labels = [
            Label::new("toolset", toolset.to_owned()),
            Label::new("tool", tool.to_owned()),
        ];
        let counter = |(_, outcome): (Outcome, &'static str)| {
            let mut labels = labels.to_vec();
            labels.push(Label::new("outcome", outcome));
            self.recorder
                .register_counter(&Key::from_parts(CALLS, labels), &METADATA)
        };
        ToolMetrics {
            calls: Outcome::ALL.map(counter),
            seconds: self
                .recorder
                .register_histogram(&Key::from_parts(CALL_SECONDS, labels.to_vec()), &METADATA),
        }
    }
}

/// Metric handles of a toolset.
pub(super) struct ToolsetMetrics {
    responses: [Counter; 3],
    pub(super) running: Gauge,
}

impl ToolsetMetrics {
    pub(super) fn responded(&self, status: StatusCode) {
        let [success, client, server] = &self.responses;
        match status.as_u16() {
            500.. => server.increment(1),
            400.. => client.increment(1),
            _ => success.increment(1),
        }
    }
}

/// Metric handles of a tool.
pub(super) struct ToolMetrics {
    calls: [Counter; Outcome::ALL.len()],
    seconds: Histogram,
}

impl ToolMetrics {
    pub(super) fn called(&self, outcome: Outcome, seconds: f64) {
        for (counter, (kind, _)) in self.calls.iter().zip(Outcome::ALL) {
            if kind == outcome {
                counter.increment(1);
            }
        }
        self.seconds.record(seconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sane_request_id_is_kept_and_others_are_replaced() {
        let ids = RequestIds::new();
        let id = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID_HEADER, value.parse().unwrap());
            ids.id(&headers)
        };
        assert_eq!(id("abc-1.2_3"), "abc-1.2_3");
        for value in ["", "a b", "a\"b", &"x".repeat(65)] {
            assert_ne!(id(value), value);
        }
        assert_ne!(ids.id(&HeaderMap::new()), ids.id(&HeaderMap::new()));
    }
}
