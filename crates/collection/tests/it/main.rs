//! The engine against an independent oracle, a row-by-row evaluator and hostile arguments.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod batches;
mod errors;
mod naive;
mod oracle;
mod paging;
mod predicates;
mod support;
mod visual;
