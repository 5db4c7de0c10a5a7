//! The settings of the STAC toolset, turned into its configuration.

use anyhow::Result;
use periplus_cli::{
    Purpose, Toolset,
    config::{Settings, keys},
};
use periplus_stac_explorer::Config;

/// The toolset `stac-explorer` as the settings want it; listing it fetches nothing either.
pub(crate) fn toolset(settings: &Settings, _purpose: Purpose) -> Result<Toolset> {
    Ok(periplus_stac_explorer::toolset(Config {
        root: settings.parse(&keys::STAC_EXPLORER_ROOT, "root URL")?,
        tiler: settings.parse(&keys::STAC_EXPLORER_TILER, "root URL")?,
        ..Config::default()
    }))
}
