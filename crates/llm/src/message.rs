//! What a conversation consists of. Everything here is plain data that survives serialisation.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One message of a conversation; the system prompt is part of the request instead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// What the person wrote.
    User {
        /// The text.
        text: String,
    },
    /// What the model answered.
    Assistant(AssistantMessage),
    /// What a tool returned.
    Tool(ToolResult),
}

impl Message {
    /// A message of the person.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }

    /// A plain answer of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant(AssistantMessage {
            text: text.into(),
            ..AssistantMessage::default()
        })
    }

    /// The text a person would read in it.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::User { text } => text,
            Self::Assistant(message) => &message.text,
            Self::Tool(result) => &result.text,
        }
    }
}

/// An answer: text, tool calls, or both.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AssistantMessage {
    /// The visible text; empty when the model only calls tools.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The calls, in the order the model made them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// What the provider wants to see again with this message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continuation: Option<Continuation>,
}

impl AssistantMessage {
    /// Whether nothing was said and nothing called.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.tool_calls.is_empty()
    }
}

/// Signed or encrypted reasoning that a provider checks when the conversation goes on. Opaque: store it, send it back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Continuation {
    /// The provider it belongs to; another one never sees it.
    pub provider: String,
    /// The provider's parts, in order.
    pub parts: Vec<Value>,
}

/// A tool the model wants called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique within the conversation that was sent; the result names it.
    pub id: String,
    /// The tool's name as declared.
    pub name: String,
    /// An object; where the model wrote something else, that text as a JSON string. Read it with [`ToolCall::object`].
    pub arguments: Value,
    /// Signatures a provider attached to the call and checks later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<String>,
}

impl ToolCall {
    /// A call with arguments that are an object.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: Map<String, Value>) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: Value::Object(arguments),
            signatures: Vec::new(),
        }
    }

    /// The arguments, or why they cannot be used; that text is made to be the call's result, so the model can repair it.
    pub fn object(&self) -> Result<&Map<String, Value>, MalformedArguments> {
        self.arguments.as_object().ok_or_else(|| MalformedArguments {
            tool: self.name.clone(),
            reason: self.malformed_reason(),
        })
    }

    fn malformed_reason(&self) -> String {
        match &self.arguments {
            Value::String(text) => match serde_json::from_str::<Value>(text) {
                Ok(_) => "they are JSON but no object".to_owned(),
                Err(error) => error.to_string(),
            },
            _ => "they are JSON but no object".to_owned(),
        }
    }
}

/// A model wrote arguments that are not a JSON object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{tool} was not called: its arguments must be one JSON object ({reason}); write the whole call again with valid JSON"
)]
pub struct MalformedArguments {
    /// The tool that was to be called.
    pub tool: String,
    /// What is wrong with the text.
    pub reason: String,
}

/// The result of one call, as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The id of the call it answers.
    pub call_id: String,
    /// The tool's name as declared.
    pub tool: String,
    /// The text the model sees.
    pub text: String,
    /// Whether the call failed; the text says how.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

impl ToolResult {
    /// The result of a call that succeeded.
    pub fn of(call: &ToolCall, text: impl Into<String>) -> Self {
        Self {
            call_id: call.id.clone(),
            tool: call.name.clone(),
            text: text.into(),
            is_error: false,
        }
    }

    /// The result of a call that failed.
    pub fn failed(call: &ToolCall, text: impl Into<String>) -> Self {
        Self {
            is_error: true,
            ..Self::of(call, text)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messages_survive_serialisation() {
        let call = ToolCall::new("c1", "search", json!({"q": "map"}).as_object().unwrap().clone());
        let messages = vec![
            Message::user("hi"),
            Message::Assistant(AssistantMessage {
                tool_calls: vec![call.clone()],
                ..Default::default()
            }),
            Message::Tool(ToolResult::failed(&call, "no")),
            Message::assistant("sorry"),
        ];
        let json = serde_json::to_value(&messages).unwrap();
        assert_eq!(json[0], json!({"role": "user", "text": "hi"}));
        assert_eq!(json[3], json!({"role": "assistant", "text": "sorry"}));
        assert_eq!(serde_json::from_value::<Vec<Message>>(json).unwrap(), messages);
    }

    #[test]
    fn malformed_arguments_say_what_is_wrong_and_what_to_do() {
        let mut call = ToolCall::new("c1", "search", Map::new());
        assert!(call.object().unwrap().is_empty());
        call.arguments = json!("{\"q\": ");
        let text = call.object().unwrap_err().to_string();
        assert!(
            text.contains("search was not called") && text.contains("EOF") && text.contains("again"),
            "{text}"
        );
        call.arguments = json!("[1]");
        assert!(call.object().unwrap_err().to_string().contains("no object"));
    }
}
