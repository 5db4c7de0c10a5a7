//! The kinds of questions, one file each: which columns they have, how they are asked, what counts as the answer.

mod area;
mod dataset;
mod end_to_end;
mod layer;
mod parameter;
mod search;
mod suggestion;
mod unit;
mod verified;

use std::fmt;

use futures::future::BoxFuture;

use crate::{EvalError, Verdict, Zeno, table::Row};

/// One question with its answer.
pub(crate) trait Case: fmt::Debug + Send + Sync {
    /// What it is called in reports.
    fn id(&self) -> &str;

    /// The question as it is asked.
    fn question(&self) -> String;

    /// Asks it.
    fn ask<'a>(&'a self, zeno: &'a Zeno) -> BoxFuture<'a, Verdict>;
}

/// The questions of a table.
pub(crate) type Cases = Vec<Box<dyn Case>>;

/// A kind of question.
#[derive(Debug)]
pub(crate) struct Kind {
    /// Name of the shipped set of this kind.
    pub(crate) name: &'static str,
    /// Its columns, of which a file has all and no other.
    pub(crate) columns: &'static [&'static str],
    /// Reads the rows.
    pub(crate) read: fn(&[Row]) -> Result<Cases, EvalError>,
}

pub(crate) const KINDS: &[&Kind] = &[
    &area::KIND,
    &search::KIND,
    &unit::KIND,
    &dataset::KIND,
    &layer::KIND,
    &parameter::KIND,
    &suggestion::KIND,
    &end_to_end::KIND,
    &verified::KIND,
];

/// Reads every row as a question of its own.
fn each<C: Case + 'static>(
    rows: &[Row],
    read: impl Fn(&Row) -> Result<C, EvalError>,
) -> Result<Cases, EvalError> {
    rows.iter()
        .map(|row| Ok(Box::new(read(row)?) as Box<dyn Case>))
        .collect()
}

/// The name of a row that has no id.
fn line(row: &Row) -> String {
    format!("row {}", row.line())
}
