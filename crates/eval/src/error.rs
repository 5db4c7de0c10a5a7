//! Why questions cannot be asked.

/// What is wrong with a set of questions, or with the toolsets that are to answer them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// The columns are those of no set.
    #[error("{file}: its columns ({found}) are those of no set; there are {known}")]
    Columns {
        /// The file.
        file: String,
        /// The columns it has.
        found: String,
        /// The sets that can be read, each with its columns.
        known: String,
    },
    /// A cell does not hold what its column is for.
    #[error("{file}, row {row}, column {column}: {value:?} is no {wanted}")]
    Cell {
        /// The file.
        file: String,
        /// Line of the file on which the row begins; the header is on the first.
        row: u64,
        /// The column.
        column: String,
        /// What stands there.
        value: String,
        /// What should.
        wanted: &'static str,
    },
    /// The file is no table of comma-separated values.
    #[error("{file}: cannot read it as comma-separated values")]
    Table {
        /// The file.
        file: String,
        /// The reader's reason, which names the row.
        #[source]
        source: csv::Error,
    },
    /// The file has a header and nothing below it.
    #[error("{file}: it has no rows")]
    Empty {
        /// The file.
        file: String,
    },
    /// None of the toolsets has a tool that the questions need.
    #[error("no toolset has the tool {tool}, which the questions are asked through")]
    MissingTool {
        /// The tool.
        tool: &'static str,
    },
}
