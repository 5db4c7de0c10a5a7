//! Stored vectors: one of a fixed dimension for some of the objects, mapped rather than loaded.

mod map;
mod npy;

use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom, Write};
use std::path::Path;

use thiserror::Error;

use map::FloatMap;
pub use npy::NpyError;
use npy::{FLOATS, INTEGERS, header, read_header};

use crate::Vectors;

/// Why stored vectors cannot be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VectorsError {
    /// Reading failed.
    #[error("reading failed")]
    Io(#[from] io::Error),
    /// The file is not an array as it should be.
    #[error(transparent)]
    Npy(#[from] NpyError),
    /// The ids are not ascending, repeat, or are not positive.
    #[error("vector ids are not positive, ascending and distinct")]
    Ids,
    /// The two files do not belong together.
    #[error("there are {ids} vector ids but {vectors} vectors")]
    Count {
        /// Ids.
        ids: usize,
        /// Vectors.
        vectors: usize,
    },
}

/// Vectors by object id.
#[derive(Debug)]
pub struct StoredVectors {
    ids: Vec<u64>,
    dimension: usize,
    floats: FloatMap,
}

impl StoredVectors {
    /// Opens an id file and a vector file of the same order.
    ///
    /// The vector file is mapped into memory and must not change while it is open.
    ///
    /// # Errors
    /// See [`VectorsError`].
    pub fn open(ids: &Path, vectors: &Path) -> Result<Self, VectorsError> {
        let ids = read_ids(ids)?;
        let file = File::open(vectors)?;
        let (shape, offset) = read_header::<2>(&file, FLOATS)?;
        let [count, dimension] = shape;
        if count != ids.len() {
            return Err(VectorsError::Count {
                ids: ids.len(),
                vectors: count,
            });
        }
        let float_count = count.checked_mul(dimension).ok_or(NpyError::Shape)?;
        Ok(Self {
            ids,
            dimension,
            floats: FloatMap::open(&file, offset, float_count)?,
        })
    }

    /// Components of each vector.
    #[must_use]
    pub const fn dimension(&self) -> usize {
        self.dimension
    }

    /// The position of an object's vector.
    #[must_use]
    pub fn index_of(&self, object_id: u64) -> Option<usize> {
        self.ids.binary_search(&object_id).ok()
    }
}

impl Vectors for StoredVectors {
    fn ids(&self) -> &[u64] {
        &self.ids
    }

    fn vector(&self, position: usize) -> &[f32] {
        let start = position.saturating_mul(self.dimension);
        self.floats
            .as_slice()
            .get(start..start.saturating_add(self.dimension))
            .unwrap_or_default()
    }
}

fn read_ids(path: &Path) -> Result<Vec<u64>, VectorsError> {
    let mut file = File::open(path)?;
    let ([count], offset) = read_header::<1>(&file, INTEGERS)?;
    let size = file.metadata()?.len();
    let expected = (count as u64)
        .checked_mul(8)
        .and_then(|bytes| bytes.checked_add(offset as u64));
    if expected != Some(size) {
        return Err(NpyError::Size.into());
    }
    file.seek(SeekFrom::Start(offset as u64))?;
    let mut source = BufReader::new(file);
    let mut ids = Vec::with_capacity(count);
    let mut bytes = [0; 8];
    for _ in 0..count {
        source.read_exact(&mut bytes)?;
        ids.push(u64::try_from(i64::from_le_bytes(bytes)).map_err(|_negative| VectorsError::Ids)?);
    }
    if ids.first() == Some(&0) || !ids.is_sorted_by(|left, right| left < right) {
        return Err(VectorsError::Ids);
    }
    Ok(ids)
}

/// Writes the id file.
///
/// # Errors
/// Writing failed, or an id does not fit a signed 64-bit number.
pub fn write_ids(mut target: impl Write, ids: &[u64]) -> io::Result<()> {
    target.write_all(&header(INTEGERS, &[ids.len()]))?;
    for &id in ids {
        let id = i64::try_from(id).map_err(io::Error::other)?;
        target.write_all(&id.to_le_bytes())?;
    }
    target.flush()
}

/// Writes the vector file; each vector comes as the little-endian bytes of its components.
///
/// # Errors
/// Writing failed, or a vector has another size.
pub fn write_vectors<V: AsRef<[u8]>>(
    mut target: impl Write,
    count: usize,
    dimension: usize,
    vectors: impl Iterator<Item = io::Result<V>>,
) -> io::Result<()> {
    target.write_all(&header(FLOATS, &[count, dimension]))?;
    let mut written = 0;
    for vector in vectors {
        let vector = vector?;
        if vector.as_ref().len() != dimension * size_of::<f32>() {
            return Err(io::Error::other("a vector has another dimension"));
        }
        target.write_all(vector.as_ref())?;
        written += 1;
    }
    if written != count {
        return Err(io::Error::other("another number of vectors than announced"));
    }
    target.flush()
}

#[cfg(test)]
mod tests;
