//! The rows shipped with the product, and CSV files as columns without a snapshot.

use std::io::BufRead;

use periplus_collection::{Columns, ColumnsBuilder, ColumnsError};
use thiserror::Error;

use super::columns::{Header, HeaderVariant};
use super::record::{RowError, record};
use crate::{CsvError, CsvReader};

/// Genuine rows of the current file, CC0 data of the museum.
pub const SAMPLE_CSV: &[u8] = include_bytes!("../../../../data/met/MetObjects.sample.csv");

/// Why a CSV file gives no columns.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ColumnsOfCsvError {
    /// The file is not CSV.
    #[error(transparent)]
    Csv(#[from] CsvError),
    /// The header is another one.
    #[error("the header is not the museum's: {0}")]
    Header(String),
    /// A row is no record.
    #[error(transparent)]
    Row(#[from] RowError),
    /// The records do not fit together.
    #[error(transparent)]
    Columns(#[from] ColumnsError),
}

/// The columns of a CSV file alone, in memory.
///
/// # Errors
/// See [`ColumnsOfCsvError`].
pub fn columns_of_csv(source: impl BufRead, variant: HeaderVariant) -> Result<Columns, ColumnsOfCsvError> {
    let header = Header::new(variant);
    let mut reader = CsvReader::new(source);
    let found = reader.read()?.unwrap_or_default();
    if let Some(difference) = header.difference(&found) {
        return Err(ColumnsOfCsvError::Header(difference));
    }
    let mut columns = ColumnsBuilder::new();
    while let Some(row) = reader.read()? {
        columns.push(&record(&header, &row)?)?;
    }
    Ok(columns.finish()?)
}
