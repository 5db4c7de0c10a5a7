//! Questions that no single dataset answers: some have to be suggested, and none chosen.

use futures::{FutureExt as _, future::BoxFuture};

use super::{Case, Kind, each, line};
use crate::{EvalError, Verdict, Zeno, datasets::Picked, table::Row};

pub(crate) const KIND: Kind = Kind {
    name: "no-single-dataset",
    columns: &["question", "expected_outcome", "start_date", "end_date"],
    read: |rows| each(rows, Suggestion::read),
};

#[derive(Debug)]
struct Suggestion {
    id: String,
    question: String,
    outcome: Outcome,
    start: Option<String>,
    end: Option<String>,
}

#[derive(Debug, Clone, Copy)]
enum Outcome {
    Candidates,
    Nothing,
}

impl Suggestion {
    fn read(row: &Row) -> Result<Self, EvalError> {
        Ok(Self {
            id: line(row),
            question: row.required("question", "question")?.to_owned(),
            outcome: match row.text("expected_outcome") {
                "candidates" => Outcome::Candidates,
                "nothing" => Outcome::Nothing,
                _ => return Err(row.wrong("expected_outcome", "outcome: candidates or nothing")),
            },
            start: row.some("start_date").map(str::to_owned),
            end: row.some("end_date").map(str::to_owned),
        })
    }

    fn expected(&self) -> &'static str {
        match self.outcome {
            Outcome::Candidates => "suggestions",
            Outcome::Nothing => "nothing",
        }
    }
}

impl Case for Suggestion {
    fn id(&self) -> &str {
        &self.id
    }

    fn question(&self) -> String {
        self.question.clone()
    }

    fn ask<'a>(&'a self, zeno: &'a Zeno) -> BoxFuture<'a, Verdict> {
        async move {
            let dates = [self.start.as_deref(), self.end.as_deref()];
            match (
                self.outcome,
                Picked::of(zeno.pick_dataset(&self.question, dates, None).await),
            ) {
                (Outcome::Candidates, Ok(Picked::Candidates(_)))
                | (Outcome::Nothing, Ok(Picked::Nothing(_))) => Verdict::Passed,
                (_, Ok(picked)) => Verdict::failed(self.expected(), &picked),
                (_, Err(refusal)) => Verdict::failed(self.expected(), &refusal),
            }
        }
        .boxed()
    }
}
