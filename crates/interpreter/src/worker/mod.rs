//! The child's side: read one program, give up everything, run it, answer, end.

mod confine;
mod raw;

use std::{
    io::{self, Read as _, Write as _},
    process::ExitCode,
    time::Duration,
};

pub use self::raw::CountingAllocator;
use crate::{
    Confinement, Engine, Guard, Limits, Program,
    protocol::{REQUEST_BYTES, Reply},
    python, sql,
};

/// The argument that makes the binary a worker.
pub const ARGUMENT: &str = "interpreter-worker";

/// Serves one program if the process was started as a worker; to be asked before anything else.
#[must_use]
pub fn serve_if_asked() -> Option<ExitCode> {
    let asked = std::env::args_os()
        .nth(1)
        .is_some_and(|argument| argument == ARGUMENT);
    asked.then(serve)
}

/// Takes from this process what a worker gives up before it runs a program, for ever.
///
/// For programs that test the guards; the worker does it by itself.
pub fn give_up(limits: &Limits) -> Confinement {
    confine::enter(limits, memory_guard())
}

/// What the program prints, up to a limit; the rest is dropped, so that a flood costs nothing.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) text: String,
    pub(crate) truncated: bool,
    limit: usize,
}

impl Output {
    pub(crate) fn push(&mut self, text: &str) {
        let room = self.limit.saturating_sub(self.text.len());
        if text.len() <= room {
            self.text.push_str(text);
        } else {
            self.truncated = true;
            let end = (0..=room)
                .rev()
                .find(|end| text.is_char_boundary(*end))
                .unwrap_or(0);
            self.text.push_str(&text[..end]);
            self.limit = self.text.len();
        }
    }
}

fn serve() -> ExitCode {
    // Before anything is read: what the parent sends counts too.
    let memory = memory_guard();
    match receive() {
        // The parent went away before it had a program.
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(program)) => match answer(program, memory) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(&error),
        },
        Err(error) => failed(&error),
    }
}

/// Starts counting memory, if this binary can.
fn memory_guard() -> Guard {
    if raw::count_memory() {
        Guard::Enforced
    } else {
        Guard::Unavailable(
            "the binary has no counting allocator; the address space alone is bounded".to_owned(),
        )
    }
}

fn receive() -> io::Result<Option<Program>> {
    let mut request = Vec::new();
    io::stdin()
        .lock()
        .take(REQUEST_BYTES as u64)
        .read_to_end(&mut request)?;
    if request.is_empty() {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&request)?))
}

fn answer(program: Program, memory: Guard) -> io::Result<()> {
    let confinement = confine::enter(&program.limits, memory);
    let mut output = Output {
        text: String::new(),
        truncated: false,
        limit: program.limits.output_bytes,
    };
    let ending = match program.engine {
        Engine::Python => python::run(program, &mut output),
        Engine::Sql => sql::run(&program),
    };
    let reply = Reply {
        ending,
        output: output.text,
        output_truncated: output.truncated,
        confinement,
    };
    let mut stdout = io::stdout().lock();
    serde_json::to_writer(&mut stdout, &reply)?;
    stdout.flush()
}

fn failed(error: &io::Error) -> ExitCode {
    // The parent shows the last lines of this; nobody else reads it.
    let _ = writeln!(io::stderr(), "interpreter worker: {error}");
    ExitCode::FAILURE
}

/// Seconds of processor time for a program that may run for `time`, with the second in which the parent kills it.
fn processor_seconds(time: Duration) -> u64 {
    time.as_secs_f64().ceil() as u64 + 2
}
