//! Questions about an area with the dataset and the layer that answer them.

use futures::{FutureExt as _, future::BoxFuture};
use serde_json::{Value, json};

use super::{Case, Kind, each, line};
use crate::{
    EvalError, Verdict, Zeno,
    datasets::{Picked, id},
    table::Row,
};

pub(crate) const KIND: Kind = Kind {
    name: "layers",
    columns: &[
        "question",
        "aoi_src_id",
        "aoi_bbox",
        "expected_dataset_id",
        "expected_context_layer",
    ],
    read: |rows| each(rows, Layer::read),
};

#[derive(Debug)]
struct Layer {
    id: String,
    question: String,
    selection: Value,
    dataset: u32,
    layer: Option<String>,
}

impl Layer {
    fn read(row: &Row) -> Result<Self, EvalError> {
        let wanted = "box of west, south, east and north, separated by blanks";
        let numbers = row.required("aoi_bbox", wanted)?.split_whitespace();
        let bbox: Vec<f64> = numbers
            .map(|number| number.parse().ok().ok_or_else(|| row.wrong("aoi_bbox", wanted)))
            .collect::<Result<_, _>>()?;
        if bbox.len() != 4 {
            return Err(row.wrong("aoi_bbox", wanted));
        }
        let area = row.required("aoi_src_id", "area id")?;
        let aoi =
            json!({ "source": "gadm", "src_id": area, "name": area, "subtype": "country", "bbox": bbox });
        Ok(Self {
            id: line(row),
            question: row.required("question", "question")?.to_owned(),
            selection: json!({ "name": area, "aois": [aoi] }),
            dataset: row.parse("expected_dataset_id", "dataset id")?,
            layer: row.some("expected_context_layer").map(str::to_owned),
        })
    }

    fn expected(&self) -> String {
        let layer = self.layer.as_deref().unwrap_or("none");
        format!("dataset {}, layer {layer}", self.dataset)
    }
}

impl Case for Layer {
    fn id(&self) -> &str {
        &self.id
    }

    fn question(&self) -> String {
        self.question.clone()
    }

    fn ask<'a>(&'a self, zeno: &'a Zeno) -> BoxFuture<'a, Verdict> {
        async move {
            let reply = zeno
                .pick_dataset(&self.question, [None, None], Some(&self.selection))
                .await;
            let picked = match Picked::of(reply) {
                Ok(picked) => picked,
                Err(refusal) => return Verdict::failed(&self.expected(), &refusal),
            };
            let is_right = picked.dataset().is_some_and(|dataset| {
                id(dataset) == Some(self.dataset)
                    && dataset["context_layer"].as_str() == self.layer.as_deref()
            });
            if is_right {
                Verdict::Passed
            } else {
                Verdict::failed(&self.expected(), &picked)
            }
        }
        .boxed()
    }
}
