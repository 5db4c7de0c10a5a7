//! The server over real HTTP, with toolsets built here.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail like the tests themselves"
)]

mod calls;
mod directory;
mod documents;
mod eras;
mod fuzz;
mod hosts;
mod library;
mod modern;
mod news;
mod openapi;
mod privacy;
mod questions;
mod sdk;
mod stdio;
mod stop;
mod support;
mod tasks;
mod transport;
mod wire;
