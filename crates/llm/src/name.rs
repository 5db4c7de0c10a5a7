//! Model names as users write them: `provider:model`.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::NameError;

/// Longer than any model name in use; a limit because names come from forms and headers.
const MAX_MODEL_CHARS: usize = 200;

/// Who answers: a hosted service, a server of one's own, or one of the two built-in stand-ins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Provider {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Google's Gemini, through `generateContent`.
    Google,
    /// Mistral's chat completions.
    Mistral,
    /// Groq's chat completions.
    Groq,
    /// A local Ollama, through its OpenAI-compatible routes.
    Ollama,
    /// Any server that speaks OpenAI's chat completions; needs a base URL.
    OpenAiCompatible,
    /// The built-in planner that uses no model.
    Guide,
    /// Replies from a script, for tests.
    Scripted,
}

/// Every provider with the names it is known by; the first is the one we write.
const PROVIDERS: &[(Provider, &[&str])] = &[
    (Provider::OpenAi, &["openai"]),
    (Provider::Anthropic, &["anthropic", "claude"]),
    (
        Provider::Google,
        &["google", "gemini", "google_genai", "google-genai"],
    ),
    (Provider::Mistral, &["mistral", "mistralai"]),
    (Provider::Groq, &["groq"]),
    (Provider::Ollama, &["ollama"]),
    (
        Provider::OpenAiCompatible,
        &["openai-compatible", "openai_compatible"],
    ),
    (Provider::Guide, &["guide"]),
    (Provider::Scripted, &["scripted"]),
];

impl Provider {
    /// Every provider, in the order help texts list them.
    pub fn all() -> impl Iterator<Item = Self> {
        PROVIDERS.iter().map(|(provider, _)| *provider)
    }

    /// The name before the colon, lower case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        PROVIDERS
            .iter()
            .find(|(provider, _)| *provider == self)
            .and_then(|(_, names)| names.first().copied())
            .expect("every provider stands in the table with at least one name")
    }

    /// Whether a call cannot work without a key.
    #[must_use]
    pub fn needs_key(self) -> bool {
        matches!(
            self,
            Self::OpenAi | Self::Anthropic | Self::Google | Self::Mistral | Self::Groq
        )
    }

    /// Whether answers come from inside this process, with no network.
    #[must_use]
    pub fn is_built_in(self) -> bool {
        matches!(self, Self::Guide | Self::Scripted)
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Provider {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        PROVIDERS
            .iter()
            .find(|(_, names)| names.iter().any(|name| name.eq_ignore_ascii_case(text)))
            .map(|(provider, _)| *provider)
            .ok_or_else(|| NameError::UnknownProvider {
                provider: shorten(text),
            })
    }
}

/// A model of a provider, parsed from `provider:model`.
///
/// Everything after the first colon is the model (`ollama:qwen3:8b`). The built-in providers need no model name:
/// `guide:` and `guide` are the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModelName {
    provider: Provider,
    model: String,
}

impl ModelName {
    /// Names `model` of `provider`; fails on an empty, overlong or unprintable model name.
    pub fn new(provider: Provider, model: impl Into<String>) -> Result<Self, NameError> {
        let model = model.into();
        if model.is_empty() && !provider.is_built_in() {
            return Err(NameError::MissingModel { provider });
        }
        let is_printable = !model.contains(|c: char| c.is_control() || c.is_whitespace());
        if !is_printable || model.chars().count() > MAX_MODEL_CHARS {
            return Err(NameError::InvalidModel {
                model: shorten(&model),
            });
        }
        Ok(Self { provider, model })
    }

    /// The built-in planner.
    #[must_use]
    pub fn guide() -> Self {
        Self {
            provider: Provider::Guide,
            model: String::new(),
        }
    }

    /// Who answers.
    #[must_use]
    pub fn provider(&self) -> Provider {
        self.provider
    }

    /// The provider's own name of the model; may be empty for built-in providers.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.provider, self.model)
    }
}

impl FromStr for ModelName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let text = text.trim();
        let (provider, model) = match text.split_once(':') {
            Some(parts) => parts,
            None if text.parse::<Provider>().is_ok_and(Provider::is_built_in) => (text, ""),
            None => return Err(NameError::MissingProvider { name: shorten(text) }),
        };
        Self::new(provider.trim().parse()?, model.trim())
    }
}

impl TryFrom<String> for ModelName {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        text.parse()
    }
}

impl From<ModelName> for String {
    fn from(name: ModelName) -> Self {
        name.to_string()
    }
}

/// The start of a text that goes into an error message.
fn shorten(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_everything_after_the_first_colon() {
        let name: ModelName = "ollama:qwen3:8b".parse().unwrap();
        assert_eq!((name.provider(), name.model()), (Provider::Ollama, "qwen3:8b"));
        assert_eq!(name.to_string(), "ollama:qwen3:8b");
    }

    #[test]
    fn other_names_of_a_provider_are_understood() {
        for (text, provider) in [
            ("google_genai:gemini-2.5-flash", Provider::Google),
            ("gemini:gemini-2.5-flash", Provider::Google),
            ("MistralAI:mistral-large-latest", Provider::Mistral),
            (" anthropic : claude-sonnet-4-5 ", Provider::Anthropic),
        ] {
            assert_eq!(text.parse::<ModelName>().unwrap().provider(), provider, "{text}");
        }
    }

    #[test]
    fn built_in_providers_need_no_model() {
        assert_eq!("guide".parse::<ModelName>().unwrap(), ModelName::guide());
        assert_eq!("guide:".parse::<ModelName>().unwrap(), ModelName::guide());
        assert_eq!(ModelName::guide().to_string(), "guide:");
    }

    #[test]
    fn a_wrong_name_says_what_to_write() {
        let says = |text: &str| text.parse::<ModelName>().unwrap_err().to_string();
        assert!(
            says("gpt-4o-mini").contains("provider:model"),
            "{}",
            says("gpt-4o-mini")
        );
        assert!(
            says("opnai:gpt-4o").contains("openai, anthropic"),
            "{}",
            says("opnai:gpt-4o")
        );
        assert!(says("openai:").contains("openai:MODEL"), "{}", says("openai:"));
        assert!(says("openai:a b").contains("\"a b\""), "{}", says("openai:a b"));
        assert!("openai:\u{7}".parse::<ModelName>().is_err());
        assert!(
            format!("openai:{}", "x".repeat(201))
                .parse::<ModelName>()
                .is_err()
        );
    }

    #[test]
    fn a_name_survives_serialisation() {
        let name: ModelName = "openai:gpt-4o-mini".parse().unwrap();
        let json = serde_json::to_string(&name).unwrap();
        assert_eq!(json, "\"openai:gpt-4o-mini\"");
        assert_eq!(serde_json::from_str::<ModelName>(&json).unwrap(), name);
    }
}
