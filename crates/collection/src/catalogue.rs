//! What the engine needs from whoever keeps a catalogue.

use crate::{Columns, Error, Manifest, snapshot::StoredObject};

/// An immutable catalogue: the seam between the engine and the store behind it.
pub trait Catalogue: Send + Sync {
    /// What the snapshot is made of; receipts and cursors are bound to its id.
    fn manifest(&self) -> &Manifest;

    /// Everything that predicates, facets and metadata rankings read.
    fn columns(&self) -> &Columns;

    /// The stored image vectors; possibly none.
    fn vectors(&self) -> &dyn Vectors;

    /// The sources that a record's values come from.
    ///
    /// # Errors
    /// [`Error::Storage`] when the store cannot be read.
    fn sources(&self, object_id: u64) -> Result<Sources, Error>;

    /// One object with everything its sources say; nothing if the snapshot has no such object.
    ///
    /// # Errors
    /// [`Error::Storage`] when the store cannot be read.
    fn object(&self, object_id: u64) -> Result<Option<StoredObject>, Error>;
}

/// Stored vectors of one dimension, each of unit length, by ascending object id.
pub trait Vectors: Send + Sync {
    /// Object ids, ascending.
    fn ids(&self) -> &[u64];

    /// The vector at a position of [`Vectors::ids`]; empty if there is none.
    fn vector(&self, position: usize) -> &[f32];
}

/// Where a record's values come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sources {
    /// There is a record in the published table.
    pub csv: bool,
    /// A captured response of the live interface gave values.
    pub api: bool,
}
