//! Why a program gave no result.

use std::{fmt, path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};

use crate::program::Engine;

/// A program that could not be run, or did not end with a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The worker could not be started.
    #[error("starting the interpreter's worker `{}`: {source}", program.display())]
    Spawn {
        /// The binary that was started.
        program: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Too many programs are running.
    #[error("{running} programs are running and {waiting} wait; try again shortly")]
    Busy {
        /// Programs running.
        running: usize,
        /// Programs waiting.
        waiting: usize,
    },
    /// The program or its tables are larger than what is accepted.
    #[error("{what} is larger than the limit of {limit}")]
    TooLarge {
        /// What.
        what: &'static str,
        /// The limit, in bytes unless `what` says otherwise.
        limit: usize,
    },
    /// A table or column name cannot be used.
    #[error("`{name}` is no table name: use letters, digits and `_`, no digit first, each name once")]
    TableName {
        /// The name.
        name: String,
    },
    /// The program uses what the language subset does not have. Nothing was run.
    #[error("the program cannot run as it is:\n{}", Lines(.0))]
    Refused(Vec<Finding>),
    /// The program ended with an error of its own.
    #[error("the {engine} program failed:\n{message}")]
    Failed {
        /// Its language.
        engine: Engine,
        /// The traceback or the engine's message.
        message: String,
        /// What it had printed.
        output: String,
    },
    /// The program ran out of time.
    #[error("the program was stopped after its time limit of {limit:?}; do less work, or on fewer rows")]
    Time {
        /// The limit.
        limit: Duration,
    },
    /// The program ran out of memory.
    #[error("the program was stopped at its memory limit of {limit} bytes; build smaller values")]
    Memory {
        /// The limit in bytes.
        limit: usize,
    },
    /// The worker died, which a program can bring about by exhausting the stack.
    #[error("the worker ended without an answer ({detail})")]
    Crashed {
        /// How it ended.
        detail: String,
    },
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Python => "Python",
            Self::Sql => "SQL",
        })
    }
}

/// Something a program uses that it cannot have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Line of the program, from 1.
    pub line: usize,
    /// What stands there and what to write instead.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

struct Lines<'a>(&'a [Finding]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, finding) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{finding}")?;
        }
        Ok(())
    }
}
