//! What a program returns, read strictly: charts with rows, and findings.

use periplus_chart::{Kind, Row};
use serde::Deserialize;
use serde_json::Value;

/// Most charts of one program.
const MAX_CHARTS: usize = 2;
/// Most rows of one chart.
const MAX_ROWS: usize = 1_000;
/// Most columns of one chart.
const MAX_COLUMNS: usize = 24;
/// Most findings.
const MAX_FINDINGS: usize = 20;

/// The result of a program.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Output {
    pub(super) charts: Vec<ChartInsight>,
    #[serde(default)]
    pub(super) findings: Vec<Finding>,
}

/// One chart.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ChartInsight {
    pub(super) title: String,
    #[serde(alias = "type")]
    pub(super) chart_type: Kind,
    #[serde(default)]
    pub(super) x_axis: String,
    #[serde(default)]
    pub(super) y_axis: String,
    #[serde(default)]
    pub(super) color_field: String,
    #[serde(default)]
    pub(super) stack_field: String,
    #[serde(default)]
    pub(super) group_field: String,
    #[serde(default)]
    pub(super) series_fields: Vec<String>,
    #[serde(alias = "data")]
    pub(super) rows: Vec<Row>,
}

/// One computed figure.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Finding {
    pub(super) label: String,
    pub(super) value: f64,
    #[serde(default)]
    pub(super) unit: String,
}

impl Output {
    /// Reads the result.
    ///
    /// # Errors
    /// What is wrong with it, for the model.
    pub(super) fn read(result: Value) -> Result<Self, String> {
        let output: Self = serde_json::from_value(result)
            .map_err(|error| format!("the result is not the object that was asked for: {error}"))?;
        let count = output.charts.len();
        if !(1..=MAX_CHARTS).contains(&count) {
            return Err(format!("the result has {count} charts; one or two are wanted"));
        }
        if output.findings.len() > MAX_FINDINGS {
            return Err(format!("the result has more than {MAX_FINDINGS} findings"));
        }
        for chart in &output.charts {
            if chart.rows.len() > MAX_ROWS {
                return Err(format!(
                    "{:?} has {} rows; aggregate to at most {MAX_ROWS}",
                    chart.title,
                    chart.rows.len()
                ));
            }
            if chart.rows.iter().any(|row| row.len() > MAX_COLUMNS) {
                return Err(format!(
                    "a row of {:?} has more than {MAX_COLUMNS} columns",
                    chart.title
                ));
            }
        }
        Ok(output)
    }
}
