//! The thread as a model is shown it, in the only order that every provider accepts.
//!
//! Each call has its result, right behind the message that made it and in the order of the calls; a person's message follows
//! an answer. Whatever a killed or cancelled run left open is closed here, so a thread is never lost to a provider's rule.

use std::collections::HashMap;

use periplus_llm::{AssistantMessage, Message, ToolCall, ToolResult};

use crate::{MessageBody, Thread, ThreadMessage};

/// What an unanswered call reads as.
const UNFINISHED: &str = "This call was interrupted before it had a result. Whether it had an effect is not known; \
    call the tool again if its result is still needed.";

/// What stands for an answer that never came.
const UNANSWERED: &str = "(This turn ended without an answer.)";

/// Turns that a model is shown of a thread that is too long for it, the present one included.
const RECENT_TURNS: u32 = 6;

/// Characters that are left of a result that is cut.
const BRIEF_CHARS: usize = 300;

/// What the note with the keys of a result starts with.
const NOTE_START: &str = "[state updated: ";

/// The result of a call that will never have one.
pub(crate) fn unfinished(call: &ToolCall) -> ToolResult {
    ToolResult::failed(call, UNFINISHED)
}

/// The calls of a thread that have no result, in order.
pub(crate) fn dangling_calls(thread: &Thread) -> Vec<ToolCall> {
    let results = results(&thread.messages);
    let calls = thread.messages.iter().flat_map(|message| match &message.body {
        MessageBody::Assistant(message) => message.tool_calls.as_slice(),
        MessageBody::User { .. } | MessageBody::Tool { .. } => &[],
    });
    calls
        .filter(|call| !results.contains_key(call.id.as_str()))
        .cloned()
        .collect()
}

/// How much of a thread a model is shown; less is shown when it does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    /// All of it.
    Whole,
    /// Results of earlier turns are cut; the keys that they published stay.
    Brief,
    /// And only the latest turns.
    Recent,
}

impl Memory {
    /// The next smaller one.
    pub(crate) fn less(self) -> Option<Self> {
        match self {
            Self::Whole => Some(Self::Brief),
            Self::Brief => Some(Self::Recent),
            Self::Recent => None,
        }
    }

    /// The first turn that is shown.
    fn first_turn(self, thread: &Thread) -> u32 {
        match self {
            Self::Whole | Self::Brief => 0,
            Self::Recent => (thread.head.turns + 1).saturating_sub(RECENT_TURNS),
        }
    }
}

/// The messages to send.
pub(crate) fn messages(thread: &Thread, memory: Memory) -> Vec<Message> {
    let results = results(&thread.messages);
    let first_turn = memory.first_turn(thread);
    let mut messages = Vec::with_capacity(thread.messages.len());
    for message in thread
        .messages
        .iter()
        .filter(|message| message.turn >= first_turn)
    {
        let is_brief = memory != Memory::Whole && message.turn < thread.head.turns;
        match &message.body {
            MessageBody::User { text } => {
                if !matches!(messages.last(), None | Some(Message::Assistant(_))) {
                    messages.push(Message::assistant(UNANSWERED));
                }
                messages.push(Message::user(text));
            }
            MessageBody::Assistant(message) if message.is_empty() => {}
            MessageBody::Assistant(message) => push_answer(&mut messages, message, &results, is_brief),
            MessageBody::Tool { .. } => {}
        }
    }
    messages
}

fn push_answer(
    messages: &mut Vec<Message>,
    message: &AssistantMessage,
    results: &HashMap<&str, &ToolResult>,
    is_brief: bool,
) {
    messages.push(Message::Assistant(message.clone()));
    for call in &message.tool_calls {
        let result = match results.get(call.id.as_str()) {
            Some(result) if is_brief => brief(result),
            Some(result) => (*result).clone(),
            None => unfinished(call),
        };
        messages.push(Message::Tool(result));
    }
}

/// The beginning of a result, and the keys that it published.
fn brief(result: &ToolResult) -> ToolResult {
    let mut brief = result.clone();
    if let Some((end, _)) = result.text.char_indices().nth(BRIEF_CHARS) {
        let (head, rest) = result.text.split_at(end);
        let note = rest
            .rfind(NOTE_START)
            .and_then(|at| rest.get(at..))
            .unwrap_or_default();
        brief.text = format!("{head}… (the rest of this earlier result is left out) {note}");
    }
    brief
}

fn results(messages: &[ThreadMessage]) -> HashMap<&str, &ToolResult> {
    messages
        .iter()
        .filter_map(|message| match &message.body {
            MessageBody::Tool { result, .. } => Some((result.call_id.as_str(), result)),
            MessageBody::User { .. } | MessageBody::Assistant(_) => None,
        })
        .collect()
}

#[cfg(test)]
mod tests;
