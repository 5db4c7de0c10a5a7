//! The record that `pull_data` publishes: which figures there are and how to get them, never the figures.

use std::collections::BTreeMap;

use periplus_toolset::{JsonObject, JsonSchema, schemars};
use serde::{Deserialize, Serialize};

use crate::record::ChosenParameter;

/// Statistics that stay at the analytics service.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Statistics {
    /// Name of the dataset.
    pub(crate) dataset_name: String,
    /// Its id in the catalogue.
    pub(crate) dataset_id: u32,
    /// First day the figures cover, YYYY-MM-DD.
    pub(crate) start_date: String,
    /// Last day they cover, YYYY-MM-DD.
    pub(crate) end_date: String,
    /// Where the figures are read; the first of `source_urls`.
    pub(crate) source_url: String,
    /// Always empty: figures enter no state.
    #[serde(default)]
    pub(crate) data: JsonObject,
    /// Display name of every area by the id that rows carry.
    #[serde(default)]
    pub(crate) aoi_id_to_name: BTreeMap<String, String>,
    /// Full names of the areas.
    #[serde(default)]
    pub(crate) aoi_names: Vec<String>,
    /// Their ids, as selected; parallel to the names.
    #[serde(default)]
    pub(crate) aoi_ids: Vec<String>,
    /// Their sources; parallel to the names.
    #[serde(default)]
    pub(crate) aoi_sources: Vec<String>,
    /// Chosen parameters, or null.
    #[serde(default)]
    pub(crate) parameters: Option<Vec<ChosenParameter>>,
    /// The layer that limits or splits the figures, or null.
    #[serde(default)]
    pub(crate) context_layer: Option<String>,
    /// Every analysis that the figures are in; several if the areas did not fit into one.
    #[serde(default)]
    pub(crate) source_urls: Vec<String>,
    /// Rows found.
    #[serde(default)]
    pub(crate) row_count: usize,
    /// Columns of the rows.
    #[serde(default)]
    pub(crate) columns: Vec<String>,
    /// Name of the analysis.
    #[serde(default)]
    pub(crate) endpoint: String,
    /// What was asked, one payload for each source URL; shapes are left out.
    #[serde(default)]
    pub(crate) requests: Vec<JsonObject>,
    /// Name of the selection the areas are from.
    #[serde(default)]
    pub(crate) selection_name: String,
    /// Who made the figures and what must be known of them.
    #[serde(default)]
    pub(crate) provenance: Provenance,
}

impl Statistics {
    /// Where the figures are read, in the order of their rows.
    pub(crate) fn urls(&self) -> impl Iterator<Item = &str> {
        let one = self.source_urls.is_empty().then_some(self.source_url.as_str());
        self.source_urls.iter().map(String::as_str).chain(one)
    }
}

/// Who made figures and what must be known of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Provenance {
    /// The service that gave them.
    pub(crate) served_by: String,
    /// The publications they are from.
    pub(crate) sources: Vec<Publication>,
    /// Canopy threshold in percent, where there is one.
    #[serde(default)]
    pub(crate) canopy_cover: Option<u32>,
    /// Areas without rows, by the id that rows carry.
    #[serde(default)]
    pub(crate) areas_not_held: Vec<String>,
    /// What a reader has to know.
    #[serde(default)]
    pub(crate) notes: Vec<String>,
}

/// One publication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Publication {
    /// Who published it.
    pub(crate) publisher: String,
    /// Which edition it is.
    pub(crate) vintage: String,
    /// Which boundaries areas have in it.
    #[serde(default)]
    pub(crate) boundaries: String,
    /// The terms of use.
    pub(crate) licence: String,
    /// The line to show.
    pub(crate) attribution: String,
}
