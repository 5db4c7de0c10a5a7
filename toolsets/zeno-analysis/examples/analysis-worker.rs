//! The worker of the interpreter, as the tests of model-written programs start it.

use std::process::ExitCode;

use periplus_interpreter::worker;

#[global_allocator]
static ALLOCATOR: worker::CountingAllocator = worker::CountingAllocator;

fn main() -> ExitCode {
    worker::serve_if_asked().unwrap_or(ExitCode::FAILURE)
}
