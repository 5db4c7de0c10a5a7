//! Where threads are kept.
//!
//! A store keeps three things of a thread: its log of [`Record`]s, the [`Snapshot`] at the end of each turn, and the values
//! that they name by hash, each once. It understands none of them. Appending is the only way to change a thread, and names
//! the position it continues from, so that of two writers one is refused, whatever became of their locks.

mod error;
mod memory;
mod place;
mod postgres;
mod rows;
mod run_lock;
mod sqlite;

use std::{collections::BTreeMap, fmt::Debug, time::Duration};

use chrono::{DateTime, Utc};
use futures::future::BoxFuture;
use periplus_state::StoredValue;
use serde::{Deserialize, Serialize};

pub use self::{
    error::CheckpointError,
    memory::MemoryCheckpoints,
    place::CheckpointPlace,
    postgres::PostgresCheckpoints,
    run_lock::{RunGuard, RunLocks},
    sqlite::SqliteCheckpoints,
};
use crate::{Record, RunId, Snapshot, ThreadId, ValueHash};

/// How often [`Checkpoints::wait_idle`] looks, where a store has nothing better.
const IDLE_POLL: Duration = Duration::from_millis(500);

/// A store of threads.
///
/// Methods may be called from several tasks and processes at once. An acknowledged append survives whatever happens to
/// the process, except in [`MemoryCheckpoints`].
pub trait Checkpoints: Debug + Send + Sync {
    /// Adds records to a thread and returns its new position; all of it is stored, or none.
    ///
    /// Values that the store already holds are not written again. A value is kept as long as a retained snapshot or a record
    /// after the latest snapshot names it.
    ///
    /// # Errors
    /// [`CheckpointError::Conflict`] if the thread is not at `append.after`, and every failure of the store.
    fn append<'a>(&'a self, append: Append<'a>) -> BoxFuture<'a, Result<u64, CheckpointError>>;

    /// Reads a thread; nothing if there is none.
    ///
    /// # Errors
    /// Every failure of the store.
    fn load<'a>(
        &'a self,
        thread: &'a ThreadId,
    ) -> BoxFuture<'a, Result<Option<StoredThread>, CheckpointError>>;

    /// Reads the snapshot at the end of a turn.
    ///
    /// # Errors
    /// Every failure of the store; a miss is an answer.
    fn snapshot<'a>(
        &'a self,
        thread: &'a ThreadId,
        turn: u32,
    ) -> BoxFuture<'a, Result<SnapshotLookup, CheckpointError>>;

    /// Reads values of a thread; those that it does not name, or no longer, are left out.
    ///
    /// # Errors
    /// Every failure of the store.
    fn values<'a>(
        &'a self,
        thread: &'a ThreadId,
        hashes: &'a [ValueHash],
    ) -> BoxFuture<'a, Result<BTreeMap<ValueHash, StoredValue>, CheckpointError>>;

    /// Lists threads, the newest first.
    ///
    /// # Errors
    /// Every failure of the store.
    fn list<'a>(&'a self, query: &'a ListThreads) -> BoxFuture<'a, Result<Vec<ThreadHead>, CheckpointError>>;

    /// Removes a thread with all its values, and says whether there was one.
    ///
    /// # Errors
    /// Every failure of the store.
    fn delete<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<bool, CheckpointError>>;

    /// Claims a thread for a run, at once or not at all; dropping the guard releases it.
    ///
    /// # Errors
    /// [`CheckpointError::Busy`] if another run holds it, in this process or another one.
    fn lock<'a>(
        &'a self,
        thread: &'a ThreadId,
        run: &'a RunId,
    ) -> BoxFuture<'a, Result<RunGuard, CheckpointError>>;

    /// Whether a run holds the thread, in this process or another one.
    ///
    /// # Errors
    /// Every failure of the store.
    fn is_running<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<bool, CheckpointError>>;

    /// Waits until no run holds the thread; the caller bounds the wait.
    ///
    /// # Errors
    /// Every failure of the store.
    fn wait_idle<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<(), CheckpointError>> {
        Box::pin(async move {
            while self.is_running(thread).await? {
                tokio::time::sleep(IDLE_POLL).await;
            }
            Ok(())
        })
    }
}

/// Records to add to a thread.
#[derive(Debug, Clone, Copy)]
pub struct Append<'a> {
    /// The thread; the first append creates it.
    pub thread: &'a ThreadId,
    /// How many records it has, as far as the writer knows.
    pub after: u64,
    /// The turn that the records belong to.
    pub turn: u32,
    /// What to store of a thread that this append creates; ignored for one that exists.
    pub opening: &'a Opening,
    /// The records, in order.
    pub records: &'a [Record],
    /// The values that the records and the snapshot name and that are not known to be stored.
    pub values: &'a [(ValueHash, StoredValue)],
    /// The state at the end of `turn`, if the turn is over.
    pub snapshot: Option<&'a Snapshot>,
}

/// How a thread began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// When.
    pub created_at: DateTime<Utc>,
    /// Whose it is, if the host knows.
    pub owner: Option<String>,
    /// The first message.
    pub question: String,
}

/// A thread in a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadHead {
    /// Its id.
    pub id: ThreadId,
    /// How it began.
    #[serde(flatten)]
    pub opening: Opening,
    /// When it was appended to for the last time: when its store says so, else when it began.
    pub updated_at: DateTime<Utc>,
    /// How many turns were begun.
    pub turns: u32,
}

/// A thread as its store holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredThread {
    /// What a listing says of it.
    pub head: ThreadHead,
    /// The whole log; its length is the position to append after.
    pub records: Vec<Record>,
    /// The snapshot at the end of the latest finished turn.
    pub snapshot: Option<Snapshot>,
    /// The turns whose snapshots are still kept, ascending.
    pub retained: Vec<u32>,
}

/// What there is of the state at the end of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum SnapshotLookup {
    /// It is here.
    Found(Snapshot),
    /// The turn was never finished, or there is no such thread.
    NoSuchTurn,
    /// It was dropped to save space.
    Dropped {
        /// The turns that are still kept, ascending.
        retained: Vec<u32>,
    },
}

/// Which threads to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListThreads {
    /// Only those of this owner.
    pub owner: Option<String>,
    /// Only those that come after this one, which was the last of the page before.
    pub after: Option<ThreadId>,
    /// At most this many.
    pub limit: usize,
}

impl Default for ListThreads {
    /// The 50 newest of everyone.
    fn default() -> Self {
        Self {
            owner: None,
            after: None,
            limit: 50,
        }
    }
}

/// How much of a thread's past a store keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Turns at whose end session state can still be read; messages are always kept.
    pub turns: u32,
}

impl Default for Retention {
    /// The 50 latest turns: a value may have 8 MiB.
    fn default() -> Self {
        Self { turns: 50 }
    }
}
