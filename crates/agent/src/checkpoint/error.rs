//! Why a store did not do what it was asked.

use crate::ThreadId;

/// Why a store did not do what it was asked. No text here holds a password of a connection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Another run holds the thread.
    #[error("thread {thread} is in use by another run; wait until that is over, or cancel it")]
    Busy {
        /// The thread.
        thread: ThreadId,
    },
    /// Somebody else has appended to the thread.
    #[error(
        "thread {thread} is at record {found}, not at {expected}: another run has written to it; read it again"
    )]
    Conflict {
        /// The thread.
        thread: ThreadId,
        /// Where the writer believed it to be.
        expected: u64,
        /// Where it is.
        found: u64,
    },
    /// A record cannot be stored, because it could not be read again.
    #[error(
        "thread {thread} was to store something nested {levels} levels deep, and at most {limit} can be read back"
    )]
    TooDeep {
        /// The thread.
        thread: ThreadId,
        /// How deep it is.
        levels: usize,
        /// How deep it may be.
        limit: usize,
    },
    /// The place where threads are kept cannot be used as it was named.
    #[error("cannot keep threads in {place}: {reason}")]
    Configuration {
        /// The place, without credentials.
        place: String,
        /// What to change.
        reason: String,
    },
    /// The store cannot be reached, is full or has failed.
    #[error("the store of threads failed while {action}: {reason}")]
    Unavailable {
        /// What was being done.
        action: &'static str,
        /// The root cause.
        reason: String,
    },
    /// What the store holds cannot be read.
    #[error("thread {thread} cannot be read: {reason}")]
    Corrupt {
        /// The thread.
        thread: ThreadId,
        /// What was found.
        reason: String,
    },
}
