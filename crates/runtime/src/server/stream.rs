//! Calls as responses: one JSON body, or events while the tool runs and its answer as the last.

use std::{convert::Infallible, pin::Pin};

use axum::{body::Body, response::Response};
use bytes::Bytes;
use futures::stream;
use http::StatusCode;
use serde_json::Value;
use tokio::{
    sync::mpsc,
    time::{Instant, Interval, MissedTickBehavior, interval_at},
};

use super::{
    ServerLimits,
    http::{Accepts, error_body, event, event_stream, message, retry_later},
    protocol::RpcError,
};

/// The comment that keeps an event stream alive.
pub(super) const KEEP_ALIVE: &[u8] = b": keep-alive\n\n";

/// The text of a result, or why there is none.
pub(super) type Outcome = Result<String, RpcError>;
pub(super) type Running = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// Ticks when a stream that says nothing needs a comment.
pub(super) fn keep_alive(limits: &ServerLimits) -> Interval {
    let mut keep_alive = interval_at(Instant::now() + limits.keep_alive, limits.keep_alive);
    keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
    keep_alive
}

/// One JSON body if the tool answers soon and says nothing before; else an event stream.
pub(super) async fn respond(
    id: &str,
    mut running: Running,
    mut notifications: Option<mpsc::Receiver<Value>>,
    accepts: Accepts,
    limits: &ServerLimits,
) -> Response {
    if !accepts.events {
        return finished(id, running.await, accepts);
    }
    let (running, first, result) = tokio::select! {
        biased;
        Some(first) = next(&mut notifications) => (Some(running), Some(first), None),
        result = &mut running => match waiting(&mut notifications) {
            None => return finished(id, result, accepts),
            said => (None, said, Some(event(&last_message(id, result)))),
        },
        () = tokio::time::sleep(limits.stream_after) => (Some(running), None, None),
    };
    let events = Events {
        id: id.to_owned(),
        running,
        notifications,
        first,
        keep_alive: keep_alive(limits),
        result,
    };
    event_stream(Body::from_stream(stream::unfold(
        events,
        |mut events| async move {
            let event = events.next().await?;
            Some((Ok::<_, Infallible>(event), events))
        },
    )))
}

/// The one body of an answer.
pub(super) fn finished(id: &str, outcome: Outcome, accepts: Accepts) -> Response {
    match outcome {
        Ok(result) => message(StatusCode::OK, result_body(id, &result), accepts),
        Err(error) if error.status() == StatusCode::SERVICE_UNAVAILABLE => retry_later(Some(id), &error),
        Err(error) => message(error.status(), error_body(Some(id), &error), accepts),
    }
}

fn last_message(id: &str, outcome: Outcome) -> Vec<u8> {
    match outcome {
        Ok(result) => result_body(id, &result),
        Err(error) => error_body(Some(id), &error),
    }
}

/// The answer to a request with this text as its result.
pub(super) fn result_body(id: &str, result: &str) -> Vec<u8> {
    [r#"{"jsonrpc":"2.0","id":"#, id, r#","result":"#, result, "}"]
        .concat()
        .into_bytes()
}

/// A notification that was sent and not yet passed on.
fn waiting(notifications: &mut Option<mpsc::Receiver<Value>>) -> Option<Value> {
    notifications.as_mut()?.try_recv().ok()
}

/// The next notification, or never if none were asked for.
async fn next(notifications: &mut Option<mpsc::Receiver<Value>>) -> Option<Value> {
    match notifications {
        Some(notifications) => notifications.recv().await,
        None => std::future::pending().await,
    }
}

/// The rest of a call as events. Dropping it, because the client left, ends the call.
struct Events {
    id: String,
    /// `None` once the tool has answered.
    running: Option<Running>,
    notifications: Option<mpsc::Receiver<Value>>,
    first: Option<Value>,
    keep_alive: Interval,
    /// The answer, held back until what the tool said before it has been sent.
    result: Option<Bytes>,
}

impl Events {
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(first) = self.first.take() {
            return Some(event(first.to_string().as_bytes()));
        }
        let Some(running) = &mut self.running else {
            let said = waiting(&mut self.notifications).map(|said| event(said.to_string().as_bytes()));
            return said.or_else(|| self.result.take());
        };
        tokio::select! {
            biased;
            Some(said) = next(&mut self.notifications) => Some(event(said.to_string().as_bytes())),
            result = running => {
                self.running = None;
                self.result = Some(event(&last_message(&self.id, result)));
                Box::pin(self.next()).await
            }
            _ = self.keep_alive.tick() => Some(Bytes::from_static(KEEP_ALIVE)),
        }
    }
}
