//! Toolsets over a pair of pipes: one JSON-RPC message a line, for hosts that start a server as a command.
//!
//! A line is answered by the handler that answers HTTP, with the headers that an HTTP client would have derived from
//! it, so eras, limits and failures are the same. What differs: there is one client and it is trusted, requests run
//! side by side on one stream, `notifications/cancelled` ends one, and several toolsets are one server.

mod front;
mod headers;
mod lines;
mod merge;

use std::{collections::HashMap, fmt, io, sync::Arc, time::Duration};

use axum::{body::Body, response::Response};
use bytes::Bytes;
use http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use periplus_toolset::Toolset;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt as _},
    sync::mpsc,
    task::{AbortHandle, JoinSet},
};
use tokio_util::sync::CancellationToken;

use self::{
    front::Front,
    lines::{Line, Lines},
};
use super::{
    ServeError, ServerConfig, ServerLimits,
    endpoint::{Endpoint, Shared},
    http::error_body,
    protocol::{Message, RpcError},
    serve,
};

/// Messages that wait for a client that reads slowly; more make their calls wait.
const OUTGOING: usize = 64;
/// How long answers of given-up calls may take to be written.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A set of toolsets for the one client at the other end of two pipes.
pub struct StdioServer {
    front: Arc<Front>,
    shared: Arc<Shared>,
    drain: Duration,
}

impl StdioServer {
    /// Checks the toolsets and makes one server of them.
    ///
    /// Tools keep their names; a name that several toolsets use becomes `<toolset>__<tool>` for each. The `credentials`
    /// stand for the headers of every request: each toolset sees those that it declares.
    ///
    /// # Errors
    /// If there is no toolset, two have one name, or one breaks its contract.
    pub fn new(
        limits: ServerLimits,
        drain: Duration,
        toolsets: Vec<Toolset>,
        credentials: HeaderMap,
    ) -> Result<Self, ServeError> {
        // Nobody but the process at the other end can reach a pipe: hosts, origins and bearer secrets do not matter.
        let config = ServerConfig {
            limits,
            drain,
            ..ServerConfig::default()
        };
        serve::check(&config, &toolsets)?;
        let shared = Arc::new(Shared::new(&config));
        let endpoints = toolsets
            .into_iter()
            .map(|toolset| Endpoint::new(toolset, &config, Arc::clone(&shared)).map(Arc::new))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            front: Arc::new(Front::new(endpoints, credentials)),
            shared,
            drain,
        })
    }

    /// Answers until the input ends or `shutdown` fires, then lets running calls finish within the drain time.
    ///
    /// # Errors
    /// If the input cannot be read. A client that stops reading is no error: the server ends.
    pub async fn run<I, O>(self, input: I, output: O, shutdown: CancellationToken) -> io::Result<()>
    where
        I: AsyncRead + Unpin,
        O: AsyncWrite + Unpin + Send + 'static,
    {
        let (outgoing, messages) = mpsc::channel(OUTGOING);
        let writer = tokio::spawn(write(messages, output));
        let mut calls = Calls {
            front: Arc::clone(&self.front),
            outgoing,
            tasks: JoinSet::new(),
            by_id: HashMap::new(),
        };
        let mut input = Lines::new(input, self.shared.limits.max_body_bytes);
        let ended = loop {
            tokio::select! {
                biased;
                () = shutdown.cancelled() => break Ok(()),
                () = calls.outgoing.closed() => break Ok(()),
                Some(_) = calls.tasks.join_next() => calls.forget_finished(),
                line = input.next() => match line {
                    Ok(Some(line)) => calls.receive(line, &self.shared.limits).await,
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(error),
                },
            }
        };
        self.finish(calls).await;
        // The writer ends when it has written what the calls have said, or when nobody reads it.
        let _ = tokio::time::timeout(LAST_WORDS, writer).await;
        ended
    }

    /// Waits for the running calls, at most as long as they may take.
    async fn finish(&self, mut calls: Calls) {
        self.shared.draining.cancel();
        if calls.outgoing.is_closed() {
            return;
        }
        let tasks = &mut calls.tasks;
        let mut all = Box::pin(async { while tasks.join_next().await.is_some() {} });
        if tokio::time::timeout(self.drain, &mut all).await.is_err() {
            tracing::warn!("the time to finish is over: running calls are given up");
            self.shared.stop.cancel();
            let _ = tokio::time::timeout(LAST_WORDS, all).await;
        }
    }
}

impl fmt::Debug for StdioServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StdioServer")
            .field("front", &self.front)
            .field("drain", &self.drain)
            .finish_non_exhaustive()
    }
}

/// The requests that are being answered; dropping it ends them.
struct Calls {
    front: Arc<Front>,
    outgoing: mpsc::Sender<Bytes>,
    tasks: JoinSet<()>,
    /// By request id as it was written.
    by_id: HashMap<String, AbortHandle>,
}

impl Calls {
    async fn receive(&mut self, line: Line, limits: &ServerLimits) {
        let line = match line {
            Line::Message(line) if line.trim_ascii().is_empty() => return,
            Line::Message(line) => line,
            Line::TooLong => {
                let error = RpcError::invalid_request(format!(
                    "the message is larger than the {} bytes that are accepted",
                    limits.max_body_bytes
                ));
                return self.say(error_body(None, &error)).await;
            }
        };
        match Message::parse(&line) {
            Ok(Message::Request(request)) => {
                let id = request.id.to_owned();
                let answer = answer(Arc::clone(&self.front), line, self.outgoing.clone());
                self.by_id.insert(id, self.tasks.spawn(answer));
            }
            Ok(Message::Notification { method }) if method == "notifications/cancelled" => self.cancel(&line),
            Ok(Message::Response(reply)) => self.front.deliver(&reply),
            // Nothing is kept that other notifications could be about.
            Ok(Message::Notification { .. }) => {}
            Err((id, error)) => self.say(error_body(id, &error)).await,
        }
    }

    /// A cancelled request gets no answer, as the protocol wants it.
    fn cancel(&mut self, line: &[u8]) {
        #[derive(Deserialize)]
        struct Cancelled<'a> {
            #[serde(borrow)]
            params: Params<'a>,
        }
        #[derive(Deserialize)]
        struct Params<'a> {
            #[serde(borrow, rename = "requestId")]
            request_id: &'a RawValue,
        }
        let Ok(cancelled) = serde_json::from_slice::<Cancelled<'_>>(line) else {
            return;
        };
        if let Some(call) = self.by_id.remove(cancelled.params.request_id.get()) {
            call.abort();
        }
    }

    async fn say(&self, message: Vec<u8>) {
        // Nobody reads any more: the loop notices that by itself.
        let _ = self.outgoing.send(message.into()).await;
    }

    fn forget_finished(&mut self) {
        self.by_id.retain(|_, call| !call.is_finished());
    }
}

async fn answer(front: Arc<Front>, line: Vec<u8>, outgoing: mpsc::Sender<Bytes>) {
    let response = front.answer(&line).await;
    if let Err(error) = pass_on(response, &outgoing).await {
        tracing::debug!(%error, "an answer broke off");
    }
}

/// Sends the messages that a response holds: one as JSON, or each event of a stream as it comes.
async fn pass_on(response: Response, outgoing: &mpsc::Sender<Bytes>) -> Result<(), axum::Error> {
    let is_stream = is_event_stream(&response);
    let mut body = response.into_body();
    if !is_stream {
        let message = body.collect().await?.to_bytes();
        if !message.is_empty() {
            let _ = outgoing.send(message).await;
        }
        return Ok(());
    }
    let mut text = Vec::new();
    while let Some(chunk) = next_chunk(&mut body).await? {
        text.extend_from_slice(&chunk);
        while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = text.drain(..=end).collect();
            // The other lines are comments that keep a connection alive, of which a pipe has no need.
            if let Some(message) = line.trim_ascii_end().strip_prefix(b"data: ") {
                let _ = outgoing.send(Bytes::copy_from_slice(message)).await;
            }
        }
    }
    Ok(())
}

fn is_event_stream(response: &Response) -> bool {
    response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

async fn next_chunk(body: &mut Body) -> Result<Option<Bytes>, axum::Error> {
    while let Some(frame) = body.frame().await {
        if let Ok(chunk) = frame?.into_data() {
            return Ok(Some(chunk));
        }
    }
    Ok(None)
}

async fn write(mut messages: mpsc::Receiver<Bytes>, mut output: impl AsyncWrite + Unpin) {
    while let Some(message) = messages.recv().await {
        let written = async {
            output.write_all(&message).await?;
            output.write_all(b"\n").await?;
            output.flush().await
        };
        if let Err(error) = written.await {
            tracing::debug!(%error, "the client does not read any more");
            return;
        }
    }
}
