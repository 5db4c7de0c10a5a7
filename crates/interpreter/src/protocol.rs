//! What a worker is sent and what it answers: one JSON document each way, then the end of the pipe.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{Confinement, Error, Finding, Program};

/// Longest program text. Models write a few kilobytes.
pub(crate) const CODE_BYTES: usize = 64 << 10;
/// Most cells of all tables: a few thousand rows with room to spare.
pub(crate) const CELLS: usize = 1 << 20;
/// Most tables.
pub(crate) const TABLES: usize = 32;
/// Longest request.
pub(crate) const REQUEST_BYTES: usize = 64 << 20;
/// What a reply may hold beside result and output: the frame, a traceback, the guards.
pub(crate) const REPLY_OVERHEAD_BYTES: usize = 256 << 10;

/// What a worker answers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Reply {
    /// How it went.
    pub(crate) ending: Ending,
    /// What the program printed, up to the limit.
    pub(crate) output: String,
    /// Whether more was printed.
    pub(crate) output_truncated: bool,
    /// The guards around it.
    pub(crate) confinement: Confinement,
}

/// How a program ended.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ending {
    /// With a result, already JSON.
    Result(Box<RawValue>),
    /// It was not started.
    Refused(Vec<Finding>),
    /// With an error of its own.
    Failed(String),
    /// Its time was over.
    Time,
    /// Its memory was used up.
    Memory,
}

/// Checks everything about a program that needs no look at its text.
pub(crate) fn admit(program: &Program) -> Result<(), Error> {
    let too_large = |what, limit| Err(Error::TooLarge { what, limit });
    if program.code.len() > CODE_BYTES {
        return too_large("the text of the program", CODE_BYTES);
    }
    if program.tables.len() > TABLES {
        return too_large("the number of tables", TABLES);
    }
    let mut names = HashSet::new();
    for table in &program.tables {
        if !is_identifier(&table.name) || !names.insert(table.name.to_ascii_lowercase()) {
            return Err(Error::TableName {
                name: table.name.clone(),
            });
        }
    }
    let cells: usize = program
        .tables
        .iter()
        .map(|table| table.rows.len() * table.columns.len().max(1))
        .sum();
    if cells > CELLS {
        return too_large("the number of cells", CELLS);
    }
    Ok(())
}

fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|next| next.is_ascii_alphanumeric() || next == '_')
        && name.len() <= 64
}
