//! Where a call goes: adapter, address, key, HTTP client.

use std::{fmt, time::Duration};

use genai::{
    Client, ModelIden, ServiceTarget,
    adapter::AdapterKind,
    resolver::{AuthData, Endpoint},
};
use periplus_fetch::{Fetcher, Options};
use url::Url;

use crate::{ApiKey, ChatError, Limits, ModelName, ModelSettings, Provider, Retries, Timeouts};

/// Sent to servers of one's own that check no key; the wire has a place for one.
const NO_KEY: &str = "none";

const USER_AGENT: &str = concat!("periplus/", env!("CARGO_PKG_VERSION"));

/// Everything that stays the same from call to call.
pub(super) struct Target {
    pub(super) model: ModelName,
    pub(super) wire: Wire,
    pub(super) client: Client,
    pub(super) timeouts: Timeouts,
    pub(super) retries: Retries,
    pub(super) limits: Limits,
    base_url: Url,
    key: ApiKey,
    adapter: AdapterKind,
}

/// The three protocols; what differs between providers of one protocol is the library's business.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    OpenAi,
    Anthropic,
    Gemini,
}

impl Target {
    pub(super) fn new(model: ModelName, settings: ModelSettings) -> Result<Self, ChatError> {
        let refuse = |reason: &str| ChatError::Configuration {
            model: model.clone(),
            reason: reason.to_owned(),
        };
        let (adapter, wire, default_url) = route(model.provider()).ok_or_else(|| refuse("it is built in"))?;

        let key = settings.api_key.filter(|key| !key.is_empty());
        if key.is_none() && model.provider().needs_key() {
            return Err(refuse("it needs an API key"));
        }
        let base_url = match (settings.base_url, default_url) {
            (Some(url), _) => normalize(url).map_err(refuse)?,
            (None, Some(url)) => Url::parse(url).expect("the table of addresses holds valid URLs"),
            (None, None) => {
                return Err(refuse(
                    "it needs the base URL of a server, such as http://localhost:8080/v1",
                ));
            }
        };
        let client = http_client(&base_url, settings.timeouts.connect)
            .and_then(|http| {
                Client::builder()
                    .with_reqwest(http)
                    .build()
                    .map_err(|error| error.to_string())
            })
            .map_err(|reason| refuse(&format!("no HTTP client could be made: {reason}")))?;
        Ok(Self {
            wire,
            client,
            timeouts: settings.timeouts,
            retries: settings.retries,
            limits: settings.limits,
            base_url,
            key: key.unwrap_or_else(|| ApiKey::new(NO_KEY)),
            adapter,
            model,
        })
    }

    /// The address in the library's terms.
    ///
    /// The adapter is always forced, because the library guesses it from the model's name; the namespace in front of the
    /// name keeps it from cutting names that contain `::` themselves.
    pub(super) fn service(&self) -> ServiceTarget {
        let name = format!("{}::{}", self.model.provider(), self.model.model());
        ServiceTarget {
            endpoint: Endpoint::from_owned(self.base_url.as_str()),
            auth: AuthData::from_single(self.key.reveal()),
            model: ModelIden::new(self.adapter, name),
        }
    }

    /// Host and port, for errors; never the path or query, which may hold a secret.
    pub(super) fn host(&self) -> String {
        let host = self.base_url.host_str().unwrap_or_default();
        self.base_url
            .port()
            .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// A text of the provider with the key taken out.
    pub(super) fn without_key(&self, text: &str) -> String {
        match self.key.reveal() {
            NO_KEY => text.to_owned(),
            key => text.replace(key, "…"),
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("model", &self.model)
            .field("host", &self.host())
            .finish_non_exhaustive()
    }
}

/// Adapter, protocol and default address of a provider; nothing for those that are built in.
fn route(provider: Provider) -> Option<(AdapterKind, Wire, Option<&'static str>)> {
    Some(match provider {
        Provider::OpenAi => (
            AdapterKind::OpenAI,
            Wire::OpenAi,
            Some("https://api.openai.com/v1/"),
        ),
        Provider::Anthropic => (
            AdapterKind::Anthropic,
            Wire::Anthropic,
            Some("https://api.anthropic.com/v1/"),
        ),
        Provider::Google => (
            AdapterKind::Gemini,
            Wire::Gemini,
            Some("https://generativelanguage.googleapis.com/v1beta/"),
        ),
        Provider::Mistral => (
            AdapterKind::Mistral,
            Wire::OpenAi,
            Some("https://api.mistral.ai/v1/"),
        ),
        Provider::Groq => (
            AdapterKind::Groq,
            Wire::OpenAi,
            Some("https://api.groq.com/openai/v1/"),
        ),
        // The library's own adapter for Ollama drops JSON schemas and sends no key.
        Provider::Ollama => (
            AdapterKind::OpenAI,
            Wire::OpenAi,
            Some("http://localhost:11434/v1/"),
        ),
        Provider::OpenAiCompatible => (AdapterKind::OpenAI, Wire::OpenAi, None),
        Provider::Guide | Provider::Scripted => return None,
    })
}

/// Checks a base URL and gives it the final slash without which the library would replace its last segment.
fn normalize(mut url: Url) -> Result<Url, &'static str> {
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err("the base URL must be an http or https address");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("the base URL must not hold a user name or password; pass the key as the API key");
    }
    url.set_fragment(None);
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    Ok(url)
}

fn http_client(base_url: &Url, connect_timeout: Duration) -> Result<reqwest::Client, String> {
    // No redirects: one would carry the key to another host.
    let fetcher = Fetcher::new(Options {
        connect_timeout,
        ..Options::new(USER_AGENT)
    });
    fetcher.client(base_url).cloned().map_err(|error| error.reason())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalized(url: &str) -> Result<String, &'static str> {
        normalize(url.parse().unwrap()).map(String::from)
    }

    #[test]
    fn a_base_url_gets_its_final_slash_and_keeps_its_query() {
        assert_eq!(
            normalized("http://localhost:8080/v1").unwrap(),
            "http://localhost:8080/v1/"
        );
        assert_eq!(
            normalized("https://host/v1/?api-version=2#x").unwrap(),
            "https://host/v1/?api-version=2"
        );
    }

    #[test]
    fn a_base_url_with_credentials_or_another_scheme_is_refused() {
        assert!(
            normalized("https://user:pass@host/v1")
                .unwrap_err()
                .contains("password")
        );
        assert!(normalized("file:///etc/passwd").unwrap_err().contains("http"));
    }

    #[test]
    fn missing_settings_are_named() {
        let refused = |name: &str| {
            Target::new(name.parse().unwrap(), ModelSettings::default())
                .expect_err("it must be refused")
                .to_string()
        };
        assert!(refused("openai:gpt-4o").contains("API key"));
        assert!(refused("openai-compatible:m").contains("base URL"));
        assert!(Target::new("ollama:qwen3".parse().unwrap(), ModelSettings::default()).is_ok());
    }

    #[test]
    fn nothing_that_prints_holds_the_key() {
        let settings = ModelSettings {
            api_key: Some("sk-very-secret".into()),
            base_url: Some("http://127.0.0.1:9/v1?key=query-secret".parse().unwrap()),
            ..Default::default()
        };
        let target = Target::new("openai:gpt-4o".parse().unwrap(), settings.clone()).unwrap();
        assert!(!format!("{target:?} {}", target.host()).contains("secret"));
        assert!(!format!("{:?}", settings.api_key).contains("secret"));
        assert_eq!(target.without_key("bad key sk-very-secret!"), "bad key …!");
    }
}
