//! `inspect_state`: how a model looks at a value without having it in the conversation.
//!
//! Every stored key is readable: a small value as it is, a large one as an outline, any part of it by path, any line of it
//! by pattern. Answers are bounded, and no argument makes this fail: a miss is an answer too.

mod grep;
mod outline;
mod request;
mod search;

use std::borrow::Cow;

use serde_json::{Value, json};

pub use self::request::{INSPECT_STATE, InspectRequest, inspect_state_declaration};
use self::{grep::Grep, outline::shape};
use crate::{Entry, JsonObject, State, StateKey, Tool, Toolbox, blob::without_blobs, object, path};

/// Longest value that is shown whole, in characters of JSON.
const MAX_WHOLE_CHARS: usize = 4000;

/// Most keys that are named.
const MAX_KEYS: usize = 100;

/// Longest text of the model that is repeated in an answer, in characters.
const MAX_ECHO_CHARS: usize = 200;

/// The state that a request asks about. The host looks it up, because history is read from its store.
#[derive(Debug, Clone, Copy)]
pub enum Moment<'a> {
    /// As it is.
    Now(&'a State),
    /// As it was at the end of a user turn.
    AtTurn(u32, &'a State),
    /// The turn asked for is not available.
    Missed(u32, TurnMiss<'a>),
}

/// Why the state at the end of a turn is not available.
#[derive(Debug, Clone, Copy)]
pub enum TurnMiss<'a> {
    /// The store keeps no history.
    NoHistory,
    /// There was no such turn.
    NoSuchTurn {
        /// How many there were.
        turns_so_far: u32,
    },
    /// The store dropped it.
    NoLongerRetained {
        /// The turns it still has.
        retained: &'a [u32],
    },
}

/// Answers a request.
#[must_use]
pub fn inspect(request: &InspectRequest, moment: Moment<'_>, toolbox: &Toolbox) -> String {
    let (state, turn) = match moment {
        Moment::Now(state) => (state, None),
        Moment::AtTurn(turn, state) => (state, Some(turn)),
        Moment::Missed(turn, miss) => return missed(turn, miss).to_string(),
    };
    let inspection = Inspection {
        request,
        state,
        turn,
        toolbox,
    };
    match request.key() {
        None => inspection.all_keys(),
        Some(key) => inspection.one_key(key),
    }
}

fn missed(turn: u32, miss: TurnMiss<'_>) -> Value {
    match miss {
        TurnMiss::NoHistory => json!({
            "no_turn_history": true, "at_turn": turn,
            "hint": "this thread keeps no earlier values; leave `turn` out to read the present one, and say that it is the present one",
        }),
        TurnMiss::NoSuchTurn { turns_so_far } => {
            json!({ "no_such_turn": turn, "turns_so_far": turns_so_far })
        }
        TurnMiss::NoLongerRetained { retained } => json!({
            "turn_no_longer_retained": turn, "retained_turns": retained,
            "hint": "the values of that turn are gone; say so, and do not use the present value in their place",
        }),
    }
}

struct Inspection<'a> {
    request: &'a InspectRequest,
    state: &'a State,
    turn: Option<u32>,
    toolbox: &'a Toolbox,
}

impl Inspection<'_> {
    fn all_keys(&self) -> String {
        if self.request.path().is_some() {
            let error = "a path needs the key of one value";
            return self.answer(object([
                ("error", error.into()),
                ("available_keys", self.available_keys()),
            ]));
        }
        match self.request.pattern() {
            None => self.answer(object([("available_keys", self.available_keys())])),
            Some(pattern) => {
                let mut grep = Grep::new(pattern);
                for (key, entry) in self.state.iter() {
                    grep.search(Some(key.as_str()), &without_blobs(entry.value.json()));
                }
                grep.report("all values", || self.available_keys().to_string())
            }
        }
    }

    fn one_key(&self, key: &str) -> String {
        let Some(entry) = self.state.get(key) else {
            return self.unknown(key);
        };
        let value = without_blobs(entry.value.json());
        let written = self.request.path().map(|path| relative(path, key));
        let part = match written.map(path::parse) {
            None => Ok(Cow::Borrowed(value.as_ref())),
            Some(Ok(segments)) => {
                path::lookup(&value, &segments).map_err(|miss| (miss.failed_at, miss.context))
            }
            Some(Err(unreadable)) => Err((unreadable, value.as_ref())),
        };
        let part = match part {
            Ok(part) => part,
            Err((failed_at, context)) => return self.path_missed(key, &failed_at, context),
        };
        match self.request.pattern() {
            None => self.show(key, entry, &part),
            Some(pattern) => {
                let mut grep = Grep::new(pattern);
                grep.search(None, &part);
                let place = written.map_or_else(|| key.to_owned(), |path| format!("{key} at {}", echo(path)));
                grep.report(&place, || shape(&part))
            }
        }
    }

    fn show(&self, key: &str, entry: &Entry, part: &Value) -> String {
        let whole = part.to_string();
        let text = if whole.chars().nth(MAX_WHOLE_CHARS).is_none() {
            whole
        } else {
            let path = self.request.path().map(echo);
            outline::outline(key, path.as_deref(), part, whole.chars().count()).to_string()
        };
        if self.turn.is_some() || entry.turns_written < 2 {
            return text;
        }
        let (turn, written) = (entry.turn, entry.turns_written);
        format!(
            "{text}\n\nThis is the value of turn {turn}; {written} turns wrote this key. \
             With `turn` an earlier value can be read."
        )
    }

    fn unknown(&self, key: &str) -> String {
        let mut answer = object([
            ("unknown_or_empty_key", echo(key).into()),
            ("available_keys", self.available_keys()),
        ]);
        let producers: Vec<&str> = self.toolbox.producers(key).map(Tool::exposed_name).collect();
        if !producers.is_empty() {
            let names = producers.join(" or ");
            let hint = format!("{names} publishes this key but has not done so yet: call it first");
            answer.insert("hint".to_owned(), hint.into());
        }
        self.answer(answer)
    }

    fn path_missed(&self, key: &str, failed_at: &str, context: &Value) -> String {
        self.answer(object([
            (
                "path_not_found",
                echo(self.request.path().unwrap_or_default()).into(),
            ),
            ("key", key.into()),
            ("failed_at", echo(failed_at).into()),
            ("context", shape(context).into()),
        ]))
    }

    /// Adds the turn to an answer that is not a value, so that a miss in the past is not taken for one now.
    fn answer(&self, mut answer: JsonObject) -> String {
        answer.extend(self.turn.map(|turn| ("at_turn".to_owned(), turn.into())));
        Value::Object(answer).to_string()
    }

    fn available_keys(&self) -> Value {
        let shape_of = |(key, entry): (&StateKey, &Entry)| {
            (key.to_string(), shape(&without_blobs(entry.value.json())).into())
        };
        let mut keys: JsonObject = self.state.iter().take(MAX_KEYS).map(shape_of).collect();
        let count = self.state.iter().len();
        if count > MAX_KEYS {
            keys.insert("…".to_owned(), format!("{} more", count - MAX_KEYS).into());
        }
        Value::Object(keys)
    }
}

/// The path without the key that models like to repeat before it.
fn relative<'p>(path: &'p str, key: &str) -> &'p str {
    match path.strip_prefix(key) {
        Some(rest) if rest.is_empty() || rest.starts_with(['.', '[']) => rest,
        _ => path,
    }
}

/// The beginning of a text of the model.
fn echo(text: &str) -> String {
    let mut start: String = text.chars().take(MAX_ECHO_CHARS).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}

#[cfg(test)]
mod tests;
