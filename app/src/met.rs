//! The settings of the museum toolset, turned into its configuration.

use std::num::NonZeroUsize;

use anyhow::Result;
use periplus_cli::{
    Purpose, Toolset,
    config::{Settings, keys},
    met::{bearer, bundled, secret_file},
};
use periplus_met::{Config, Source};

/// The toolset `met` as the settings want it.
pub(crate) fn toolset(settings: &Settings, purpose: Purpose) -> Result<Toolset> {
    let source = match (purpose, settings.path(&keys::MET_DATA_DIR)) {
        (Purpose::Listing, _) => Source::Nowhere,
        (Purpose::Calls, Some(folder)) => Source::Directory(folder),
        (Purpose::Calls, None) => Source::Prepared(Box::new(bundled(settings)?)),
    };
    let mut config = Config::new(source);
    if purpose == Purpose::Calls {
        config.access.bearer = bearer(settings)?;
        config.receipt_key = secret_file(settings, &keys::MET_RECEIPT_KEY_FILE)?;
    }
    config.access.allowed_hosts = settings.list(&keys::MET_ALLOWED_HOSTS);
    config.access.allowed_origins = settings.list(&keys::MET_ALLOWED_ORIGINS);
    if let Some(running) = settings.parse::<NonZeroUsize>(&keys::MET_MAX_CONCURRENT_QUERIES, "count")? {
        config.queries.running = running.get();
    }
    if let Some(candidates) = settings.parse::<NonZeroUsize>(&keys::MET_MAX_CANDIDATES, "count")? {
        config.max_candidates = candidates.get();
    }
    Ok(periplus_met::toolset(config))
}
