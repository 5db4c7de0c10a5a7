//! The log: stderr, as text or JSON, filtered by level or by module.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::{
    config::{ConfigError, Settings, keys},
    exit::CliError,
};

/// Starts the log; `default` is the level if nothing else is said.
///
/// # Errors
/// A filter or a format that is not understood.
pub(crate) fn start(settings: &Settings, default: &str) -> Result<(), CliError> {
    let filter = settings
        .parse::<EnvFilter>(&keys::LOG, "log filter")?
        .unwrap_or_else(|| EnvFilter::new(default));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    let started = match settings.text(&keys::LOG_FORMAT).unwrap_or("text") {
        "text" => builder.compact().try_init(),
        "json" => builder.json().flatten_event(true).try_init(),
        other => {
            return Err(ConfigError::Value {
                origin: settings
                    .origin(&keys::LOG_FORMAT)
                    .map(ToString::to_string)
                    .unwrap_or_default(),
                value: other.to_owned(),
                wanted: "log format",
                reason: "use text or json".to_owned(),
            }
            .into());
        }
    };
    // A program that embeds this one may have its own subscriber, which then stays.
    drop(started);
    Ok(())
}
