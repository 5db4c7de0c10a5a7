//! What the colours of a map mean.

use periplus_toolset::{JsonSchema, schemars};
use serde::{Deserialize, Serialize};

/// The legend of a map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Legend {
    /// What the map shows, with the time that its tiles show.
    pub(crate) title: String,
    /// How it is drawn.
    pub(crate) kind: LegendKind,
    /// The unit of what is drawn, or null.
    #[serde(default)]
    pub(crate) unit: Option<String>,
    /// Colours with their meaning, in the order in which they are listed.
    #[serde(default)]
    pub(crate) entries: Vec<LegendEntry>,
}

/// How a legend is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LegendKind {
    /// A patch of colour for each kind of thing.
    Symbol,
    /// A patch for each class of the data.
    Categories,
    /// A ramp from the first colour to the last; what has no label lies in between.
    Gradient,
}

/// One colour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LegendEntry {
    /// What it means; empty inside a ramp.
    pub(crate) label: String,
    /// The colour, `#rgb` or `#rrggbb`.
    pub(crate) color: String,
}
