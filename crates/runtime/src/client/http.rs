//! Requests with bounds: size, time, redirects; the root cause of what fails.

use std::time::{Duration, Instant};

use ::http::{HeaderMap, HeaderName, Method, StatusCode, header};
use bytes::Bytes;
use periplus_fetch::{FetchError, Fetcher, Options, body, root_cause};
use reqwest::Response;
use url::Url;

use super::{ClientError, ClientOptions, stream::Expecting};

/// Redirects that are followed within one origin.
const MAX_REDIRECTS: usize = 3;

/// How much of an error page is read.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// Requests to any number of servers, over shared connection pools.
pub(crate) struct Http {
    /// Follows no redirects: a redirected message must stay a POST.
    fetcher: Fetcher,
    request_timeout: Duration,
    max_response_bytes: usize,
}

impl std::fmt::Debug for Http {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Http")
            .field("request_timeout", &self.request_timeout)
            .finish_non_exhaustive()
    }
}

/// What a server answered, read to the end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    /// A header's value as text.
    pub(super) fn header(&self, name: impl AsRef<str>) -> Option<&str> {
        self.headers.get(name.as_ref())?.to_str().ok()
    }

    /// The start of the body as one line, for messages.
    pub(super) fn excerpt(&self) -> String {
        let text = String::from_utf8_lossy(&self.body);
        let words: Vec<&str> = text.split_whitespace().collect();
        let line = words.join(" ");
        match line.char_indices().nth(200) {
            Some((cut, _)) => format!("{}…", &line[..cut]),
            None if line.is_empty() => "no explanation".to_owned(),
            None => line,
        }
    }
}

impl Http {
    pub(crate) fn new(options: &ClientOptions) -> Self {
        let (name, version) = &options.identity;
        Self {
            fetcher: Fetcher::new(Options {
                connect_timeout: options.connect_timeout,
                ..Options::new(format!("{name}/{version}"))
            }),
            request_timeout: options.request_timeout,
            max_response_bytes: options.max_response_bytes,
        }
    }

    /// Reads a JSON document.
    pub(crate) async fn get(&self, url: &Url) -> Result<Answer, ClientError> {
        let headers = HeaderMap::from_iter([(
            header::ACCEPT,
            header::HeaderValue::from_static("application/json"),
        )]);
        self.send(Method::GET, url, headers, Bytes::new(), None).await
    }

    /// Posts a JSON-RPC message. Of a streamed answer, the body is the message that is expected.
    pub(super) async fn post(
        &self,
        url: &Url,
        mut headers: HeaderMap,
        body: Vec<u8>,
        expecting: Option<Expecting<'_>>,
    ) -> Result<Answer, ClientError> {
        headers.insert(
            header::CONTENT_TYPE,
            header::HeaderValue::from_static("application/json"),
        );
        headers.insert(
            header::ACCEPT,
            header::HeaderValue::from_static("application/json, text/event-stream"),
        );
        self.send(Method::POST, url, headers, body.into(), expecting)
            .await
    }

    /// Ends a session politely; whether the server cares does not matter.
    pub(super) async fn delete(&self, url: &Url, headers: HeaderMap) {
        let _ = self.send(Method::DELETE, url, headers, Bytes::new(), None).await;
    }

    async fn send(
        &self,
        method: Method,
        url: &Url,
        headers: HeaderMap,
        body: Bytes,
        expecting: Option<Expecting<'_>>,
    ) -> Result<Answer, ClientError> {
        let exchange = self.exchange(method, url, headers, body, expecting);
        match tokio::time::timeout(self.request_timeout, exchange).await {
            Ok(answer) => answer,
            Err(_elapsed) => Err(ClientError::Timeout {
                url: url.to_string(),
                limit: self.request_timeout,
            }),
        }
    }

    async fn exchange(
        &self,
        method: Method,
        url: &Url,
        headers: HeaderMap,
        body: Bytes,
        expecting: Option<Expecting<'_>>,
    ) -> Result<Answer, ClientError> {
        let mut target = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let started = Instant::now();
            let response = self
                .client(&target)?
                .request(method.clone(), target.clone())
                .headers(headers.clone())
                .body(body.clone())
                .send()
                .await
                .map_err(|error| unreachable_or_timeout(&target, &error, started.elapsed()))?;
            match redirected(&target, &response)? {
                Some(next) => target = next,
                None => return self.read(&target, response, &headers, expecting).await,
            }
        }
        Err(ClientError::Protocol {
            url: url.to_string(),
            reason: format!("more than {MAX_REDIRECTS} redirects"),
        })
    }

    async fn read(
        &self,
        url: &Url,
        response: Response,
        sent: &HeaderMap,
        expecting: Option<Expecting<'_>>,
    ) -> Result<Answer, ClientError> {
        let (status, headers) = (response.status(), response.headers().clone());
        let is_stream = headers
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|value| value.to_ascii_lowercase().starts_with("text/event-stream"));
        let limit = if status.is_success() {
            self.max_response_bytes
        } else {
            MAX_ERROR_BYTES
        };
        let body = match expecting.filter(|_| is_stream) {
            Some(expecting) => {
                self.reply_of_stream(url, response, sent, expecting, limit)
                    .await?
            }
            None => body(response, limit).await.map_err(|error| unread(url, &error))?,
        };
        Ok(Answer {
            status,
            headers,
            body,
        })
    }

    pub(super) fn client(&self, url: &Url) -> Result<&reqwest::Client, ClientError> {
        self.fetcher
            .client(url)
            .map_err(|error| ClientError::Unreachable {
                url: url.to_string(),
                reason: error.reason(),
            })
    }
}

/// Where to ask instead, if the server says so; never another origin, because credentials would travel along.
fn redirected(url: &Url, response: &Response) -> Result<Option<Url>, ClientError> {
    if !response.status().is_redirection() {
        return Ok(None);
    }
    let location = response
        .headers()
        .get(header::LOCATION)
        .and_then(|value| value.to_str().ok())
        .unwrap_or("");
    match url.join(location) {
        Ok(next) if next.origin() == url.origin() && keeps_method(response.status()) => Ok(Some(next)),
        _ => Err(ClientError::Redirect {
            url: url.to_string(),
            target: location.to_owned(),
        }),
    }
}

fn keeps_method(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
    )
}

fn unread(url: &Url, error: &FetchError) -> ClientError {
    let url = url.to_string();
    match error {
        FetchError::TooLarge(limit) => ClientError::TooLarge { url, limit: *limit },
        other => ClientError::Interrupted {
            url,
            reason: other.reason(),
        },
    }
}

fn unreachable_or_timeout(url: &Url, error: &reqwest::Error, waited: Duration) -> ClientError {
    if error.is_timeout() {
        return ClientError::Timeout {
            url: url.to_string(),
            limit: Duration::from_secs(waited.as_secs().max(1)),
        };
    }
    if error.is_connect() {
        return ClientError::Unreachable {
            url: url.to_string(),
            reason: root_cause(error),
        };
    }
    interrupted(url, error)
}

pub(super) fn interrupted(url: &Url, error: &reqwest::Error) -> ClientError {
    ClientError::Interrupted {
        url: url.to_string(),
        reason: root_cause(error),
    }
}

/// A header whose name is fixed in the code.
pub(super) fn fixed(name: &'static str) -> HeaderName {
    HeaderName::from_static(name)
}
