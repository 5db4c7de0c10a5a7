//! The agent as the settings describe it: its model, its toolsets, the place of its threads.

mod local;
mod model;

use std::sync::Arc;

use periplus_agent::{Agent, AgentSettings, CheckpointPlace, Checkpoints, Retention, ToolsetSources};
use periplus_llm::ModelName;
use periplus_runtime::client::Credentials;
use tokio_util::sync::DropGuard;

use crate::{
    Profile,
    commands::{App, remote},
    config::{ConfigError, Origin, Settings, keys},
    exit::CliError,
};

/// Name of the file of threads in the user's data folder.
const THREADS: &str = "threads.sqlite";

/// An agent, and what it needs to stay around.
pub(crate) struct Prepared {
    pub(crate) agent: Agent,
    pub(crate) model: ModelName,
    /// What a person should know before the first question.
    pub(crate) notes: Vec<String>,
    /// Credential headers that were given, or stand in the environment under the name of a declared one.
    pub(crate) headers: Vec<(String, String)>,
    /// The toolsets of this binary, if they are served here.
    _local: Option<DropGuard>,
}

/// Connects the agent that the settings describe. `headers` are those of the command line.
///
/// Where no server is named and none answers at the usual address, the toolsets of this binary are served in this process,
/// on a loopback port.
pub(crate) async fn prepare(app: &App, headers: &[(String, String)]) -> Result<Prepared, CliError> {
    let settings = &app.settings;
    let mut notes = Vec::new();
    let (name, model) = model::connect(settings)?;
    if name.provider() == periplus_llm::Provider::Guide {
        notes.push(
            "the guide is no language model, it follows rules; for one set PROVIDER_MODEL (provider:model) and PROVIDER_API_KEY"
                .to_owned(),
        );
    }
    let profile = app.profile()?;
    let checkpoints = checkpoints(settings)?;
    let agent_settings = agent_settings(settings, profile)?;
    let (url, local) = match named_server(app, profile)? {
        Some(url) => (url, None),
        None => {
            let (url, guard) = local::serve(app, profile)?;
            notes.push(own_toolsets(profile));
            (url, Some(guard))
        }
    };
    // The credentials of the environment are known by the names that servers declare, so there are two steps.
    let given = Credentials::new(headers.iter().map(|(name, value)| (name, value)))?;
    let sources = ToolsetSources {
        urls: vec![url],
        ..ToolsetSources::default()
    };
    let builder = || {
        Agent::builder(Arc::clone(&model), Arc::clone(&checkpoints))
            .sources(sources.clone())
            .settings(agent_settings.clone())
    };
    let mut agent = builder().credentials(given.clone()).connect().await;
    let declared: Vec<String> = agent
        .toolsets()
        .connected()
        .iter()
        .flat_map(|connected| connected.credential_headers().unwrap_or_default().to_vec())
        .collect();
    let headers = remote::with_environment(headers, &declared, settings);
    let credentials = Credentials::new(headers.iter().map(|(name, value)| (name, value)))?;
    if credentials != given {
        agent = builder().credentials(credentials).connect().await;
    }
    Ok(Prepared {
        agent,
        model: name,
        notes,
        headers,
        _local: local,
    })
}

/// The server that the settings name, or the usual one if it answers and no profile says which toolsets are wanted.
fn named_server(app: &App, profile: Option<&Profile>) -> Result<Option<url::Url>, CliError> {
    let url = app.server_url()?;
    let is_named = app.settings.origin(&keys::MCP_URL) != Some(&Origin::Default);
    Ok((is_named || (profile.is_none() && local::answers(&url))).then_some(url))
}

/// Why toolsets are served in this process.
fn own_toolsets(profile: Option<&Profile>) -> String {
    match profile {
        Some(profile) => format!(
            "no server was named: the toolsets of the profile {} are used ({})",
            profile.name, profile.summary
        ),
        None => {
            "no server was named and none answers at the usual address: the toolsets of this program are used"
                .to_owned()
        }
    }
}

/// The model that the settings name, and that nothing it needs is missing; it is not asked anything.
pub(crate) fn model_name(settings: &Settings) -> Result<ModelName, CliError> {
    model::connect(settings).map(|(name, _)| name)
}

/// Where threads are kept: a file in the user's data folder unless the settings say otherwise.
pub(crate) fn place(settings: &Settings) -> Result<CheckpointPlace, CliError> {
    Ok(
        match settings.parse::<CheckpointPlace>(&keys::AGENT_CHECKPOINT, "place for threads")? {
            Some(place) => place,
            None => match settings.data_dir() {
                Some(folder) => CheckpointPlace::Sqlite(folder.join(THREADS)),
                None => CheckpointPlace::Memory,
            },
        },
    )
}

fn checkpoints(settings: &Settings) -> Result<Arc<dyn Checkpoints>, CliError> {
    place(settings)?
        .open(Retention::default())
        .map_err(|error| CliError::usage(error.to_string()).hint("MCP_AGENT_CHECKPOINT names another place"))
}

fn agent_settings(settings: &Settings, profile: Option<&Profile>) -> Result<AgentSettings, ConfigError> {
    let defaults = AgentSettings::default();
    let number = |key| settings.parse::<usize>(key, "number of options");
    let options =
        number(&keys::AGENT_MIN_OPTIONS)?.unwrap_or(2)..=number(&keys::AGENT_MAX_OPTIONS)?.unwrap_or(10);
    let asks = settings.switch(&keys::AGENT_INTERRUPT)?;
    let session_state = settings.switch(&keys::AGENT_STATE)?;
    Ok(AgentSettings {
        session_state,
        question_options: asks.then_some(options),
        system_prompt: profile.map(|profile| profile.system_prompt(session_state, asks)),
        ..defaults
    })
}
