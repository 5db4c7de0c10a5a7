//! Threads in memory, for as long as the process lives.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures::future::{BoxFuture, ready};
use periplus_state::StoredValue;

use super::{
    Append, CheckpointError, Checkpoints, ListThreads, Retention, RunGuard, RunLocks, SnapshotLookup,
    StoredThread, ThreadHead,
};
use crate::{Record, RunId, Snapshot, ThreadId, ValueHash};

/// Threads in memory. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct MemoryCheckpoints {
    threads: Arc<Mutex<HashMap<ThreadId, Thread>>>,
    locks: RunLocks,
    retention: Retention,
}

#[derive(Debug)]
struct Thread {
    head: ThreadHead,
    records: Vec<Record>,
    snapshots: BTreeMap<u32, Snapshot>,
    /// The latest turn that was finished.
    finished: u32,
    values: HashMap<ValueHash, StoredValue>,
}

impl MemoryCheckpoints {
    /// An empty store that keeps as much of the past as told.
    #[must_use]
    pub fn new(retention: Retention) -> Self {
        Self {
            retention,
            ..Self::default()
        }
    }

    fn threads(&self) -> MutexGuard<'_, HashMap<ThreadId, Thread>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn append_now(&self, append: Append<'_>) -> Result<u64, CheckpointError> {
        let mut threads = self.threads();
        let found = threads
            .get(append.thread)
            .map_or(0, |thread| thread.records.len() as u64);
        if found != append.after {
            return Err(CheckpointError::Conflict {
                thread: append.thread.clone(),
                expected: append.after,
                found,
            });
        }
        let thread = threads
            .entry(append.thread.clone())
            .or_insert_with(|| Thread::new(&append));
        thread.append(append, self.retention);
        Ok(thread.records.len() as u64)
    }

    fn list_now(&self, query: &ListThreads) -> Vec<ThreadHead> {
        let threads = self.threads();
        let mut heads: Vec<&ThreadHead> = threads.values().map(|thread| &thread.head).collect();
        heads.sort_by(|a, b| (b.opening.created_at, &b.id).cmp(&(a.opening.created_at, &a.id)));
        let start = match &query.after {
            None => 0,
            Some(last) => heads
                .iter()
                .position(|head| head.id == *last)
                .map_or(heads.len(), |at| at + 1),
        };
        heads
            .into_iter()
            .skip(start)
            .filter(|head| query.owner.is_none() || head.opening.owner == query.owner)
            .take(query.limit)
            .cloned()
            .collect()
    }
}

impl Thread {
    fn new(append: &Append<'_>) -> Self {
        Self {
            head: ThreadHead {
                id: append.thread.clone(),
                opening: append.opening.clone(),
                updated_at: append.opening.created_at,
                turns: 0,
            },
            records: Vec::new(),
            snapshots: BTreeMap::new(),
            finished: 0,
            values: HashMap::new(),
        }
    }

    fn append(&mut self, append: Append<'_>, retention: Retention) {
        self.records.extend_from_slice(append.records);
        self.values.extend(append.values.iter().cloned());
        self.head.turns = self.head.turns.max(append.turn);
        if let Some(at) = append.records.iter().rev().find_map(Record::at) {
            self.head.updated_at = at;
        }
        if let Some(snapshot) = append.snapshot {
            self.finished = append.turn;
            self.snapshots.insert(append.turn, snapshot.clone());
            self.snapshots
                .retain(|turn, _| turn.saturating_add(retention.turns.max(1)) > append.turn);
            self.drop_unnamed_values();
        }
    }

    fn drop_unnamed_values(&mut self) {
        let named: HashSet<&ValueHash> = self.snapshots.values().flat_map(Snapshot::values).collect();
        self.values.retain(|hash, _| named.contains(hash));
    }

    fn stored(&self) -> StoredThread {
        StoredThread {
            head: self.head.clone(),
            records: self.records.clone(),
            snapshot: self.snapshots.get(&self.finished).cloned(),
            retained: self.snapshots.keys().copied().collect(),
        }
    }

    fn lookup(&self, turn: u32) -> SnapshotLookup {
        match self.snapshots.get(&turn) {
            Some(snapshot) => SnapshotLookup::Found(snapshot.clone()),
            None if (1..=self.finished).contains(&turn) => SnapshotLookup::Dropped {
                retained: self.snapshots.keys().copied().collect(),
            },
            None => SnapshotLookup::NoSuchTurn,
        }
    }
}

fn done<'a, T: Send + 'a>(outcome: Result<T, CheckpointError>) -> BoxFuture<'a, Result<T, CheckpointError>> {
    Box::pin(ready(outcome))
}

impl Checkpoints for MemoryCheckpoints {
    fn append<'a>(&'a self, append: Append<'a>) -> BoxFuture<'a, Result<u64, CheckpointError>> {
        done(self.append_now(append))
    }

    fn load<'a>(
        &'a self,
        thread: &'a ThreadId,
    ) -> BoxFuture<'a, Result<Option<StoredThread>, CheckpointError>> {
        done(Ok(self.threads().get(thread).map(Thread::stored)))
    }

    fn snapshot<'a>(
        &'a self,
        thread: &'a ThreadId,
        turn: u32,
    ) -> BoxFuture<'a, Result<SnapshotLookup, CheckpointError>> {
        let lookup = self
            .threads()
            .get(thread)
            .map_or(SnapshotLookup::NoSuchTurn, |thread| thread.lookup(turn));
        done(Ok(lookup))
    }

    fn values<'a>(
        &'a self,
        thread: &'a ThreadId,
        hashes: &'a [ValueHash],
    ) -> BoxFuture<'a, Result<BTreeMap<ValueHash, StoredValue>, CheckpointError>> {
        let threads = self.threads();
        let values = threads.get(thread).map(|thread| {
            let found = |hash: &ValueHash| Some((hash.clone(), thread.values.get(hash)?.clone()));
            hashes.iter().filter_map(found).collect()
        });
        done(Ok(values.unwrap_or_default()))
    }

    fn list<'a>(&'a self, query: &'a ListThreads) -> BoxFuture<'a, Result<Vec<ThreadHead>, CheckpointError>> {
        done(Ok(self.list_now(query)))
    }

    fn delete<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        done(Ok(self.threads().remove(thread).is_some()))
    }

    fn lock<'a>(
        &'a self,
        thread: &'a ThreadId,
        run: &'a RunId,
    ) -> BoxFuture<'a, Result<RunGuard, CheckpointError>> {
        done(self.locks.lock(thread, run))
    }

    fn is_running<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        done(Ok(self.locks.holder(thread).is_some()))
    }

    fn wait_idle<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<(), CheckpointError>> {
        Box::pin(async move {
            self.locks.wait_idle(thread).await;
            Ok(())
        })
    }
}
