//! Questions with the dataset that answers them.

use futures::{FutureExt as _, future::BoxFuture};

use super::{Case, Kind, each, line};
use crate::{
    EvalError, Verdict, Zeno,
    datasets::{Period, Picked, id},
    table::Row,
};

pub(crate) const KIND: Kind = Kind {
    name: "datasets",
    columns: &["question", "expected_dataset_id", "start_date", "end_date"],
    read: |rows| each(rows, Dataset::read),
};

#[derive(Debug)]
struct Dataset {
    id: String,
    question: String,
    expected: u32,
    start: Option<String>,
    end: Option<String>,
}

impl Dataset {
    fn read(row: &Row) -> Result<Self, EvalError> {
        Ok(Self {
            id: line(row),
            question: row.required("question", "question")?.to_owned(),
            expected: row.parse("expected_dataset_id", "dataset id")?,
            start: row.some("start_date").map(str::to_owned),
            end: row.some("end_date").map(str::to_owned),
        })
    }

    fn compare(&self, picked: &Picked) -> Verdict {
        match picked {
            Picked::Dataset(dataset) if id(dataset) == Some(self.expected) => Verdict::Passed,
            // The right dataset has no data for the days that were asked for: then it may be named and must not be chosen.
            Picked::Candidates(candidates) => match candidates.as_slice() {
                [only] if id(only) == Some(self.expected) && self.asked().misses(&Period::of(only)) => {
                    Verdict::Refused {
                        reason: format!("{} is asked for; {picked}", self.asked()),
                    }
                }
                _ => self.failed(picked),
            },
            _ => self.failed(picked),
        }
    }

    fn asked(&self) -> Period {
        Period::asked(self.start.as_deref(), self.end.as_deref())
    }

    fn failed(&self, got: &impl ToString) -> Verdict {
        Verdict::failed(&format!("dataset {}", self.expected), got)
    }
}

impl Case for Dataset {
    fn id(&self) -> &str {
        &self.id
    }

    fn question(&self) -> String {
        self.question.clone()
    }

    fn ask<'a>(&'a self, zeno: &'a Zeno) -> BoxFuture<'a, Verdict> {
        async move {
            let dates = [self.start.as_deref(), self.end.as_deref()];
            match Picked::of(zeno.pick_dataset(&self.question, dates, None).await) {
                Ok(picked) => self.compare(&picked),
                Err(refusal) => self.failed(&refusal),
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn case(start: &str, end: &str) -> Dataset {
        Dataset {
            id: "row 2".to_owned(),
            question: "?".to_owned(),
            expected: 5,
            start: Some(start.to_owned()),
            end: Some(end.to_owned()),
        }
    }

    #[test]
    fn a_dataset_without_data_for_the_asked_days_is_named_and_not_chosen() {
        let candidate = json!({ "dataset_id": 5, "start_date": "2000-01-01", "end_date": "2020-12-31" });
        let picked = Picked::Candidates(vec![candidate.clone()]);
        assert!(matches!(
            case("2024", "2024").compare(&picked),
            Verdict::Refused { .. }
        ));
        // Within its period it has to be chosen, and among others it was not recognised.
        assert!(matches!(
            case("2020", "2024").compare(&picked),
            Verdict::Failed { .. }
        ));
        let several = Picked::Candidates(vec![candidate.clone(), candidate]);
        assert!(matches!(
            case("2024", "2024").compare(&several),
            Verdict::Failed { .. }
        ));
    }
}
