//! The agent as its users see it: stores of threads on real databases.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests fail as tests do, and say why they do nothing"
)]

mod checkpoints;
