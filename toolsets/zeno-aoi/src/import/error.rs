//! Why a catalogue could not be made.

use std::path::PathBuf;

use crate::catalogue::embedded::FileError;

/// Why a catalogue could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// An input cannot be read.
    #[error("cannot read {path}")]
    Read {
        /// The input.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// An input is no GeoJSON collection of named areas.
    #[error("cannot read {path} as GeoJSON of areas")]
    GeoJson {
        /// The input.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
    /// The table of codes is broken.
    #[error("cannot read {path} as a table of codes")]
    Codes {
        /// The input.
        path: PathBuf,
        /// Where and why.
        source: csv::Error,
    },
    /// Two areas with one id.
    #[error("area {id} is there twice")]
    Twice {
        /// The id.
        id: String,
    },
    /// The catalogue cannot be put together.
    #[error("cannot put the catalogue together")]
    File(#[from] FileError),
    /// The catalogue cannot be written.
    #[error("cannot write {path}")]
    Write {
        /// The output.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}
