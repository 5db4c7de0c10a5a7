//! The protocol: post an analysis, follow its link, ask until it is finished.

use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use periplus_fetch::{Fetcher, Options};
use reqwest::{
    Method, StatusCode,
    header::{ACCEPT, HeaderMap},
};
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

use super::{
    Analysis, AnalyticsError, Metadata, Request, Table,
    base::{Base, Service},
    wait::{Patience, Waits, advised},
};

/// Analyses of one pull that run at once.
const MAX_RUNNING: usize = 4;
/// One answer.
const MAX_BYTES: usize = 64 << 20;
/// How often an analysis that is said to be finished, and is not there, is posted again.
const MAX_LOST: usize = 3;

const USER_AGENT: &str = concat!("periplus-zeno-analysis/", env!("CARGO_PKG_VERSION"));

/// The analytics service.
#[derive(Debug)]
pub(crate) struct Analytics {
    base: Base,
    patience: Patience,
    fetcher: Fetcher,
}

/// Status and body of one exchange.
struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    body: Value,
}

/// A new analysis, or one that was asked for before.
struct Created {
    link: Url,
    /// Whether it is finished, well or badly; the link says which.
    is_finished: bool,
    /// When to look again, if the service says so.
    advice: Option<Duration>,
}

impl Analytics {
    pub(crate) fn new(service: Service, patience: Patience) -> Self {
        Self {
            base: Base::new(service),
            patience,
            // No redirects: one could lead the token elsewhere.
            fetcher: Fetcher::new(Options::new(USER_AGENT)),
        }
    }

    /// A sentence for answers that do not come from a configured service; empty for those that do.
    pub(crate) fn note(&self) -> &'static str {
        if self.base.is_stand_in() {
            "No analytics service is configured: figures are from the built-in stand-in, which holds published and recorded \
             statistics only."
        } else {
            ""
        }
    }

    /// Who gives the figures.
    pub(crate) fn name(&self) -> &'static str {
        if self.base.is_stand_in() {
            "Periplus analytics stand-in"
        } else {
            "Global Nature Watch analytics API"
        }
    }

    /// Runs several analyses and joins their rows; the URLs are in the order of the requests.
    pub(crate) async fn pull(
        &self,
        requests: &[Request],
    ) -> Result<(Table, Vec<String>, Metadata), AnalyticsError> {
        let deadline = Instant::now() + self.patience.total;
        let each: Vec<_> = requests
            .iter()
            .map(|request| self.analyse(request, deadline))
            .collect();
        let work = stream::iter(each)
            .buffered(MAX_RUNNING)
            .try_collect::<Vec<Analysis>>();
        let analyses = tokio::time::timeout_at(deadline, work)
            .await
            .unwrap_or(Err(AnalyticsError::TimedOut(self.patience.total)))?;
        let (mut table, mut urls, mut metadata) = (Table::default(), Vec::new(), Metadata::default());
        for analysis in analyses {
            table.append(analysis.table);
            urls.push(analysis.url);
            metadata.merge(analysis.metadata);
        }
        Ok((table, urls, metadata))
    }

    /// Posts until the link leads somewhere: some deployments serve it only once the analysis is finished.
    async fn analyse(&self, request: &Request, deadline: Instant) -> Result<Analysis, AnalyticsError> {
        let mut waits = Waits::new(self.patience);
        let mut lost = 0;
        loop {
            let created = self.create(request, &mut waits, deadline).await?;
            let followed = self.follow(request, &created.link, &mut waits, deadline);
            if let Some(analysis) = followed.await? {
                return Ok(analysis);
            }
            lost += usize::from(created.is_finished);
            if lost > MAX_LOST {
                return Err(AnalyticsError::Malformed(
                    "the link of the analysis leads nowhere".to_owned(),
                ));
            }
            self.pause(waits.next(created.advice), deadline).await?;
        }
    }

    /// Posts the payload; the service answers the same payload with the same link.
    async fn create(
        &self,
        request: &Request,
        waits: &mut Waits,
        deadline: Instant,
    ) -> Result<Created, AnalyticsError> {
        let url = self.base.at(&request.endpoint.path()).await?;
        let body = Value::Object(request.body.clone());
        let reply = self
            .exchange(Method::POST, &url, Some(&body), waits, deadline)
            .await?;
        let reply = accepted(reply)?;
        let is_finished = match reply.body["status"].as_str() {
            Some("pending") => false,
            Some("saved" | "success" | "failed" | "error") => true,
            _ => {
                return Err(AnalyticsError::Malformed(
                    "the reply to a new analysis has no known `status`".to_owned(),
                ));
            }
        };
        let link = reply.body["data"]["link"]
            .as_str()
            .and_then(|link| url.join(link).ok())
            .ok_or_else(|| AnalyticsError::Malformed("the reply to a new analysis has no link".to_owned()))?;
        Ok(Created {
            link: self.base.at(link.path()).await?,
            is_finished,
            advice: advised(&reply.headers),
        })
    }

    /// Asks until the analysis is finished; `None` if the service does not know it.
    async fn follow(
        &self,
        request: &Request,
        link: &Url,
        waits: &mut Waits,
        deadline: Instant,
    ) -> Result<Option<Analysis>, AnalyticsError> {
        loop {
            let reply = self.exchange(Method::GET, link, None, waits, deadline).await?;
            if reply.status == StatusCode::NOT_FOUND {
                return Ok(None);
            }
            let reply = accepted(reply)?;
            let data = &reply.body["data"];
            match data["status"].as_str() {
                Some("saved" | "success") => {
                    return Analysis::read(request.endpoint, link.to_string(), data).map(Some);
                }
                Some("failed" | "error") => return Err(AnalyticsError::Failed(reason(data))),
                Some("pending") | None if data.is_object() => {
                    self.pause(waits.next(advised(&reply.headers)), deadline).await?;
                }
                _ => {
                    return Err(AnalyticsError::Malformed(
                        "the analysis has no known `status`".to_owned(),
                    ));
                }
            }
        }
    }

    /// Reads an analysis again by its link; `None` if the service does not know it or the link is another service's.
    pub(super) async fn fetch(
        &self,
        request: &Request,
        link: &Url,
    ) -> Result<Option<Analysis>, AnalyticsError> {
        if self.base.url().await?.origin() != link.origin() {
            return Ok(None);
        }
        let deadline = Instant::now() + self.patience.total;
        self.follow(request, link, &mut Waits::new(self.patience), deadline)
            .await
    }

    /// One exchange; what passes by itself is tried again, what the request causes is not.
    async fn exchange(
        &self,
        method: Method,
        url: &Url,
        body: Option<&Value>,
        waits: &mut Waits,
        deadline: Instant,
    ) -> Result<Reply, AnalyticsError> {
        loop {
            let attempt = tokio::time::timeout_at(deadline, self.attempt(&method, url, body)).await;
            let wait = match attempt.unwrap_or(Err(AnalyticsError::TimedOut(self.patience.total))) {
                Ok(reply) if is_transient(reply.status) => waits.next(advised(&reply.headers)),
                Err(AnalyticsError::Unavailable(reason)) => {
                    let wait = waits.next(None);
                    // The cause says more than that time is up.
                    if Instant::now() + wait >= deadline {
                        return Err(AnalyticsError::Unavailable(reason));
                    }
                    wait
                }
                other => return other,
            };
            if Instant::now() + wait >= deadline {
                return Err(AnalyticsError::Unavailable("it stays overloaded".to_owned()));
            }
            tokio::time::sleep(wait).await;
        }
    }

    async fn attempt(
        &self,
        method: &Method,
        url: &Url,
        body: Option<&Value>,
    ) -> Result<Reply, AnalyticsError> {
        let mut request = self
            .fetcher
            .client(url)?
            .request(method.clone(), url.clone())
            .timeout(self.patience.request)
            .header(ACCEPT, "application/json")
            .header("X-environment", self.base.stage().as_str());
        if let Some(token) = self.base.token() {
            request = request.bearer_auth(token.expose());
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let reply = self.fetcher.send(request, MAX_BYTES).await?;
        let body = match serde_json::from_slice(&reply.body) {
            Ok(body) => body,
            Err(error) if reply.status.is_success() => {
                return Err(AnalyticsError::Malformed(error.to_string()));
            }
            Err(_) => Value::Null,
        };
        Ok(Reply {
            status: reply.status,
            headers: reply.headers,
            body,
        })
    }

    async fn pause(&self, wait: Duration, deadline: Instant) -> Result<(), AnalyticsError> {
        if Instant::now() + wait >= deadline {
            return Err(AnalyticsError::TimedOut(self.patience.total));
        }
        tokio::time::sleep(wait).await;
        Ok(())
    }
}

fn is_transient(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 502 | 503 | 504)
}

/// The reply, unless its status says that there is none.
fn accepted(reply: Reply) -> Result<Reply, AnalyticsError> {
    match reply.status {
        status if status.is_success() => Ok(reply),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            Err(AnalyticsError::Unauthorized(reply.status.as_u16()))
        }
        status if status.is_client_error() => Err(AnalyticsError::Refused {
            status: status.as_u16(),
            detail: detail(&reply.body),
        }),
        status => Err(AnalyticsError::Unavailable(format!(
            "HTTP status {}",
            status.as_u16()
        ))),
    }
}

/// The service's words for what is wrong with a request.
fn detail(body: &Value) -> String {
    const LONGEST: usize = 1000;
    let one = |problem: &Value| {
        let place: Vec<String> = problem["loc"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned))
            .collect();
        format!(
            "{}: {}",
            place.join("."),
            problem["msg"].as_str().unwrap_or("refused")
        )
    };
    let text = match &body["detail"] {
        Value::Array(problems) => problems.iter().map(one).collect::<Vec<_>>().join("; "),
        Value::String(text) => text.clone(),
        _ => "it gives no reason".to_owned(),
    };
    text.chars().take(LONGEST).collect()
}

/// The service's words for why an analysis failed.
fn reason(data: &Value) -> String {
    let error = &data["result"]["error"];
    let text = data["message"]
        .as_str()
        .or(error.as_str())
        .unwrap_or("it gives no reason");
    text.trim().trim_end_matches('.').to_owned()
}
