//! The settings of the area toolset, turned into its configuration.

use anyhow::Result;
use periplus_cli::{Purpose, Toolset, config::Settings};
use periplus_zeno_aoi::Config;

/// The toolset `zeno-aoi` as the settings want it.
pub(crate) fn toolset(_settings: &Settings, _purpose: Purpose) -> Result<Toolset> {
    Ok(periplus_zeno_aoi::toolset(Config::default()))
}
