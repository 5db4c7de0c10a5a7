//! Remote models against a fake server that speaks the three wires, faults included.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]
#![expect(
    clippy::needless_pass_by_value,
    reason = "json!(…) reads best where it stands"
)]

mod cancellation;
mod conversation;
mod dependencies;
mod fake;
mod faults;
mod library_traps;
mod secrets;
mod streaming;
mod wires;
