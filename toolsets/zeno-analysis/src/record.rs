//! The records that `pick_dataset` publishes.

use periplus_toolset::{JsonSchema, schemars};
use serde::{Deserialize, Serialize};

use crate::catalogue::Legend;

/// A parameter with the values that were chosen for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ChosenParameter {
    /// Its name.
    pub(crate) name: String,
    /// What it means.
    #[serde(default)]
    pub(crate) description: String,
    /// The values, of those the dataset offers.
    pub(crate) values: Vec<u32>,
}

/// Tiles to draw over the dataset's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct MapLayer {
    /// The layer's name.
    pub(crate) name: String,
    /// Its tiles with `{z}`, `{x}` and `{y}`; null if it has no map.
    pub(crate) tile_url: Option<String>,
    /// What its colours mean, or null.
    #[serde(default)]
    pub(crate) legend: Option<Legend>,
}

/// The dataset that answers a question, with the choices that go with it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct DatasetRecord {
    /// Its id in the catalogue.
    pub(crate) dataset_id: u32,
    /// Its name.
    pub(crate) dataset_name: String,
    /// The layer that limits or splits it, or null.
    pub(crate) context_layer: Option<String>,
    /// Chosen parameters, or null.
    pub(crate) parameters: Option<Vec<ChosenParameter>>,
    /// First day, YYYY-MM-DD.
    pub(crate) start_date: String,
    /// Last day, YYYY-MM-DD.
    pub(crate) end_date: String,
    /// Why it was chosen.
    pub(crate) reason: String,
    /// Map tiles with `{z}`, `{x}` and `{y}`; empty if it has no map.
    pub(crate) tile_url: String,
    /// Tiles to draw over it.
    pub(crate) context_layers: Vec<MapLayer>,
    /// Path of its statistics at the analytics service.
    pub(crate) analytics_api_endpoint: String,
    /// What it holds.
    pub(crate) description: String,
    /// How its rows are analysed.
    pub(crate) prompt_instructions: String,
    /// How it was made.
    pub(crate) methodology: String,
    /// What must be said with its figures.
    pub(crate) cautions: String,
    /// How it is asked.
    pub(crate) function_usage_notes: String,
    /// How it is cited.
    pub(crate) citation: String,
    /// Its period in words.
    pub(crate) content_date: String,
    /// When to choose it.
    pub(crate) selection_hints: Option<String>,
    /// What analysis code has to heed, instead of `prompt_instructions`.
    pub(crate) code_instructions: Option<String>,
    /// How its figures are worded.
    pub(crate) presentation_instructions: Option<String>,
    /// The canopy threshold in percent of a dataset that has one.
    #[serde(default)]
    pub(crate) canopy_cover: Option<u32>,
    /// Terms of use.
    #[serde(default)]
    pub(crate) license: String,
    /// A short name, for a caption.
    #[serde(default)]
    pub(crate) short_name: String,
    /// The unit of its figures.
    #[serde(default)]
    pub(crate) unit: String,
    /// What the colours of its map mean; null if it has no map.
    #[serde(default)]
    pub(crate) legend: Option<Legend>,
}

/// A dataset that comes close.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct DatasetCandidate {
    /// Its id in the catalogue.
    pub(crate) dataset_id: u32,
    /// Its name.
    pub(crate) dataset_name: String,
    /// The layer that would go with it, or null.
    pub(crate) context_layer: Option<String>,
    /// Parameters that would, or null.
    pub(crate) parameters: Option<Vec<ChosenParameter>>,
    /// First day it could serve, YYYY-MM-DD.
    pub(crate) start_date: String,
    /// Last day it could serve, YYYY-MM-DD.
    pub(crate) end_date: String,
    /// What it offers and what it lacks.
    pub(crate) reason: String,
}
