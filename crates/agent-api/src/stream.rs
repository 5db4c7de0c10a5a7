//! A run as a stream of server-sent events.

use std::{collections::VecDeque, convert::Infallible, time::Duration};

use axum::{
    body::{Body, Bytes},
    response::{IntoResponse, Response},
};
use futures::{Stream, StreamExt, stream::unfold};
use http::header;
use periplus_agent::{AgentError, ThreadId, TurnStream};
use tokio::{sync::OwnedSemaphorePermit, time::sleep};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::{Event, emitter::Emitter};

/// Silence after which a comment is sent, so that proxies keep the connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
const COMMENT: &str = ": still running\n\n";

/// A run that is being streamed. Dropping it, which a client does by going away, cancels the run.
pub(crate) struct RunStream {
    pub(crate) turn: TurnStream,
    pub(crate) emitter: Emitter,
    pub(crate) thread: ThreadId,
    /// Gives its place among the runs back when the stream ends.
    pub(crate) _place: DropGuard,
    pub(crate) frames: VecDeque<Bytes>,
}

/// Cancels a run when its time is over, and gives its place back then, or earlier when the guard is dropped. A client that
/// has stopped reading keeps a stream open for as long as it likes, but no run.
pub(crate) fn limited(time: Duration, cancel: CancellationToken, place: OwnedSemaphorePermit) -> DropGuard {
    let over = CancellationToken::new();
    let guard = over.clone().drop_guard();
    tokio::spawn(async move {
        tokio::select! {
            () = over.cancelled() => {}
            () = sleep(time) => cancel.cancel(),
        }
        drop(place);
    });
    guard
}

impl IntoResponse for RunStream {
    fn into_response(self) -> Response {
        let headers = [
            (header::CONTENT_TYPE, "text/event-stream; charset=utf-8"),
            (header::CACHE_CONTROL, "no-store"),
            (header::HeaderName::from_static("x-accel-buffering"), "no"),
        ];
        (headers, Body::from_stream(self.frames())).into_response()
    }
}

impl RunStream {
    fn frames(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        unfold(self, |mut run| async move {
            run.next().await.map(|frame| (Ok(frame), run))
        })
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(frame) = self.frames.pop_front() {
                return Some(frame);
            }
            if self.emitter.is_over() {
                return None;
            }
            tokio::select! {
                biased;
                item = self.turn.next() => self.take(item),
                () = sleep(KEEP_ALIVE) => return Some(Bytes::from_static(COMMENT.as_bytes())),
            }
        }
    }

    fn take(&mut self, item: Option<Result<periplus_agent::TurnEvent, AgentError>>) {
        let events = match item {
            Some(Ok(event)) => self.emitter.accept(event),
            Some(Err(error)) => self.emitter.fail(&error),
            None => self.emitter.fail(&AgentError::BrokenOff(self.thread.clone())),
        };
        self.frames.extend(events.iter().map(frame));
    }
}

/// One event as the bytes of the stream. Only an empty line ends an event; there are no other fields than `data`.
fn frame(event: &Event) -> Bytes {
    let json = serde_json::to_string(event).expect("an event has text keys only");
    Bytes::from(format!("data: {json}\n\n"))
}
