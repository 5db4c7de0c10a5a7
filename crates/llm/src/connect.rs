//! From a name and settings to a model.

use std::sync::Arc;

use crate::{
    ChatError, ChatModel, ModelName, ModelSettings, Provider, guide::Guide, provider, scripted::Scripted,
};

/// Makes a model ready to be asked. Nothing is sent yet: a wrong key shows in the first call.
///
/// Fails with [`ChatError::Configuration`] if the settings lack something the provider needs.
pub fn connect(name: &ModelName, settings: ModelSettings) -> Result<Arc<dyn ChatModel>, ChatError> {
    match name.provider() {
        Provider::Guide => Ok(Arc::new(Guide::new())),
        Provider::Scripted => {
            let script = settings.script.ok_or_else(|| ChatError::Configuration {
                model: name.clone(),
                reason: "a scripted model needs a script in its settings".to_owned(),
            })?;
            Ok(Arc::new(Scripted::new(script)))
        }
        _ => Ok(Arc::new(provider::Remote::connect(name, settings)?)),
    }
}
