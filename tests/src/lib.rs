//! A harness that drives the built binary as a user does: its own home, its own folder, no inherited environment.

#![expect(clippy::panic, reason = "a harness of tests fails by panicking")]

mod binary;
mod run;
mod server;

pub use binary::{binary, postgres, repository};
pub use run::{Finished, Periplus};
pub use server::Server;
