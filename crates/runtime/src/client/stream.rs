//! Answers that come as event streams: what is said before them, and streams that end too early.

use std::{convert::Infallible, time::Duration};

use ::http::{HeaderMap, HeaderValue, Method, header};
use bytes::Bytes;
use futures::future::BoxFuture;
use reqwest::Response;
use url::Url;

use super::{
    ClientError,
    http::{Http, fixed, interrupted},
    rpc,
    sse::EventStream,
};

/// How long a server may take to open a stream that it need not have.
const OPEN_PATIENCE: Duration = Duration::from_secs(5);
/// How often a stream that ends early is gone on with.
const MAX_RESUMPTIONS: usize = 5;
/// Pause before that, unless the server names one; the longest that is waited.
const RESUME_PAUSE: Duration = Duration::from_secs(1);
const MAX_RESUME_PAUSE: Duration = Duration::from_secs(30);

/// Hears what a server says on a stream before its answer.
pub(super) trait Listener: Send + Sync {
    /// Takes one message; the stream is read on when the future ends.
    fn hear<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, ()>;
}

/// The answer that a request waits for.
#[derive(Clone, Copy)]
pub(super) struct Expecting<'a> {
    pub(super) id: i64,
    pub(super) listener: Option<&'a dyn Listener>,
}

impl Http {
    /// Reads a stream until the answer; where it ends early and the server has said how to go on, goes on.
    pub(super) async fn reply_of_stream(
        &self,
        url: &Url,
        mut response: Response,
        sent: &HeaderMap,
        expecting: Expecting<'_>,
        limit: usize,
    ) -> Result<Bytes, ClientError> {
        let (mut last_id, mut pause) = (None, RESUME_PAUSE);
        for _ in 0..=MAX_RESUMPTIONS {
            let mut stream = EventStream::default();
            let outcome = read_events(url, &mut response, &mut stream, expecting, limit).await;
            last_id = stream.last_id().map(str::to_owned).or(last_id);
            pause = stream.retry().map_or(pause, |retry| retry.min(MAX_RESUME_PAUSE));
            match (outcome, &last_id) {
                (Ok(Some(reply)), _) => return Ok(reply),
                (Ok(None), None) => break,
                (Err(error), None) => return Err(error),
                (Err(error @ ClientError::TooLarge { .. }), _) => return Err(error),
                (Ok(None) | Err(_), Some(last_id)) => {
                    tokio::time::sleep(pause).await;
                    response = self.resume(url, sent, last_id).await?;
                }
            }
        }
        let reason = "the event stream ended without an answer".to_owned();
        Err(ClientError::Interrupted {
            url: url.to_string(),
            reason,
        })
    }

    /// Opens the stream on which a legacy server may ask what belongs to no request of ours; `None` if it has none.
    pub(super) async fn open_stream(&self, url: &Url, mut headers: HeaderMap) -> Option<Response> {
        headers.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
        let request = self
            .client(url)
            .ok()?
            .request(Method::GET, url.clone())
            .headers(headers);
        let response = tokio::time::timeout(OPEN_PATIENCE, request.send())
            .await
            .ok()?
            .ok()?;
        response.status().is_success().then_some(response)
    }

    /// Asks for what comes after an event.
    async fn resume(&self, url: &Url, sent: &HeaderMap, last_id: &str) -> Result<Response, ClientError> {
        let mut headers = sent.clone();
        headers.remove(header::CONTENT_TYPE);
        headers.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Ok(last_id) = HeaderValue::try_from(last_id) {
            headers.insert(fixed("last-event-id"), last_id);
        }
        let request = self
            .client(url)?
            .request(Method::GET, url.clone())
            .headers(headers);
        let response = request.send().await.map_err(|error| interrupted(url, &error))?;
        if response.status().is_success() {
            Ok(response)
        } else {
            let reason = format!(
                "the event stream ended early, and asking on was answered {}",
                response.status()
            );
            Err(ClientError::Interrupted {
                url: url.to_string(),
                reason,
            })
        }
    }
}

/// Hears what comes on an open stream, for as long as anybody waits.
pub(super) async fn hear_all(mut response: Response, listener: &dyn Listener, limit: usize) -> Infallible {
    let mut stream = EventStream::default();
    while let Ok(Some(chunk)) = response.chunk().await {
        for event in stream.push(&chunk) {
            listener.hear(&event).await;
        }
        if stream.held() > limit {
            break;
        }
    }
    std::future::pending().await
}

/// Reads events until the one that answers the request; `None` if the stream ends before.
async fn read_events(
    url: &Url,
    response: &mut Response,
    stream: &mut EventStream,
    expecting: Expecting<'_>,
    limit: usize,
) -> Result<Option<Bytes>, ClientError> {
    while let Some(chunk) = response.chunk().await.map_err(|error| interrupted(url, &error))? {
        for event in stream.push(&chunk) {
            if rpc::answers(&event, expecting.id) {
                return Ok(Some(event.into()));
            }
            if let Some(listener) = expecting.listener {
                listener.hear(&event).await;
            }
        }
        if stream.held() > limit {
            return Err(ClientError::TooLarge {
                url: url.to_string(),
                limit,
            });
        }
    }
    Ok(None)
}
