//! A thread as the loop writes it: records, values and snapshots that belong together.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use periplus_agent::{
    Append, CheckpointError, Checkpoints, Opening, Record, RunId, Snapshot, StoredThread, ThreadId,
    TurnOutcome, ValueHash, WriteRecord,
};
use periplus_llm::{AssistantMessage, ToolCall, ToolResult, Usage};
use periplus_state::{Artifact, State, StateKey, StoredValue, Write};
use serde_json::Value;

/// A moment that both databases store exactly.
pub(crate) fn moment(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(1_796_000_000_123_456).unwrap() + TimeDelta::seconds(seconds)
}

/// The writer of one thread.
pub(crate) struct Writer {
    pub(crate) thread: ThreadId,
    pub(crate) opening: Opening,
    pub(crate) position: u64,
    pub(crate) turn: u32,
    pub(crate) state: State,
}

impl Writer {
    pub(crate) fn new(thread: ThreadId) -> Self {
        Self {
            thread,
            opening: Opening {
                created_at: moment(0),
                owner: None,
                question: "Wie groß ist Bärlin? 🗺".to_owned(),
            },
            position: 0,
            turn: 0,
            state: State::default(),
        }
    }

    pub(crate) fn random() -> Self {
        Self::new(ThreadId::random())
    }

    /// Goes on with a thread that somebody else may have written.
    pub(crate) async fn resume(store: &dyn Checkpoints, thread: &ThreadId) -> Self {
        let stored = store.load(thread).await.unwrap();
        let mut writer = Self::new(thread.clone());
        let Some(stored) = stored else { return writer };
        writer.position = stored.records.len() as u64;
        writer.turn = stored.head.turns;
        writer.state = state_of(store, &stored).await;
        writer.opening = stored.head.opening;
        writer
    }

    pub(crate) async fn append(
        &mut self,
        store: &dyn Checkpoints,
        records: &[Record],
        values: &[(ValueHash, StoredValue)],
        snapshot: Option<&Snapshot>,
    ) -> Result<(), CheckpointError> {
        let append = Append {
            thread: &self.thread,
            after: self.position,
            turn: self.turn,
            opening: &self.opening,
            records,
            values,
            snapshot,
        };
        self.position = store.append(append).await?;
        Ok(())
    }

    /// Stores the question of the next turn.
    pub(crate) async fn begin(&mut self, store: &dyn Checkpoints) -> Result<(), CheckpointError> {
        self.turn += 1;
        self.state.start_turn(self.turn);
        let started = Record::TurnStarted {
            turn: self.turn,
            run: RunId::random(),
            message_id: format!("question-{}", self.turn),
            text: format!("question {}", self.turn),
            at: moment(i64::from(self.turn)),
        };
        self.append(store, &[started], &[], None).await
    }

    /// Stores a call that published values.
    pub(crate) async fn publish(
        &mut self,
        store: &dyn Checkpoints,
        published: &[(&str, Value)],
    ) -> Result<(), CheckpointError> {
        let writes: Vec<Write> = published
            .iter()
            .map(|(key, value)| write(key, value.clone()))
            .collect();
        let values: Vec<_> = writes
            .iter()
            .map(|write| (ValueHash::of(&write.value), write.value.clone()))
            .collect();
        let called = called(&writes);
        self.state.apply(writes);
        self.append(store, &[called], &values, None).await
    }

    /// Stores the end of the turn.
    pub(crate) async fn finish(&mut self, store: &dyn Checkpoints) -> Result<(), CheckpointError> {
        let finished = Record::TurnFinished {
            outcome: TurnOutcome::Answered,
            citations: Vec::new(),
            at: moment(i64::from(self.turn) + 1),
        };
        let snapshot = Snapshot::of(&self.state);
        self.append(store, &[finished], &[], Some(&snapshot)).await
    }

    /// A whole turn in which a tool publishes values.
    pub(crate) async fn turn(
        &mut self,
        store: &dyn Checkpoints,
        published: &[(&str, Value)],
    ) -> Result<(), CheckpointError> {
        self.begin(store).await?;
        self.publish(store, published).await?;
        self.finish(store).await
    }
}

/// The session state at the end of the latest finished turn, and what later records have written.
pub(crate) async fn state_of(store: &dyn Checkpoints, stored: &StoredThread) -> State {
    let thread = &stored.head.id;
    let settled = stored.snapshot.clone().unwrap_or_default();
    let begun = stored
        .records
        .iter()
        .rposition(|record| matches!(record, Record::TurnFinished { .. }))
        .map_or(0, |last| last + 1);
    let later = &stored.records[begun..];
    let hashes: Vec<ValueHash> = settled
        .values()
        .chain(later.iter().flat_map(Record::values))
        .cloned()
        .collect();
    let values = store.values(thread, &hashes).await.unwrap();
    let mut state = settled.to_state(&values);
    state.start_turn(stored.head.turns);
    for record in later {
        if let Record::Called { writes, .. } = record {
            state.apply(
                writes
                    .iter()
                    .map(|write| write.to_write(values[&write.value].clone())),
            );
        }
    }
    state
}

pub(crate) fn write(key: &str, value: Value) -> Write {
    Write {
        key: StateKey::parse(key).unwrap(),
        value: StoredValue::new(value),
        tool: "pick".to_owned(),
        inputs: BTreeMap::new(),
    }
}

pub(crate) fn called(writes: &[Write]) -> Record {
    let call = ToolCall::new("c1", "areas__pick", serde_json::Map::new());
    Record::Called {
        message_id: "m2".to_owned(),
        result: ToolResult::of(&call, "Found it.\n\n[state updated: …]"),
        source: None,
        artifact: Artifact::default(),
        writes: writes.iter().map(WriteRecord::of).collect(),
    }
}

pub(crate) fn answered(text: &str) -> Record {
    Record::Answered {
        message_id: "m3".to_owned(),
        message: AssistantMessage {
            text: text.to_owned(),
            ..AssistantMessage::default()
        },
        usage: Usage::default(),
    }
}
