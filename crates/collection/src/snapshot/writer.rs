//! Writes the catalogue of a snapshot, object by object.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};
use thiserror::Error;

use super::{ApiSource, CATALOGUE, MANIFEST, VECTOR_IDS, VECTORS, VectorSource, digest_of_file, schema};
use crate::columns::blob;
use crate::manifest::FileEntry;
use crate::{Columns, Manifest, Merged, ObjectDate, Record};

/// Why a snapshot cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The database failed.
    #[error("writing the catalogue failed")]
    Sqlite(#[from] rusqlite::Error),
    /// A file failed.
    #[error("writing {} failed", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A value is no JSON.
    #[error("writing a value as JSON failed")]
    Json(#[from] serde_json::Error),
}

/// One object and its sources.
#[derive(Debug)]
pub struct Entry<'a> {
    /// What the sources, taken together, record.
    pub record: &'a Record,
    /// Record number, byte offset and the exact cells as a JSON list.
    pub csv: Option<(u64, u64, &'a str)>,
    /// The capture and the exact bytes of its body.
    pub api: Option<(&'a ApiSource, &'a [u8])>,
    /// Where its vector comes from.
    pub vector: Option<&'a VectorSource>,
}

/// A snapshot being written into a folder of its own.
#[derive(Debug)]
pub struct SnapshotWriter {
    dir: PathBuf,
    connection: Connection,
}

impl SnapshotWriter {
    /// Starts a catalogue in an empty folder.
    ///
    /// `application_id` tells file-type programs whose catalogue it is.
    ///
    /// # Errors
    /// The database cannot be made.
    pub fn create(dir: &Path, application_id: i32) -> Result<Self, WriteError> {
        let connection = Connection::open(dir.join(CATALOGUE))?;
        // Nobody reads the file before it is complete, synced and renamed, so nothing needs a journal.
        connection.execute_batch(&format!(
            "PRAGMA page_size = {}; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
             PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -32768;
             PRAGMA application_id = {application_id}; PRAGMA user_version = {};
             BEGIN; {}",
            schema::PAGE_SIZE,
            schema::VERSION,
            schema::TABLES,
        ))?;
        Ok(Self {
            dir: dir.to_owned(),
            connection,
        })
    }

    /// Adds an object; every id once.
    ///
    /// # Errors
    /// The database failed, or has the object already.
    pub fn push(&mut self, entry: &Entry<'_>) -> Result<(), WriteError> {
        let id = entry.record.object_id;
        self.push_summary(entry.record)?;
        if let Some((number, offset, cells)) = entry.csv {
            self.connection
                .prepare_cached("INSERT INTO source_csv VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![id, number, offset, cells])?;
        }
        if let Some((api, body)) = entry.api {
            self.connection
                .prepare_cached("INSERT INTO source_api VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
                .execute(params![
                    id,
                    api.retrieved_at,
                    api.http_status,
                    api.url,
                    api.sha256,
                    body
                ])?;
        }
        if let Some(vector) = entry.vector {
            self.connection
                .prepare_cached("INSERT INTO vector_evidence VALUES (?1, ?2, ?3, ?4, ?5)")?
                .execute(params![
                    id,
                    vector.shard_sha256,
                    vector.row_index,
                    vector.model,
                    vector.original_norm
                ])?;
        }
        Ok(())
    }

    fn push_summary(&self, record: &Record) -> Result<(), WriteError> {
        let (date_state, interval) = match record.object_date {
            ObjectDate::Missing => (0, None),
            ObjectDate::Valid(interval) => (1, Some(interval)),
            ObjectDate::Invalid => (2, None),
            ObjectDate::Conflict => (3, None),
        };
        let conflicts = [
            record.title.is_conflict(),
            record.artists.is_conflict(),
            record.object_date == ObjectDate::Conflict,
            record.is_public_domain.is_conflict(),
            record.has_known_image.is_conflict(),
        ];
        let conflict_mask = (0..)
            .zip(conflicts)
            .map(|(bit, is_set)| u32::from(is_set) << bit)
            .sum::<u32>();
        self.connection
            .prepare_cached(
                "INSERT INTO objects VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
            )?
            .execute(params![
                record.object_id,
                record.title.value(),
                record.department,
                record.object_name,
                record.culture,
                record.medium,
                record.object_date_text,
                date_state,
                interval.map(|interval| interval.begin),
                interval.map(|interval| interval.end),
                state(&record.is_public_domain),
                record.is_public_domain.value(),
                state(&record.has_known_image),
                record.has_known_image.value(),
                conflict_mask,
                serde_json::to_string(record.artist_mentions())?,
                serde_json::to_string(&record.data_quality)?,
            ])?;
        Ok(())
    }

    /// Adds the columns, writes the manifest with the digests of all files, and syncs everything to disk.
    ///
    /// The two vector files must be in the folder already; `csv_columns` are the names of the cells of
    /// [`Entry::csv`].
    ///
    /// # Errors
    /// Writing failed.
    pub fn finish(
        self,
        csv_columns: &[&str],
        columns: &Columns,
        mut manifest: Manifest,
    ) -> Result<Manifest, WriteError> {
        for name in blob::names() {
            let bytes = blob::encode(columns, &name).expect("every listed name has a column");
            self.connection
                .execute("INSERT INTO columns VALUES (?1, ?2)", params![name, bytes])?;
        }
        self.connection.execute(
            "INSERT INTO meta(key, value) VALUES ('snapshot', ?1), ('format', ?2), ('csv_columns', ?3)",
            [
                &manifest.snapshot,
                &manifest.format,
                &serde_json::to_string(csv_columns)?,
            ],
        )?;
        self.connection.execute_batch("COMMIT")?;
        self.connection.close().map_err(|(_connection, error)| error)?;

        manifest.files.clear();
        for name in [CATALOGUE, VECTOR_IDS, VECTORS] {
            let path = self.dir.join(name);
            let digest = sync(&path).and_then(|()| digest_of_file(&path));
            let (bytes, sha256) = digest.map_err(|source| WriteError::Io { path, source })?;
            manifest.files.push(FileEntry {
                name: name.to_owned(),
                bytes,
                sha256,
            });
        }
        let path = self.dir.join(MANIFEST);
        let text = serde_json::to_string_pretty(&manifest)? + "\n";
        fs::write(&path, text)
            .and_then(|()| sync(&path))
            .and_then(|()| sync(&self.dir))
            .map_err(|source| WriteError::Io { path, source })?;
        Ok(manifest)
    }
}

fn state(value: &Merged<bool>) -> u8 {
    match value {
        Merged::Missing => 0,
        Merged::Value(_) => 1,
        Merged::Conflict => 3,
    }
}

fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
