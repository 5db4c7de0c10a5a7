//! The open access data of The Metropolitan Museum of Art.

mod artists;
mod columns;
mod dates;
mod quality;
mod record;
mod sample;

pub use columns::{Column, Header, HeaderVariant};
pub use quality::{QUALITY_FLAGS, QualityFlag};
pub use record::{RowError, record};
pub use sample::{ColumnsOfCsvError, SAMPLE_CSV, columns_of_csv};
