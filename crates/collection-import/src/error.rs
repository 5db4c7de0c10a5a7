//! Why an import is refused or fails, each reason with a stable code.

use std::io;
use std::path::PathBuf;

use periplus_collection::ColumnsError;
use periplus_collection::snapshot::WriteError;
use thiserror::Error;

use crate::CsvError;
use crate::met::RowError;

/// Who has to act on an error; the process exits with the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitClass {
    /// The arguments.
    Usage = 2,
    /// An input file.
    Input = 3,
    /// The output folder.
    Output = 4,
}

/// Every code that an import can be refused or fail with, and when it is.
pub const CODES: &[(&str, &str)] = &[
    ("USAGE", "Options that do not fit together."),
    ("INPUT_UNREADABLE", "An input file that cannot be read."),
    (
        "LFS_POINTER_NOT_DATA",
        "A Git LFS pointer in the place of the data it stands for.",
    ),
    ("NOT_CSV", "A web page or another file that is not CSV."),
    (
        "CSV_PIN_MISMATCH",
        "A CSV with another digest than the one asked for.",
    ),
    ("CSV_HEADER_MISMATCH", "A CSV whose columns are not the museum's."),
    ("CSV_ENCODING", "A CSV that is not UTF-8."),
    (
        "CSV_RECORD_SHAPE",
        "A record that is too long, or has another number of values than the header.",
    ),
    ("BAD_OBJECT_ID", "A record whose object id is no number in range."),
    ("DUPLICATE_OBJECT_ID", "Two records with the same object id."),
    (
        "IMPORT_COUNT_MISMATCH",
        "A known version of the CSV with another number of records than it has.",
    ),
    (
        "INPUT_CHANGED",
        "A file that changed between hashing and reading.",
    ),
    (
        "INPUT_TOO_LARGE",
        "Records or values beyond what a snapshot can hold.",
    ),
    (
        "VECTOR_PIN_MISMATCH",
        "A vector shard with a digest that no pin names.",
    ),
    (
        "VECTOR_SCHEMA_UNSUPPORTED",
        "A vector shard that is not Parquet of a known layout.",
    ),
    (
        "NO_COMPATIBLE_VECTORS",
        "Vector shards without a single row that can be used.",
    ),
    (
        "API_SEED_MANIFEST_INVALID",
        "API captures without a valid manifest.",
    ),
    (
        "API_SEED_HASH_MISMATCH",
        "An API capture that is not what its manifest says.",
    ),
    ("API_SEED_DUPLICATE", "Two API captures of one object."),
    (
        "API_SEED_BODY_MISMATCH",
        "An API capture that is not the response for its object.",
    ),
    (
        "FIXTURE_TOO_SMALL",
        "Too few records or vectors to choose a fixture from.",
    ),
    ("OUTPUT_EXISTS", "An output folder that exists already."),
    ("OUTPUT_UNWRITABLE", "An output that cannot be written."),
];

/// Why an import is refused or fails.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The options do not fit together.
    #[error("{0}")]
    Usage(String),
    /// An input cannot be read.
    #[error("reading {} failed", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A checkout without the data behind it.
    #[error("{} is a Git LFS pointer, not the data: it stands for {size} bytes with sha256 {oid}; fetch them with \"git lfs pull\" in the checkout", path.display())]
    LfsPointer {
        /// The file.
        path: PathBuf,
        /// Digest the pointer names.
        oid: String,
        /// Size the pointer names.
        size: String,
    },
    /// A web page or another kind of file.
    #[error("{} is not CSV: it starts with {start:?}", path.display())]
    NotCsv {
        /// The file.
        path: PathBuf,
        /// Its first characters.
        start: String,
    },
    /// The file is another version than asked for.
    #[error("{} has sha256 {actual} ({bytes} bytes), expected {expected}; {hint}", path.display())]
    CsvPin {
        /// The file.
        path: PathBuf,
        /// The digest asked for.
        expected: String,
        /// The file's digest.
        actual: String,
        /// The file's size.
        bytes: u64,
        /// What may have happened and what to do.
        hint: String,
    },
    /// The columns are others.
    #[error("the CSV header is not the museum's: {0}")]
    Header(String),
    /// The CSV cannot be read on.
    #[error(transparent)]
    Csv(#[from] CsvError),
    /// A row is no record.
    #[error(transparent)]
    Row(#[from] RowError),
    /// Two rows have one id.
    #[error("object id {id} is in record {first} and in record {second}")]
    DuplicateId {
        /// The id.
        id: u64,
        /// Number of the first record with it.
        first: u64,
        /// Number of the second.
        second: u64,
    },
    /// A known version has another number of records than it should.
    #[error("the CSV has {found} records, this version has {expected}")]
    RecordCount {
        /// Records of the known version.
        expected: u64,
        /// Records read.
        found: u64,
    },
    /// The file changed between hashing and reading.
    #[error("{} changed while it was read: import again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The records do not fit into columns.
    #[error(transparent)]
    Columns(#[from] ColumnsError),
    /// A shard has a digest nobody asked for.
    #[error("{} has sha256 {actual}, which no --vector-pin names; pass it if you trust the file", path.display())]
    VectorPin {
        /// The shard.
        path: PathBuf,
        /// Its digest.
        actual: String,
    },
    /// A shard is not Parquet of a known layout.
    #[error("{} is no vector shard: {problem}", path.display())]
    VectorSchema {
        /// The shard.
        path: PathBuf,
        /// What is wrong, with the columns found.
        problem: String,
    },
    /// No row of any shard can be used.
    #[error("none of the {rows} vectors given belongs to the catalogue and has the right form: {reasons}")]
    NoVectors {
        /// Rows of all shards.
        rows: u64,
        /// Reason and count.
        reasons: String,
    },
    /// The folder of API captures has no valid manifest.
    #[error("{} is no manifest of API captures: {problem}", path.display())]
    ApiManifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A capture has another digest or size than the manifest says.
    #[error("the API capture {file:?} is not what its manifest says: {problem}")]
    ApiHash {
        /// The capture.
        file: String,
        /// What differs.
        problem: String,
    },
    /// Two captures of one object.
    #[error("object {id} is captured twice, at {first} and at {second}: keep one of the two")]
    ApiDuplicate {
        /// The object.
        id: u64,
        /// When.
        first: String,
        /// When again.
        second: String,
    },
    /// A capture is not the response for its object.
    #[error("the API capture {file:?} is not the object {id}: {problem}")]
    ApiBody {
        /// The capture.
        file: String,
        /// The object its manifest names.
        id: u64,
        /// What is wrong.
        problem: String,
    },
    /// Too little to choose from.
    #[error(
        "a fixture takes {wanted} {what}, there are {available}; --allow-small-fixture takes what there is"
    )]
    FixtureTooSmall {
        /// Records or vectors.
        what: &'static str,
        /// How many are wanted.
        wanted: usize,
        /// How many there are.
        available: usize,
    },
    /// The output folder exists.
    #[error("{} exists already{reason}", path.display())]
    OutputExists {
        /// The folder.
        path: PathBuf,
        /// What to do.
        reason: &'static str,
    },
    /// The output folder cannot be written.
    #[error("writing {} failed", path.display())]
    Output {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The catalogue cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl ImportError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Usage(_) => "USAGE",
            Self::Unreadable { .. } | Self::Csv(CsvError::Io { .. }) => "INPUT_UNREADABLE",
            Self::LfsPointer { .. } => "LFS_POINTER_NOT_DATA",
            Self::NotCsv { .. } => "NOT_CSV",
            Self::CsvPin { .. } => "CSV_PIN_MISMATCH",
            Self::Header(_) => "CSV_HEADER_MISMATCH",
            Self::Csv(CsvError::Encoding { .. }) => "CSV_ENCODING",
            Self::Csv(CsvError::TooLong { .. }) | Self::Row(RowError::Shape { .. }) => "CSV_RECORD_SHAPE",
            Self::Row(RowError::ObjectId { .. }) => "BAD_OBJECT_ID",
            Self::DuplicateId { .. } | Self::Columns(ColumnsError::DuplicateId(_)) => "DUPLICATE_OBJECT_ID",
            Self::RecordCount { .. } => "IMPORT_COUNT_MISMATCH",
            Self::Changed { .. } => "INPUT_CHANGED",
            Self::Columns(_) => "INPUT_TOO_LARGE",
            Self::VectorPin { .. } => "VECTOR_PIN_MISMATCH",
            Self::VectorSchema { .. } => "VECTOR_SCHEMA_UNSUPPORTED",
            Self::NoVectors { .. } => "NO_COMPATIBLE_VECTORS",
            Self::ApiManifest { .. } => "API_SEED_MANIFEST_INVALID",
            Self::ApiHash { .. } => "API_SEED_HASH_MISMATCH",
            Self::ApiDuplicate { .. } => "API_SEED_DUPLICATE",
            Self::ApiBody { .. } => "API_SEED_BODY_MISMATCH",
            Self::FixtureTooSmall { .. } => "FIXTURE_TOO_SMALL",
            Self::OutputExists { .. } => "OUTPUT_EXISTS",
            Self::Output { .. } | Self::Write(_) => "OUTPUT_UNWRITABLE",
        }
    }

    /// Who has to act on it.
    #[must_use]
    pub const fn exit_class(&self) -> ExitClass {
        match self {
            Self::Usage(_) => ExitClass::Usage,
            Self::OutputExists { .. } | Self::Output { .. } | Self::Write(_) => ExitClass::Output,
            _ => ExitClass::Input,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_code_is_listed_once_and_no_other_is() {
        let listed: BTreeSet<&str> = CODES.iter().map(|(code, _)| *code).collect();
        assert_eq!(listed.len(), CODES.len(), "a code is listed twice");
        // The compiler sees to it that the match in `code` has every variant, so its texts are all codes there are.
        let (_, body) = include_str!("error.rs")
            .split_once("pub const fn code(")
            .expect("`code` is in this file");
        let (body, _) = body
            .split_once("pub const fn exit_class(")
            .expect("`exit_class` follows");
        let used: BTreeSet<&str> = body.split('"').skip(1).step_by(2).collect();
        assert_eq!(listed, used);
    }
}
