//! One pull: what is asked for, and what is said and recorded about the answer.

use periplus_toolset::{JsonObject, ToolError, Value, json};

use crate::{
    Zeno,
    admission::{named, offer_country},
    analytics::{AnalyticsError, Metadata, Query, Request, Table},
    areas::{Area, AreaKind, Selection, request_areas},
    dates::{Clamped, Period},
    record::ChosenParameter,
    statistics::{Provenance, Publication, Statistics},
};

/// Names of areas in one message; the record has all of them.
const MAX_NAMES: usize = 30;

/// One pull with everything that was decided about it.
pub(crate) struct Pull<'a> {
    pub(crate) zeno: &'a Zeno,
    pub(crate) selection: &'a Selection,
    pub(crate) query: Query<'a>,
    pub(crate) clamped: Clamped,
    pub(crate) parameters: &'a [ChosenParameter],
    pub(crate) kind: AreaKind,
}

impl Pull<'_> {
    pub(crate) fn requests(&self) -> Vec<Request> {
        request_areas(self.kind, &self.selection.aois)
            .into_iter()
            .map(|aoi| self.query.request(aoi))
            .collect()
    }

    pub(crate) fn finish(
        &self,
        requests: &[Request],
        rows: (Table, Vec<String>, Metadata),
    ) -> Result<(String, Statistics), ToolError> {
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
        Ok((message, statistics))
    }

    /// The error with what else could be asked: a layer and a shape are what most often have no figures.
    pub(crate) fn explain(&self, error: AnalyticsError) -> ToolError {
        let AnalyticsError::Failed(mut reason) = error else {
            return error.into();
        };
        if let (Some(layer), None) = (self.query.layer, &self.query.dataset.forced_layer) {
            reason.push_str(&format!(
                ". There may be figures of {} without the layer {layer}: offer that to the user",
                self.query.dataset.dataset_name
            ));
        }
        reason.push_str(&offer_country(self.selection, self.kind));
        AnalyticsError::Failed(reason).into()
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
