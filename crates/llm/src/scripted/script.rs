//! The script: what is expected, what is answered, what goes wrong.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{ChatError, ChatRequest, Message, StopReason, Usage};

/// Turns to be played, one for each request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// What errors call it.
    #[serde(default)]
    pub name: String,
    /// Replies whatever turn fits, as often as it fits, instead of one turn after the other.
    #[serde(default)]
    pub any_order: bool,
    /// The turns.
    pub turns: Vec<Turn>,
}

/// One request and its answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Turn {
    /// What the request must hold.
    pub expect: Expect,
    /// The text of the answer.
    pub text: String,
    /// Reasoning shown before it.
    pub reasoning: String,
    /// The calls of the answer.
    pub tool_calls: Vec<ScriptedCall>,
    /// Why the model stops; by default what the answer implies.
    pub stop_reason: Option<StopReason>,
    /// Tokens reported.
    pub usage: Usage,
    /// Milliseconds before each piece of the answer.
    pub delay_ms: u64,
    /// What goes wrong, and when.
    pub fault: Option<Fault>,
}

/// A call of a scripted answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedCall {
    /// Its id; by default one that is unique in the conversation.
    #[serde(default)]
    pub id: Option<String>,
    /// The tool.
    pub name: String,
    /// The arguments; a string stands for arguments that are no JSON.
    #[serde(default = "no_arguments")]
    pub arguments: Value,
}

fn no_arguments() -> Value {
    json!({})
}

/// What a request must hold. Every list holds fragments that must all occur.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expect {
    /// In the system prompt.
    pub system: Vec<String>,
    /// In the person's latest message.
    pub user: Vec<String>,
    /// In the results that stand after the model's latest message, taken together.
    pub tool_results: Vec<String>,
    /// Nowhere in the request.
    pub absent: Vec<String>,
    /// Tools that must be offered.
    pub tools: Vec<String>,
    /// How many messages there are.
    pub message_count: Option<usize>,
}

/// Something that goes wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// After how many pieces of the answer.
    #[serde(default)]
    pub after: usize,
}

/// The ways a scripted call can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The key is refused.
    Auth,
    /// Too many requests.
    RateLimited,
    /// The provider is overloaded.
    Unavailable,
    /// The conversation is too long.
    ContextLength,
    /// The model declines.
    Refused,
    /// The answer breaks off.
    Interrupted,
    /// Silence until the call is cancelled.
    Stall,
}

impl Script {
    /// A strict script without turns.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Reads a script from JSON.
    pub fn from_json(name: impl Into<String>, json: &str) -> Result<Self, ChatError> {
        let name = name.into();
        let mut script: Self = serde_json::from_str(json).map_err(|error| ChatError::Script {
            script: name.clone(),
            difference: format!("it cannot be read: {error}"),
        })?;
        if script.name.is_empty() {
            script.name = name;
        }
        Ok(script)
    }

    /// Adds a turn.
    #[must_use]
    pub fn turn(mut self, turn: Turn) -> Self {
        self.turns.push(turn);
        self
    }

    /// Lets turns be played in any order, each as often as it fits.
    #[must_use]
    pub fn in_any_order(mut self) -> Self {
        self.any_order = true;
        self
    }

    /// The turn that answers `request`, the `played`-th of a strict script.
    pub(super) fn turn_for(&self, request: &ChatRequest, played: usize) -> Result<&Turn, ChatError> {
        let difference = if self.any_order {
            match self
                .turns
                .iter()
                .find(|turn| turn.expect.difference(request).is_none())
            {
                Some(turn) => return Ok(turn),
                None => format!(
                    "no turn fits a request whose latest message is {:?}",
                    excerpt(latest(request))
                ),
            }
        } else {
            match self.turns.get(played) {
                None => format!(
                    "it has {} turn(s) and all are played, but another request came, whose latest message is {:?}",
                    self.turns.len(),
                    excerpt(latest(request))
                ),
                Some(turn) => match turn.expect.difference(request) {
                    None => return Ok(turn),
                    Some(difference) => format!("turn {}: {difference}", played + 1),
                },
            }
        };
        Err(ChatError::Script {
            script: self.name.clone(),
            difference,
        })
    }
}

impl Turn {
    /// Answers with text.
    pub fn say(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Calls a tool; `arguments` is an object, or a string that stands for arguments that are no JSON.
    pub fn call(name: impl Into<String>, arguments: Value) -> Self {
        Self::default().and_call(name, arguments)
    }

    /// Fails before anything is said.
    #[must_use]
    pub fn fail(kind: FaultKind) -> Self {
        Self::default().failing(kind, 0)
    }

    /// Calls one more tool in the same answer.
    #[must_use]
    pub fn and_call(mut self, name: impl Into<String>, arguments: Value) -> Self {
        self.tool_calls.push(ScriptedCall {
            id: None,
            name: name.into(),
            arguments,
        });
        self
    }

    /// Sets what the request must hold.
    #[must_use]
    pub fn expecting(mut self, expect: Expect) -> Self {
        self.expect = expect;
        self
    }

    /// Waits before each piece of the answer.
    #[must_use]
    pub fn slowly(mut self, delay: std::time::Duration) -> Self {
        self.delay_ms = delay.as_millis().try_into().unwrap_or(u64::MAX);
        self
    }

    /// Fails after so many pieces.
    #[must_use]
    pub fn failing(mut self, kind: FaultKind, after: usize) -> Self {
        self.fault = Some(Fault { kind, after });
        self
    }
}

impl Expect {
    /// Expects a fragment in the person's latest message.
    pub fn user(fragment: impl Into<String>) -> Self {
        Self {
            user: vec![fragment.into()],
            ..Self::default()
        }
    }

    /// Expects a fragment in the results of the model's latest calls.
    pub fn tool_result(fragment: impl Into<String>) -> Self {
        Self {
            tool_results: vec![fragment.into()],
            ..Self::default()
        }
    }

    /// What is missing or too much, with the text it was looked for in.
    fn difference(&self, request: &ChatRequest) -> Option<String> {
        let system = request.system.as_deref().unwrap_or_default();
        let results = latest_results(request);
        missing("the system prompt", &self.system, system)
            .or_else(|| missing("the latest user message", &self.user, latest_user(request)))
            .or_else(|| missing("the latest tool results", &self.tool_results, &results))
            .or_else(|| self.unoffered(request))
            .or_else(|| self.present(request))
            .or_else(|| self.miscounted(request))
    }

    fn unoffered(&self, request: &ChatRequest) -> Option<String> {
        let offered: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
        let tool = self.tools.iter().find(|tool| !offered.contains(&tool.as_str()))?;
        Some(format!("tool {tool:?} is not offered, only {offered:?}"))
    }

    fn present(&self, request: &ChatRequest) -> Option<String> {
        if self.absent.is_empty() {
            return None;
        }
        let everything = serde_json::to_string(request).unwrap_or_default();
        let fragment = self
            .absent
            .iter()
            .find(|fragment| everything.contains(fragment.as_str()))?;
        Some(format!("{fragment:?} must not be in the request, but is"))
    }

    fn miscounted(&self, request: &ChatRequest) -> Option<String> {
        let expected = self.message_count?;
        let count = request.messages.len();
        (count != expected).then(|| format!("expected {expected} message(s), got {count}"))
    }
}

fn missing(place: &str, fragments: &[String], text: &str) -> Option<String> {
    let fragment = fragments
        .iter()
        .find(|fragment| !text.contains(fragment.as_str()))?;
    Some(format!(
        "expected {fragment:?} in {place}, got {:?}",
        excerpt(text)
    ))
}

fn latest(request: &ChatRequest) -> &str {
    request.messages.last().map_or("", Message::text)
}

fn latest_user(request: &ChatRequest) -> &str {
    request
        .messages
        .iter()
        .rev()
        .find_map(|message| match message {
            Message::User { text } => Some(text.as_str()),
            Message::Assistant(_) | Message::Tool(_) => None,
        })
        .unwrap_or_default()
}

/// The texts of the results after the latest assistant message, in order.
fn latest_results(request: &ChatRequest) -> String {
    let mut texts: Vec<&str> = request
        .messages
        .iter()
        .rev()
        .map_while(|message| match message {
            Message::Tool(result) => Some(result.text.as_str()),
            Message::User { .. } | Message::Assistant(_) => None,
        })
        .collect();
    texts.reverse();
    texts.join("\n")
}

/// Enough of a text to recognise it in an error message.
fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 300;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
