//! What a thread consists of: a log of records that is only ever appended to.
//!
//! A record never holds a captured value, only its hash. Values stand beside the log, each once, and [`Snapshot`]s say which
//! of them were current at the end of a turn.

use std::{collections::BTreeMap, fmt};

use chrono::{DateTime, Utc};
use periplus_llm::{AssistantMessage, ToolResult, Usage};
use periplus_state::{Artifact, Entry, Inputs, State, StateKey, StoredValue, Write};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Asked, InterruptAnswer, RunId};

/// SHA-256 of a value's compact JSON, as 64 hexadecimal digits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ValueHash(String);

impl ValueHash {
    /// The hash of a value.
    #[must_use]
    pub fn of(value: &StoredValue) -> Self {
        Self(hex::encode(Sha256::digest(value.json().to_string())))
    }

    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A hash that a store reads back; it is taken as it is.
    #[must_use]
    pub fn from_stored(digits: String) -> Self {
        Self(digits)
    }
}

impl fmt::Display for ValueHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ValueHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One thing that happened in a thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Record {
    /// A person wrote; a turn begins.
    TurnStarted {
        /// Its number; the first is 1.
        turn: u32,
        /// The run that works on it.
        run: RunId,
        /// Id of the message.
        message_id: String,
        /// The message.
        text: String,
        /// When.
        at: DateTime<Utc>,
    },
    /// The model answered, with text, calls or both.
    Answered {
        /// Id of the message.
        message_id: String,
        /// The message, with everything its provider wants to see again.
        message: AssistantMessage,
        /// What it cost.
        #[serde(default)]
        usage: Usage,
    },
    /// A call has its result.
    Called {
        /// Id of the message.
        message_id: String,
        /// What the model sees.
        result: ToolResult,
        /// Which tool of which server it was; nothing for one of the host's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<ToolSource>,
        /// What stays beside the message.
        #[serde(default)]
        artifact: Artifact,
        /// What the call published.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        writes: Vec<WriteRecord>,
    },
    /// The turn waits for a person.
    Asked {
        /// The questions, each with what is needed to go on from its answer.
        questions: Vec<Asked>,
    },
    /// The person answered all of them.
    Resumed {
        /// The run that goes on.
        run: RunId,
        /// The answers.
        answers: Vec<InterruptAnswer>,
        /// When.
        at: DateTime<Utc>,
    },
    /// The turn is over.
    TurnFinished {
        /// How it ended.
        outcome: TurnOutcome,
        /// Sources that the answer cites.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        citations: Vec<String>,
        /// When.
        at: DateTime<Utc>,
    },
}

impl Record {
    /// When it was, for those records that say so.
    #[must_use]
    pub fn at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::TurnStarted { at, .. } | Self::Resumed { at, .. } | Self::TurnFinished { at, .. } => {
                Some(*at)
            }
            Self::Answered { .. } | Self::Called { .. } | Self::Asked { .. } => None,
        }
    }

    /// Hashes of the values that this record refers to.
    pub fn values(&self) -> impl Iterator<Item = &ValueHash> {
        let writes = match self {
            Self::Called { writes, .. } => writes.as_slice(),
            _ => &[],
        };
        writes.iter().map(|write| &write.value)
    }
}

/// A tool by its server and its name there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSource {
    /// The connection.
    pub server: String,
    /// The tool's name on its server.
    pub tool: String,
}

/// What a call published, with the hash in place of the value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteRecord {
    /// Where it went.
    pub key: StateKey,
    /// What it was.
    pub value: ValueHash,
    /// The tool that published it, by its name on its server.
    pub tool: String,
    /// Where the arguments of the call came from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: Inputs,
}

impl WriteRecord {
    /// The record of a write.
    #[must_use]
    pub fn of(write: &Write) -> Self {
        Self {
            key: write.key.clone(),
            value: ValueHash::of(&write.value),
            tool: write.tool.clone(),
            inputs: write.inputs.clone(),
        }
    }

    /// The write again.
    #[must_use]
    pub fn to_write(&self, value: StoredValue) -> Write {
        Write {
            key: self.key.clone(),
            value,
            tool: self.tool.clone(),
            inputs: self.inputs.clone(),
        }
    }
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum TurnOutcome {
    /// With an answer.
    Answered,
    /// With an answer that had to be given because a budget was used up.
    Stopped {
        /// Which one, with its size.
        reason: String,
    },
    /// Somebody cancelled it.
    Cancelled,
    /// It failed; the message says why.
    Failed {
        /// What a person may read.
        message: String,
    },
}

/// The session state at the end of a turn, with hashes in place of values.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The turn.
    pub turn: u32,
    /// Every entry.
    pub entries: BTreeMap<StateKey, EntryRecord>,
}

/// An entry of session state, with the hash in place of the value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntryRecord {
    /// The value.
    pub value: ValueHash,
    /// The tool that published it.
    pub tool: String,
    /// Order of writing within the thread.
    pub seq: u64,
    /// Where the arguments of the publishing call came from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: Inputs,
    /// The turn in which it was written.
    pub turn: u32,
    /// In how many turns a value was written under this key.
    pub turns_written: u32,
}

impl Snapshot {
    /// The snapshot of a state.
    #[must_use]
    pub fn of(state: &State) -> Self {
        Self::with_hashes(state, &BTreeMap::new())
    }

    /// The snapshot of a state for whoever knows the hashes of its values; those that are missing are computed.
    pub(crate) fn with_hashes(state: &State, hashes: &BTreeMap<StateKey, ValueHash>) -> Self {
        let entries = state.iter().map(|(key, entry)| {
            let record = EntryRecord {
                value: hashes
                    .get(key)
                    .cloned()
                    .unwrap_or_else(|| ValueHash::of(&entry.value)),
                tool: entry.tool.clone(),
                seq: entry.seq,
                inputs: entry.inputs.clone(),
                turn: entry.turn,
                turns_written: entry.turns_written,
            };
            (key.clone(), record)
        });
        Self {
            turn: state.turn(),
            entries: entries.collect(),
        }
    }

    /// Hashes of its values.
    pub fn values(&self) -> impl Iterator<Item = &ValueHash> {
        self.entries.values().map(|entry| &entry.value)
    }

    /// The state again; an entry whose value is not given is left out.
    #[must_use]
    pub fn to_state(&self, values: &BTreeMap<ValueHash, StoredValue>) -> State {
        let entries = self.entries.iter().filter_map(|(key, record)| {
            let entry = Entry {
                value: values.get(&record.value)?.clone(),
                tool: record.tool.clone(),
                seq: record.seq,
                inputs: record.inputs.clone(),
                turn: record.turn,
                turns_written: record.turns_written,
            };
            Some((key.clone(), entry))
        });
        State::from_entries(self.turn, entries)
    }
}
