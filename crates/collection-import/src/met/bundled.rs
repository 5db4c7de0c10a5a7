//! The shipped rows as a snapshot in a cache folder, built when first needed.

use std::fs;
use std::path::{Path, PathBuf};

use periplus_collection::Snapshot;
use periplus_collection::manifest::{CsvInput, Inputs};

use super::columns::HeaderVariant;
use super::import::{import, snapshot_id};
use super::options::{DatasetMode, ImportOptions};
use super::{SAMPLE_CSV, SAMPLE_CSV_SHA256};
use crate::{ImportError, Progress};

/// Name of the shipped file.
const FILE: &str = "MetObjects.sample.csv";

/// The folder of a sound snapshot of the shipped rows, built now unless an earlier start has built it.
///
/// The folder's name is the snapshot's id, so a program with other rules builds its own. Several processes
/// may start at once. Nothing is deleted but damaged snapshots of that very name.
///
/// # Errors
/// See [`ImportError`].
pub fn bundled(cache: &Path, progress: &dyn Progress) -> Result<PathBuf, ImportError> {
    let output = cache.join(id());
    if Snapshot::open(&output).is_ok() {
        return Ok(output);
    }
    let unwritable = |source| ImportError::Output {
        path: cache.to_owned(),
        source,
    };
    fs::create_dir_all(cache).map_err(unwritable)?;
    let source = tempfile::Builder::new()
        .prefix(".sample-")
        .tempdir_in(cache)
        .map_err(unwritable)?;
    let csv = source.path().join(FILE);
    fs::write(&csv, SAMPLE_CSV).map_err(unwritable)?;
    let mut options = ImportOptions::new(csv, output.clone());
    options.mode = DatasetMode::CsvBaseline;
    options.csv_pin = Some("sample".to_owned());
    options.replace = true;
    match import(&options, progress) {
        Ok(report) => Ok(report.output),
        // Another process may have been faster.
        Err(_) if Snapshot::open(&output).is_ok() => Ok(output),
        Err(error) => Err(error),
    }
}

/// The id that the snapshot will have.
fn id() -> String {
    let csv = CsvInput {
        file: FILE.to_owned(),
        sha256: SAMPLE_CSV_SHA256.to_owned(),
        bytes: SAMPLE_CSV.len() as u64,
        pinned: true,
        upstream_commit: None,
        upstream_date: None,
    };
    let inputs = Inputs {
        csv,
        vectors: Vec::new(),
        api_seeds: None,
    };
    snapshot_id(
        DatasetMode::CsvBaseline.name(),
        HeaderVariant::Current54.name(),
        &inputs,
        None,
    )
}
