//! A thread as people and clients see it: messages, turns, session state, open questions. All of it follows from the log.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use periplus_llm::{AssistantMessage, ToolCall, ToolResult};
use periplus_state::{Artifact, State, StateKey, StoredValue};
use serde::{Deserialize, Serialize};

use crate::{
    Asked, CheckpointError, Checkpoints, Interrupt, Opening, Record, Snapshot, SnapshotLookup, StoredThread,
    ThreadHead, ThreadId, ToolSource, TurnOutcome, ValueHash, WriteRecord,
};

/// A message of a thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThreadMessage {
    /// Its id.
    pub id: String,
    /// The turn it belongs to.
    pub turn: u32,
    /// What it says.
    #[serde(flatten)]
    pub body: MessageBody,
}

/// What a message says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum MessageBody {
    /// A person's question.
    User {
        /// The text.
        text: String,
    },
    /// What the model said or called.
    Assistant(AssistantMessage),
    /// What a call returned.
    Tool {
        /// What the model sees.
        #[serde(flatten)]
        result: ToolResult,
        /// Which tool of which server it was; nothing for one of the host's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<ToolSource>,
        /// What stays beside the message; with the state of the message's turn it gives the structured result.
        #[serde(default)]
        artifact: Artifact,
    },
}

/// A turn of a thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnSummary {
    /// Its number; the first is 1.
    pub turn: u32,
    /// The message that began it.
    pub question: String,
    /// Id of that message.
    pub message_id: String,
    /// How it ended; nothing while it runs or waits, or if its run was killed.
    pub outcome: Option<TurnOutcome>,
    /// Sources that its answer cites.
    pub citations: Vec<String>,
    /// Whether the state at its end can still be read.
    pub is_retained: bool,
}

/// A thread.
#[derive(Debug, Clone)]
pub struct Thread {
    /// What a listing says of it.
    pub head: ThreadHead,
    /// Its messages, oldest first.
    pub messages: Vec<ThreadMessage>,
    /// Its turns, oldest first.
    pub turns: Vec<TurnSummary>,
    /// Session state as it is now.
    pub state: Arc<State>,
    /// How many records the log has.
    pub(crate) position: u64,
    /// Questions that wait for the person, with what is needed to go on.
    pub(crate) questions: Vec<Asked>,
    /// Hashes of the values in the state, by key.
    pub(crate) hashes: BTreeMap<StateKey, ValueHash>,
    /// The turn up to which the state came from a snapshot.
    settled: u32,
}

/// The state at the end of a turn, as far as it is still known.
#[derive(Debug, Clone)]
pub enum TurnState {
    /// It is here.
    Found(State),
    /// There was no such turn yet; so many there were.
    NoSuchTurn {
        /// Turns so far.
        turns: u32,
    },
    /// Its values were dropped to save space.
    Dropped {
        /// The turns that are still kept, ascending.
        retained: Vec<u32>,
    },
}

impl Thread {
    /// Reads a thread with the values of its present state; nothing if there is none.
    ///
    /// # Errors
    /// Every failure of the store.
    pub async fn load(store: &dyn Checkpoints, id: &ThreadId) -> Result<Option<Self>, CheckpointError> {
        let Some(stored) = store.load(id).await? else {
            return Ok(None);
        };
        let hashes = present_values(&stored);
        let values = store.values(id, &hashes).await?;
        Ok(Some(Self::fold(stored, &values)))
    }

    /// Reads the state of a thread at the end of a turn. A turn that is not over has none, except the latest: its state is
    /// the present one.
    ///
    /// # Errors
    /// Every failure of the store.
    pub async fn state_at(&self, store: &dyn Checkpoints, turn: u32) -> Result<TurnState, CheckpointError> {
        state_at(store, &self.head.id, self.head.turns, &self.state, turn).await
    }

    /// The message that a person wrote for a turn, and everything that followed in it.
    pub fn messages_of(&self, turn: u32) -> impl Iterator<Item = &ThreadMessage> {
        self.messages.iter().filter(move |message| message.turn == turn)
    }

    /// A thread that has not begun.
    pub(crate) fn new(id: ThreadId, opening: Opening) -> Self {
        Self {
            head: ThreadHead {
                id,
                updated_at: opening.created_at,
                opening,
                turns: 0,
            },
            messages: Vec::new(),
            turns: Vec::new(),
            state: Arc::default(),
            position: 0,
            questions: Vec::new(),
            hashes: BTreeMap::new(),
            settled: 0,
        }
    }

    /// Folds a log into what it says, with the values that its present state consists of.
    #[must_use]
    pub fn fold(stored: StoredThread, values: &BTreeMap<ValueHash, StoredValue>) -> Self {
        let mut thread = Self::new(stored.head.id.clone(), stored.head.opening.clone());
        if let Some(snapshot) = &stored.snapshot {
            thread.settled = snapshot.turn;
            thread.state = Arc::new(snapshot.to_state(values));
            let hashes = snapshot.entries.iter();
            thread.hashes = hashes
                .map(|(key, entry)| (key.clone(), entry.value.clone()))
                .collect();
        }
        for record in &stored.records {
            thread.record(record, |hash| values.get(hash).cloned());
        }
        for turn in &mut thread.turns {
            turn.is_retained = stored.retained.contains(&turn.turn) || turn.turn == stored.head.turns;
        }
        thread.head = stored.head;
        thread
    }

    /// Questions that wait for the person.
    #[must_use]
    pub fn interrupts(&self) -> Vec<Interrupt> {
        self.questions
            .iter()
            .map(|asked| asked.interrupt.clone())
            .collect()
    }

    /// Whether a message has this id.
    pub(crate) fn has_message(&self, id: &str) -> bool {
        self.messages.iter().any(|message| message.id == id)
    }

    /// The call with this id.
    pub(crate) fn call(&self, id: &str) -> Option<&ToolCall> {
        self.messages
            .iter()
            .rev()
            .find_map(|message| match &message.body {
                MessageBody::Assistant(message) => message.tool_calls.iter().find(|call| call.id == id),
                MessageBody::User { .. } | MessageBody::Tool { .. } => None,
            })
    }

    /// Adds what a record says.
    pub(crate) fn record(&mut self, record: &Record, value: impl Fn(&ValueHash) -> Option<StoredValue>) {
        self.position += 1;
        self.questions.clear();
        match record {
            Record::TurnStarted {
                turn,
                message_id,
                text,
                ..
            } => self.start_turn(*turn, message_id, text),
            Record::Answered {
                message_id, message, ..
            } => self.push(message_id, MessageBody::Assistant(message.clone())),
            Record::Called {
                message_id,
                result,
                source,
                artifact,
                writes,
            } => {
                self.write(writes, value);
                let body = MessageBody::Tool {
                    result: result.clone(),
                    source: source.clone(),
                    artifact: artifact.clone(),
                };
                self.push(message_id, body);
            }
            Record::Asked { questions } => self.questions.clone_from(questions),
            Record::Resumed { .. } => {}
            Record::TurnFinished {
                outcome, citations, ..
            } => {
                if let Some(turn) = self.turns.last_mut() {
                    turn.outcome = Some(outcome.clone());
                    turn.citations.clone_from(citations);
                }
            }
        }
        if let Some(at) = record.at() {
            self.head.updated_at = at;
        }
    }

    fn start_turn(&mut self, turn: u32, message_id: &str, text: &str) {
        self.head.turns = turn;
        if turn > self.settled {
            Arc::make_mut(&mut self.state).start_turn(turn);
        }
        self.turns.push(TurnSummary {
            turn,
            question: text.to_owned(),
            message_id: message_id.to_owned(),
            outcome: None,
            citations: Vec::new(),
            is_retained: true,
        });
        self.push(
            message_id,
            MessageBody::User {
                text: text.to_owned(),
            },
        );
    }

    /// Applies what a call published, unless the snapshot already holds it.
    fn write(&mut self, writes: &[WriteRecord], value: impl Fn(&ValueHash) -> Option<StoredValue>) {
        if writes.is_empty() || self.head.turns <= self.settled {
            return;
        }
        let hashes = writes
            .iter()
            .map(|write| (write.key.clone(), write.value.clone()));
        self.hashes.extend(hashes);
        let found = |write: &WriteRecord| Some(write.to_write(value(&write.value)?));
        let dropped = Arc::make_mut(&mut self.state).apply(writes.iter().filter_map(found));
        if !dropped.is_empty() {
            let keys: Vec<&str> = dropped.iter().map(StateKey::as_str).collect();
            tracing::warn!(thread = %self.head.id, keys = keys.join(", "), "session state is full; the oldest values were dropped");
        }
    }

    fn push(&mut self, id: &str, body: MessageBody) {
        self.messages.push(ThreadMessage {
            id: id.to_owned(),
            turn: self.head.turns,
            body,
        });
    }
}

/// The state at the end of a turn, for whoever knows the present one and its turn.
pub(crate) async fn state_at(
    store: &dyn Checkpoints,
    thread: &ThreadId,
    turns: u32,
    present: &State,
    turn: u32,
) -> Result<TurnState, CheckpointError> {
    if turn == turns && turn > 0 {
        return Ok(TurnState::Found(present.clone()));
    }
    match store.snapshot(thread, turn).await? {
        SnapshotLookup::Found(snapshot) => {
            let hashes: Vec<ValueHash> = snapshot.values().cloned().collect();
            let values = store.values(thread, &hashes).await?;
            Ok(TurnState::Found(snapshot.to_state(&values)))
        }
        SnapshotLookup::NoSuchTurn => Ok(TurnState::NoSuchTurn { turns }),
        SnapshotLookup::Dropped { retained } => Ok(TurnState::Dropped { retained }),
    }
}

/// The values that the present state of a thread consists of.
fn present_values(stored: &StoredThread) -> Vec<ValueHash> {
    let settled = stored.snapshot.as_ref().map_or(0, |snapshot| snapshot.turn);
    let mut turn = 0;
    let mut hashes: BTreeSet<ValueHash> = stored
        .snapshot
        .iter()
        .flat_map(Snapshot::values)
        .cloned()
        .collect();
    for record in &stored.records {
        if let Record::TurnStarted { turn: started, .. } = record {
            turn = *started;
        }
        if turn > settled {
            hashes.extend(record.values().cloned());
        }
    }
    hashes.into_iter().collect()
}
