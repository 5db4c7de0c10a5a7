//! What toolset authors and their callers rely on. One binary: it links once.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that fails, fails the test that calls it"
)]

mod calls;
mod coercion;
mod declarations;
mod diagnostics;
mod expansion;
mod fixture;
mod handwritten;
mod hostile;
mod output;
