//! Opens a snapshot: every file is checked before anything is answered from it.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::thread;

use rayon::prelude::*;
use rusqlite::{Connection, OptionalExtension as _};
use thiserror::Error;

use super::object::{self, ReadError, StoredObject};
use super::pool::Pool;
use super::{CATALOGUE, MANIFEST, VECTOR_IDS, VECTORS, digest_of_file, schema};
use crate::columns::{BlobError, blob};
use crate::manifest::{FORMAT_SUFFIX, FileEntry};
use crate::vectors::{StoredVectors, VectorsError};
use crate::{Catalogue, Columns, Error, Manifest, Sources, Vectors};

/// Largest manifest read; real ones are a few kilobytes.
const MAX_MANIFEST_BYTES: u64 = 16 * 1024 * 1024;

/// Why a folder is not a snapshot to serve.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A file cannot be read.
    #[error("reading {} failed", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The manifest is not one.
    #[error("{} is not a snapshot manifest", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What JSON said.
        source: serde_json::Error,
    },
    /// The snapshot has another format.
    #[error(
        "the snapshot has the format {0:?}, this program reads formats ending in \"-snapshot/1\": import again"
    )]
    Format(String),
    /// The manifest does not list the files of a snapshot.
    #[error("the manifest does not list {CATALOGUE}, {VECTOR_IDS} and {VECTORS}")]
    Files,
    /// A file has another size than the manifest says.
    #[error("{name} has {found} bytes, the manifest says {expected}: import again")]
    Size {
        /// The file.
        name: String,
        /// Bytes by the manifest.
        expected: u64,
        /// Bytes of the file.
        found: u64,
    },
    /// A file has another digest than the manifest says.
    #[error("{name} is damaged: its sha256 is {found}, the manifest says {expected}: import again")]
    Digest {
        /// The file.
        name: String,
        /// Digest by the manifest.
        expected: String,
        /// Digest of the file.
        found: String,
    },
    /// The database failed.
    #[error("reading {CATALOGUE} failed")]
    Sqlite(#[from] rusqlite::Error),
    /// The database has another version.
    #[error("{CATALOGUE} has version {0}, this program reads version 1: import again")]
    Version(i32),
    /// A column is not usable.
    #[error("reading the column {name:?} failed")]
    Column {
        /// The column.
        name: String,
        /// What is wrong.
        source: BlobError,
    },
    /// The vectors are not usable.
    #[error("opening the vectors failed")]
    Vectors(#[from] VectorsError),
    /// The files do not hold what the manifest says.
    #[error("the snapshot holds {found} {what}, the manifest says {expected}: import again")]
    Count {
        /// What is counted.
        what: &'static str,
        /// By the manifest.
        expected: u64,
        /// In the files.
        found: u64,
    },
}

/// A catalogue, loaded and checked.
#[derive(Debug)]
pub struct Snapshot {
    dir: PathBuf,
    manifest: Manifest,
    columns: Columns,
    vectors: StoredVectors,
    csv_columns: Vec<String>,
    pool: Pool,
}

impl Snapshot {
    /// Opens a folder that an import has written.
    ///
    /// The sizes and digests of all files are checked while they are loaded. The files must not change while
    /// the snapshot is open: the vectors are mapped. An import never changes them, it replaces the folder.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(dir: &Path) -> Result<Self, OpenError> {
        let manifest = read_manifest(dir)?;
        check_sizes(dir, &manifest)?;
        let pool = Pool::new(dir.join(CATALOGUE));
        let (digests, loaded) = thread::scope(|scope| {
            let checks: Vec<_> = manifest
                .files
                .iter()
                .map(|file| scope.spawn(|| check_digest(dir, file)))
                .collect();
            let loaded = load(dir, &pool);
            let join = |check: thread::ScopedJoinHandle<'_, _>| check.join().expect("hashing does not panic");
            (checks.into_iter().try_for_each(join), loaded)
        });
        // A damaged file may fail to load in any way; that it is damaged is what matters.
        digests?;
        let (columns, vectors, csv_columns) = loaded?;
        check_count("records", manifest.counts.records, columns.len())?;
        check_count("vectors", manifest.counts.vectors, vectors.ids().len())?;
        Ok(Self {
            dir: dir.to_owned(),
            manifest,
            columns,
            vectors,
            csv_columns,
            pool,
        })
    }

    /// The folder it was opened from.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What the snapshot is made of.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What predicates, facets and rankers read.
    #[must_use]
    pub const fn columns(&self) -> &Columns {
        &self.columns
    }

    /// The stored vectors.
    #[must_use]
    pub const fn vectors(&self) -> &StoredVectors {
        &self.vectors
    }

    /// One object with everything its sources say; nothing if the snapshot has no such object.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn object(&self, object_id: u64) -> Result<Option<StoredObject>, ReadError> {
        let Some(row) = self.columns.row(object_id) else {
            return Ok(None);
        };
        self.pool
            .read(|connection| object::read(connection, &self.columns, row, &self.csv_columns).map(Some))
    }
}

impl Catalogue for Snapshot {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn vectors(&self) -> &dyn Vectors {
        &self.vectors
    }

    fn sources(&self, object_id: u64) -> Result<Sources, Error> {
        self.pool
            .read(|connection| object::sources(connection, object_id))
            .map_err(|error: ReadError| Error::Storage(error.into()))
    }

    fn object(&self, object_id: u64) -> Result<Option<StoredObject>, Error> {
        Self::object(self, object_id).map_err(|error| Error::Storage(error.into()))
    }
}

fn read_manifest(dir: &Path) -> Result<Manifest, OpenError> {
    let path = dir.join(MANIFEST);
    let mut text = Vec::new();
    let read = File::open(&path).and_then(|file| file.take(MAX_MANIFEST_BYTES).read_to_end(&mut text));
    if let Err(source) = read {
        return Err(OpenError::Io { path, source });
    }
    let manifest: Manifest =
        serde_json::from_slice(&text).map_err(|source| OpenError::Manifest { path, source })?;
    if !manifest.format.ends_with(FORMAT_SUFFIX) {
        return Err(OpenError::Format(manifest.format));
    }
    let names = manifest.files.iter().map(|file| file.name.as_str());
    if !names.eq([CATALOGUE, VECTOR_IDS, VECTORS]) {
        return Err(OpenError::Files);
    }
    Ok(manifest)
}

fn check_sizes(dir: &Path, manifest: &Manifest) -> Result<(), OpenError> {
    for FileEntry { name, bytes, .. } in &manifest.files {
        let path = dir.join(name);
        let found = match fs::metadata(&path) {
            Ok(metadata) => metadata.len(),
            Err(source) => return Err(OpenError::Io { path, source }),
        };
        if found != *bytes {
            return Err(OpenError::Size {
                name: name.clone(),
                expected: *bytes,
                found,
            });
        }
    }
    Ok(())
}

fn check_digest(dir: &Path, file: &FileEntry) -> Result<(), OpenError> {
    let path = dir.join(&file.name);
    match digest_of_file(&path) {
        Err(source) => Err(OpenError::Io { path, source }),
        Ok((_bytes, found)) if found == file.sha256 => Ok(()),
        Ok((_bytes, found)) => Err(OpenError::Digest {
            name: file.name.clone(),
            expected: file.sha256.clone(),
            found,
        }),
    }
}

fn load(dir: &Path, pool: &Pool) -> Result<(Columns, StoredVectors, Vec<String>), OpenError> {
    let csv_columns = pool.read(check_catalogue)?;
    let names = blob::names();
    let (ids_name, part_names) = names.split_first().expect("the ids come first");
    let ids = read_blob(pool, ids_name, |blob, size| blob::decode_ids(blob, size))?;
    let parts = part_names
        .par_iter()
        .map(|name| read_blob(pool, name, |blob, size| blob::decode(name, blob, size, ids.len())))
        .collect::<Result<Vec<_>, _>>()?;
    let vectors = StoredVectors::open(&dir.join(VECTOR_IDS), &dir.join(VECTORS))?;
    Ok((blob::assemble(ids, parts), vectors, csv_columns))
}

/// Checks the version and returns the names of the CSV columns.
fn check_catalogue(connection: &Connection) -> Result<Vec<String>, OpenError> {
    let version = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version != schema::VERSION {
        return Err(OpenError::Version(version));
    }
    let names: Option<String> = connection
        .query_row("SELECT value FROM meta WHERE key = 'csv_columns'", [], |row| {
            row.get(0)
        })
        .optional()?;
    serde_json::from_str(&names.unwrap_or_default()).map_err(|source| OpenError::Manifest {
        path: PathBuf::from(CATALOGUE),
        source,
    })
}

fn read_blob<T>(
    pool: &Pool,
    name: &str,
    decode: impl FnOnce(rusqlite::blob::Blob<'_>, u64) -> Result<T, BlobError>,
) -> Result<T, OpenError> {
    pool.read(|connection| {
        let rowid = connection
            .query_row("SELECT rowid FROM columns WHERE name = ?1", [name], |row| {
                row.get(0)
            })
            .optional()?;
        let column = |source| OpenError::Column {
            name: name.to_owned(),
            source,
        };
        let rowid = rowid.ok_or_else(|| column(BlobError::Damaged("it is not stored")))?;
        let blob = connection.blob_open("main", "columns", "bytes", rowid, true)?;
        let size = blob.len() as u64;
        decode(blob, size).map_err(column)
    })
}

fn check_count(what: &'static str, expected: u64, found: usize) -> Result<(), OpenError> {
    let found = found as u64;
    if found == expected {
        Ok(())
    } else {
        Err(OpenError::Count {
            what,
            expected,
            found,
        })
    }
}
