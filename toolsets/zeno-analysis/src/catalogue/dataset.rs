//! One dataset, as its file has it.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use serde::Deserialize;

use super::legend::{Legend, LegendEntry, LegendKind};
use crate::{areas::AreaKind, choice::Phrases, dates::Period};

/// A dataset of the analytics service.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Dataset {
    pub(crate) dataset_id: u32,
    pub(crate) dataset_name: String,
    /// For chips and legends.
    pub(crate) short_name: String,
    pub(crate) endpoint: Endpoint,
    /// The split that requests always ask for.
    pub(crate) intersection: Option<String>,
    pub(crate) cadence: Cadence,
    pub(crate) start_date: NaiveDate,
    /// Absent for data that grow until today.
    pub(crate) end_date: Option<NaiveDate>,
    /// Whether the content has one period, whatever is asked for.
    pub(crate) content_date_fixed: bool,
    /// The period in words.
    pub(crate) content_date: String,
    /// The kinds of areas that it has statistics for.
    pub(crate) areas: Vec<AreaKind>,
    pub(crate) unit: String,
    pub(crate) geographic_coverage: String,
    pub(crate) resolution: String,
    pub(crate) update_frequency: String,
    pub(crate) license: String,
    pub(crate) providers: Vec<String>,
    pub(crate) citation: String,
    pub(crate) description: String,
    pub(crate) selection_hints: String,
    /// Datasets to look at when this one cannot answer, best first.
    #[serde(default)]
    pub(crate) alternatives: Vec<u32>,
    pub(crate) prompt_instructions: String,
    pub(crate) code_instructions: Option<String>,
    pub(crate) presentation_instructions: Option<String>,
    pub(crate) methodology: String,
    pub(crate) cautions: String,
    pub(crate) function_usage_notes: String,
    /// The layer it always has, whatever is asked for.
    pub(crate) forced_layer: Option<String>,
    /// Absent for data without a map.
    pub(crate) tile_url: Option<String>,
    /// Colours of the values of a map, as lists of 3 or 4 bytes.
    #[serde(default)]
    pub(crate) colormap: BTreeMap<String, Vec<u8>>,
    /// The classes of the data, with their colours.
    #[serde(default)]
    pub(crate) categories: Vec<Category>,
    /// The colour of a single series.
    pub(crate) series_color: Option<String>,
    /// The colours of values above and below zero.
    pub(crate) divergent_colors: Option<DivergentColors>,
    /// What the colours of the map mean; absent for data without one.
    pub(crate) legend: Option<Legend>,
    /// Whether the legend lists the classes of the data, or has entries of its own.
    #[serde(default = "yes")]
    pub(crate) legend_categories: bool,
    #[serde(default)]
    pub(crate) context_layers: Vec<Layer>,
    #[serde(default)]
    pub(crate) parameters: Vec<Parameter>,
    /// Words that a text about its figures must not use.
    #[serde(default)]
    pub(crate) misnomers: Vec<Misnomer>,
    /// What in a question speaks for it.
    #[serde(default)]
    pub(crate) signals: Vec<Signal>,
}

fn yes() -> bool {
    true
}

/// One class of the data.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Category {
    /// Stable id, the same in every language.
    pub(crate) slug: String,
    /// The label in the data.
    pub(crate) label_en: String,
    pub(crate) color: String,
}

/// Colours on both sides of zero.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DivergentColors {
    pub(crate) positive: String,
    pub(crate) negative: String,
}

/// A layer that limits or splits a dataset.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Layer {
    pub(crate) value: String,
    pub(crate) description: String,
    /// West, south, east, north of where it has data; everywhere without one.
    pub(crate) extent: Option<[f64; 4]>,
    /// The first day, if later than the dataset's.
    pub(crate) start_date: Option<NaiveDate>,
    /// The last day, if earlier.
    pub(crate) end_date: Option<NaiveDate>,
    pub(crate) tile_url: Option<String>,
    /// What the colours of its map mean.
    pub(crate) legend: Option<Legend>,
    /// Words of a question that ask for it.
    pub(crate) words: Phrases,
}

/// A parameter with a list of values.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) values: Vec<u32>,
    /// A map of the parameter itself.
    pub(crate) tile_url: Option<String>,
}

/// Words that speak for a dataset: of each group one must occur, of `unless` none may.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Signal {
    pub(crate) all: Vec<Phrases>,
    #[serde(default)]
    pub(crate) unless: Phrases,
    pub(crate) weight: u32,
}

/// Words that say more than the figures do.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Misnomer {
    pub(crate) words: Phrases,
    /// What to say instead.
    pub(crate) say: String,
    /// Whether a layer makes the words right.
    #[serde(default)]
    pub(crate) unless_layer: bool,
}

/// How the data are spread over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cadence {
    /// A figure a day.
    Daily,
    /// A figure a year.
    Annual,
    /// Figures of periods of several years.
    Periods,
    /// Two years that can be compared.
    Pair,
    /// One figure for the whole period.
    Total,
    /// One figure at one time.
    Once,
}

/// An analysis of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Endpoint {
    DistAlerts,
    IntegratedAlerts,
    LandCoverChange,
    LandCoverComposition,
    Grasslands,
    NaturalLands,
    TreeCoverLoss,
    TreeCoverGain,
    TreeCover,
    CarbonFlux,
    #[serde(rename = "deforestation_luc_emissions_factor")]
    EmissionFactors,
    #[serde(rename = "land_ghg_inventory")]
    LandInventory,
}

impl Endpoint {
    /// The name in paths.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::DistAlerts => "dist_alerts",
            Self::IntegratedAlerts => "integrated_alerts",
            Self::LandCoverChange => "land_cover_change",
            Self::LandCoverComposition => "land_cover_composition",
            Self::Grasslands => "grasslands",
            Self::NaturalLands => "natural_lands",
            Self::TreeCoverLoss => "tree_cover_loss",
            Self::TreeCoverGain => "tree_cover_gain",
            Self::TreeCover => "tree_cover",
            Self::CarbonFlux => "carbon_flux",
            Self::EmissionFactors => "deforestation_luc_emissions_factor",
            Self::LandInventory => "land_ghg_inventory",
        }
    }

    /// The path of its requests.
    pub(crate) fn path(self) -> String {
        format!("/v0/land_change/{}/analytics", self.as_str())
    }
}

impl Dataset {
    /// The layer of that name.
    pub(crate) fn layer(&self, value: &str) -> Option<&Layer> {
        self.context_layers.iter().find(|layer| layer.value == value)
    }

    /// The days it has data for, within those of a layer.
    pub(crate) fn available(&self, layer: Option<&Layer>, today: NaiveDate) -> Period {
        let end = self.end_date.unwrap_or(today);
        Period {
            start: layer
                .and_then(|layer| layer.start_date)
                .map_or(self.start_date, |start| start.max(self.start_date)),
            end: layer
                .and_then(|layer| layer.end_date)
                .map_or(end, |last| last.min(end)),
        }
    }

    /// The colours of the map with their meaning.
    pub(crate) fn legend_entries(&self) -> Vec<LegendEntry> {
        let Some(legend) = &self.legend else {
            return Vec::new();
        };
        if legend.kind != LegendKind::Categories || !self.legend_categories {
            return legend.entries.clone();
        }
        let known = self
            .categories
            .iter()
            .filter(|category| category.slug != "unknown");
        known
            .map(|category| LegendEntry {
                label: category.label_en.clone(),
                color: category.color.clone(),
            })
            .collect()
    }

    /// Checks what the types cannot.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.end_date.is_some_and(|end| end < self.start_date) {
            return Err("it ends before it starts".to_owned());
        }
        if self.areas.is_empty() {
            return Err("it has statistics for no kind of area".to_owned());
        }
        for (what, names) in [
            (
                "category",
                self.categories
                    .iter()
                    .map(|category| &category.slug)
                    .collect::<Vec<_>>(),
            ),
            (
                "context layer",
                self.context_layers.iter().map(|layer| &layer.value).collect(),
            ),
            (
                "parameter",
                self.parameters.iter().map(|parameter| &parameter.name).collect(),
            ),
        ] {
            let mut seen = BTreeSet::new();
            if let Some(twice) = names.into_iter().find(|name| !seen.insert(*name)) {
                return Err(format!("the {what} {twice:?} is there twice"));
            }
        }
        if let Some(parameter) = self
            .parameters
            .iter()
            .find(|parameter| parameter.values.is_empty())
        {
            return Err(format!("the parameter {:?} has no values", parameter.name));
        }
        if self.tile_url.is_some() == self.legend_entries().is_empty() {
            return Err("a map and a legend with entries go together".to_owned());
        }
        match self.all_colors().find(|color| !is_color(color)) {
            Some(color) => Err(format!("{color:?} is no colour; write #rgb or #rrggbb")),
            None => Ok(()),
        }
    }

    fn all_colors(&self) -> impl Iterator<Item = &String> {
        let divergent = self.divergent_colors.iter();
        let layers = self.context_layers.iter().flat_map(|layer| &layer.legend);
        let legends = self.legend.iter().chain(layers);
        self.categories
            .iter()
            .map(|category| &category.color)
            .chain(&self.series_color)
            .chain(divergent.flat_map(|colors| [&colors.positive, &colors.negative]))
            .chain(legends.flat_map(|legend| legend.entries.iter().map(|entry| &entry.color)))
    }
}

fn is_color(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| {
        matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}
