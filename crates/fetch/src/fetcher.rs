//! The clients behind a service: one for each way of reaching it.

use std::{net::IpAddr, sync::OnceLock, time::Duration};

use reqwest::{
    Client, RequestBuilder,
    redirect::{Attempt, Policy},
};
use url::{Host, Url};

use crate::{FetchError, Reply, body, root_cause};

/// How requests are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// How the service sees who asks, such as `my-toolset/1.0`.
    pub user_agent: String,
    /// Longest wait for a TCP or TLS connection. What a whole request may take is said with the request.
    pub connect_timeout: Duration,
    /// Redirects that are followed, all within scheme, host and port; with none, a redirect is an answer like any other.
    pub redirects: usize,
}

impl Options {
    /// Ten seconds to connect, no redirects.
    pub fn new(user_agent: impl Into<String>) -> Self {
        Self {
            user_agent: user_agent.into(),
            connect_timeout: Duration::from_secs(10),
            redirects: 0,
        }
    }
}

/// Connection pools for requests of one kind.
#[derive(Debug)]
pub struct Fetcher {
    options: Options,
    /// Plain HTTP; kept apart because TLS roots may be missing on a machine that never needs them.
    plain: OnceLock<Result<Client, String>>,
    /// Plain HTTP to this machine, which no proxy may see.
    local: OnceLock<Result<Client, String>>,
    tls: OnceLock<Result<Client, String>>,
}

impl Fetcher {
    /// Prepares the clients; nothing is opened or read yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            options,
            plain: OnceLock::new(),
            local: OnceLock::new(),
            tls: OnceLock::new(),
        }
    }

    /// The client for an address.
    ///
    /// # Errors
    /// [`FetchError::Scheme`], or [`FetchError::Unreachable`] if the machine lacks what TLS needs.
    pub fn client(&self, url: &Url) -> Result<&Client, FetchError> {
        let slot = match (url.scheme(), is_this_machine(url)) {
            ("https", _) => &self.tls,
            ("http", true) => &self.local,
            ("http", false) => &self.plain,
            (other, _) => return Err(FetchError::Scheme(other.to_owned())),
        };
        slot.get_or_init(|| self.build(url).map_err(|error| root_cause(&error)))
            .as_ref()
            .map_err(|reason| FetchError::Unreachable(reason.clone()))
    }

    /// Sends a request and reads the answer, of at most `limit` bytes, whatever its status.
    ///
    /// # Errors
    /// [`FetchError`] if there is no answer, or more of it than the limit.
    pub async fn send(&self, request: RequestBuilder, limit: usize) -> Result<Reply, FetchError> {
        let mut response = request.send().await?;
        Ok(Reply {
            status: response.status(),
            headers: std::mem::take(response.headers_mut()),
            body: body(response, limit).await?,
        })
    }

    fn build(&self, url: &Url) -> reqwest::Result<Client> {
        // The TLS library wants one provider per process; whoever comes first has installed the same one.
        let _already_installed = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .connect_timeout(self.options.connect_timeout)
            .redirect(within_origin(self.options.redirects))
            .referer(false)
            .user_agent(&self.options.user_agent);
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

/// Follows up to `most` redirects; credentials would travel along to another host.
fn within_origin(most: usize) -> Policy {
    if most == 0 {
        return Policy::none();
    }
    Policy::custom(move |attempt: Attempt<'_>| {
        let stays = attempt
            .previous()
            .first()
            .is_some_and(|first| first.origin() == attempt.url().origin());
        if stays && attempt.previous().len() <= most {
            attempt.follow()
        } else {
            attempt.error(FetchError::Redirect)
        }
    })
}

/// Whether an address leads to the machine that asks.
#[must_use]
pub fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_addresses_are_this_machine_and_names_that_look_alike_are_not() {
        for (url, expected) in [
            ("http://localhost:1", true),
            ("http://127.8.0.1", true),
            ("http://[::1]/x", true),
            ("http://localhost.example.org", false),
            ("http://10.0.0.1", false),
            ("data:text/plain,localhost", false),
        ] {
            assert_eq!(is_this_machine(&url.parse().unwrap()), expected, "{url}");
        }
    }

    #[test]
    fn only_web_addresses_have_a_client() {
        let fetcher = Fetcher::new(Options::new("test"));
        let refused = fetcher
            .client(&"file:///etc/passwd".parse().unwrap())
            .unwrap_err();
        assert_eq!(refused, FetchError::Scheme("file".to_owned()));
        assert!(!refused.to_string().contains("passwd"));
    }
}
