//! The crate from outside: what a model reads, what a server gets, what a host keeps.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod docs;
mod golden;
mod order;
mod overflow;
mod properties;
mod session;
mod support;
mod trust;
