//! What is run: a program, its tables and its limits.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The language of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// A subset of Python, described by [`DIALECT`](crate::DIALECT). Every table is a list of dictionaries under its
    /// name; the value of the last expression is the result.
    Python,
    /// One SQLite query over the tables; the rows of its result are the result.
    Sql,
}

/// A program with everything it may look at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The language of `code`.
    pub engine: Engine,
    /// The text of the program, at most 64 KiB.
    pub code: String,
    /// The tables it reads.
    pub tables: Vec<Table>,
    /// What it may use up.
    pub limits: Limits,
}

impl Program {
    /// A Python program under the default limits.
    #[must_use]
    pub fn python(code: impl Into<String>, tables: Vec<Table>) -> Self {
        Self {
            engine: Engine::Python,
            code: code.into(),
            tables,
            limits: Limits::default(),
        }
    }

    /// An SQL query under the default limits.
    #[must_use]
    pub fn sql(code: impl Into<String>, tables: Vec<Table>) -> Self {
        Self {
            engine: Engine::Sql,
            code: code.into(),
            tables,
            limits: Limits::default(),
        }
    }
}

/// Rows under a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// An identifier: ASCII letters, digits and `_`, no digit first.
    pub name: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Cells in the order of the columns: null, truth values, numbers or text.
    pub rows: Vec<Vec<Value>>,
}

/// What a program may use up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Time to run. The worker is killed one second later, because no interpreter looks at a clock inside one
    /// operation on huge integers.
    pub time: Duration,
    /// Bytes of memory, tables included.
    pub memory_bytes: usize,
    /// Bytes of printed text that are kept.
    pub output_bytes: usize,
    /// Bytes of the result as JSON.
    pub result_bytes: usize,
}

impl Default for Limits {
    /// Five seconds, 256 MiB, 64 KiB of output and 4 MiB of result.
    fn default() -> Self {
        Self {
            time: Duration::from_secs(5),
            memory_bytes: 256 << 20,
            output_bytes: 64 << 10,
            result_bytes: 4 << 20,
        }
    }
}
