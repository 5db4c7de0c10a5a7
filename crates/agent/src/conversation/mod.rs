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

/// The messages to send.
pub(crate) fn messages(thread: &Thread) -> Vec<Message> {
    let results = results(&thread.messages);
    let mut messages = Vec::with_capacity(thread.messages.len());
    for message in &thread.messages {
        match &message.body {
            MessageBody::User { text } => {
                if !matches!(messages.last(), None | Some(Message::Assistant(_))) {
                    messages.push(Message::assistant(UNANSWERED));
                }
                messages.push(Message::user(text));
            }
            MessageBody::Assistant(message) if message.is_empty() => {}
            MessageBody::Assistant(message) => push_answer(&mut messages, message, &results),
            MessageBody::Tool { .. } => {}
        }
    }
    messages
}

fn push_answer(
    messages: &mut Vec<Message>,
    message: &AssistantMessage,
    results: &HashMap<&str, &ToolResult>,
) {
    messages.push(Message::Assistant(message.clone()));
    for call in &message.tool_calls {
        let result = match results.get(call.id.as_str()) {
            Some(result) => (*result).clone(),
            None => unfinished(call),
        };
        messages.push(Message::Tool(result));
    }
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
