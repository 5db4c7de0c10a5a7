//! What the two databases have in common: the texts they store of an append, and how they are read back.

use std::{borrow::Cow, collections::BTreeSet};

use chrono::{DateTime, Utc};
use periplus_state::StoredValue;
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

use super::{Append, CheckpointError, Opening, Retention, ThreadHead};
use crate::{Record, Snapshot, ThreadId, ValueHash};

/// Most levels of lists and objects in a record: a reader of JSON gives up at 128, and a model may write more.
const MAX_LEVELS: usize = 127;

/// An append in the form in which it is stored, with nothing borrowed.
pub(super) struct Rows {
    pub(super) thread: ThreadId,
    pub(super) after: i64,
    pub(super) turn: i64,
    pub(super) opening: Opening,
    /// The time that the last record with one says.
    pub(super) updated_at: Option<DateTime<Utc>>,
    /// Whether the run rests after it: the turn is over, or waits for a person.
    pub(super) is_rest: bool,
    /// The records, as JSON.
    pub(super) records: Vec<String>,
    /// The values, each with its hash, in the order of the hashes: writers that lock rows in one order do not block each
    /// other for ever.
    pub(super) values: Vec<(String, StoredValue)>,
    /// The snapshot, as JSON.
    pub(super) snapshot: Option<String>,
    /// The hashes by which this append keeps values: of its snapshot, or of its records where the turn goes on.
    pub(super) named: Vec<String>,
}

impl Rows {
    /// Writes out an append; refuses one that would make its thread unreadable.
    pub(super) fn of(append: &Append<'_>) -> Result<Self, CheckpointError> {
        let named: BTreeSet<&ValueHash> = match append.snapshot {
            Some(snapshot) => snapshot.values().collect(),
            None => append.records.iter().flat_map(Record::values).collect(),
        };
        let mut values: Vec<_> = append
            .values
            .iter()
            .map(|(hash, value)| (hash.as_str().to_owned(), value.clone()))
            .collect();
        values.sort_by(|(a, _), (b, _)| a.cmp(b));
        values.dedup_by(|(a, _), (b, _)| a == b);
        let records: Vec<String> = append.records.iter().map(text).collect();
        if let Some(levels) = records
            .iter()
            .map(|record| levels(record))
            .find(|levels| *levels > MAX_LEVELS)
        {
            return Err(CheckpointError::TooDeep {
                thread: append.thread.clone(),
                levels,
                limit: MAX_LEVELS,
            });
        }
        Ok(Self {
            thread: append.thread.clone(),
            after: signed(append.after),
            turn: i64::from(append.turn),
            opening: Opening {
                created_at: append.opening.created_at,
                owner: append.opening.owner.as_deref().map(storable).map(Cow::into_owned),
                question: storable(&append.opening.question).into_owned(),
            },
            updated_at: append.records.iter().rev().find_map(Record::at),
            is_rest: append.snapshot.is_some()
                || append
                    .records
                    .iter()
                    .any(|record| matches!(record, Record::Asked { .. })),
            records,
            values,
            snapshot: append.snapshot.map(text),
            named: named.into_iter().map(|hash| hash.as_str().to_owned()).collect(),
        })
    }

    /// How many records the thread has after this append.
    pub(super) fn position(&self) -> i64 {
        self.after + signed(self.records.len() as u64)
    }

    /// The records, each with its position.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (i64, &str)> {
        (self.after..).zip(self.records.iter().map(String::as_str))
    }

    /// The refusal of an append to a thread that has gone on.
    pub(super) fn conflict(&self, found: i64) -> CheckpointError {
        CheckpointError::Conflict {
            thread: self.thread.clone(),
            expected: self.after.unsigned_abs(),
            found: found.unsigned_abs(),
        }
    }

    /// The latest turn whose snapshot is not kept any more once this append is stored.
    pub(super) fn last_dropped(&self, retention: Retention) -> i64 {
        // The state at the end of the latest turn is what the next one begins with.
        self.turn - i64::from(retention.turns.max(1))
    }
}

/// A text without the one character that PostgreSQL's texts cannot hold. JSON writes it as an escape and needs no care.
pub(super) fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        Cow::Owned(text.replace('\0', "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Positions are lengths of lists in memory and never come near the sign bit.
fn signed(position: u64) -> i64 {
    i64::try_from(position).unwrap_or(i64::MAX)
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("records and snapshots are maps with texts as keys")
}

/// How deep lists and objects are nested in a JSON text.
fn levels(json: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut is_string, mut is_escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => is_string = !is_string,
            _ if is_string => {}
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    deepest
}

/// The columns of a thread.
pub(super) struct ThreadRow {
    pub(super) id: String,
    pub(super) created_at: DateTime<Utc>,
    pub(super) owner: Option<String>,
    pub(super) question: String,
    pub(super) updated_at: DateTime<Utc>,
    pub(super) turns: i64,
}

impl ThreadRow {
    pub(super) fn head(self, action: &'static str) -> Result<ThreadHead, CheckpointError> {
        let id = ThreadId::parse(&self.id).map_err(|error| CheckpointError::Unavailable {
            action,
            reason: format!("the id of a stored thread cannot be one: {error}"),
        })?;
        Ok(ThreadHead {
            id,
            opening: Opening {
                created_at: self.created_at,
                owner: self.owner,
                question: self.question,
            },
            updated_at: self.updated_at,
            turns: number(self.turns),
        })
    }
}

/// A stored turn or count as the number it was.
pub(super) fn number(stored: i64) -> u32 {
    u32::try_from(stored.max(0)).unwrap_or(u32::MAX)
}

pub(super) fn record(thread: &ThreadId, position: usize, body: &str) -> Result<Record, CheckpointError> {
    parse(thread, body, || format!("record {position}"))
}

pub(super) fn snapshot(thread: &ThreadId, turn: i64, body: &str) -> Result<Snapshot, CheckpointError> {
    parse(thread, body, || format!("the snapshot of turn {turn}"))
}

/// A value, if it still is what it was when its hash was taken.
pub(super) fn value(
    thread: &ThreadId,
    hash: String,
    body: &str,
) -> Result<(ValueHash, StoredValue), CheckpointError> {
    if hex::encode(Sha256::digest(body)) != hash {
        return Err(CheckpointError::Corrupt {
            thread: thread.clone(),
            reason: format!("value {hash} is not what it was when it was stored"),
        });
    }
    let json = parse(thread, body, || format!("value {hash}"))?;
    Ok((ValueHash::from_stored(hash), StoredValue::new(json)))
}

fn parse<T: DeserializeOwned>(
    thread: &ThreadId,
    body: &str,
    what: impl FnOnce() -> String,
) -> Result<T, CheckpointError> {
    serde_json::from_str(body).map_err(|error| CheckpointError::Corrupt {
        thread: thread.clone(),
        reason: format!("{} does not read back: {error}", what()),
    })
}

/// Values that a thread names must be there: a key without its value would be a silent loss.
pub(super) fn missing_value(thread: &ThreadId) -> CheckpointError {
    CheckpointError::Corrupt {
        thread: thread.clone(),
        reason: "a value that the append names is neither in it nor in the store".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_those_that_a_reader_counts() {
        assert_eq!(levels(r#"{"a": [1, {"b]]": "[[\"[{"}], "c": []}"#), 3);
        for (depth, is_readable) in [(MAX_LEVELS, true), (MAX_LEVELS + 1, false)] {
            let json = "[".repeat(depth) + &"]".repeat(depth);
            assert_eq!(levels(&json), depth);
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&json).is_ok(),
                is_readable
            );
        }
    }
}
