//! What a snapshot is made of, how much of everything it holds, and the digests of its files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// End of every format name this program reads; what comes before names the collection.
pub const FORMAT_SUFFIX: &str = "-snapshot/1";

/// `manifest.json` of a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// Name of the collection, then [`FORMAT_SUFFIX`].
    pub format: String,
    /// Identity of the snapshot: equal inputs and rules give equal ids.
    pub snapshot: String,
    /// How records were chosen from the inputs.
    pub dataset_mode: String,
    /// Which columns the CSV has.
    pub header_variant: String,
    /// How a fixture was chosen, if the snapshot is one.
    pub fixture: Option<Value>,
    /// What the snapshot was built from.
    pub inputs: Inputs,
    /// How many of what.
    pub counts: Counts,
    /// States of each field over all records.
    pub coverage: BTreeMap<String, Coverage>,
    /// Records by quality flag; flags that no record has are left out.
    pub data_quality: BTreeMap<String, u64>,
    /// Every quality flag a record may have, with when it has it.
    pub data_quality_flags: BTreeMap<String, String>,
    /// Versions of the rules behind every derived value.
    pub rules: Value,
    /// The other files of the snapshot, by name.
    pub files: Vec<FileEntry>,
    /// Under which terms the data may be used.
    pub licences: Vec<Licence>,
}

/// What a snapshot was built from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Inputs {
    /// The catalogue file.
    pub csv: CsvInput,
    /// Vector shards in the order given.
    pub vectors: Vec<VectorInput>,
    /// API captures, if any were given.
    pub api_seeds: Option<ApiInput>,
}

/// A catalogue file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CsvInput {
    /// Name without folder.
    pub file: String,
    /// Digest of the bytes, in hex.
    pub sha256: String,
    /// Size of the file.
    pub bytes: u64,
    /// Whether the digest is a known version.
    pub pinned: bool,
    /// Revision at the publisher, if pinned to one.
    pub upstream_commit: Option<String>,
    /// Date of that revision.
    pub upstream_date: Option<String>,
}

/// A vector shard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VectorInput {
    /// Digest of the bytes, in hex.
    pub sha256: String,
    /// Size of the file.
    pub bytes: u64,
    /// Which layout of columns it has.
    pub profile: String,
    /// Whether the digest was asked for.
    pub pinned: bool,
    /// Rows of the shard; the sum of accepted and rejected.
    pub rows: u64,
    /// Rows that are usable vectors of catalogued objects.
    pub accepted: u64,
    /// Rows by reason of rejection.
    pub rejected: BTreeMap<String, u64>,
    /// The first ids of each reason; null where the id itself is missing.
    pub rejected_sample: BTreeMap<String, Vec<Option<i64>>>,
    /// The model that made the vectors.
    pub model: Option<String>,
    /// Who says so.
    pub model_asserted: String,
    /// Smallest length of an accepted vector before it was normalised.
    pub norm_min: Option<f64>,
    /// Largest length of an accepted vector before it was normalised.
    pub norm_max: Option<f64>,
}

/// A folder of API captures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiInput {
    /// Digest of the folder's manifest, which holds the digests of the captures.
    pub manifest_sha256: String,
    /// Captures it lists.
    pub captures: u64,
}

/// How many of what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "each counts what its name says")]
pub struct Counts {
    pub csv_records: u64,
    pub records: u64,
    pub vectors: u64,
    pub api_captures: u64,
    pub public_domain: BoolCounts,
    pub date_states: DateCounts,
    pub with_artists: u64,
    pub artist_mentions: u64,
    pub with_tags: u64,
    pub with_known_image: u64,
}

/// Records by state of a boolean.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each counts what its name says")]
pub struct BoolCounts {
    pub r#true: u64,
    pub r#false: u64,
    pub missing: u64,
    pub conflict: u64,
}

/// Records by state of the date.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each counts what its name says")]
pub struct DateCounts {
    pub valid: u64,
    pub missing: u64,
    pub invalid: u64,
    pub conflict: u64,
}

/// Records by state of a field; the sum is the number of records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each counts what its name says")]
pub struct Coverage {
    pub present: u64,
    pub missing: u64,
    pub invalid: u64,
    pub conflict: u64,
}

/// A file of the snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Name in the snapshot's folder.
    pub name: String,
    /// Size.
    pub bytes: u64,
    /// Digest, in hex.
    pub sha256: String,
}

/// Terms of use of one input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Licence {
    /// What the terms are for.
    pub of: String,
    /// The terms' identifier.
    pub licence: String,
    /// Whom to name.
    pub attribution: String,
}
