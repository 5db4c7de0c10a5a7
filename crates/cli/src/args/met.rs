//! The command line of `met`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Build and check snapshots of the museum collection
#[derive(Debug, Subcommand)]
pub(crate) enum Met {
    /// Build a snapshot from a catalogue file
    Import(Box<MetImport>),
    /// Check that a snapshot is complete, unchanged and what its rows give
    Verify {
        /// The snapshot folder
        #[arg(value_name = "DIR")]
        snapshot: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write a large catalogue for benchmarks by resampling the embedded rows
    BenchData {
        /// Number of rows
        rows: u64,
        /// File to write
        #[arg(long, value_name = "FILE")]
        output: PathBuf,
        /// Seed of the resampling; the same seed gives the same file
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

/// Build a snapshot from a catalogue file
#[derive(Debug, Args)]
#[command(after_long_help = "\
Nothing is fetched: download the files yourself. An existing snapshot stays in use until the new one
is complete, whenever the import ends.

Examples:
  periplus met import --csv MetObjects.csv --dataset-mode csv_baseline --output met-data
  periplus met import --csv MetObjects.csv --vectors shard-0.parquet --vectors shard-1.parquet \\
      --dataset-mode bounded_fixture --output met-data --replace")]
pub(crate) struct MetImport {
    /// The catalogue, as published
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: PathBuf,
    /// A Parquet shard of image vectors; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) vectors: Vec<PathBuf>,
    /// A folder of captured API responses with its manifest
    #[arg(long, value_name = "DIR")]
    pub(crate) api_seeds: Option<PathBuf>,
    /// Which records and vectors are kept
    #[arg(long, value_name = "MODE", default_value = "bounded_fixture",
        value_parser = ["bounded_fixture", "csv_baseline", "full_vectors"])]
    pub(crate) dataset_mode: String,
    /// Folder to build; it must not exist unless --replace is given
    #[arg(long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Replace an existing snapshot once the new one is complete
    #[arg(long)]
    pub(crate) replace: bool,
    /// Accepted version of the catalogue: a sha256, `default` or `sample`
    #[arg(long, value_name = "SHA256")]
    pub(crate) csv_pin: Option<String>,
    /// Take a catalogue of unknown origin; the snapshot says so
    #[arg(long)]
    pub(crate) allow_unpinned_csv: bool,
    /// Accepted sha256 of a vector shard; may be repeated
    #[arg(long = "vector-pin", value_name = "SHA256")]
    pub(crate) vector_pins: Vec<String>,
    /// Take vector shards of unknown origin; the snapshot says so
    #[arg(long)]
    pub(crate) allow_unpinned_vectors: bool,
    /// The model that made the vectors, for shards that do not name it
    #[arg(long, value_name = "MODEL")]
    pub(crate) assert_model: Option<String>,
    /// Header to accept beside today's 54 columns
    #[arg(long, value_name = "NAME", value_parser = ["legacy43"])]
    pub(crate) allow_header: Option<String>,
    /// Records of a fixture
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) fixture_records: usize,
    /// Vectors of a fixture
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) fixture_vectors: usize,
    /// Take what there is if a fixture finds too few records or vectors
    #[arg(long)]
    pub(crate) allow_small_fixture: bool,
    /// Print the manifest as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
