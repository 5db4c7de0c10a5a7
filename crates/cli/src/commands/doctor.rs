//! `doctor`: what works, what does not, and what to do about it.

use std::{net::TcpListener, path::Path};

use periplus_agent::{CheckpointPlace, Retention};
use periplus_llm::Provider;
use serde_json::json;

use super::{App, block_on, remote};
use crate::{
    Purpose, agent,
    config::{Settings, keys},
    exit::{CliError, Exit, Outcome},
    printer,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Ok,
    Note,
    Fail,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Fail => "fail",
        }
    }
}

struct Check {
    name: String,
    verdict: Verdict,
    detail: String,
}

impl Check {
    fn new(name: &str, verdict: Verdict, detail: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            verdict,
            detail: detail.into(),
        }
    }
}

pub(crate) fn run(app: &App, as_json: bool) -> Outcome {
    block_on(async {
        let mut checks = vec![configuration(&app.settings)];
        checks.extend(
            app.settings
                .warnings()
                .iter()
                .map(|text| Check::new("environment", Verdict::Note, text)),
        );
        checks.push(cache(&app.settings));
        for entry in &app.entries {
            checks.push(toolset(app, entry).await);
        }
        checks.push(server(app).await);
        checks.push(model(&app.settings));
        checks.extend(profile(app));
        checks.push(threads(&app.settings));
        report(&checks, as_json)
    })
}

fn configuration(settings: &Settings) -> Check {
    let changed = keys::ALL
        .iter()
        .filter_map(|key| Some((key, settings.origin(key)?)));
    let changed: Vec<String> = changed
        .filter(|(_, origin)| **origin != crate::config::Origin::Default)
        .map(|(key, origin)| format!("{} ({origin})", key.env))
        .collect();
    let detail = if changed.is_empty() {
        "all defaults".to_owned()
    } else {
        changed.join(", ")
    };
    Check::new("configuration", Verdict::Ok, detail)
}

fn cache(settings: &Settings) -> Check {
    let name = "cache folder";
    let Some(folder) = settings.cache_dir() else {
        return Check::new(name, Verdict::Note, "unknown: set XDG_CACHE_HOME or HOME");
    };
    match probe_writable(&folder) {
        Ok(()) => Check::new(name, Verdict::Ok, folder.display().to_string()),
        Err(error) => Check::new(
            name,
            Verdict::Fail,
            format!("{} cannot be written: {error}", folder.display()),
        ),
    }
}

fn probe_writable(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    tempfile::tempfile_in(folder).map(drop)
}

async fn toolset(app: &App, entry: &crate::Entry) -> Check {
    use periplus_toolset::Readiness;
    let name = format!("toolset {}", entry.name);
    let toolset = match app.build(entry, Purpose::Calls) {
        Ok(toolset) => toolset,
        Err(error) => return Check::new(&name, Verdict::Fail, error.message),
    };
    let (verdict, detail) = match super::readiness(&toolset).await {
        Readiness::Ready => (Verdict::Ok, counted(toolset.tools().len(), "tool")),
        Readiness::Starting(what) => (Verdict::Note, format!("starting: {what}")),
        Readiness::Failed(why) => (Verdict::Fail, why),
    };
    Check::new(&name, verdict, detail)
}

fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// A server that answers is fine; so is none, as long as one could be started.
async fn server(app: &App) -> Check {
    let name = "server";
    let url = match app.server_url() {
        Ok(url) => url,
        Err(error) => return Check::new(name, Verdict::Fail, error.message),
    };
    match remote::open(app).await {
        Ok(directory) => Check::new(
            name,
            Verdict::Ok,
            format!("{url} serves {}", counted(directory.entries.len(), "toolset")),
        ),
        Err(error) if error.exit == Exit::Connect => match port_is_free(&app.settings) {
            Ok(()) => Check::new(
                name,
                Verdict::Note,
                format!("none at {url}; `periplus serve` would start one"),
            ),
            Err(why) => Check::new(name, Verdict::Fail, why),
        },
        Err(error) => Check::new(name, Verdict::Fail, error.message),
    }
}

/// The model of the agent, as far as it can be told without asking it.
fn model(settings: &Settings) -> Check {
    let name = "model of the agent";
    match agent::model_name(settings) {
        Ok(model) if model.provider() == Provider::Guide => Check::new(
            name,
            Verdict::Ok,
            "the guide, which is no language model and needs no key",
        ),
        Ok(model) => Check::new(name, Verdict::Ok, format!("{model}, which was not asked")),
        Err(error) => Check::new(name, Verdict::Fail, with_hint(&error)),
    }
}

/// What the agent is for, if the settings say it.
fn profile(app: &App) -> Option<Check> {
    let name = "profile of the agent";
    match app.profile().transpose()? {
        Ok(profile) => Some(Check::new(
            name,
            Verdict::Ok,
            format!("{}, {}", profile.name, profile.summary),
        )),
        Err(error) => Some(Check::new(name, Verdict::Fail, with_hint(&error))),
    }
}

/// Where the agent keeps its threads; a database is not asked.
fn threads(settings: &Settings) -> Check {
    let name = "threads of the agent";
    let place = match agent::place(settings) {
        Ok(place) => place,
        Err(error) => return Check::new(name, Verdict::Fail, with_hint(&error)),
    };
    let usable = match &place {
        CheckpointPlace::Memory => Ok(()),
        CheckpointPlace::Sqlite(path) => path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .map_or_else(|| probe_writable(Path::new(".")), probe_writable)
            .map_err(|error| error.to_string()),
        CheckpointPlace::Postgres(_) => place
            .open(Retention::default())
            .map(drop)
            .map_err(|error| error.to_string()),
    };
    match usable {
        Ok(()) => Check::new(name, Verdict::Ok, place.to_string()),
        Err(why) => Check::new(name, Verdict::Fail, format!("{place} cannot be used: {why}")),
    }
}

fn with_hint(error: &CliError) -> String {
    let hint = error.hint.as_ref().map(|hint| format!("; {hint}"));
    format!("{}{}", error.message, hint.unwrap_or_default())
}

fn port_is_free(settings: &Settings) -> Result<(), String> {
    let host = settings.text(&keys::HOST).unwrap_or_default();
    let port = settings
        .parse::<u16>(&keys::PORT, "port number (0 to 65535)")
        .map_err(|error| error.to_string())?;
    let address = (host, port.unwrap_or_default());
    TcpListener::bind(address)
        .map(drop)
        .map_err(|error| format!("{host}:{} cannot be listened on: {error}", address.1))
}

fn report(checks: &[Check], as_json: bool) -> Outcome {
    if as_json {
        let items: Vec<_> = checks
            .iter()
            .map(|check| json!({ "check": check.name, "verdict": check.verdict.name(), "detail": check.detail }))
            .collect();
        printer::data(&json!(items).to_string())?;
    } else {
        let width = checks
            .iter()
            .map(|check| check.name.len())
            .max()
            .unwrap_or_default();
        for check in checks {
            printer::data(&format!(
                "{:4}  {:width$}  {}",
                check.verdict.name(),
                check.name,
                check.detail
            ))?;
        }
    }
    let failed = checks.iter().any(|check| check.verdict == Verdict::Fail);
    Ok(if failed { Exit::Answer } else { Exit::Success })
}
