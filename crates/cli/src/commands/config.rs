//! `config show`: the values in force and where they come from.

use serde_json::json;

use super::App;
use crate::{
    args::Config,
    config::keys,
    exit::{Exit, Outcome},
    printer,
};

pub(crate) fn run(app: &App, args: &Config) -> Outcome {
    let Config::Show {
        origin: with_origin,
        json: as_json,
    } = *args;
    let settings = &app.settings;
    let shown: Vec<_> = keys::ALL
        .iter()
        .filter_map(|key| {
            let value = settings.text(key)?;
            let shown = if key.is_secret { "(secret)" } else { value };
            Some((key.env, shown, settings.origin(key)?.to_string()))
        })
        .collect();
    if as_json {
        let items: Vec<_> = shown
            .iter()
            .map(|(name, value, origin)| json!({ "name": name, "value": value, "origin": origin }))
            .collect();
        printer::data(&format!("{:#}", json!(items)))?;
        return Ok(Exit::Success);
    }
    let width = shown
        .iter()
        .map(|(name, value, _)| name.len() + value.len())
        .max()
        .unwrap_or_default()
        + 1;
    for (name, value, origin) in &shown {
        let setting = format!("{name}={value}");
        let line = if with_origin {
            format!("{setting:width$}  # {origin}")
        } else {
            setting
        };
        printer::data(&line)?;
    }
    Ok(Exit::Success)
}
