//! Requests to the API server: the list of Services, and what changes in it.

use std::time::Duration;

use http::{StatusCode, header};
use periplus_fetch::root_cause;
use reqwest::{Certificate, Response, redirect::Policy};
use serde::Deserialize;
use serde_json::Value;
use url::{Host, Url};

use super::{
    Cluster, ClusterTiming,
    account::Token,
    service::{LABEL, Service, ServiceList},
};
use crate::directory::DirectoryError;

/// Largest list that is read, in bytes; a thousand Services are about two megabytes.
const MAX_LIST_BYTES: usize = 16 * 1024 * 1024;
/// Largest change that is read, in bytes; etcd itself stores no object larger than 1.5 MiB.
const MAX_EVENT_BYTES: usize = 4 * 1024 * 1024;
/// How much longer than announced a watch may stay silent.
const GRACE: Duration = Duration::from_secs(5);

/// Why a request to the API server has no answer that is of use.
#[derive(Debug, thiserror::Error)]
pub(super) enum ApiError {
    #[error("the API server cannot be reached: {0}")]
    Unreachable(String),
    #[error("the API server answers with status {0}")]
    Refused(StatusCode),
    #[error("the version that the watch goes on from is too old")]
    Expired,
    #[error("the answer of the API server is malformed: {0}")]
    Malformed(String),
    #[error(transparent)]
    Account(#[from] DirectoryError),
}

impl ApiError {
    /// The account may list, and not watch.
    pub(super) fn forbids_watching(&self) -> bool {
        matches!(
            self,
            Self::Refused(StatusCode::FORBIDDEN | StatusCode::METHOD_NOT_ALLOWED)
        )
    }
}

/// One change of a watched list.
#[derive(Debug)]
pub(super) enum Change {
    /// A Service is new, or is now like this.
    Present(Service),
    /// A Service is gone, or has lost its label.
    Gone(Service),
    /// Nothing has changed up to this version.
    UpTo(String),
}

/// The API server, as seen by one service account.
#[derive(Debug)]
pub(in crate::directory) struct Api {
    http: reqwest::Client,
    services: Url,
    token: Token,
    pub(super) timing: ClusterTiming,
}

impl Api {
    pub(in crate::directory) fn new(cluster: Cluster) -> Result<Self, DirectoryError> {
        let services = services_url(&cluster)?;
        Ok(Self {
            http: client(&cluster)?,
            services,
            token: Token::new(cluster.token, cluster.timing.token),
            timing: cluster.timing,
        })
    }

    /// All Services that carry the label, and the version of that list.
    pub(super) async fn list(&self) -> Result<(Vec<Service>, String), ApiError> {
        let reading = async {
            let mut response = self.get(&[]).await?;
            let mut body = Vec::new();
            while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
                if body.len() + chunk.len() > MAX_LIST_BYTES {
                    return Err(ApiError::Malformed(format!(
                        "the list is larger than {MAX_LIST_BYTES} bytes"
                    )));
                }
                body.extend_from_slice(&chunk);
            }
            let list: ServiceList = serde_json::from_slice(&body).map_err(malformed)?;
            Ok((list.items.unwrap_or_default(), list.metadata.resource_version))
        };
        within(self.timing.request, reading).await
    }

    /// Begins to watch what changes after a version.
    pub(super) async fn watch(&self, version: &str) -> Result<Watch, ApiError> {
        let seconds = self.timing.watch.as_secs().max(1).to_string();
        let query = [
            ("watch", "true"),
            ("allowWatchBookmarks", "true"),
            ("resourceVersion", version),
            ("timeoutSeconds", &seconds),
        ];
        let response = within(self.timing.request, self.get(&query)).await?;
        Ok(Watch {
            response,
            unread: Vec::new(),
            patience: self.timing.watch + GRACE,
        })
    }

    /// Sends the request; once more with the token read anew if it was refused.
    async fn get(&self, query: &[(&str, &str)]) -> Result<Response, ApiError> {
        let mut url = self.services.clone();
        url.query_pairs_mut()
            .append_pair("labelSelector", LABEL)
            .extend_pairs(query);
        let mut response = self.send(&url).await?;
        if response.status() == StatusCode::UNAUTHORIZED {
            self.token.forget();
            response = self.send(&url).await?;
        }
        match response.status() {
            StatusCode::GONE => Err(ApiError::Expired),
            status if status.is_success() => Ok(response),
            status => Err(ApiError::Refused(status)),
        }
    }

    async fn send(&self, url: &Url) -> Result<Response, ApiError> {
        let request = self
            .http
            .get(url.clone())
            .header(header::AUTHORIZATION, self.token.header()?)
            .header(header::ACCEPT, "application/json");
        request.send().await.map_err(unreachable)
    }
}

/// An open watch: one JSON object a line.
#[derive(Debug)]
pub(super) struct Watch {
    response: Response,
    unread: Vec<u8>,
    patience: Duration,
}

impl Watch {
    /// The next change; `None` when the server ends the watch, as it does after the time it was told.
    pub(super) async fn next(&mut self) -> Result<Option<Change>, ApiError> {
        loop {
            if let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                if line.trim_ascii().is_empty() {
                    continue;
                }
                return change(&line).map(Some);
            }
            if self.unread.len() > MAX_EVENT_BYTES {
                return Err(ApiError::Malformed(format!(
                    "a change is larger than {MAX_EVENT_BYTES} bytes"
                )));
            }
            let more = async { self.response.chunk().await.map_err(unreachable) };
            match within(self.patience, more).await? {
                Some(chunk) => self.unread.extend_from_slice(&chunk),
                None => return Ok(None),
            }
        }
    }
}

#[derive(Debug, Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    object: Value,
}

fn change(line: &[u8]) -> Result<Change, ApiError> {
    let Event { kind, object } = serde_json::from_slice(line).map_err(malformed)?;
    match kind.as_str() {
        "ADDED" | "MODIFIED" => Ok(Change::Present(
            serde_json::from_value(object).map_err(malformed)?,
        )),
        "DELETED" => Ok(Change::Gone(serde_json::from_value(object).map_err(malformed)?)),
        "BOOKMARK" => {
            let version = object["metadata"]["resourceVersion"].as_str();
            version
                .map(|version| Change::UpTo(version.to_owned()))
                .ok_or_else(|| ApiError::Malformed("a bookmark has no version".to_owned()))
        }
        "ERROR" if object["code"] == 410 => Err(ApiError::Expired),
        "ERROR" => Err(ApiError::Malformed(format!(
            "the watch failed with code {}",
            object["code"].as_u64().unwrap_or_default()
        ))),
        other => Err(ApiError::Malformed(format!("`{other}` is no kind of change"))),
    }
}

fn services_url(cluster: &Cluster) -> Result<Url, DirectoryError> {
    let server = &cluster.server;
    let is_local = match server.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    if server.scheme() != "https" && !(server.scheme() == "http" && is_local) {
        return Err(DirectoryError::UnsafeServer {
            url: server.to_string(),
        });
    }
    let mut url = server.clone();
    let base = server.path().trim_end_matches('/');
    url.set_path(&format!(
        "{base}/api/v1/namespaces/{}/services",
        cluster.namespace
    ));
    url.set_query(None);
    Ok(url)
}

/// A client that sends the token to the API server and nowhere else: no proxy, no redirect.
fn client(cluster: &Cluster) -> Result<reqwest::Client, DirectoryError> {
    let mut builder = reqwest::Client::builder()
        .connect_timeout(cluster.timing.request)
        .redirect(Policy::none())
        .referer(false)
        .no_proxy()
        .user_agent(concat!("periplus/", env!("CARGO_PKG_VERSION")));
    if let Some(path) = &cluster.certificates {
        let refuse = |reason: String| DirectoryError::Certificates {
            path: path.clone(),
            reason,
        };
        let text = super::account::read(path)?;
        let certificates =
            Certificate::from_pem_bundle(text.as_bytes()).map_err(|error| refuse(error.to_string()))?;
        if certificates.is_empty() {
            return Err(refuse("there are none".to_owned()));
        }
        builder = builder.tls_certs_only(certificates);
    } else if cluster.server.scheme() == "http" {
        // Without this, a machine that has no CA certificates could not even speak plain HTTP.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| DirectoryError::Client {
        reason: root_cause(&error),
    })
}

async fn within<T>(
    patience: Duration,
    work: impl Future<Output = Result<T, ApiError>>,
) -> Result<T, ApiError> {
    match tokio::time::timeout(patience, work).await {
        Ok(outcome) => outcome,
        Err(_elapsed) => {
            let seconds = patience.as_secs_f64();
            Err(ApiError::Unreachable(format!("no answer within {seconds} s")))
        }
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is used as a function from error to error"
)]
fn unreachable(error: reqwest::Error) -> ApiError {
    ApiError::Unreachable(root_cause(&error))
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is used as a function from error to error"
)]
fn malformed(error: serde_json::Error) -> ApiError {
    ApiError::Malformed(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster(server: &str) -> Cluster {
        Cluster {
            server: server.parse().unwrap(),
            namespace: "tools".to_owned(),
            token: "token".into(),
            certificates: None,
            timing: ClusterTiming::default(),
        }
    }

    #[test]
    fn the_token_travels_encrypted_or_not_at_all() {
        let path = "api/v1/namespaces/tools/services";
        for (server, expected) in [
            (
                "https://kubernetes.default.svc",
                format!("https://kubernetes.default.svc/{path}"),
            ),
            (
                "https://h:6443/cluster/",
                format!("https://h:6443/cluster/{path}"),
            ),
            ("http://127.0.0.1:8001", format!("http://127.0.0.1:8001/{path}")),
        ] {
            assert_eq!(services_url(&cluster(server)).unwrap().as_str(), expected);
        }
        for server in ["http://kubernetes.default.svc", "ftp://localhost"] {
            assert!(services_url(&cluster(server)).is_err(), "{server}");
        }
    }

    #[test]
    fn the_kinds_of_change_are_told_apart() {
        let service = r#"{"kind":"Service","metadata":{"name":"mcp-a","resourceVersion":"7"},"spec":{}}"#;
        let read =
            |kind: &str, object: &str| change(format!(r#"{{"type":"{kind}","object":{object}}}"#).as_bytes());
        assert!(matches!(read("ADDED", service), Ok(Change::Present(_))));
        assert!(matches!(read("MODIFIED", service), Ok(Change::Present(_))));
        assert!(matches!(read("DELETED", service), Ok(Change::Gone(_))));
        assert!(matches!(read("BOOKMARK", service), Ok(Change::UpTo(version)) if version == "7"));
        let gone = r#"{"kind":"Status","code":410,"reason":"Expired"}"#;
        assert!(matches!(read("ERROR", gone), Err(ApiError::Expired)));
        assert!(matches!(
            read("ERROR", r#"{"code":500}"#),
            Err(ApiError::Malformed(_))
        ));
        assert!(matches!(read("NONSENSE", service), Err(ApiError::Malformed(_))));
        assert!(matches!(change(b"{"), Err(ApiError::Malformed(_))));
    }
}
