//! From what a museum publishes to a snapshot that `periplus-collection` serves.
//!
//! What is common to every museum (CSV records, files that appear whole or not at all) is here; each museum
//! is a module that maps its columns to records. No import touches the network.

mod csv;
mod error;
pub mod met;
mod progress;
mod source;
mod staging;

pub use csv::{CsvError, CsvReader, CsvRecord};
pub use error::{CODES, ExitClass, ImportError};
pub use progress::{Phase, Progress, Silent};
