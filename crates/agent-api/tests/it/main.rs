//! The API over real HTTP, with agents whose model is a script and whose toolsets are served in this process.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail like the tests themselves"
)]

mod owners;
mod questions;
mod reads;
mod refusals;
mod runs;
mod support;
mod verifier;
