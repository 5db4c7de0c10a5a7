//! Why a catalogue did not answer.

use super::embedded::FileError;

/// Why a catalogue did not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogueError {
    /// The embedded file, or the one that stands in for it, cannot be used.
    #[error("the area catalogue file cannot be used")]
    File(#[from] FileError),
    /// The address of the database is none.
    #[error("the address of the area database (DATABASE_URL) cannot be used: {0}")]
    Address(String),
    /// No connection to the database.
    #[error("cannot connect to the area database")]
    Pool(#[from] deadpool_postgres::PoolError),
    /// The database refused a statement, or its answer was none.
    #[error("the area database failed")]
    Database(#[from] tokio_postgres::Error),
    /// The database took too long.
    #[error("the area database did not answer within {0:?}")]
    Slow(std::time::Duration),
    /// The database has a table that is read before the one to be filled.
    #[error(
        "the database already has a table {0}, whose areas would be read instead; nothing was changed. Load into another \
         database"
    )]
    TableExists(String),
    /// The table to be filled has such areas.
    #[error(
        "the table {0} already has administrative areas; nothing was changed. Have them replaced, or load into another \
         database"
    )]
    AreasExist(&'static str),
    /// A recording has no answer to this.
    #[error("the recording has no answer to {0:?}")]
    Unrecorded(String),
}
