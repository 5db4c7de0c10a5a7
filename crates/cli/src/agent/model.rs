//! The model that the settings name.

use std::{path::Path, sync::Arc};

use periplus_llm::{
    ApiKey, ChatModel, ModelName, ModelSettings, Provider, connect as connect_model, scripted::Script,
};
use url::Url;

use crate::{
    config::{Settings, keys},
    exit::CliError,
};

/// Longest script that is read, in bytes.
const MAX_SCRIPT_BYTES: u64 = 16 * 1024 * 1024;

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
        script: script(&name)?,
        ..ModelSettings::default()
    };
    let model = connect_model(&name, told).map_err(|error| CliError::usage(error.to_string()))?;
    Ok((name, model))
}

/// The script of a `scripted:` model: the name is the path of its file.
fn script(name: &ModelName) -> Result<Option<Script>, CliError> {
    if name.provider() != Provider::Scripted {
        return Ok(None);
    }
    let path = Path::new(name.model());
    let cannot_read = |reason: &dyn std::fmt::Display| {
        CliError::usage(format!("cannot read the script {}: {reason}", path.display()))
    };
    let size = std::fs::metadata(path)
        .map_err(|error| cannot_read(&error))?
        .len();
    if size > MAX_SCRIPT_BYTES {
        return Err(cannot_read(&format_args!(
            "it has {size} bytes; at most {MAX_SCRIPT_BYTES} are read"
        )));
    }
    let text = std::fs::read_to_string(path).map_err(|error| cannot_read(&error))?;
    let script =
        Script::from_json(name.model(), &text).map_err(|error| CliError::usage(error.to_string()))?;
    Ok(Some(script))
}
