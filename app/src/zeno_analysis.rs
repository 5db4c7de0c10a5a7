//! The settings of the analysis toolset, turned into its configuration.

use anyhow::{Context as _, Result};
use periplus_cli::{
    Purpose, Secret, Toolset,
    config::{Settings, keys},
    zeno,
};
use periplus_interpreter::{self as interpreter, Interpreter};
use periplus_zeno_analysis::{Config, Service, Stage};

/// The deployment that a token alone is for.
const PUBLIC_SERVICE: &str = "https://analytics.globalnaturewatch.org";

/// The toolset `zeno-analysis` as the settings want it; nothing is connected before the first call.
pub(crate) fn toolset(settings: &Settings, purpose: Purpose) -> Result<Toolset> {
    let mut config = Config {
        service: service(settings)?,
        excluded_datasets: settings.list(&keys::ZENO_EXCLUDED_DATASETS),
        ..Config::default()
    };
    if let Some(base) = settings.text(&keys::EOAPI_BASE_URL) {
        base.clone_into(&mut config.tile_base);
    }
    if purpose == Purpose::Calls {
        config.chat = zeno::chat(settings)?;
        config.coders = zeno::coders(settings)?;
        if !config.coders.is_empty() {
            let workers = interpreter::Config::of_this_binary()
                .context("finding the binary that runs analysis programs")?;
            config.interpreter = Some(Interpreter::new(workers));
        }
    }
    Ok(periplus_zeno_analysis::toolset(config)?)
}

fn service(settings: &Settings) -> Result<Service> {
    let url = settings.parse(&keys::ANALYTICS_API_BASE_URL, "root URL")?;
    let token = settings.text(&keys::WRI_BEARER_TOKEN).map(Secret::new);
    let url = match (url, &token) {
        (Some(url), _) => url,
        (None, Some(_)) => PUBLIC_SERVICE.parse().expect("the address is well formed"),
        (None, None) => return Ok(Service::StandIn),
    };
    let stage = Stage::parse(settings.text(&keys::GNW_STAGE).unwrap_or_default());
    Ok(Service::remote(url, token, stage)?)
}
