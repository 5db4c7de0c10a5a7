//! Requests to one configured host, bounded in time and size, that never leave it.

use std::time::Duration;

use periplus_fetch::{FetchError, Fetcher, Options};
use reqwest::{RequestBuilder, StatusCode, header::ACCEPT};
use serde_json::Value;
use url::Url;

use crate::Endpoint;

/// Redirects that are followed, within the host.
const MAX_REDIRECTS: usize = 3;

const USER_AGENT: &str = concat!("periplus-stac-explorer/", env!("CARGO_PKG_VERSION"));

/// Why an upstream gave no usable answer; the texts go to callers and hold no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UpstreamError {
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("it did not answer within {} s", .0.as_secs_f64())]
    Timeout(Duration),
    #[error("it answered with HTTP status {}", .0.as_u16())]
    Status(StatusCode),
    #[error("its answer is not what was expected ({0})")]
    Malformed(String),
}

/// A host with its connection pool.
#[derive(Debug)]
pub(crate) struct Upstream {
    base: Endpoint,
    fetcher: Fetcher,
}

impl Upstream {
    pub(crate) fn new(base: Endpoint) -> Self {
        let options = Options {
            redirects: MAX_REDIRECTS,
            ..Options::new(USER_AGENT)
        };
        Self {
            base,
            fetcher: Fetcher::new(options),
        }
    }

    pub(crate) fn base(&self) -> &Endpoint {
        &self.base
    }

    /// Gets a JSON document of at most `limit` bytes, and its size.
    pub(crate) async fn get(&self, url: Url, limit: usize) -> Result<(Value, usize), UpstreamError> {
        self.exchange(self.fetcher.client(&url)?.get(url), limit).await
    }

    /// Posts a JSON document and reads one of at most `limit` bytes.
    pub(crate) async fn post(
        &self,
        url: Url,
        body: &Value,
        limit: usize,
    ) -> Result<(Value, usize), UpstreamError> {
        self.exchange(self.fetcher.client(&url)?.post(url).json(body), limit)
            .await
    }

    async fn exchange(&self, request: RequestBuilder, limit: usize) -> Result<(Value, usize), UpstreamError> {
        let reply = self
            .fetcher
            .send(request.header(ACCEPT, "application/json"), limit)
            .await?;
        if !reply.status.is_success() {
            return Err(UpstreamError::Status(reply.status));
        }
        let value = serde_json::from_slice(&reply.body)
            .map_err(|error| UpstreamError::Malformed(error.to_string()))?;
        Ok((value, reply.body.len()))
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
