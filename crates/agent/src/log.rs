//! A thread together with its store: what is appended is stored first, then seen.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use periplus_state::{State, StoredValue};

use crate::{Append, CheckpointError, Checkpoints, Record, Snapshot, Thread, ValueHash};

/// A thread that its run appends to.
#[derive(Debug)]
pub(crate) struct Log {
    store: Arc<dyn Checkpoints>,
    thread: Thread,
    /// Hashes of the values that the store holds for the present state.
    stored: BTreeSet<ValueHash>,
}

impl Log {
    pub(crate) fn new(store: Arc<dyn Checkpoints>, thread: Thread) -> Self {
        let stored = thread.hashes.values().cloned().collect();
        Self {
            store,
            thread,
            stored,
        }
    }

    pub(crate) fn thread(&self) -> &Thread {
        &self.thread
    }

    pub(crate) fn checkpoints(&self) -> &Arc<dyn Checkpoints> {
        &self.store
    }

    pub(crate) fn state(&self) -> &Arc<State> {
        &self.thread.state
    }

    /// Stores records.
    pub(crate) async fn append(&mut self, records: Vec<Record>) -> Result<(), CheckpointError> {
        self.append_with(records, BTreeMap::new()).await
    }

    /// Stores records, with the values that they published.
    pub(crate) async fn append_with(
        &mut self,
        records: Vec<Record>,
        values: BTreeMap<ValueHash, StoredValue>,
    ) -> Result<(), CheckpointError> {
        let turn = records.iter().find_map(turn_of).unwrap_or(self.thread.head.turns);
        self.store(turn, &records, values, None).await
    }

    /// Stores the record that ends the turn, with the state as it is.
    pub(crate) async fn finish(&mut self, record: Record) -> Result<(), CheckpointError> {
        let snapshot = Snapshot::with_hashes(&self.thread.state, &self.thread.hashes);
        let turn = self.thread.head.turns;
        self.store(turn, &[record], BTreeMap::new(), Some(&snapshot))
            .await
    }

    async fn store(
        &mut self,
        turn: u32,
        records: &[Record],
        values: BTreeMap<ValueHash, StoredValue>,
        snapshot: Option<&Snapshot>,
    ) -> Result<(), CheckpointError> {
        let new: Vec<(ValueHash, StoredValue)> = values
            .iter()
            .filter(|(hash, _)| !self.stored.contains(*hash))
            .map(|(hash, value)| (hash.clone(), value.clone()))
            .collect();
        let append = Append {
            thread: &self.thread.head.id,
            after: self.thread.position,
            turn,
            opening: &self.thread.head.opening,
            records,
            values: &new,
            snapshot,
        };
        self.store.append(append).await?;
        self.stored.extend(new.into_iter().map(|(hash, _)| hash));
        for record in records {
            self.thread.record(record, |hash| values.get(hash).cloned());
        }
        Ok(())
    }
}

fn turn_of(record: &Record) -> Option<u32> {
    match record {
        Record::TurnStarted { turn, .. } => Some(*turn),
        _ => None,
    }
}
