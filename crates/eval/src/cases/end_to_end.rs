//! Questions as people ask them, from the place to the insight.
//!
//! What is compared are the areas, the dataset, its layer and dates, and what is suggested instead of a dataset. The answer
//! in words needs the live service and a judge, and is not; but a chain that has all it needs must end in an insight or in a
//! documented refusal.

use std::collections::BTreeSet;

use futures::{FutureExt as _, future::BoxFuture};
use serde_json::Value;

use super::{Case, Kind, each};
use crate::{
    EvalError, Verdict, Zeno,
    areas::{Expected, Picked as Areas},
    chain::Refusal,
    datasets::{Period, Picked as Dataset, id},
    table::Row,
};

pub(crate) const KIND: Kind = Kind {
    name: "end-to-end",
    columns: &[
        "test_id",
        "test_group",
        "question",
        "expected_aoi_ids",
        "expected_aoi_source",
        "expected_dataset_id",
        "expected_context_layer",
        "expected_start_date",
        "expected_end_date",
        "expected_answer",
        "expected_clarification",
        "expected_suggested_datasets",
    ],
    read: |rows| each(rows, EndToEnd::read),
};

/// What stands in place of a dataset where none may be chosen.
const NO_SELECTION: &str = "no_selection";

#[derive(Debug)]
struct EndToEnd {
    id: String,
    question: String,
    areas: Expected,
    /// The datasets of which any is right; none if none may be chosen.
    datasets: BTreeSet<u32>,
    /// The layer, where the row says one.
    layer: Option<String>,
    /// The ends of the period that the row says.
    period: Period,
    /// The datasets of which one has to be suggested, where the row says them.
    suggested: BTreeSet<u32>,
}

impl EndToEnd {
    fn read(row: &Row) -> Result<Self, EvalError> {
        let ids = row.list("expected_aoi_ids");
        let source = row.some("expected_aoi_source");
        let areas = if ids.is_empty() && source.is_none() {
            Expected::None
        } else {
            Expected::ids(ids.iter().map(String::as_str), source)
        };
        let wanted = "dataset id, or ids separated by semicolons";
        let datasets = match row.text("expected_dataset_id") {
            NO_SELECTION => BTreeSet::new(),
            _ => row
                .parse_list("expected_dataset_id", wanted)?
                .into_iter()
                .collect(),
        };
        Ok(Self {
            id: row.required("test_id", "id of the question")?.to_owned(),
            question: row.required("question", "question")?.to_owned(),
            areas,
            datasets,
            layer: row.some("expected_context_layer").map(str::to_owned),
            period: Period::asked(row.some("expected_start_date"), row.some("expected_end_date")),
            suggested: row
                .parse_list("expected_suggested_datasets", wanted)?
                .into_iter()
                .collect(),
        })
    }

    async fn run(&self, zeno: &Zeno) -> Result<Verdict, Refusal> {
        let areas = Areas::of(zeno.pick_aoi(&self.question).await)?;
        let reply = zeno.pick_dataset(&self.question, [None, None], areas.selection());
        let picked = Dataset::of(reply.await)?;
        let verdict = self.areas.compare(&areas, zeno.catalogue());
        if matches!(verdict, Verdict::Failed { .. }) {
            return Ok(verdict);
        }
        if !self.is_met_by(&picked) {
            return Ok(Verdict::failed(&self.dataset(), &picked));
        }
        match (areas.selection(), picked.dataset()) {
            (Some(selection), Some(dataset)) => {
                self.finish(zeno, selection, dataset).await?;
                Ok(verdict)
            }
            _ => Ok(verdict),
        }
    }

    /// From the area and the dataset to the insight; that the data do not hold the figures is an answer as well.
    async fn finish(&self, zeno: &Zeno, selection: &Value, dataset: &Value) -> Result<(), Refusal> {
        let pulled = match zeno.pull_data(&self.question, false, dataset, selection).await {
            Err(refusal) if refusal.is_an_answer() => return Ok(()),
            reply => reply?,
        };
        match zeno
            .generate_insight(&self.question, &pulled["statistics"], dataset)
            .await
        {
            Err(refusal) if !refusal.is_an_answer() => Err(refusal),
            _ => Ok(()),
        }
    }

    fn is_met_by(&self, picked: &Dataset) -> bool {
        match picked {
            Dataset::Dataset(dataset) => {
                let is_dataset = id(dataset).is_some_and(|id| self.datasets.contains(&id));
                let layer = dataset["context_layer"].as_str();
                let is_layer = self.layer.is_none() || self.layer.as_deref() == layer;
                is_dataset && is_layer && self.period.is_met_by(&Period::of(dataset))
            }
            Dataset::Candidates(candidates) => {
                let is_suggested =
                    |candidate: &Value| id(candidate).is_some_and(|id| self.suggested.contains(&id));
                self.datasets.is_empty() && candidates.iter().any(is_suggested)
            }
            Dataset::Nothing(_) => self.datasets.is_empty() && self.suggested.is_empty(),
        }
    }

    /// What is expected of the dataset, in words.
    fn dataset(&self) -> String {
        let listed = |ids: &BTreeSet<u32>| {
            let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
            ids.join(" or ")
        };
        if self.datasets.is_empty() {
            return if self.suggested.is_empty() {
                "no dataset".to_owned()
            } else {
                format!("no dataset, and a suggestion of {}", listed(&self.suggested))
            };
        }
        let mut text = format!("dataset {}", listed(&self.datasets));
        if let Some(layer) = &self.layer {
            text.push_str(&format!(", layer {layer}"));
        }
        format!("{text}, {}", self.period)
    }
}

impl Case for EndToEnd {
    fn id(&self) -> &str {
        &self.id
    }

    fn question(&self) -> String {
        self.question.clone()
    }

    fn ask<'a>(&'a self, zeno: &'a Zeno) -> BoxFuture<'a, Verdict> {
        async move {
            match self.run(zeno).await {
                Ok(verdict) => verdict,
                Err(refusal) => Verdict::failed(&format!("{}, {}", self.areas, self.dataset()), &refusal),
            }
        }
        .boxed()
    }
}
