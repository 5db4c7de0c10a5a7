//! The model that the settings name.

use std::sync::Arc;

use periplus_llm::{ApiKey, ChatModel, ModelName, ModelSettings, connect as connect_model};
use url::Url;

use crate::{
    config::{Settings, keys},
    exit::CliError,
    script,
};

/// The model, ready to be asked; the guide if none is named.
pub(super) fn connect(settings: &Settings) -> Result<(ModelName, Arc<dyn ChatModel>), CliError> {
    let name = settings
        .parse::<ModelName>(&keys::PROVIDER_MODEL, "model")?
        .unwrap_or_else(ModelName::guide);
    let api_key = settings.text(&keys::PROVIDER_API_KEY).map(ApiKey::new);
    if name.provider().needs_key() && api_key.as_ref().is_none_or(ApiKey::is_empty) {
        return Err(CliError::usage(format!("{name} needs a key"))
            .hint("set PROVIDER_API_KEY, or PROVIDER_MODEL=guide: to go on without a model"));
    }
    let told = ModelSettings {
        api_key,
        base_url: settings.parse::<Url>(&keys::PROVIDER_BASE_URL, "URL")?,
        script: script::of(&name).map_err(|error| CliError::usage(format!("{error:#}")))?,
        ..ModelSettings::default()
    };
    let model = connect_model(&name, told).map_err(|error| CliError::usage(error.to_string()))?;
    Ok((name, model))
}
