//! Where the service is: a configured deployment, or the stand-in of this process.

use std::fmt;

use periplus_analytics_standin::Server;
use periplus_toolset::Secret;
use tokio::sync::OnceCell;
use url::Url;

use super::AnalyticsError;

/// Which deployment data come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stage {
    /// The data that everybody sees.
    #[default]
    Production,
    /// The data that are being prepared.
    Staging,
}

impl Stage {
    /// Reads the setting: `production` in any case, everything else is staging.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        if text.trim().eq_ignore_ascii_case("production") {
            Self::Production
        } else {
            Self::Staging
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Production => "production",
            Self::Staging => "staging",
        }
    }
}

/// Why an address is no service.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// Another protocol.
    #[error("the scheme of the analytics service is {0:?}; use https, or http on a network you trust")]
    Scheme(String),
    /// Parts that would be sent with every request, or lost.
    #[error("the root of the analytics service has no user name, password, query or fragment; remove it")]
    Extra,
}

/// The analytics service to ask.
#[derive(Debug, Clone)]
pub enum Service {
    /// The stand-in: published figures, served from this process on a loopback port.
    StandIn,
    /// A deployment of the analytics API.
    Remote {
        /// Its root.
        url: Url,
        /// The bearer token, if it wants one.
        token: Option<Secret>,
        /// Which data it is to use.
        stage: Stage,
    },
}

impl Service {
    /// A deployment at this root.
    ///
    /// # Errors
    /// The address is no root of a web service.
    pub fn remote(url: Url, token: Option<Secret>, stage: Stage) -> Result<Self, ServiceError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(ServiceError::Scheme(url.scheme().to_owned()));
        }
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        if has_credentials || url.query().is_some() || url.fragment().is_some() {
            return Err(ServiceError::Extra);
        }
        Ok(Self::Remote { url, token, stage })
    }
}

/// The service with its address, once there is one.
pub(super) struct Base {
    service: Service,
    /// Started by the first pull, so that listing tools opens no port.
    stand_in: OnceCell<(Server, Url)>,
}

impl fmt::Debug for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.service.fmt(f)
    }
}

impl Base {
    pub(super) fn new(service: Service) -> Self {
        Self {
            service,
            stand_in: OnceCell::new(),
        }
    }

    pub(super) fn is_stand_in(&self) -> bool {
        matches!(self.service, Service::StandIn)
    }

    pub(super) fn token(&self) -> Option<&Secret> {
        match &self.service {
            Service::StandIn => None,
            Service::Remote { token, .. } => token.as_ref(),
        }
    }

    pub(super) fn stage(&self) -> Stage {
        match &self.service {
            Service::StandIn => Stage::Production,
            Service::Remote { stage, .. } => *stage,
        }
    }

    /// The root URL; the stand-in is started if it is not running.
    pub(super) async fn url(&self) -> Result<&Url, AnalyticsError> {
        match &self.service {
            Service::Remote { url, .. } => Ok(url),
            Service::StandIn => {
                let started = self.stand_in.get_or_try_init(start).await?;
                Ok(&started.1)
            }
        }
    }

    /// An address below the root, whatever host a link names: a token never leaves for another one.
    pub(super) async fn at(&self, path: &str) -> Result<Url, AnalyticsError> {
        let mut url = self.url().await?.clone();
        let root = url.path().trim_end_matches('/').to_owned();
        if root.is_empty() || path.starts_with(&format!("{root}/")) {
            url.set_path(path);
        } else {
            url.set_path(&format!("{root}{path}"));
        }
        Ok(url)
    }
}

async fn start() -> Result<(Server, Url), AnalyticsError> {
    let unavailable =
        |reason: String| AnalyticsError::Unavailable(format!("the stand-in cannot start: {reason}"));
    let server = periplus_analytics_standin::start(periplus_analytics_standin::Options::default())
        .await
        .map_err(|error| unavailable(error.to_string()))?;
    let url = Url::parse(server.url()).map_err(|error| unavailable(error.to_string()))?;
    tracing::info!(%url, "no analytics service is configured; the stand-in answers");
    Ok((server, url))
}
