//! The agent against real servers in this process, with models that follow a script and with the guide; and its stores of
//! threads on real databases.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests fail as tests do, and say why they do nothing"
)]

mod checkpoints;
mod connections;
mod events;
mod failures;
mod guide;
mod limits;
mod questions;
mod secrets;
mod state;
mod strangers;
mod support;
mod threads;
