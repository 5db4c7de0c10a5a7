//! What the binary needs to know about models before the zeno toolsets can be built.

use std::sync::Arc;

use anyhow::{Context, Result};
use periplus_llm::{ApiKey, ChatModel, ModelName, ModelSettings, connect};

use crate::{
    config::{Settings, keys},
    script,
};

/// The small model of a deployment that only has Google's key.
const SMALL_GOOGLE_MODEL: &str = "google:gemini-3-flash-preview";

/// The models that write programs in such a deployment, in the order in which they are tried.
const GOOGLE_CODING_MODELS: [&str; 3] = [
    "google:gemini-3.1-pro-preview",
    "google:gemini-2.5-pro",
    "google:gemini-3-flash-preview",
];

/// The model that chooses, if the settings name one; nothing is sent yet.
///
/// # Errors
/// The name is none, or the provider needs a key that is not set.
pub fn chat(settings: &Settings) -> Result<Option<Arc<dyn ChatModel>>> {
    let key = settings.text(&keys::GOOGLE_API_KEY).map(ApiKey::new);
    let name: ModelName = match settings.parse(&keys::ZENO_MODEL, "model name")? {
        Some(name) => name,
        None if key.is_some() => SMALL_GOOGLE_MODEL.parse().expect("the name is well formed"),
        None => return Ok(None),
    };
    Ok(Some(connected(&name, key.as_ref(), "ZENO_MODEL")?))
}

/// The models that write analysis programs, in the order in which they are tried.
///
/// # Errors
/// As [`chat`].
pub fn coders(settings: &Settings) -> Result<Vec<Arc<dyn ChatModel>>> {
    let key = settings.text(&keys::GOOGLE_API_KEY).map(ApiKey::new);
    let first: Vec<String> = settings.list(&keys::ZENO_CODING_MODEL);
    let fallbacks = settings.list(&keys::ZENO_CODING_FALLBACK_MODELS);
    let names = match (first.is_empty(), &key) {
        (false, _) => first.into_iter().chain(fallbacks).collect(),
        (true, Some(_)) if fallbacks.is_empty() => GOOGLE_CODING_MODELS.map(str::to_owned).to_vec(),
        (true, Some(_)) => [GOOGLE_CODING_MODELS[0].to_owned()]
            .into_iter()
            .chain(fallbacks)
            .collect(),
        (true, None) => fallbacks,
    };
    names
        .iter()
        .map(|name| {
            // Existing deployments name Google's models without their provider.
            let full = if name.contains(':') {
                name.clone()
            } else {
                format!("google:{name}")
            };
            let model = full
                .parse()
                .with_context(|| format!("ZENO_CODING_MODEL or ZENO_CODING_FALLBACK_MODELS: {name:?}"))?;
            connected(
                &model,
                key.as_ref(),
                "ZENO_CODING_MODEL or ZENO_CODING_FALLBACK_MODELS",
            )
        })
        .collect()
}

fn connected(name: &ModelName, key: Option<&ApiKey>, variable: &str) -> Result<Arc<dyn ChatModel>> {
    let settings = ModelSettings {
        api_key: key.cloned(),
        script: script::of(name)?,
        ..ModelSettings::default()
    };
    connect(name, settings).with_context(|| format!("cannot use the model {name} ({variable})"))
}
