//! `zeno-analysis` in process, against recorded exchanges, a service that misbehaves, and the stand-in.

#![expect(
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    reason = "json!(…) reads best where it stands, and what helpers unwrap ends the test"
)]

mod admission;
mod chain;
mod contract;
mod insight;
mod programs;
mod protocol;
mod replay;
mod service;
