//! Pieces of a stream, put together: deltas for the consumer, the whole answer at the end.
//!
//! The library reports tool calls in three manners, one for each wire: fragments, everything so far, or whole. Here all
//! become deltas.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{target::Wire, tool_names::ToolNames};
use crate::{
    AssistantMessage, ChatEvent, ChatRequest, Continuation, Message, Provider, Reply, StopReason, ToolCall,
    Usage,
};

/// The answer as far as it has come.
#[derive(Debug)]
pub(super) struct Assembly {
    wire: Wire,
    text: String,
    reasoning: String,
    calls: Vec<OpenCall>,
    /// Ids that stand in the conversation already, and those given here.
    taken_ids: HashSet<String>,
    names: ToolNames,
}

#[derive(Debug)]
struct OpenCall {
    /// The id the provider uses within this answer; may be empty, may be made up by the library.
    wire_id: String,
    id: String,
    name: String,
    arguments: String,
    signatures: Vec<String>,
}

/// What is known at the end besides the pieces.
#[derive(Debug)]
pub(super) struct Ending {
    pub(super) stop_reason: StopReason,
    pub(super) usage: Usage,
    pub(super) continuation: Option<Continuation>,
}

impl Assembly {
    pub(super) fn new(wire: Wire, request: &ChatRequest, names: ToolNames) -> Self {
        let taken_ids = request.messages.iter().filter_map(|message| match message {
            Message::Assistant(message) => Some(&message.tool_calls),
            Message::User { .. } | Message::Tool(_) => None,
        });
        let taken_ids = taken_ids.flatten().map(|call| call.id.clone()).collect();
        Self {
            wire,
            text: String::new(),
            reasoning: String::new(),
            calls: Vec::new(),
            taken_ids,
            names,
        }
    }

    /// Whether the consumer has seen any of it.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.reasoning.is_empty() && self.calls.is_empty()
    }

    pub(super) fn call_count(&self) -> usize {
        self.calls.len()
    }

    /// Reasoning that goes back as plain text: compatible servers that show it (DeepSeek, Kimi) want it with the calls it
    /// led to; the hosted services either sign theirs or reject the field.
    pub(super) fn plain_reasoning(&self, provider: Provider) -> Option<String> {
        let wants_it = matches!(provider, Provider::OpenAiCompatible | Provider::Mistral);
        (wants_it && !self.calls.is_empty() && !self.reasoning.is_empty()).then(|| self.reasoning.clone())
    }

    pub(super) fn text(&mut self, delta: String) -> Option<ChatEvent> {
        self.text.push_str(&delta);
        (!delta.is_empty()).then_some(ChatEvent::Text(delta))
    }

    pub(super) fn reasoning(&mut self, delta: String) -> Option<ChatEvent> {
        self.reasoning.push_str(&delta);
        (!delta.is_empty()).then_some(ChatEvent::Reasoning(delta))
    }

    /// A piece of a tool call; gives the events it means.
    pub(super) fn tool_call(&mut self, piece: genai::chat::ToolCall) -> Vec<ChatEvent> {
        let mut events = Vec::new();
        let index = self.position(&piece).unwrap_or_else(|| {
            let index = self.calls.len();
            let call = self.open(&piece);
            events.push(ChatEvent::ToolCallStarted {
                index,
                id: call.id.clone(),
                name: call.name.clone(),
            });
            self.calls.push(call);
            index
        });
        let wire = self.wire;
        if let Some(call) = self.calls.get_mut(index) {
            call.signatures
                .extend(piece.thought_signatures.into_iter().flatten());
            let delta = call.append(wire, piece.fn_arguments);
            if !delta.is_empty() {
                events.push(ChatEvent::ToolCallArguments { index, delta });
            }
        }
        events
    }

    /// Which open call a piece continues.
    fn position(&self, piece: &genai::chat::ToolCall) -> Option<usize> {
        if self.wire == Wire::Gemini {
            // Each piece is a whole call; two pieces may even carry the same made-up id.
            return None;
        }
        let same_id = self.calls.iter().rposition(|call| call.wire_id == piece.call_id);
        if same_id.is_some() && !piece.call_id.is_empty() {
            return same_id;
        }
        if !piece.fn_name.is_empty() {
            return None;
        }
        // A fragment without a name and without its call's id: the library writes the call's position into the id.
        let position = piece
            .call_id
            .strip_prefix("call_")
            .and_then(|position| position.parse::<usize>().ok());
        position
            .filter(|position| *position < self.calls.len())
            .or_else(|| self.calls.len().checked_sub(1))
    }

    fn open(&mut self, piece: &genai::chat::ToolCall) -> OpenCall {
        let id = self.unique_id(&piece.call_id);
        self.taken_ids.insert(id.clone());
        OpenCall {
            wire_id: piece.call_id.clone(),
            id,
            name: self.names.declared(&piece.fn_name).to_owned(),
            arguments: String::new(),
            signatures: Vec::new(),
        }
    }

    /// The provider's id, or one made from it if that is empty or stands in the conversation already.
    ///
    /// The library makes ids up as `call#name#0` for Gemini and recognises that form later; so only its number changes.
    fn unique_id(&self, id: &str) -> String {
        if !id.is_empty() && !self.taken_ids.contains(id) {
            return id.to_owned();
        }
        let (stem, separator) = match id.strip_prefix("call#").and_then(|_| id.rsplit_once('#')) {
            Some((stem, _)) => (stem, '#'),
            None if id.is_empty() => ("call", '-'),
            None => (id, '-'),
        };
        (1usize..)
            .map(|number| format!("{stem}{separator}{number}"))
            .find(|candidate| !self.taken_ids.contains(candidate))
            .unwrap_or_else(|| id.to_owned())
    }

    pub(super) fn finish(&mut self, ending: Ending) -> Reply {
        let tool_calls: Vec<ToolCall> = std::mem::take(&mut self.calls)
            .into_iter()
            .map(OpenCall::close)
            .collect();
        // Gemini and some compatible servers report a plain stop even when they call tools.
        let stop_reason = match ending.stop_reason {
            StopReason::Complete if !tool_calls.is_empty() => StopReason::ToolCalls,
            other => other,
        };
        Reply {
            message: AssistantMessage {
                text: std::mem::take(&mut self.text),
                tool_calls,
                continuation: ending.continuation,
            },
            reasoning: std::mem::take(&mut self.reasoning),
            stop_reason,
            usage: ending.usage,
        }
    }
}

impl OpenCall {
    /// Adds what is new and returns it.
    fn append(&mut self, wire: Wire, arguments: Value) -> String {
        let delta = match (wire, arguments) {
            (_, Value::Null) => String::new(),
            (Wire::Anthropic, Value::String(so_far)) => so_far
                .strip_prefix(&self.arguments)
                .map(str::to_owned)
                .unwrap_or_default(),
            (Wire::OpenAi, Value::String(fragment)) => fragment,
            (_, whole) => whole.to_string(),
        };
        self.arguments.push_str(&delta);
        delta
    }

    fn close(self) -> ToolCall {
        ToolCall {
            arguments: arguments(self.arguments),
            id: self.id,
            name: self.name,
            signatures: self.signatures,
        }
    }
}

/// The arguments as an object if they are one: empty text means none, and JSON inside a JSON string is unwrapped, because
/// models write both. Otherwise the text.
fn arguments(text: String) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    match serde_json::from_str(&text) {
        Ok(Value::Object(object)) => Value::Object(object),
        Ok(Value::Null) => Value::Object(Map::new()),
        Ok(Value::String(inner)) if inner.trim().is_empty() => Value::Object(Map::new()),
        Ok(Value::String(inner)) => match serde_json::from_str::<Map<String, Value>>(&inner) {
            Ok(object) => Value::Object(object),
            Err(_) => Value::String(text),
        },
        Ok(_) | Err(_) => Value::String(text),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn assembly(wire: Wire) -> Assembly {
        Assembly::new(wire, &ChatRequest::default(), ToolNames::default())
    }

    fn piece(id: &str, name: &str, arguments: Value) -> genai::chat::ToolCall {
        genai::chat::ToolCall {
            call_id: id.to_owned(),
            fn_name: name.to_owned(),
            fn_arguments: arguments,
            thought_signatures: None,
        }
    }

    /// Feeds the pieces; returns (id, name, arguments as joined from the deltas, arguments of the reply) of each call.
    fn run(
        mut assembly: Assembly,
        pieces: Vec<genai::chat::ToolCall>,
    ) -> Vec<(String, String, String, Value)> {
        let mut joined: Vec<String> = Vec::new();
        for event in pieces.into_iter().flat_map(|piece| assembly.tool_call(piece)) {
            match event {
                ChatEvent::ToolCallStarted { index, .. } => {
                    assert_eq!(index, joined.len());
                    joined.push(String::new());
                }
                ChatEvent::ToolCallArguments { index, delta } => joined[index].push_str(&delta),
                other => panic!("{other:?}"),
            }
        }
        let ending = Ending {
            stop_reason: StopReason::Complete,
            usage: Usage::default(),
            continuation: None,
        };
        let reply = assembly.finish(ending);
        assert_eq!(reply.stop_reason, StopReason::ToolCalls);
        let calls = reply.message.tool_calls.into_iter().zip(joined);
        calls
            .map(|(call, joined)| (call.id, call.name, joined, call.arguments))
            .collect()
    }

    #[test]
    fn fragments_find_their_call_by_id_and_by_position() {
        let calls = run(
            assembly(Wire::OpenAi),
            vec![
                piece("a", "first", json!("")),
                piece("call_0", "", json!("{\"x\":")),
                piece("b", "second", json!("{\"y\"")),
                piece("call_0", "", json!("1}")),
                piece("b", "second", json!(":2}")),
            ],
        );
        assert_eq!(
            calls[0],
            ("a".into(), "first".into(), "{\"x\":1}".into(), json!({"x": 1}))
        );
        assert_eq!(
            calls[1],
            ("b".into(), "second".into(), "{\"y\":2}".into(), json!({"y": 2}))
        );
    }

    #[test]
    fn calls_without_ids_stay_apart() {
        let calls = run(
            assembly(Wire::OpenAi),
            vec![
                piece("", "f", json!("{}")),
                piece("", "f", json!("{\"a\":1}")),
                piece("", "", json!(" ")),
            ],
        );
        assert_eq!(calls.len(), 2);
        assert_ne!(calls[0].0, calls[1].0);
        assert_eq!(calls[1].2, "{\"a\":1} ");
    }

    #[test]
    fn accumulated_text_becomes_deltas() {
        let calls = run(
            assembly(Wire::Anthropic),
            vec![
                piece("t1", "f", json!("")),
                piece("t1", "f", json!("{\"q\":\"e")),
                piece("t1", "f", json!("{\"q\":\"eau\"}")),
            ],
        );
        assert_eq!(
            calls,
            [(
                "t1".into(),
                "f".into(),
                "{\"q\":\"eau\"}".into(),
                json!({"q": "eau"})
            )]
        );
    }

    #[test]
    fn whole_calls_with_the_same_made_up_id_stay_apart() {
        let made_up = "call#f#0";
        let request = ChatRequest::new(vec![Message::Assistant(AssistantMessage {
            tool_calls: vec![ToolCall::new(made_up, "f", Map::new())],
            ..Default::default()
        })]);
        let assembly = Assembly::new(Wire::Gemini, &request, ToolNames::default());
        let calls = run(
            assembly,
            vec![
                piece(made_up, "f", json!({"a": 1})),
                piece(made_up, "f", json!({"a": 2})),
            ],
        );
        assert_eq!(
            (calls[0].0.as_str(), calls[1].0.as_str()),
            ("call#f#1", "call#f#2")
        );
        assert_eq!((&calls[0].3, &calls[1].3), (&json!({"a": 1}), &json!({"a": 2})));
    }

    #[test]
    fn arguments_are_read_as_models_write_them() {
        for (text, expected) in [
            ("", json!({})),
            ("  ", json!({})),
            ("null", json!({})),
            ("\"\"", json!({})),
            ("{}", json!({})),
            ("{\"a\":[1]}", json!({"a": [1]})),
            ("\"{\\\"a\\\":1}\"", json!({"a": 1})),
            ("{\"a\":", json!("{\"a\":")),
            ("[1]", json!("[1]")),
            ("\"words\"", json!("\"words\"")),
        ] {
            assert_eq!(arguments(text.to_owned()), expected, "{text:?}");
        }
    }
}
