//! The open access data of The Metropolitan Museum of Art.

mod api;
mod artists;
mod bench_data;
mod bundled;
mod columns;
mod dates;
mod fixture;
mod import;
mod merge;
mod options;
mod pins;
mod quality;
mod reading;
mod record;
mod sample;
mod summary;
mod vectors;
mod verify;

pub use bench_data::bench_data;
pub use bundled::bundled;
pub use columns::{Column, Header, HeaderVariant};
pub use fixture::{Candidate, Fixture, choose};
pub use import::{ImportReport, import};
pub use options::{DatasetMode, ImportOptions};
pub use pins::{DEFAULT_CSV_SHA256, Pin, SAMPLE_CSV_SHA256, pin, upstream_pins};
pub use quality::{QUALITY_FLAGS, QualityFlag};
pub use record::{RowError, record};
pub use sample::{ColumnsOfCsvError, SAMPLE_CSV, columns_of_csv};
pub use verify::{VerifyError, VerifyReport, verify};
