//! Image vectors that the museum publishes as Parquet shards.
//!
//! Rows stream through one by one; usable ones are normalised and spooled to a file, because which objects
//! exist is known only once the CSV is read.

mod profile;

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use periplus_collection::manifest::VectorInput;
use periplus_collection::snapshot::VectorSource;
use periplus_collection::vectors::{write_ids, write_vectors};

use super::options::{DatasetMode, ImportOptions};
use crate::source::{self, Digest};
use crate::{ImportError, Phase, Progress};
use profile::{Profile, Row};

/// The one model whose vectors are served.
pub(super) const MODEL: &str = "google/siglip2-so400m-patch14-384";
/// Components of its vectors.
pub(super) const DIMENSION: usize = 1152;
/// Shorter vectors have no direction.
const MIN_NORM: f64 = 1e-6;
/// Rows decoded at a time.
const BATCH: usize = 1024;
/// Ids named for each reason of rejection.
const SAMPLED_IDS: usize = 20;
const VECTOR_BYTES: usize = DIMENSION * size_of::<f32>();

/// A usable vector and where it is spooled.
#[derive(Debug)]
struct Accepted {
    source: VectorSource,
    shard: usize,
    position: u64,
}

/// The usable vectors of all shards.
#[derive(Debug)]
pub(super) struct Vectors {
    by_id: HashMap<u64, Accepted>,
    shards: Vec<VectorInput>,
    spool: PathBuf,
}

impl Vectors {
    /// Reads all shards; usable vectors are spooled to a file.
    pub(super) fn read(
        options: &ImportOptions,
        spool: &Path,
        progress: &dyn Progress,
    ) -> Result<Self, ImportError> {
        let output = |source| ImportError::Output {
            path: spool.to_owned(),
            source,
        };
        let mut target = BufWriter::new(File::create(spool).map_err(output)?);
        let mut vectors = Self {
            by_id: HashMap::new(),
            shards: Vec::new(),
            spool: spool.to_owned(),
        };
        for path in &options.vectors {
            let digest = source::digest(path, progress)?;
            let pinned = options.vector_pins.contains(&digest.sha256);
            if !pinned && (options.mode == DatasetMode::FullVectors || !options.allow_unpinned_vectors) {
                return Err(ImportError::VectorPin {
                    path: path.clone(),
                    actual: digest.sha256,
                });
            }
            vectors.read_shard(
                path,
                digest,
                pinned,
                options.assert_model.is_some(),
                &mut target,
                progress,
            )?;
        }
        target.flush().map_err(output)?;
        Ok(vectors)
    }

    fn read_shard(
        &mut self,
        path: &Path,
        digest: Digest,
        pinned: bool,
        is_model_asserted: bool,
        spool: &mut impl io::Write,
        progress: &dyn Progress,
    ) -> Result<(), ImportError> {
        let unsupported = |problem: String| ImportError::VectorSchema {
            path: path.to_owned(),
            problem,
        };
        let file = File::open(path).map_err(|source| ImportError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        // The decoder is not written for hostile files: what it does not refuse it may panic on.
        let open = || ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| error.to_string());
        let builder = guarded(open).map_err(unsupported)?;
        let profile = Profile::of(builder.schema()).map_err(unsupported)?;
        if !profile.has_model() && !is_model_asserted {
            return Err(ImportError::Usage(format!(
                "{} does not name its model: pass --assert-model {MODEL} if you know it",
                path.display()
            )));
        }
        let total = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
        let mut shard = Shard::new(digest, pinned, &profile);
        let mut batches = guarded(|| {
            builder
                .with_batch_size(BATCH)
                .build()
                .map_err(|error| error.to_string())
        })
        .map_err(unsupported)?;
        while let Some(batch) =
            guarded(|| batches.next().transpose().map_err(|error| error.to_string())).map_err(unsupported)?
        {
            let rows = profile.rows(&batch).map_err(unsupported)?;
            for row in 0..batch.num_rows() {
                self.take(&mut shard, &rows.row(row), spool)
                    .map_err(|source| ImportError::Output {
                        path: self.spool.clone(),
                        source,
                    })?;
            }
            progress.report(Phase::Vectors, shard.input.rows, total);
        }
        self.shards.push(shard.input);
        Ok(())
    }

    /// Spools the vector of a row, or counts why not.
    fn take(&mut self, shard: &mut Shard, row: &Row<'_>, spool: &mut impl io::Write) -> io::Result<()> {
        let row_index = shard.input.rows;
        shard.input.rows += 1;
        let usable = check(row).and_then(|(id, vector, norm)| {
            if self.by_id.contains_key(&id) {
                Err("duplicate_object_id")
            } else {
                Ok((id, vector, norm))
            }
        });
        let (id, vector, norm) = match usable {
            Ok(usable) => usable,
            Err(reason) => {
                shard.reject(reason, row.object_id());
                return Ok(());
            }
        };
        for component in &vector {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "vectors are stored in single precision"
            )]
            let component = (component / norm) as f32;
            spool.write_all(&component.to_le_bytes())?;
        }
        let position = self.by_id.len() as u64;
        let source = VectorSource {
            shard_sha256: shard.input.sha256.clone(),
            row_index,
            model: Some(MODEL.to_owned()),
            original_norm: norm,
        };
        self.by_id.insert(
            id,
            Accepted {
                source,
                shard: self.shards.len(),
                position,
            },
        );
        Ok(())
    }

    /// Where an object's vector comes from.
    pub(super) fn source(&self, object_id: u64) -> Option<&VectorSource> {
        self.by_id.get(&object_id).map(|accepted| &accepted.source)
    }

    /// Keeps the vectors of catalogued objects, counting the others as rejected.
    pub(super) fn keep_catalogued(&mut self, is_catalogued: impl Fn(u64) -> bool) -> Result<(), ImportError> {
        let mut strangers: Vec<u64> = self
            .by_id
            .keys()
            .copied()
            .filter(|&id| !is_catalogued(id))
            .collect();
        strangers.sort_unstable();
        for id in strangers {
            let accepted = self.by_id.remove(&id).expect("the id was just listed");
            let shard = &mut self.shards[accepted.shard];
            count_rejection(shard, "not_in_catalogue", i64::try_from(id).ok());
        }
        for accepted in self.by_id.values() {
            let shard = &mut self.shards[accepted.shard];
            let norm = accepted.source.original_norm;
            shard.accepted += 1;
            shard.norm_min = Some(shard.norm_min.map_or(norm, |least| least.min(norm)));
            shard.norm_max = Some(shard.norm_max.map_or(norm, |most| most.max(norm)));
        }
        if self.by_id.is_empty() && !self.shards.is_empty() {
            return Err(self.none_usable());
        }
        Ok(())
    }

    fn none_usable(&self) -> ImportError {
        let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
        for (reason, count) in self.shards.iter().flat_map(|shard| &shard.rejected) {
            *reasons.entry(reason).or_default() += count;
        }
        let reasons: Vec<String> = reasons
            .iter()
            .map(|(reason, count)| format!("{reason} {count}"))
            .collect();
        let rows = self.shards.iter().map(|shard| shard.rows).sum();
        ImportError::NoVectors {
            rows,
            reasons: reasons.join(", "),
        }
    }

    /// Drops usable vectors that are not wanted.
    pub(super) fn retain(&mut self, is_wanted: impl Fn(u64) -> bool) {
        self.by_id.retain(|&id, _accepted| is_wanted(id));
    }

    /// What the manifest says about the shards.
    pub(super) fn inputs(&self) -> &[VectorInput] {
        &self.shards
    }

    /// How many vectors are kept.
    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Writes the kept vectors and removes the spool.
    pub(super) fn write(&self, ids_path: &Path, vectors_path: &Path) -> Result<(), ImportError> {
        let mut kept: Vec<(u64, u64)> = self
            .by_id
            .iter()
            .map(|(&id, accepted)| (id, accepted.position))
            .collect();
        kept.sort_unstable();
        let ids: Vec<u64> = kept.iter().map(|&(id, _position)| id).collect();
        let write = |path: &Path, write: &dyn Fn(BufWriter<File>) -> io::Result<()>| {
            File::create(path)
                .and_then(|file| write(BufWriter::new(file)))
                .map_err(|source| ImportError::Output {
                    path: path.to_owned(),
                    source,
                })
        };
        write(ids_path, &|target| write_ids(target, &ids))?;
        write(vectors_path, &|target| {
            let mut spool = File::open(&self.spool)?;
            let vectors = kept.iter().map(|&(_id, position)| {
                let mut vector = vec![0; VECTOR_BYTES];
                spool.seek(SeekFrom::Start(position * VECTOR_BYTES as u64))?;
                spool.read_exact(&mut vector)?;
                Ok(vector)
            });
            write_vectors(target, kept.len(), DIMENSION, vectors)
        })?;
        std::fs::remove_file(&self.spool).map_err(|source| ImportError::Output {
            path: self.spool.clone(),
            source,
        })
    }
}

/// One shard while it is read.
struct Shard {
    input: VectorInput,
}

impl Shard {
    fn new(digest: Digest, pinned: bool, profile: &Profile) -> Self {
        let model_asserted = if profile.has_model() { "shard" } else { "operator" };
        Self {
            input: VectorInput {
                sha256: digest.sha256,
                bytes: digest.bytes,
                profile: profile.name().to_owned(),
                pinned,
                rows: 0,
                accepted: 0,
                rejected: BTreeMap::new(),
                rejected_sample: BTreeMap::new(),
                model: Some(MODEL.to_owned()),
                model_asserted: model_asserted.to_owned(),
                norm_min: None,
                norm_max: None,
            },
        }
    }

    fn reject(&mut self, reason: &str, object_id: Option<i64>) {
        count_rejection(&mut self.input, reason, object_id);
    }
}

fn count_rejection(shard: &mut VectorInput, reason: &str, object_id: Option<i64>) {
    *shard.rejected.entry(reason.to_owned()).or_default() += 1;
    let sample = shard.rejected_sample.entry(reason.to_owned()).or_default();
    if sample.len() < SAMPLED_IDS {
        sample.push(object_id);
    }
}

/// The id, components and length of a usable vector, or the first reason why it is not.
fn check(row: &Row<'_>) -> Result<(u64, Vec<f64>, f64), &'static str> {
    if row.is_id_null() {
        return Err("null_object_id");
    }
    let id = row
        .object_id()
        .and_then(|id| u64::try_from(id).ok())
        .filter(|&id| id > 0);
    let id = id.ok_or("bad_object_id")?;
    let vector = row.vector().ok_or("null_vector")?;
    if vector.len() != DIMENSION
        || row
            .dimension()
            .is_some_and(|dimension| dimension != DIMENSION as i64)
    {
        return Err("wrong_dimension");
    }
    if row.model().is_some_and(|model| model != Some(MODEL)) {
        return Err("wrong_model");
    }
    if !vector.iter().all(|component| component.is_finite()) {
        return Err("non_finite");
    }
    let norm = vector
        .iter()
        .fold(0.0, |sum, component| sum + component * component)
        .sqrt();
    if !norm.is_finite() {
        return Err("non_finite");
    }
    if norm < MIN_NORM {
        return Err("zero_norm");
    }
    Ok((id, vector, norm))
}

/// Turns a panic of the decoder into its error.
fn guarded<T>(decode: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(decode))
        .unwrap_or_else(|_panic| Err("the Parquet decoder gave up on it".to_owned()))
}
