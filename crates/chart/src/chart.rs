//! The shape of a chart.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One row: cells by column.
pub type Row = Map<String, Value>;

/// A chart with everything needed to draw it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Chart {
    /// `chart_` and the position among the charts of one result, from 0.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// How it is drawn.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// What it says, in words.
    pub insight: String,
    /// Its rows, in the order in which they are drawn.
    pub data: Vec<Row>,
    /// The column of the x axis, or of the names of slices.
    pub x_axis: String,
    /// The column of the y axis, or of the sizes of slices; empty if `seriesFields` says it.
    pub y_axis: String,
    /// The column whose values have colours; empty if there is none.
    pub color_field: String,
    /// The column whose values are stacked; empty if there is none.
    pub stack_field: String,
    /// The column whose values stand side by side; empty if there is none.
    pub group_field: String,
    /// Columns that are one series each.
    pub series_fields: Vec<String>,
    /// Colours by the value of the colour column, or by its slug where rows have one.
    pub color_map: Map<String, Value>,
    /// The colour of a single series, or null.
    pub series_color: Option<String>,
    /// The colours of values above and below zero, or null.
    pub divergent_colors: Option<DivergentColors>,
}

/// Colours on both sides of zero.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DivergentColors {
    /// Above zero.
    pub positive: String,
    /// Below zero.
    pub negative: String,
}

/// How a chart is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A trend.
    Line,
    /// A ranking or a comparison.
    Bar,
    /// Parts on top of each other.
    StackedBar,
    /// Several measures side by side.
    GroupedBar,
    /// Parts of a whole.
    Pie,
    /// Stacked trends.
    Area,
    /// Two measures against each other.
    Scatter,
    /// The rows themselves.
    Table,
}

impl Kind {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Bar => "bar",
            Self::StackedBar => "stacked-bar",
            Self::GroupedBar => "grouped-bar",
            Self::Pie => "pie",
            Self::Area => "area",
            Self::Scatter => "scatter",
            Self::Table => "table",
        }
    }
}

impl Chart {
    /// Checks that the chart can be drawn: it has rows, and its columns occur in them.
    ///
    /// # Errors
    /// What is missing, in words for whoever made the chart.
    pub fn check(&self) -> Result<(), String> {
        let Some(first) = self.data.first() else {
            return Err(format!("chart {:?} has no rows", self.title));
        };
        if self.kind == Kind::Table {
            return Ok(());
        }
        if self.x_axis.is_empty() {
            return Err(format!("chart {:?} has no x axis", self.title));
        }
        if self.kind != Kind::Pie && self.y_axis.is_empty() && self.series_fields.is_empty() {
            return Err(format!("chart {:?} has neither a y axis nor series", self.title));
        }
        let named = [
            &self.x_axis,
            &self.y_axis,
            &self.color_field,
            &self.stack_field,
            &self.group_field,
        ];
        let missing = named
            .into_iter()
            .chain(&self.series_fields)
            .find(|column| !column.is_empty() && !first.contains_key(*column));
        match missing {
            Some(column) => Err(format!(
                "chart {:?} names the column `{column}`, which its rows lack",
                self.title
            )),
            None => Ok(()),
        }
    }

    /// The columns that people see, in the order of the first row.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        let first = self.data.first();
        first
            .into_iter()
            .flat_map(|row| row.keys())
            .map(String::as_str)
            .filter(|column| !crate::is_hidden(column))
    }
}
