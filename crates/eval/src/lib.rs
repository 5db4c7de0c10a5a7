//! Questions with known answers, asked of the zeno toolsets and scored.
//!
//! A [`Set`] is a table of questions: a shipped one, or a file with the same columns. [`run`] asks each of them through the
//! tools as a client would, and a [`Report`] says how many were answered as expected. What the data do not hold counts
//! apart, and only if the tools said so; a wrong answer and a missing one are both failures.
//!
//! Nothing here reads files or the environment: the caller brings toolsets that are built.

#![warn(missing_docs)]

mod areas;
mod cases;
mod chain;
mod datasets;
mod error;
mod junit;
mod report;
mod run;
mod set;
mod table;

pub use crate::{
    chain::{Catalogue, Zeno},
    error::EvalError,
    report::{CaseReport, Report, SetReport, Verdict},
    run::run,
    set::Set,
};
