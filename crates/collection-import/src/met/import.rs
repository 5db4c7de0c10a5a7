//! Builds a snapshot.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use periplus_collection::manifest::{ApiInput, CsvInput, FORMAT_SUFFIX, Inputs};
use periplus_collection::snapshot::{Entry, SnapshotWriter, VECTOR_IDS, VECTORS};
use periplus_collection::{Columns, ColumnsBuilder, Manifest, Record};
use serde_json::json;

use super::api::Captures;
use super::fixture::{self, Candidate, Fixture};
use super::merge;
use super::options::{DatasetMode, ImportOptions};
use super::pins::{self, DEFAULT_CSV_RECORDS, DEFAULT_CSV_SHA256};
use super::reading::{Mapped, Pass, for_each_record};
use super::summary::{self, Totals};
use super::vectors::Vectors;
use crate::source::{self, Digest};
use crate::staging::Staging;
use crate::{ImportError, Phase, Progress};

/// "MET1": what file-type programs see in the catalogue's header.
const APPLICATION_ID: i32 = 0x4d45_5431;
/// Usable vectors wait here for their turn.
const SPOOL: &str = "vectors.spool";

/// A finished import.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportReport {
    /// The folder written.
    pub output: PathBuf,
    /// What was built, from what, and how much of everything it holds.
    pub manifest: Manifest,
}

/// Builds a snapshot of the files given; nothing else is read and the network is not touched.
///
/// The output folder appears complete or not at all, whenever the process ends. Equal inputs give equal
/// snapshots, byte for byte.
///
/// # Errors
/// See [`ImportError`]; nothing is written then.
pub fn import(options: &ImportOptions, progress: &dyn Progress) -> Result<ImportReport, ImportError> {
    options.check()?;
    let staging = Staging::new(&options.output, options.replace, is_snapshot)?;
    source::sniff_csv(&options.csv)?;
    let digest = source::digest(&options.csv, progress)?;
    check_pin(options, &digest)?;
    let captures = options.api_seeds.as_deref().map(Captures::read).transpose()?;
    let mut vectors = Vectors::read(options, &staging.path().join(SPOOL), progress)?;
    let fixture = match options.mode {
        DatasetMode::BoundedFixture => Some(choose(options, &mut vectors, progress)?),
        DatasetMode::CsvBaseline | DatasetMode::FullVectors => None,
    };
    let build = Build {
        options,
        captures: captures.as_ref(),
        fixture: fixture.as_ref(),
    };
    let manifest = build.run(&digest, vectors, staging.path(), progress)?;
    progress.report(Phase::Writing, 1, 1);
    staging.publish()?;
    Ok(ImportReport {
        output: options.output.clone(),
        manifest,
    })
}

/// Whether a folder holds a snapshot of this museum, sound or damaged.
fn is_snapshot(folder: &Path) -> bool {
    let manifest = std::fs::read(folder.join("manifest.json"));
    let manifest = manifest
        .ok()
        .and_then(|text| serde_json::from_slice::<serde_json::Value>(&text).ok());
    manifest
        .is_some_and(|manifest| manifest.get("format").and_then(|format| format.as_str()) == Some(&format()))
}

fn format() -> String {
    format!("met{FORMAT_SUFFIX}")
}

fn check_pin(options: &ImportOptions, digest: &Digest) -> Result<(), ImportError> {
    let Some(expected) = options
        .expected_csv()?
        .filter(|expected| *expected != digest.sha256)
    else {
        return Ok(());
    };
    let is_converted = || {
        let converted = source::digest_with_crlf(&options.csv).ok();
        converted.is_some_and(|converted| pins::pin(&converted).is_some() || converted == expected)
    };
    let hint = match pins::pin(&digest.sha256) {
        Some(pin) => match pin.date {
            Some(date) => format!(
                "it is the version of {date}: --csv-pin {} accepts it",
                digest.sha256
            ),
            None => "it is the shipped sample: --csv-pin sample accepts it".to_owned(),
        },
        None if is_converted() => {
            "line endings were converted (CRLF to LF): take the file as published, without text conversion"
                .to_owned()
        }
        None => "no version of it is known: --allow-unpinned-csv accepts any file with the right columns"
            .to_owned(),
    };
    Err(ImportError::CsvPin {
        path: options.csv.clone(),
        expected: expected.to_owned(),
        actual: digest.sha256.clone(),
        bytes: digest.bytes,
        hint,
    })
}

/// Chooses the records of a fixture and drops the vectors of all others.
fn choose(
    options: &ImportOptions,
    vectors: &mut Vectors,
    progress: &dyn Progress,
) -> Result<Fixture, ImportError> {
    let mut candidates = Vec::new();
    for_each_record(options, Phase::Choosing, progress, |mapped| {
        let object_id = mapped.record.object_id;
        candidates.push(Candidate {
            object_id,
            department: mapped.record.department.unwrap_or_default(),
            has_vector: vectors.source(object_id).is_some(),
        });
        Ok(())
    })?;
    let ids: HashSet<u64> = candidates.iter().map(|candidate| candidate.object_id).collect();
    vectors.keep_catalogued(|id| ids.contains(&id))?;
    let fixture = fixture::choose(&candidates, options.fixture_records, options.fixture_vectors);
    let wanted = [
        ("vectors", options.fixture_vectors, fixture.vectors.len()),
        ("records", options.fixture_records, fixture.records.len()),
    ];
    for (what, wanted, available) in wanted {
        if available < wanted && !options.allow_small_fixture {
            return Err(ImportError::FixtureTooSmall {
                what,
                wanted,
                available,
            });
        }
    }
    vectors.retain(|id| fixture.vectors.contains(&id));
    Ok(fixture)
}

struct Build<'a> {
    options: &'a ImportOptions,
    captures: Option<&'a Captures>,
    fixture: Option<&'a Fixture>,
}

impl Build<'_> {
    fn run(
        &self,
        digest: &Digest,
        mut vectors: Vectors,
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Manifest, ImportError> {
        let mut catalogue = Writing {
            writer: SnapshotWriter::create(folder, APPLICATION_ID)?,
            columns: ColumnsBuilder::new(),
            ids: HashSet::new(),
            mentions: 0,
            captures: 0,
        };
        let pass = for_each_record(self.options, Phase::Records, progress, |mapped| {
            let is_chosen = self
                .fixture
                .is_none_or(|f| f.records.contains(&mapped.record.object_id));
            if is_chosen {
                self.add_row(mapped, &vectors, &mut catalogue)
            } else {
                Ok(())
            }
        })?;
        self.check_pass(&pass, digest)?;
        self.add_api_only(&mut catalogue)?;
        if self.fixture.is_none() {
            vectors.keep_catalogued(|id| catalogue.ids.contains(&id))?;
        }
        progress.report(Phase::Indexing, 0, 0);
        vectors.write(&folder.join(VECTOR_IDS), &folder.join(VECTORS))?;
        let columns = catalogue.columns.finish()?;
        let totals = Totals {
            csv_records: pass.records,
            vectors: vectors.len() as u64,
            api_captures: catalogue.captures,
            artist_mentions: catalogue.mentions,
        };
        let manifest = self.manifest(&pass, &vectors, &columns, totals);
        progress.report(Phase::Writing, 0, 1);
        let csv_columns: Vec<&str> = pass.variant.column_names().collect();
        Ok(catalogue.writer.finish(&csv_columns, &columns, manifest)?)
    }

    fn add_row(&self, row: Mapped, vectors: &Vectors, catalogue: &mut Writing) -> Result<(), ImportError> {
        let mut record = row.record;
        let id = record.object_id;
        let capture = self.captures.and_then(|captures| captures.by_id.get(&id));
        let found = capture
            .filter(|capture| capture.is_found())
            .map(|capture| &capture.source.body);
        if let Some(body) = found {
            merge::merge(&mut record, body);
        }
        let vector = vectors.source(id);
        merge::judge_image(&mut record, found, vector.is_some());
        catalogue.add(&Entry {
            record: &record,
            csv: Some((row.number, row.byte_offset, &row.cells_json)),
            api: capture.map(|capture| (&capture.source, capture.body.as_slice())),
            vector,
        })
    }

    /// Adds the objects that only the API knows; a fixture is chosen from the CSV alone.
    fn add_api_only(&self, catalogue: &mut Writing) -> Result<(), ImportError> {
        let Some(captures) = self.captures.filter(|_captures| self.fixture.is_none()) else {
            return Ok(());
        };
        for (&id, capture) in &captures.by_id {
            if !capture.is_found() || catalogue.ids.contains(&id) {
                continue;
            }
            let mut record = merge::api_record(id, &capture.source.body);
            merge::judge_image(&mut record, Some(&capture.source.body), false);
            let api = Some((&capture.source, capture.body.as_slice()));
            catalogue.add(&Entry {
                record: &record,
                csv: None,
                api,
                vector: None,
            })?;
        }
        Ok(())
    }

    fn check_pass(&self, pass: &Pass, digest: &Digest) -> Result<(), ImportError> {
        if pass.digest != *digest {
            return Err(ImportError::Changed {
                path: self.options.csv.clone(),
            });
        }
        if digest.sha256 == DEFAULT_CSV_SHA256 && pass.records != DEFAULT_CSV_RECORDS {
            return Err(ImportError::RecordCount {
                expected: DEFAULT_CSV_RECORDS,
                found: pass.records,
            });
        }
        Ok(())
    }

    fn manifest(&self, pass: &Pass, vectors: &Vectors, columns: &Columns, totals: Totals) -> Manifest {
        let mode = self.options.mode.name();
        let pin = pins::pin(&pass.digest.sha256);
        let csv = CsvInput {
            file: self
                .options
                .csv
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            sha256: pass.digest.sha256.clone(),
            bytes: pass.digest.bytes,
            pinned: pin.is_some() || self.options.csv_pin.is_some(),
            upstream_commit: pin.and_then(|pin| pin.commit).map(str::to_owned),
            upstream_date: pin.and_then(|pin| pin.date).map(str::to_owned),
        };
        let api_seeds = self.captures.map(|captures| ApiInput {
            manifest_sha256: captures.manifest_sha256.clone(),
            captures: captures.by_id.len() as u64,
        });
        let inputs = Inputs {
            csv,
            vectors: vectors.inputs().to_vec(),
            api_seeds,
        };
        let fixture = self.fixture.map(|_fixture| {
            let (n, k) = (self.options.fixture_records, self.options.fixture_vectors);
            json!({ "n": n, "k": k, "algorithm": fixture::ALGORITHM })
        });
        Manifest {
            format: format(),
            snapshot: snapshot_id(mode, pass.variant.name(), &inputs, fixture.as_ref()),
            dataset_mode: mode.to_owned(),
            header_variant: pass.variant.name().to_owned(),
            fixture,
            counts: summary::counts(columns, totals),
            coverage: summary::coverage(columns),
            data_quality: summary::data_quality(columns),
            data_quality_flags: summary::quality_flags(),
            rules: summary::rules(),
            files: Vec::new(),
            licences: summary::licences(!inputs.vectors.is_empty(), inputs.api_seeds.is_some()),
            inputs,
        }
    }
}

/// The id of a snapshot of those inputs; neither clock nor machine goes in.
pub(super) fn snapshot_id(
    mode: &str,
    header_variant: &str,
    inputs: &Inputs,
    fixture: Option<&serde_json::Value>,
) -> String {
    let vectors: Vec<_> = inputs
        .vectors
        .iter()
        .map(|shard| json!({ "sha256": shard.sha256, "bytes": shard.bytes, "profile": shard.profile }))
        .collect();
    let api_seeds = inputs
        .api_seeds
        .as_ref()
        .map(|api| json!({ "manifestSha256": api.manifest_sha256 }));
    let csv = &inputs.csv;
    summary::snapshot_id(
        mode,
        &json!({
            "schema": 1,
            "mode": mode,
            "csv": { "sha256": csv.sha256, "bytes": csv.bytes, "headerVariant": header_variant },
            "vectors": vectors,
            "apiSeeds": api_seeds,
            "fixture": fixture,
            "rules": summary::rules(),
        }),
    )
}

/// The catalogue while records arrive.
struct Writing {
    writer: SnapshotWriter,
    columns: ColumnsBuilder,
    ids: HashSet<u64>,
    mentions: u64,
    captures: u64,
}

impl Writing {
    fn add(&mut self, entry: &Entry<'_>) -> Result<(), ImportError> {
        let record: &Record = entry.record;
        self.ids.insert(record.object_id);
        self.mentions += record.artist_mentions().len() as u64;
        self.captures += u64::from(entry.api.is_some());
        self.columns.push(record)?;
        Ok(self.writer.push(entry)?)
    }
}
