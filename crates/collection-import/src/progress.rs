//! How far an import has come, for whoever shows it.

/// A part of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Hashing the input files; counted in bytes.
    Checking,
    /// Reading vector shards; counted in rows.
    Vectors,
    /// Choosing the records of a fixture; counted in records.
    Choosing,
    /// Reading records; counted in bytes of the CSV.
    Records,
    /// Sorting and indexing; not counted.
    Indexing,
    /// Writing and syncing files; not counted.
    Writing,
}

impl Phase {
    /// What is being done, to be followed by the name of the input.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checking => "checking files",
            Self::Vectors => "reading vectors",
            Self::Choosing => "choosing records",
            Self::Records => "reading records",
            Self::Indexing => "indexing",
            Self::Writing => "writing",
        }
    }
}

/// Told how far an import has come; called often, from several threads.
pub trait Progress: Sync {
    /// `done` of `total` units of the phase are done; a total of 0 means it is not counted.
    fn report(&self, phase: Phase, done: u64, total: u64);
}

/// Shows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn report(&self, _phase: Phase, _done: u64, _total: u64) {}
}
