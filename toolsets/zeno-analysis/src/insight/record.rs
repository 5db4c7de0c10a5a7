//! The record that `generate_insight` publishes.

use periplus_toolset::{JsonObject, JsonSchema, schemars};
use serde::Serialize;

use super::{facts::Stated, frame::Figure};
use crate::statistics::Statistics;

/// What the figures say, and where each of them comes from.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Insight {
    /// The finding, in a few sentences.
    pub(crate) text: String,
    /// What could be asked next.
    pub(crate) follow_ups: Vec<String>,
    /// Language of the text.
    pub(crate) language: String,
    /// Name of the dataset.
    pub(crate) dataset_name: String,
    /// Its id in the catalogue.
    pub(crate) dataset_id: u32,
    /// Its short name, for a caption.
    pub(crate) dataset_short_name: String,
    /// The areas, in a few words.
    pub(crate) area: String,
    /// First day the figures cover, YYYY-MM-DD.
    pub(crate) start_date: String,
    /// Last day they cover, YYYY-MM-DD.
    pub(crate) end_date: String,
    /// The layer that limits or splits the figures, or null.
    pub(crate) context_layer: Option<String>,
    /// Canopy threshold in percent, where there is one.
    pub(crate) canopy_cover: Option<u32>,
    /// Units of the measures.
    pub(crate) units: Vec<String>,
    /// Where the rows can be read; derivations count rows from 0 through all of them, in this order.
    pub(crate) source_urls: Vec<String>,
    /// What was asked of the service, one call for each source that says so.
    pub(crate) requests: Vec<ApiCall>,
    /// Rows in all sources.
    pub(crate) row_count: usize,
    /// What must be said with the figures.
    pub(crate) cautions: String,
    /// Lines to show for the sources.
    pub(crate) attribution: Vec<String>,
    /// How the charts were made: `rules` or `program`.
    pub(crate) method: String,
    /// The program that made the charts, if one did.
    pub(crate) program: Option<String>,
    /// Figures that the text may state.
    pub(crate) figures: Vec<StatedFigure>,
    /// Where every number of the charts comes from.
    pub(crate) derivations: Vec<Derivation>,
}

/// One call of the analytics service: whoever repeats it gets the rows behind the figures.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ApiCall {
    /// The method of the request.
    pub(crate) method: String,
    /// Its path below the root of the service.
    pub(crate) path: String,
    /// Its payload; shapes are named and left out.
    pub(crate) body: JsonObject,
    /// Where its rows can be read.
    pub(crate) url: String,
}

impl ApiCall {
    /// The calls of a record.
    pub(crate) fn of(record: &Statistics) -> impl Iterator<Item = Self> {
        record.requests.iter().zip(record.urls()).map(|(body, url)| Self {
            method: "POST".to_owned(),
            path: format!("/v0/land_change/{}/analytics", record.endpoint),
            body: body.clone(),
            url: url.to_owned(),
        })
    }
}

/// A figure that follows from the rows.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct StatedFigure {
    /// What it is.
    pub(crate) label: String,
    /// Its value.
    pub(crate) value: f64,
    /// Its unit.
    pub(crate) unit: String,
    /// What was executed to get it.
    pub(crate) expression: String,
    /// The rows it was executed on, as first and last row of every unbroken run.
    pub(crate) rows: Vec<[usize; 2]>,
}

/// Where one number of a chart comes from.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Derivation {
    /// Where it stands: a JSON pointer into the published charts.
    pub(crate) at: String,
    /// What was executed to get it.
    pub(crate) expression: String,
    /// The rows it was executed on, as first and last row of every unbroken run.
    pub(crate) rows: Vec<[usize; 2]>,
}

impl Derivation {
    pub(crate) fn new(at: String, figure: &Figure) -> Self {
        Self {
            at,
            expression: figure.expression.clone(),
            rows: runs(&figure.rows),
        }
    }
}

impl StatedFigure {
    pub(crate) fn new(stated: &Stated) -> Self {
        Self {
            label: stated.label.clone(),
            value: stated.figure.value,
            unit: stated.unit.clone(),
            expression: stated.figure.expression.clone(),
            rows: runs(&stated.figure.rows),
        }
    }
}

/// Ascending numbers as unbroken runs.
fn runs(rows: &[usize]) -> Vec<[usize; 2]> {
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for row in rows {
        match runs.last_mut() {
            Some([_, last]) if *last + 1 == *row => *last = *row,
            _ => runs.push([*row, *row]),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_written_as_unbroken_runs() {
        assert_eq!(runs(&[0, 1, 2, 5, 7, 8]), [[0, 2], [5, 5], [7, 8]]);
        assert_eq!(runs(&[]), [[0usize; 2]; 0]);
    }
}
