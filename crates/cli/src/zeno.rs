//! What the binary needs to know about models before the zeno toolsets can be built.

use std::sync::Arc;

use anyhow::{Context, Result};
use periplus_llm::{ApiKey, ChatModel, ModelName, ModelSettings, connect};

use crate::config::{Settings, keys};

/// The small model of a deployment that only has Google's key.
const SMALL_GOOGLE_MODEL: &str = "google:gemini-3-flash-preview";

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
    let settings = ModelSettings {
        api_key: key,
        ..ModelSettings::default()
    };
    let chat =
        connect(&name, settings).with_context(|| format!("cannot use the model {name} (ZENO_MODEL)"))?;
    Ok(Some(chat))
}
