//! What an import is asked to do.

use std::path::PathBuf;

use super::pins::{self, DEFAULT_CSV_SHA256, SAMPLE_CSV_SHA256};
use super::vectors::MODEL;
use crate::ImportError;

/// Which records and vectors go into a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DatasetMode {
    /// A fixed number of records and vectors, spread over the departments.
    #[default]
    BoundedFixture,
    /// All records, with the vectors of the shards given.
    CsvBaseline,
    /// All records and all shards, each pinned.
    FullVectors,
}

impl DatasetMode {
    /// The name in arguments and manifests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BoundedFixture => "bounded_fixture",
            Self::CsvBaseline => "csv_baseline",
            Self::FullVectors => "full_vectors",
        }
    }

    /// The mode of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::BoundedFixture, Self::CsvBaseline, Self::FullVectors]
            .into_iter()
            .find(|mode| mode.name() == name)
    }
}

/// What an import is asked to do.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// `MetObjects.csv`.
    pub csv: PathBuf,
    /// Parquet shards, in order.
    pub vectors: Vec<PathBuf>,
    /// Folder of API captures.
    pub api_seeds: Option<PathBuf>,
    /// Which records and vectors to take.
    pub mode: DatasetMode,
    /// The version to accept: a SHA-256 digest, `default` or `sample`; unset means the default.
    pub csv_pin: Option<String>,
    /// Accepts any CSV with the right columns.
    pub allow_unpinned_csv: bool,
    /// Digests of shards to accept.
    pub vector_pins: Vec<String>,
    /// Accepts any shard of the right form.
    pub allow_unpinned_vectors: bool,
    /// The model of shards that do not name one; only the one known model is accepted.
    pub assert_model: Option<String>,
    /// Accepts the 43-column header of before 2020.
    pub allow_header_legacy43: bool,
    /// Takes what there is if a fixture finds too few records or vectors.
    pub allow_small_fixture: bool,
    /// Records of a fixture.
    pub fixture_records: usize,
    /// Vectors of a fixture.
    pub fixture_vectors: usize,
    /// The folder to write.
    pub output: PathBuf,
    /// Puts the new snapshot in the place of an existing one.
    pub replace: bool,
}

impl ImportOptions {
    /// A bounded fixture of the default version, without vectors and captures.
    #[must_use]
    pub fn new(csv: PathBuf, output: PathBuf) -> Self {
        Self {
            csv,
            vectors: Vec::new(),
            api_seeds: None,
            mode: DatasetMode::default(),
            csv_pin: None,
            allow_unpinned_csv: false,
            vector_pins: Vec::new(),
            allow_unpinned_vectors: false,
            assert_model: None,
            allow_header_legacy43: false,
            allow_small_fixture: false,
            fixture_records: 1000,
            fixture_vectors: 200,
            output,
            replace: false,
        }
    }

    /// Refuses what cannot work, before any file is read.
    pub(super) fn check(&self) -> Result<(), ImportError> {
        let refuse = |text: String| Err(ImportError::Usage(text));
        if let Some(pin) = self.vector_pins.iter().find(|pin| !pins::is_sha256(pin)) {
            return refuse(format!(
                "--vector-pin {pin:?} is no SHA-256 digest: give 64 lower-case hex digits"
            ));
        }
        if let Some(model) = self.assert_model.as_deref().filter(|model| *model != MODEL) {
            return refuse(format!(
                "--assert-model {model:?} is not supported: the vectors served are of {MODEL:?}"
            ));
        }
        if self.mode == DatasetMode::FullVectors && (self.vectors.is_empty() || self.allow_unpinned_vectors) {
            return refuse("full_vectors takes shards that are each pinned with --vector-pin".to_owned());
        }
        if self.fixture_vectors > self.fixture_records {
            return refuse("a fixture cannot have more vectors than records".to_owned());
        }
        self.expected_csv().map(drop)
    }

    /// Digest of the only CSV accepted, if not any is.
    pub(super) fn expected_csv(&self) -> Result<Option<&str>, ImportError> {
        match self.csv_pin.as_deref() {
            None if self.allow_unpinned_csv => Ok(None),
            None | Some("default") => Ok(Some(DEFAULT_CSV_SHA256)),
            Some("sample") => Ok(Some(SAMPLE_CSV_SHA256)),
            Some(pin) if pins::is_sha256(pin) => Ok(Some(pin)),
            Some(pin) => Err(ImportError::Usage(format!(
                "--csv-pin {pin:?} is no SHA-256 digest: give 64 lower-case hex digits, \"default\" or \"sample\""
            ))),
        }
    }
}
