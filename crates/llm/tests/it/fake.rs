//! A server that answers what a test laid out, byte by byte, and remembers what it was asked.

use std::{
    collections::VecDeque,
    convert::Infallible,
    io,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Response, Uri},
};
use futures::{StreamExt, stream};
use serde_json::Value;
use tokio::{net::TcpListener, sync::Notify, task::JoinHandle};

/// One request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

/// Part of a response body.
#[derive(Debug, Clone)]
pub(crate) enum Piece {
    Bytes(Vec<u8>),
    Pause(Duration),
    /// Silence; the connection stays open.
    Hang,
    /// The connection breaks.
    Cut,
}

#[derive(Debug, Clone)]
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    pieces: Vec<Piece>,
}

impl Answer {
    /// A stream of events in one piece.
    pub(crate) fn events(bytes: Vec<u8>) -> Self {
        Self::pieces(vec![Piece::Bytes(bytes)])
    }

    pub(crate) fn pieces(pieces: Vec<Piece>) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type", "text/event-stream".to_owned())],
            pieces,
        }
    }

    /// An error with a JSON body.
    pub(crate) fn error(status: u16, body: &Value) -> Self {
        Self {
            status,
            headers: vec![("content-type", "application/json".to_owned())],
            pieces: vec![Piece::Bytes(body.to_string().into_bytes())],
        }
    }

    pub(crate) fn with_header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// The running server; it stops when dropped.
pub(crate) struct Fake {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<io::Result<()>>,
}

#[derive(Default)]
struct Shared {
    answers: Mutex<VecDeque<Answer>>,
    seen: Mutex<Vec<Seen>>,
    let_go: Notify,
}

impl Fake {
    /// Serves these answers, one for each request; any further request is an HTTP 418.
    pub(crate) async fn serve(answers: impl IntoIterator<Item = Answer>) -> Self {
        let shared = Arc::new(Shared {
            answers: Mutex::new(answers.into_iter().collect()),
            ..Shared::default()
        });
        let router = Router::new().fallback(answer).with_state(shared.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            address,
            shared,
            task,
        }
    }

    pub(crate) fn url(&self, path: &str) -> url::Url {
        format!("http://{}/{path}", self.address).parse().unwrap()
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// The only request there was.
    pub(crate) fn only(&self) -> Seen {
        let seen = self.seen();
        assert_eq!(seen.len(), 1, "{seen:?}");
        seen[0].clone()
    }

    /// Returns once a client has let go of a response before its end.
    pub(crate) async fn let_go(&self) {
        self.shared.let_go.notified().await;
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response<Body>, Infallible> {
    let body = serde_json::from_slice(&body).unwrap_or_default();
    shared.seen.lock().unwrap().push(Seen {
        target: uri.to_string(),
        headers,
        body,
    });
    let next = shared.answers.lock().unwrap().pop_front();
    let answer = next.unwrap_or_else(|| Answer::error(418, &Value::String("no answer is left".to_owned())));
    let mut response = Response::builder().status(answer.status);
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    Ok(response
        .body(Body::from_stream(play(answer.pieces, shared.clone())))
        .unwrap())
}

fn play(pieces: Vec<Piece>, shared: Arc<Shared>) -> impl futures::Stream<Item = io::Result<Bytes>> + Send {
    let guard = LetGo {
        shared,
        finished: false,
    };
    stream::unfold(
        (VecDeque::from(pieces), guard),
        |(mut pieces, guard)| async move {
            loop {
                match pieces.pop_front() {
                    Some(Piece::Bytes(bytes)) => return Some((Ok(Bytes::from(bytes)), (pieces, guard))),
                    Some(Piece::Pause(pause)) => tokio::time::sleep(pause).await,
                    Some(Piece::Hang) => std::future::pending().await,
                    Some(Piece::Cut) => return Some((Err(io::Error::other("cut")), (pieces, guard))),
                    None => {
                        guard.finish();
                        return None;
                    }
                }
            }
        },
    )
    .boxed()
}

struct LetGo {
    shared: Arc<Shared>,
    finished: bool,
}

impl LetGo {
    fn finish(mut self) {
        self.finished = true;
    }
}

impl Drop for LetGo {
    fn drop(&mut self) {
        if !self.finished {
            self.shared.let_go.notify_one();
        }
    }
}
