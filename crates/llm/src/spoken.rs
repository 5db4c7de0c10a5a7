//! A finished reply as the events a streaming model would have sent.

use std::collections::VecDeque;

use serde_json::Value;

use crate::{ChatEvent, Reply};

/// Characters of arguments in one piece; odd and small, so that pieces end inside words and escapes.
const ARGUMENT_PIECE_CHARS: usize = 7;

/// Reasoning and text word by word, calls with their arguments in pieces, and the reply itself at the end.
pub(crate) fn events(reply: Reply) -> VecDeque<ChatEvent> {
    let mut events = VecDeque::new();
    events.extend(words(&reply.reasoning).map(ChatEvent::Reasoning));
    events.extend(words(&reply.message.text).map(ChatEvent::Text));
    for (index, call) in reply.message.tool_calls.iter().enumerate() {
        events.push_back(ChatEvent::ToolCallStarted {
            index,
            id: call.id.clone(),
            name: call.name.clone(),
        });
        let text: Vec<char> = arguments_text(&call.arguments).chars().collect();
        for piece in text.chunks(ARGUMENT_PIECE_CHARS) {
            events.push_back(ChatEvent::ToolCallArguments {
                index,
                delta: piece.iter().collect(),
            });
        }
    }
    events.push_back(ChatEvent::Finished(reply));
    events
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split_inclusive(' ')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
}

/// The arguments as the wire would carry them; a string stands for arguments that are no JSON.
fn arguments_text(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
