//! `pull_data`: asks the analytics service, and publishes where the figures are.

use std::time::Duration;

use periplus_toolset::{Value, prelude::*};
use serde::Deserialize;

use super::zeno;
use crate::{
    Zeno,
    admission::{admit, named},
    analytics::{AnalyticsError, Metadata, Query, Request, Table, asks_for_change},
    areas::{Area, AreaKind, Selection, request_areas},
    catalogue::Dataset,
    dates::{Asked, Clamped, Period},
    record::ChosenParameter,
    statistics::{Provenance, Publication, Statistics},
    tiles,
};

/// Callers that asked for progress hear this often that a pull is alive.
const REPORT_EVERY: Duration = Duration::from_secs(5);

/// Names of areas in one message; the record has all of them.
const MAX_NAMES: usize = 30;

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
    pull.finish(&requests, rows.map_err(|error| pull.explain(error))?)
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
    Ok(Asked::parse(start, end)?.clamp(available, dataset.content_date_fixed)?)
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

/// One pull with everything that was decided about it.
struct Pull<'a> {
    zeno: &'a Zeno,
    selection: &'a Selection,
    query: Query<'a>,
    clamped: Clamped,
    parameters: &'a [ChosenParameter],
    kind: AreaKind,
}

impl Pull<'_> {
    fn requests(&self) -> Vec<Request> {
        request_areas(self.kind, &self.selection.aois)
            .into_iter()
            .map(|aoi| self.query.request(aoi))
            .collect()
    }

    fn finish(
        &self,
        requests: &[Request],
        rows: (Table, Vec<String>, Metadata),
    ) -> Result<Pulled, ToolError> {
        let (table, urls, metadata) = rows;
        if table.row_count() == 0 {
            return Err(self.empty());
        }
        let covered = metadata.covered.as_ref().map_or_else(
            || self.query.covered(),
            |covered| Period {
                start: covered.start_date,
                end: covered.end_date,
            },
        );
        let without = self.areas_without_rows(&table);
        let message = self.message(&table, covered, &without, &metadata);
        let statistics = self.record(requests, &table, urls, covered, &without, metadata);
        Ok(Pulled {
            message,
            statistics: Some(statistics),
        })
    }

    /// The error with what else could be asked; a layer is what most often has no figures.
    fn explain(&self, error: AnalyticsError) -> ToolError {
        match (error, self.query.layer) {
            (AnalyticsError::Failed(reason), Some(layer)) if self.query.dataset.forced_layer.is_none() => {
                AnalyticsError::Failed(format!(
                    "{reason}. There may be figures of {} without the layer {layer}: offer that to the user",
                    self.query.dataset.dataset_name
                ))
                .into()
            }
            (error, _) => error.into(),
        }
    }

    fn empty(&self) -> ToolError {
        ToolError::new(
            "no_data",
            format!(
                "The analytics service answered and has no rows of {} for {} in {}. That is no error: it detected or mapped \
                 nothing there. Suggest other dates, another layer or a larger area. {}",
                self.query.dataset.dataset_name,
                named(&self.selection.aois.iter().collect::<Vec<_>>()),
                self.clamped.period,
                self.zeno.analytics.note()
            ),
        )
    }

    /// Areas that no row is about.
    fn areas_without_rows(&self, table: &Table) -> Vec<&Area> {
        let Some(ids) = table.column("aoi_id") else {
            return Vec::new();
        };
        let ids: std::collections::BTreeSet<&str> = ids.iter().filter_map(Value::as_str).collect();
        let is_missing = |area: &&Area| !ids.contains(area.request_id());
        self.selection.aois.iter().filter(is_missing).collect()
    }

    fn message(&self, table: &Table, covered: Period, without: &[&Area], metadata: &Metadata) -> String {
        let dataset = self.query.dataset;
        let mut parts = vec![format!(
            "Successfully pulled {} data from the {} for {}. Found {} data points.",
            dataset.dataset_name,
            self.zeno.analytics.name(),
            self.names(),
            table.row_count()
        )];
        if let Some(layer) = self.query.layer {
            parts.push(format!("Layer: {layer}."));
        }
        if let Some(canopy) = self.canopy() {
            parts.push(format!("Canopy threshold: {canopy} %."));
        }
        if self.clamped.is_changed() || covered != self.clamped.period {
            parts.push(format!(
                "The figures cover {covered}; {} was asked for. Warn the user about the difference.",
                self.clamped.asked
            ));
        }
        let span = table.span().map_or_else(String::new, |(first, last)| {
            format!(" with rows from {first} to {last}")
        });
        parts.push(format!(
            "Analysis {}, columns {}{span}.",
            self.query.endpoint().as_str(),
            table.names().join(", ")
        ));
        if !without.is_empty() {
            parts.push(format!(
                "No rows for: {}. Name them in the answer.",
                named(without)
            ));
        }
        parts.extend(metadata.notes.iter().cloned());
        parts.extend(metadata.sources.iter().map(|source| {
            format!(
                "Source: {} ({}), {}. {}",
                source.publisher, source.vintage, source.licence, source.attribution
            )
        }));
        parts.push(self.zeno.analytics.note().to_owned());
        parts.push(
            "The figures are not in this message: call generate_insight before stating any.".to_owned(),
        );
        parts.retain(|part| !part.is_empty());
        parts.join(" | ")
    }

    fn names(&self) -> String {
        let areas = &self.selection.aois;
        let names: Vec<&str> = areas
            .iter()
            .take(MAX_NAMES)
            .map(|area| area.name.as_str())
            .collect();
        let more = areas.len().saturating_sub(MAX_NAMES);
        let list = names.join("; ");
        if more > 0 {
            format!("{} ({list} and {more} more)", self.selection.name)
        } else {
            list
        }
    }

    /// The threshold, if it is part of the request.
    fn canopy(&self) -> Option<u32> {
        let has_one = |parameter: &crate::catalogue::Parameter| parameter.name == "canopy_cover";
        self.query
            .dataset
            .parameters
            .iter()
            .any(has_one)
            .then_some(self.query.canopy)
    }

    fn record(
        &self,
        requests: &[Request],
        table: &Table,
        urls: Vec<String>,
        covered: Period,
        without: &[&Area],
        metadata: Metadata,
    ) -> Statistics {
        let (dataset, areas) = (self.query.dataset, &self.selection.aois);
        Statistics {
            dataset_name: dataset.dataset_name.clone(),
            dataset_id: dataset.dataset_id,
            start_date: covered.start.to_string(),
            end_date: covered.end.to_string(),
            source_url: urls.first().cloned().unwrap_or_default(),
            data: JsonObject::new(),
            aoi_id_to_name: self.selection.names_by_id(),
            aoi_names: areas.iter().map(|area| area.name.clone()).collect(),
            aoi_ids: areas.iter().map(|area| area.src_id.clone()).collect(),
            aoi_sources: areas.iter().map(Area::source).collect(),
            parameters: (!self.parameters.is_empty()).then(|| self.parameters.to_vec()),
            context_layer: self.query.layer.map(str::to_owned),
            source_urls: urls,
            row_count: table.row_count(),
            columns: table.names(),
            endpoint: self.query.endpoint().as_str().to_owned(),
            requests: requests
                .iter()
                .map(|request| without_shapes(&request.body))
                .collect(),
            selection_name: self.selection.name.clone(),
            provenance: self.provenance(without, metadata),
        }
    }

    fn provenance(&self, without: &[&Area], metadata: Metadata) -> Provenance {
        let dataset = self.query.dataset;
        // A deployment names no publication: its figures are the dataset's own.
        let own = Publication {
            publisher: self.zeno.analytics.name().to_owned(),
            vintage: dataset.content_date.clone(),
            boundaries: String::new(),
            licence: dataset.license.clone(),
            attribution: dataset.citation.clone(),
        };
        Provenance {
            served_by: self.zeno.analytics.name().to_owned(),
            sources: if metadata.sources.is_empty() {
                vec![own]
            } else {
                metadata.sources
            },
            canopy_cover: self.canopy(),
            areas_not_held: without.iter().map(|area| area.request_id().to_owned()).collect(),
            notes: metadata.notes,
        }
    }
}

/// The payload with the ids of shapes and without their coordinates.
fn without_shapes(body: &JsonObject) -> JsonObject {
    let mut body = body.clone();
    let features = body.get("aoi").map(|aoi| &aoi["feature_collection"]["features"]);
    if let Some(features) = features.and_then(Value::as_array) {
        let ids: Vec<Value> = features.iter().map(|feature| feature["id"].clone()).collect();
        body.insert(
            "aoi".to_owned(),
            json!({ "type": "feature_collection", "ids": ids }),
        );
    }
    body
}
