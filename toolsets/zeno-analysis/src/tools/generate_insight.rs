//! `generate_insight`: computes what the pulled figures say, and draws it.

use periplus_chart::Chart;
use periplus_toolset::{Value, prelude::*};
use serde::Deserialize;

use super::zeno;
use crate::{
    Zeno,
    catalogue::Dataset,
    insight::{Answer, Helpers, Question, answer, frame::Frame, record::Insight},
    statistics::Statistics,
};

/// Records that can be compared in one call.
const MAX_RECORDS: usize = 10;
/// Rows that one analysis looks at.
const MAX_ROWS: usize = 200_000;

/// Charts and what they say.
#[derive(Debug, ToolResult)]
pub(crate) struct Insights {
    /// The finding, the rows of every chart, units, cautions and sources. Quote nothing that is not in it.
    message: String,
    /// The finding with where each of its figures comes from.
    insight: Option<Insight>,
    /// The charts, each with its own rows.
    charts: Option<Vec<Chart>>,
}

/// One record of `pull_data`, or several that are compared.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Pulled {
    /// One record.
    One(JsonObject),
    /// Records of one dataset.
    Several(Vec<JsonObject>),
}

/// What is read of the record of `pick_dataset`.
#[derive(Debug, Deserialize)]
struct Chosen {
    dataset_id: u32,
    dataset_name: String,
}

/// Compute and chart what the pulled statistics say about the question, and put it into words.
///
/// The message holds the finding and the rows of every chart: it is the only source of figures for the answer.
#[tool(
    title = "Generate an insight",
    read_only,
    idempotent,
    open_world,
    timeout = "300s"
)]
pub(crate) async fn generate_insight(
    /// The user's question in the user's words.
    #[tool(max_length(4000))]
    query: String,
    /// Language of titles and text: a code such as `en` or `pt`, or a name.
    #[tool(default = "en", max_length(40))]
    language: String,
    /// The statistics of pull_data.
    #[tool(not_authored)]
    statistics: Pulled,
    /// The dataset of pick_dataset.
    #[tool(not_authored)]
    dataset: JsonObject,
    cx: &Context,
) -> Result<Insights, ToolError> {
    let zeno = zeno(cx);
    let records = records(statistics)?;
    let dataset = same_dataset(zeno, &records, dataset)?;
    let (records, frame, failures) = read(zeno, records).await?;
    let question = Question {
        text: &query,
        language: &language,
        dataset,
        records: &records,
        frame: &frame,
    };
    let helpers = Helpers {
        writer: zeno.chat.as_ref(),
        coders: &zeno.coders,
        interpreter: zeno.interpreter.as_ref(),
        cancel: cx.cancellation().clone(),
    };
    let mut result = match answer(question, helpers).await {
        Ok(Answer::Refused(reason)) => Insights {
            message: format!("{reason} Nothing was computed: tell the user this."),
            insight: None,
            charts: None,
        },
        Ok(Answer::Found(found)) => Insights {
            message: found.message,
            insight: Some(found.insight),
            charts: Some(found.charts),
        },
        Err(reason) => {
            return Err(ToolError::new(
                "no_insight",
                format!("Failed to generate chart data: {reason}."),
            ));
        }
    };
    for note in failures.iter().map(String::as_str).chain([zeno.analytics.note()]) {
        if !note.is_empty() {
            result.message = format!("{note}\n{}", result.message);
        }
    }
    Ok(result)
}

fn records(pulled: Pulled) -> Result<Vec<Statistics>, ToolError> {
    let records = match pulled {
        Pulled::One(record) => vec![record],
        Pulled::Several(records) => records,
    };
    if records.iter().all(JsonObject::is_empty) {
        return Err(ToolError::is_error(json!(
            "No statistics available yet. Please pull data first."
        )));
    }
    if records.len() > MAX_RECORDS {
        return Err(ToolError::invalid_argument(
            "/statistics",
            format!(
                "holds {} records; at most {MAX_RECORDS} can be compared",
                records.len()
            ),
        ));
    }
    records
        .into_iter()
        .map(|record| {
            serde_json::from_value(Value::Object(record)).map_err(|error| {
                ToolError::invalid_argument(
                    "/statistics",
                    format!("is no record of pull_data ({error}); call pull_data and pass its result"),
                )
            })
        })
        .collect()
}

/// The dataset of all records, which has to be the chosen one: else the charts would be of other data than the answer says.
fn same_dataset<'a>(
    zeno: &'a Zeno,
    records: &[Statistics],
    chosen: JsonObject,
) -> Result<&'a Dataset, ToolError> {
    let chosen: Chosen = serde_json::from_value(Value::Object(chosen)).map_err(|error| {
        ToolError::invalid_argument(
            "/dataset",
            format!("is no dataset of pick_dataset ({error}); call pick_dataset and pass its result"),
        )
    })?;
    if let Some(other) = records
        .iter()
        .find(|record| record.dataset_id != chosen.dataset_id)
    {
        return Err(ToolError::invalid_argument(
            "/statistics",
            format!(
                "are of {}, and the dataset is {}; call pull_data again for the dataset that is meant",
                other.dataset_name, chosen.dataset_name
            ),
        ));
    }
    zeno.catalogue.find(chosen.dataset_id).ok_or_else(|| {
        ToolError::new(
            "dataset_unavailable",
            format!("{} is not available.", chosen.dataset_name),
        )
    })
}

/// The rows of the records that can be read; the others are named, and it is an error only if none can.
async fn read(
    zeno: &Zeno,
    records: Vec<Statistics>,
) -> Result<(Vec<Statistics>, Frame, Vec<String>), ToolError> {
    let (mut read, mut failures, mut last) = (Vec::new(), Vec::new(), None);
    for record in records {
        match zeno.analytics.read(&record).await {
            Ok(table) => read.push((record, table)),
            Err(error) => {
                failures.push(format!(
                    "The statistics of {} for {} could not be read and are left out: {error}.",
                    record.dataset_name,
                    record.aoi_names.join("; ")
                ));
                last = Some(error);
            }
        }
    }
    if let (true, Some(error)) = (read.is_empty(), last) {
        return Err(error.into());
    }
    let rows: usize = read.iter().map(|(_, table)| table.row_count()).sum();
    if rows == 0 {
        return Err(ToolError::new(
            "no_data",
            "The statistics have no rows. Pull data for another area, period or dataset.",
        ));
    }
    if rows > MAX_ROWS {
        return Err(ToolError::new(
            "too_many_rows",
            format!(
                "The statistics have {rows} rows, more than {MAX_ROWS}. Pull fewer areas or a shorter period."
            ),
        ));
    }
    let parts: Vec<_> = read.iter().map(|(record, table)| (record, table)).collect();
    let frame = Frame::new(&parts);
    Ok((
        read.into_iter().map(|(record, _)| record).collect(),
        frame,
        failures,
    ))
}
