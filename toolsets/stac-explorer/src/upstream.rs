//! Requests to one configured host, bounded in time and size, that never leave it.

use std::{error::Error, sync::OnceLock, time::Duration};

use reqwest::{Client, RequestBuilder, Response, StatusCode, redirect::Policy};
use serde_json::Value;
use url::Url;

use crate::Endpoint;

/// Redirects that are followed, within the host.
const MAX_REDIRECTS: usize = 3;

const USER_AGENT: &str = concat!("periplus-stac-explorer/", env!("CARGO_PKG_VERSION"));

/// Why an upstream gave no usable answer; the texts go to callers and hold no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UpstreamError {
    #[error("it cannot be reached ({0})")]
    Unreachable(String),
    #[error("it did not answer within {} s", .0.as_secs_f64())]
    Timeout(Duration),
    #[error("it answered with HTTP status {}", .0.as_u16())]
    Status(StatusCode),
    #[error("it redirects to another host, or too often")]
    Redirect,
    #[error("its answer is larger than {0} bytes")]
    TooLarge(usize),
    #[error("its answer is not what was expected ({0})")]
    Malformed(String),
}

/// A host with its connection pool.
#[derive(Debug)]
pub(crate) struct Upstream {
    base: Endpoint,
    /// Built at the first request: a machine without CA certificates can still list the tools.
    client: OnceLock<Result<Client, String>>,
}

impl Upstream {
    pub(crate) fn new(base: Endpoint) -> Self {
        Self {
            base,
            client: OnceLock::new(),
        }
    }

    pub(crate) fn base(&self) -> &Endpoint {
        &self.base
    }

    /// Gets a JSON document of at most `limit` bytes, and its size.
    pub(crate) async fn get(&self, url: Url, limit: usize) -> Result<(Value, usize), UpstreamError> {
        self.exchange(self.client()?.get(url), limit).await
    }

    /// Posts a JSON document and reads one of at most `limit` bytes.
    pub(crate) async fn post(
        &self,
        url: Url,
        body: &Value,
        limit: usize,
    ) -> Result<(Value, usize), UpstreamError> {
        self.exchange(self.client()?.post(url).json(body), limit).await
    }

    async fn exchange(&self, request: RequestBuilder, limit: usize) -> Result<(Value, usize), UpstreamError> {
        let response = request
            .header(reqwest::header::ACCEPT, "application/json")
            .send()
            .await
            .map_err(|error| from_transport(&error))?;
        if !response.status().is_success() {
            return Err(UpstreamError::Status(response.status()));
        }
        let body = read(response, limit).await?;
        let value =
            serde_json::from_slice(&body).map_err(|error| UpstreamError::Malformed(error.to_string()))?;
        Ok((value, body.len()))
    }

    fn client(&self) -> Result<&Client, UpstreamError> {
        self.client
            .get_or_init(|| build(&self.base))
            .as_ref()
            .map_err(|reason| UpstreamError::Unreachable(reason.clone()))
    }
}

/// Gives a piece of work this much time.
pub(crate) async fn within<T>(
    patience: Duration,
    work: impl Future<Output = Result<T, UpstreamError>>,
) -> Result<T, UpstreamError> {
    tokio::time::timeout(patience, work)
        .await
        .unwrap_or(Err(UpstreamError::Timeout(patience)))
}

fn build(base: &Endpoint) -> Result<Client, String> {
    // The TLS library wants one provider per process; whoever comes first has installed the same one.
    let _already_installed = rustls::crypto::ring::default_provider().install_default();
    let host = base.clone();
    let same_host = Policy::custom(move |attempt| {
        if host.serves(attempt.url()) && attempt.previous().len() <= MAX_REDIRECTS {
            attempt.follow()
        } else {
            attempt.error(UpstreamError::Redirect)
        }
    });
    let mut builder = Client::builder()
        .redirect(same_host)
        .referer(false)
        .user_agent(USER_AGENT);
    if base.is_plain() {
        // Without this, a machine that has no CA certificates could not even speak plain HTTP.
        builder = builder.tls_certs_only([]);
    }
    if base.is_loopback() {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| root_cause(&error).to_string())
}

async fn read(mut response: Response, limit: usize) -> Result<Vec<u8>, UpstreamError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| from_transport(&error))? {
        if body.len() + chunk.len() > limit {
            return Err(UpstreamError::TooLarge(limit));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn from_transport(error: &reqwest::Error) -> UpstreamError {
    if error.is_redirect() {
        return UpstreamError::Redirect;
    }
    UpstreamError::Unreachable(root_cause(error).to_string())
}

/// The innermost cause: the one that names what really happened.
fn root_cause<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause
}
