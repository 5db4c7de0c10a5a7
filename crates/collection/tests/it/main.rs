//! The engine against an independent oracle, a row-by-row evaluator and hostile arguments.

mod batches;
mod errors;
mod naive;
mod oracle;
mod paging;
mod predicates;
mod support;
mod visual;
