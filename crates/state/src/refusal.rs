//! Refusals: a call that was not made, said in a way the model can act on.
//!
//! A refusal is the result of its call. As an error it would leave the call unanswered, and providers reject every later
//! turn of such a conversation.

use std::fmt;

use crate::{HANDLE_PREFIX, State, Tool, describe::counted, listing};

/// Most unresolved handles that are named one by one.
const MAX_UNRESOLVED_LINES: usize = 20;

/// Most characters of a key that are repeated.
const MAX_KEY_CHARS: usize = 120;

/// A call that was not made. Its [`Display`](fmt::Display) is the text for the model; the message has error status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    reason: Reason,
    text: String,
}

/// Why a call was not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Parameters that only take a reference were given something else, or nothing.
    NotAuthored(Vec<NotAuthoredProblem>),
    /// Handles that stand for no value.
    Unresolved(Vec<Unresolved>),
}

/// What is wrong with a not-authored parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotAuthoredProblem {
    /// The model wrote a value.
    Literal {
        /// The parameter.
        parameter: String,
    },
    /// It is required and was left out.
    Omitted {
        /// The parameter.
        parameter: String,
    },
}

/// A handle that was not replaced by a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unresolved {
    /// Where it stands in the arguments, such as `request.area` or `features[0].geometry`.
    pub path: String,
    /// The key it names, cut if it is very long.
    pub key: String,
    /// Why it was not replaced.
    pub reason: UnresolvedReason,
}

/// Why a handle was not replaced by a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnresolvedReason {
    /// Nothing is stored under the key.
    NoSuchKey,
    /// It is only a part of an argument.
    NotWholeArgument,
    /// The server may not be given this value.
    NotPermitted,
}

impl fmt::Display for UnresolvedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSuchKey => "no such key in session state",
            Self::NotWholeArgument => "a reference is replaced only where it is a whole argument",
            Self::NotPermitted => "this server may not be given that value",
        })
    }
}

impl Refusal {
    /// Why the call was not made.
    #[must_use]
    pub fn reason(&self) -> &Reason {
        &self.reason
    }

    pub(crate) fn not_authored(tool: &Tool, problems: Vec<NotAuthoredProblem>, state: &State) -> Self {
        let sentences: Vec<String> = problems.iter().map(NotAuthoredProblem::sentence).collect();
        let offer = offer(tool, state, "Pass @state:<key> with one of these keys");
        let text = format!(
            "{} was not called. {}\n{offer}",
            tool.exposed_name(),
            sentences.join(" ")
        );
        Self {
            reason: Reason::NotAuthored(problems),
            text,
        }
    }

    pub(crate) fn unresolved(tool: &Tool, unresolved: Vec<Unresolved>, state: &State) -> Self {
        let mut lines = vec![format!(
            "{} was not called. These references stand for no value:",
            tool.exposed_name()
        )];
        lines.extend(unresolved.iter().take(MAX_UNRESOLVED_LINES).map(Unresolved::line));
        if unresolved.len() > MAX_UNRESOLVED_LINES {
            lines.push(format!(
                "  … and {} more",
                unresolved.len() - MAX_UNRESOLVED_LINES
            ));
        }
        lines.push(offer(tool, state, &advice(tool)));
        Self {
            reason: Reason::Unresolved(unresolved),
            text: lines.join("\n"),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl NotAuthoredProblem {
    fn sentence(&self) -> String {
        match self {
            Self::Literal { parameter } => format!(
                "'{parameter}' was given a value you wrote; it takes only a reference to a value that a tool has produced."
            ),
            Self::Omitted { parameter } => format!(
                "'{parameter}' is missing; it takes a value that already exists in this session, and you cannot write one."
            ),
        }
    }
}

impl Unresolved {
    pub(crate) fn new(path: &str, key: &str, reason: UnresolvedReason) -> Self {
        let mut shown: String = key.chars().take(MAX_KEY_CHARS).collect();
        if shown.len() < key.len() {
            shown.push('…');
        }
        Self {
            path: path.to_owned(),
            key: shown,
            reason,
        }
    }

    fn line(&self) -> String {
        let path = if self.path.is_empty() {
            "the argument"
        } else {
            &self.path
        };
        format!("  {path}: {HANDLE_PREFIX}{} — {}", self.key, self.reason)
    }
}

/// What to do about handles that stand for no value.
///
/// A tool with a not-authored parameter gets other advice: told to read the value and write it in, a model would carry it
/// around the very rule that the parameter stands for.
fn advice(tool: &Tool) -> String {
    let parameters: Vec<String> = tool.not_authored().map(|name| format!("'{name}'")).collect();
    if parameters.is_empty() {
        return "Read the value with inspect_state and write the field yourself, or first call the tool that produces it. \
            In session state"
            .to_owned();
    }
    format!(
        "Do not read the value and write it in: pass the whole reference to {}, or first call the tool that produces it. \
         In session state",
        parameters.join(" or ")
    )
}

/// The values to choose from under a heading, or what to do if there is none.
fn offer(tool: &Tool, state: &State, heading: &str) -> String {
    if state.is_empty() {
        return "No tool has published a value in this session yet: first call the tool that produces this one.".to_owned();
    }
    let lines = listing(state, Some(tool.connection()));
    if lines.is_empty() {
        let count = counted(state.iter().len(), "value", "values");
        return format!("Session state holds {count}, none of which may be given to this server.");
    }
    format!("{heading} (newest first, now in turn {}):\n{lines}", state.turn())
}
