//! Runs analysis programs in a confined child process: no files, no network, bounded time and memory.
//!
//! A program is Python (a subset) or one SQL query over tables that are handed to it; what comes back is data. It runs
//! in a worker, a child of this very binary with nothing to lose: an empty environment, no descriptors but its three
//! pipes, resource limits, no privileges, no file system and few system calls. A worker serves one program and ends.
//!
//! The binary offers the worker as the first thing in `main`, and counts memory with the worker's allocator:
//! ```
//! use periplus_interpreter::worker;
//!
//! #[global_allocator]
//! static ALLOCATOR: worker::CountingAllocator = worker::CountingAllocator;
//!
//! fn main() -> std::process::ExitCode {
//!     if let Some(code) = worker::serve_if_asked() {
//!         return code;
//!     }
//!     // … the program proper
//!     std::process::ExitCode::SUCCESS
//! }
//! ```
//! and the rest of it asks an [`Interpreter`] to run things.

#![warn(missing_docs)]

mod confinement;
mod error;
mod pool;
mod program;
mod protocol;
mod python;
mod sql;
pub mod statistics;
pub mod worker;

pub use confinement::{Confinement, Guard};
pub use error::{Error, Finding};
pub use pool::{Config, Interpreter, Outcome};
pub use program::{Engine, Limits, Program, Table};
pub use python::{DIALECT, HOST_FUNCTIONS};
