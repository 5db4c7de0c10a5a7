//! Why a catalogue did not answer.

use super::embedded::FileError;

/// Why a catalogue did not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogueError {
    /// The embedded file, or the one that stands in for it, cannot be used.
    #[error("the area catalogue file cannot be used")]
    File(#[from] FileError),
    /// A recording has no answer to this.
    #[error("the recording has no answer to {0:?}")]
    Unrecorded(String),
}
