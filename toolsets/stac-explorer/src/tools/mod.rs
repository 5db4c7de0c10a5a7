//! One file per tool.

mod search_collections;
mod show_map;

use periplus_toolset::ToolError;

pub(crate) use self::{search_collections::search_collections, show_map::show_map};
use crate::upstream::UpstreamError;

/// The answer when the catalogue fails.
fn upstream_error(error: &UpstreamError) -> ToolError {
    tracing::warn!(%error, "the catalogue failed");
    ToolError::new(
        "upstream_error",
        format!("The STAC catalogue could not be asked: {error}. Try again later."),
    )
}
