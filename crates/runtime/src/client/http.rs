//! Requests with bounds: size, time, redirects; the root cause of what fails.

use std::{
    error::Error,
    net::IpAddr,
    sync::OnceLock,
    time::{Duration, Instant},
};

use ::http::{HeaderMap, HeaderName, Method, StatusCode, header};
use bytes::Bytes;
use reqwest::{Response, redirect::Policy};
use url::{Host, Url};

use super::{ClientError, ClientOptions, stream::Expecting};

/// Redirects that are followed within one origin.
const MAX_REDIRECTS: usize = 3;

/// How much of an error page is read.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// One shared connection pool per kind of transport.
pub(crate) struct Http {
    /// Plain HTTP; kept apart because TLS roots may be missing on a machine that never needs them.
    plain: OnceLock<Result<reqwest::Client, String>>,
    /// Plain HTTP to this machine, which no proxy may see.
    local: OnceLock<Result<reqwest::Client, String>>,
    tls: OnceLock<Result<reqwest::Client, String>>,
    connect_timeout: Duration,
    request_timeout: Duration,
    max_response_bytes: usize,
    user_agent: String,
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
            plain: OnceLock::new(),
            local: OnceLock::new(),
            tls: OnceLock::new(),
            connect_timeout: options.connect_timeout,
            request_timeout: options.request_timeout,
            max_response_bytes: options.max_response_bytes,
            user_agent: format!("{name}/{version}"),
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
        mut response: Response,
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
            None => whole_body(url, &mut response, limit, status.is_success()).await?,
        };
        Ok(Answer {
            status,
            headers,
            body,
        })
    }

    pub(super) fn client(&self, url: &Url) -> Result<&reqwest::Client, ClientError> {
        let slot = match (url.scheme(), is_this_machine(url)) {
            ("https", _) => &self.tls,
            ("http", true) => &self.local,
            ("http", false) => &self.plain,
            _ => {
                let reason = format!("scheme {:?} is not http or https", url.scheme());
                return Err(ClientError::Unreachable {
                    url: url.to_string(),
                    reason,
                });
            }
        };
        slot.get_or_init(|| self.build(url).map_err(|error| root_cause(&error)))
            .as_ref()
            .map_err(|reason| ClientError::Unreachable {
                url: url.to_string(),
                reason: reason.clone(),
            })
    }

    fn build(&self, url: &Url) -> reqwest::Result<reqwest::Client> {
        let mut builder = reqwest::Client::builder()
            .connect_timeout(self.connect_timeout)
            .redirect(Policy::none())
            .referer(false)
            .user_agent(&self.user_agent);
        if url.scheme() == "http" {
            // Without this, a machine that has no CA certificates could not even speak plain HTTP.
            builder = builder.tls_certs_only([]);
        }
        if is_this_machine(url) {
            builder = builder.no_proxy();
        }
        builder.build()
    }
}

fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).is_loopback(),
        None => false,
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

/// Reads a whole body; an error page is cut at the limit instead of refused.
async fn whole_body(
    url: &Url,
    response: &mut Response,
    limit: usize,
    is_success: bool,
) -> Result<Bytes, ClientError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| interrupted(url, &error))? {
        if body.len() + chunk.len() > limit {
            if is_success {
                return Err(ClientError::TooLarge {
                    url: url.to_string(),
                    limit,
                });
            }
            break;
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.into())
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

/// The innermost cause: the one that names what really happened.
pub(crate) fn root_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// A header whose name is fixed in the code.
pub(super) fn fixed(name: &'static str) -> HeaderName {
    HeaderName::from_static(name)
}
