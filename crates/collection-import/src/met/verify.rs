//! Checks a snapshot by deriving it again from the sources it holds.

use std::path::Path;

use periplus_collection::snapshot::{OpenError, ReadError, StoredObject};
use periplus_collection::{ColumnsBuilder, ColumnsError, Manifest, Record, Snapshot, Vectors as _};
use thiserror::Error;

use super::columns::{Header, HeaderVariant};
use super::import::snapshot_id;
use super::record::{RowError, record};
use super::summary::{self, Totals};
use super::{merge, vectors};
use crate::CsvRecord;

/// Problems named in full; more are only counted.
const NAMED_PROBLEMS: usize = 20;
/// How far from 1 the length of a stored vector may be.
const NORM_TOLERANCE: f64 = 1e-3;

/// Why a snapshot cannot be checked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// It does not open.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// An object cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A stored row is no record.
    #[error("object {object_id} has a stored row that is no record")]
    Row {
        /// The object.
        object_id: u64,
        /// What is wrong with the row.
        source: RowError,
    },
    /// The records do not fit into columns.
    #[error(transparent)]
    Columns(#[from] ColumnsError),
    /// The snapshot was made for other rules.
    #[error("the snapshot was built by other rules than this program's: import again to compare")]
    Rules,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifyReport {
    /// What the snapshot says it is.
    pub manifest: Manifest,
    /// Objects derived again.
    pub objects: u64,
    /// What differs, in sentences; the first few only.
    pub problems: Vec<String>,
    /// How much differs.
    pub problem_count: u64,
}

impl VerifyReport {
    /// Whether everything derived again is as stored.
    #[must_use]
    pub const fn is_sound(&self) -> bool {
        self.problem_count == 0
    }

    fn check(&mut self, condition: bool, problem: impl FnOnce() -> String) {
        if !condition {
            self.problem_count += 1;
            if self.problems.len() < NAMED_PROBLEMS {
                self.problems.push(problem());
            }
        }
    }
}

/// Opens a snapshot, which checks digests and forms, and derives every record and column again.
///
/// # Errors
/// The snapshot does not open or holds rows that are no records; what merely differs is in the report.
pub fn verify(folder: &Path) -> Result<VerifyReport, VerifyError> {
    let snapshot = Snapshot::open(folder)?;
    let manifest = snapshot.manifest();
    if manifest.rules != summary::rules() {
        return Err(VerifyError::Rules);
    }
    let mut report = VerifyReport {
        manifest: manifest.clone(),
        objects: 0,
        problems: Vec::new(),
        problem_count: 0,
    };
    let header = Header::new(match manifest.header_variant.as_str() {
        "legacy43" => HeaderVariant::Legacy43,
        _ => HeaderVariant::Current54,
    });
    let mut columns = ColumnsBuilder::new();
    let mut totals = Totals {
        csv_records: manifest.counts.csv_records,
        ..Totals::default()
    };
    for &id in &snapshot.columns().ids {
        let Some(object) = snapshot.object(id)? else {
            continue;
        };
        let derived = derive(&header, id, &object)?;
        report.check(derived == object.record, || {
            format!("object {id} differs from what its sources give")
        });
        report.check(has_its_vector(&snapshot, id, &object), || {
            format!("object {id} has a vector and no source of it, or the reverse")
        });
        totals.artist_mentions += derived.artist_mentions().len() as u64;
        totals.api_captures += u64::from(object.api.is_some());
        totals.vectors += u64::from(object.vector.is_some());
        columns.push(&derived)?;
        report.objects += 1;
    }
    let columns = columns.finish()?;
    report.check(columns == *snapshot.columns(), || {
        "the columns differ from what the records give".to_owned()
    });
    check_manifest(&mut report, manifest, &columns, totals);
    check_vectors(&mut report, &snapshot);
    Ok(report)
}

fn derive(header: &Header, object_id: u64, object: &StoredObject) -> Result<Record, VerifyError> {
    let found = object
        .api
        .as_ref()
        .filter(|api| api.http_status == 200)
        .map(|api| &api.body);
    let mut derived = match (&object.csv, found) {
        (Some(csv), _) => {
            let cells = csv.cells.iter().map(|(_name, cell)| cell.as_str());
            let row = CsvRecord::new(csv.record_number, csv.byte_offset, cells);
            record(header, &row).map_err(|source| VerifyError::Row { object_id, source })?
        }
        (None, Some(body)) => merge::api_record(object_id, body),
        (None, None) => Record {
            object_id,
            ..Record::default()
        },
    };
    if let (Some(_csv), Some(body)) = (&object.csv, found) {
        merge::merge(&mut derived, body);
    }
    merge::judge_image(&mut derived, found, object.vector.is_some());
    Ok(derived)
}

fn has_its_vector(snapshot: &Snapshot, object_id: u64, object: &StoredObject) -> bool {
    snapshot.vectors().index_of(object_id).is_some() == object.vector.is_some()
}

fn check_manifest(
    report: &mut VerifyReport,
    manifest: &Manifest,
    columns: &periplus_collection::Columns,
    totals: Totals,
) {
    let id = snapshot_id(
        &manifest.dataset_mode,
        &manifest.header_variant,
        &manifest.inputs,
        manifest.fixture.as_ref(),
    );
    report.check(manifest.snapshot == id, || {
        format!("the snapshot id is {}, its inputs give {id}", manifest.snapshot)
    });
    let is_same = [
        ("counts", manifest.counts == summary::counts(columns, totals)),
        ("coverage", manifest.coverage == summary::coverage(columns)),
        (
            "dataQuality",
            manifest.data_quality == summary::data_quality(columns),
        ),
    ];
    for (part, is_same) in is_same {
        report.check(is_same, || {
            format!("the manifest's {part} differ from what the records give")
        });
    }
}

fn check_vectors(report: &mut VerifyReport, snapshot: &Snapshot) {
    let stored = snapshot.vectors();
    let dimension = stored.dimension();
    report.check(dimension == vectors::DIMENSION, || {
        format!("the vectors have {dimension} components")
    });
    for (position, id) in stored.ids().iter().enumerate() {
        let squares = stored
            .vector(position)
            .iter()
            .map(|&component| f64::from(component).powi(2));
        let norm = squares.sum::<f64>().sqrt();
        report.check((norm - 1.0).abs() < NORM_TOLERANCE, || {
            format!("the vector of object {id} has the length {norm}")
        });
    }
}
