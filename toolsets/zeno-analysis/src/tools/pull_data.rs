//! `pull_data`: asks the analytics service, and publishes where the figures are.

use std::time::Duration;

use periplus_toolset::{Value, prelude::*};
use serde::Deserialize;

use super::zeno;
use crate::{
    Zeno,
    admission::admit,
    analytics::{AnalyticsError, Query, asks_for_change},
    areas::Selection,
    catalogue::Dataset,
    dates::{Asked, Clamped},
    pull::Pull,
    record::ChosenParameter,
    statistics::Statistics,
    tiles,
};

/// Callers that asked for progress hear this often that a pull is alive.
const REPORT_EVERY: Duration = Duration::from_secs(5);

/// Statistics for areas and a dataset.
#[derive(Debug, ToolResult)]
pub(crate) struct Pulled {
    /// What was pulled, for which days, and what is missing. It holds no figures.
    message: String,
    /// Which figures there are, where they are and who made them.
    statistics: Option<Statistics>,
}

/// What is read of the record of `pick_dataset`; everything else comes from the catalogue.
#[derive(Debug, Deserialize)]
struct Chosen {
    dataset_id: u32,
    #[serde(default)]
    context_layer: Option<String>,
    #[serde(default)]
    parameters: Option<Vec<ChosenParameter>>,
    #[serde(default)]
    start_date: Option<String>,
    #[serde(default)]
    end_date: Option<String>,
}

/// Fetch the statistics of the picked dataset for the selected areas.
///
/// The figures are not in the answer: generate_insight reads them from the record. One pull replaces the one before.
#[tool(
    title = "Pull data",
    read_only,
    idempotent,
    open_world,
    timeout = "130s",
    concurrency = "pulls"
)]
pub(crate) async fn pull_data(
    /// The user's question in the user's words.
    #[tool(max_length(4000))]
    query: String,
    /// First day, YYYY-MM-DD; that of the picked dataset if it is left out.
    #[tool(max_length(40))]
    start_date: Option<String>,
    /// Last day, YYYY-MM-DD; that of the picked dataset if it is left out.
    #[tool(max_length(40))]
    end_date: Option<String>,
    /// True if the question is about change, conversion, transition, gain or loss between two dates, false if it is about
    /// the state at one time. Only land cover has both.
    #[tool(default = false)]
    change_over_time_query: bool,
    /// The dataset of pick_dataset.
    #[tool(not_authored)]
    dataset: JsonObject,
    /// The selection of pick_aoi.
    #[tool(not_authored)]
    aoi_selection: JsonObject,
    cx: &Context,
) -> Result<Pulled, ToolError> {
    let zeno = zeno(cx);
    let chosen: Chosen = serde_json::from_value(Value::Object(dataset)).map_err(|error| {
        let message =
            format!("is no dataset of pick_dataset ({error}); call pick_dataset and pass its result");
        ToolError::invalid_argument("/dataset", message)
    })?;
    let selection = Selection::parse(aoi_selection)?;
    let dataset = available(zeno, &chosen)?;
    let layer = layer_of(dataset, &chosen);
    let parameters = chosen.parameters.clone().unwrap_or_default();
    let clamped = period(
        zeno,
        dataset,
        layer,
        &chosen,
        start_date.as_deref(),
        end_date.as_deref(),
    )?;
    let kind = admit(&zeno.catalogue, dataset, &selection)?;
    let pull = Pull {
        zeno,
        selection: &selection,
        query: Query {
            dataset,
            period: clamped.period,
            layer,
            canopy: canopy(dataset, &parameters),
            is_change: change_over_time_query || asks_for_change(&query),
        },
        clamped,
        parameters: &parameters,
        kind,
    };
    let requests = pull.requests();
    let rows = wait(zeno.analytics.pull(&requests), cx).await;
    let (message, statistics) = pull.finish(&requests, rows.map_err(|error| pull.explain(error))?)?;
    Ok(Pulled {
        message,
        statistics: Some(statistics),
    })
}

/// Waits for the service, tells the caller so, and stops when the caller is gone.
async fn wait<T>(
    work: impl Future<Output = Result<T, AnalyticsError>>,
    cx: &Context,
) -> Result<T, AnalyticsError> {
    let mut work = std::pin::pin!(work);
    let mut ticks = tokio::time::interval(REPORT_EVERY);
    let mut seconds = 0.0;
    loop {
        tokio::select! {
            outcome = &mut work => return outcome,
            () = cx.cancellation().cancelled() => return Err(AnalyticsError::Cancelled),
            _ = ticks.tick() => {
                cx.progress(seconds, None, Some("waiting for the analytics service"));
                seconds += REPORT_EVERY.as_secs_f64();
            }
        }
    }
}

fn available<'a>(zeno: &'a Zeno, chosen: &Chosen) -> Result<&'a Dataset, ToolError> {
    zeno.catalogue.find(chosen.dataset_id).ok_or_else(|| {
        let what = match zeno.catalogue.hidden_name(chosen.dataset_id) {
            Some(name) => format!("{name} is not available."),
            None => format!("Dataset not found: {}.", chosen.dataset_id),
        };
        ToolError::new(
            "dataset_unavailable",
            format!("{what} Pick another one with pick_dataset."),
        )
    })
}

/// The layer of the record, if the dataset has it.
fn layer_of<'a>(dataset: &'a Dataset, chosen: &Chosen) -> Option<&'a str> {
    if let Some(forced) = &dataset.forced_layer {
        return Some(forced);
    }
    let value = chosen.context_layer.as_deref()?;
    dataset.layer(value).map(|layer| layer.value.as_str())
}

fn period(
    zeno: &Zeno,
    dataset: &Dataset,
    layer: Option<&str>,
    chosen: &Chosen,
    start: Option<&str>,
    end: Option<&str>,
) -> Result<Clamped, ToolError> {
    let start = start.or(chosen.start_date.as_deref());
    let end = end.or(chosen.end_date.as_deref());
    let layer = layer.and_then(|value| dataset.layer(value));
    let available = dataset.available(layer, zeno.today());
    let clamped = Asked::parse(start, end)?.clamp(available, dataset.content_date_fixed)?;
    Ok(clamped.checked()?)
}

/// The threshold of the record, if the dataset offers it.
fn canopy(dataset: &Dataset, parameters: &[ChosenParameter]) -> u32 {
    let canopy = tiles::canopy(parameters);
    let is_offered = dataset
        .parameters
        .iter()
        .any(|parameter| parameter.name == "canopy_cover" && parameter.values.contains(&canopy));
    if is_offered {
        canopy
    } else {
        crate::choice::DEFAULT_CANOPY
    }
}
