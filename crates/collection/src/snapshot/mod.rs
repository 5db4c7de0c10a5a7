//! A snapshot: a folder that holds a whole catalogue and never changes.
//!
//! `manifest.json` names the other files and their digests. `catalogue.sqlite` holds the sources of every
//! object, a summary for people, and the [`Columns`](crate::Columns) as blobs, so that opening reads and
//! checks but derives nothing. `vector_ids.npy` and `vectors.npy` hold the vectors, mapped when opened.

mod digest;
mod object;
mod open;
mod pool;
mod schema;
mod writer;

pub use digest::digest_of_file;
pub use object::{ApiSource, CsvSource, ReadError, StoredObject, VectorSource};
pub use open::{OpenError, Snapshot};
pub use writer::{Entry, SnapshotWriter, WriteError};

/// The catalogue database.
pub const CATALOGUE: &str = "catalogue.sqlite";
/// What the snapshot is.
pub const MANIFEST: &str = "manifest.json";
/// Object ids of the vectors.
pub const VECTOR_IDS: &str = "vector_ids.npy";
/// The vectors.
pub const VECTORS: &str = "vectors.npy";

#[cfg(test)]
mod tests;
