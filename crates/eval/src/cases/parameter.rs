//! Questions with the parameter that they set, or with none.

use std::collections::BTreeSet;

use futures::{FutureExt as _, future::BoxFuture};
use serde_json::Value;

use super::{Case, Kind, each, line};
use crate::{
    EvalError, Verdict, Zeno,
    chain::text,
    datasets::{Picked, id},
    table::Row,
};

pub(crate) const KIND: Kind = Kind {
    name: "parameters",
    columns: &[
        "question",
        "expected_dataset_id",
        "expected_parameter",
        "expected_value",
    ],
    read: |rows| each(rows, Parameter::read),
};

#[derive(Debug)]
struct Parameter {
    id: String,
    question: String,
    dataset: u32,
    /// Name and values; nothing if the question sets none.
    parameter: Option<(String, BTreeSet<u64>)>,
}

impl Parameter {
    fn read(row: &Row) -> Result<Self, EvalError> {
        let values = row.parse_list("expected_value", "number, or numbers separated by semicolons")?;
        let name = row.some("expected_parameter").map(str::to_owned);
        Ok(Self {
            id: line(row),
            question: row.required("question", "question")?.to_owned(),
            dataset: row.parse("expected_dataset_id", "dataset id")?,
            parameter: name.map(|name| (name, values.into_iter().collect())),
        })
    }

    fn expected(&self) -> String {
        match &self.parameter {
            Some((name, values)) => format!("dataset {}, {name} {values:?}", self.dataset),
            None => format!("dataset {} without a parameter", self.dataset),
        }
    }

    fn is_met_by(&self, dataset: &Value) -> bool {
        let chosen: Vec<(String, BTreeSet<u64>)> = dataset["parameters"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|parameter| {
                let values = parameter["values"].as_array().into_iter().flatten();
                let values = values.filter_map(Value::as_u64).collect();
                (text(parameter, "name").to_owned(), values)
            })
            .collect();
        id(dataset) == Some(self.dataset) && chosen.as_slice() == self.parameter.as_slice()
    }
}

impl Case for Parameter {
    fn id(&self) -> &str {
        &self.id
    }

    fn question(&self) -> String {
        self.question.clone()
    }

    fn ask<'a>(&'a self, zeno: &'a Zeno) -> BoxFuture<'a, Verdict> {
        async move {
            let picked = match Picked::of(zeno.pick_dataset(&self.question, [None, None], None).await) {
                Ok(picked) => picked,
                Err(refusal) => return Verdict::failed(&self.expected(), &refusal),
            };
            match picked.dataset() {
                Some(dataset) if self.is_met_by(dataset) => Verdict::Passed,
                Some(dataset) => Verdict::failed(
                    &self.expected(),
                    &format!("{picked}, parameters {}", dataset["parameters"]),
                ),
                None => Verdict::failed(&self.expected(), &picked),
            }
        }
        .boxed()
    }
}
