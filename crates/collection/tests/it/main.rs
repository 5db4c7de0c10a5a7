//! The engine against an independent oracle, a row-by-row evaluator and hostile arguments.

mod errors;
mod naive;
mod oracle;
mod paging;
mod predicates;
mod support;
mod visual;
