//! Messages as clients see them.

use periplus_agent::{MessageBody, ThreadMessage};
use serde::Serialize;
use serde_json::Value;

/// A message of a thread.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "role", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum Message {
    /// A person's question.
    User {
        /// Its id.
        id: String,
        /// The text.
        content: String,
    },
    /// What the model said or called.
    Assistant {
        /// Its id.
        id: String,
        /// The text, if it said something.
        #[serde(skip_serializing_if = "String::is_empty")]
        content: String,
        /// The calls.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
    },
    /// What a call returned.
    Tool {
        /// Its id.
        id: String,
        /// What the model sees.
        content: String,
        /// The call.
        tool_call_id: String,
        /// The same text, if the call failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// Something shown beside the messages; only in a thread that is read back.
    Activity {
        /// Its id.
        id: String,
        /// What kind.
        activity_type: &'static str,
        /// An object.
        content: Value,
    },
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolCall {
    /// Its id.
    pub id: String,
    /// Always `function`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// What is called.
    pub function: FunctionCall,
}

/// The tool and the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FunctionCall {
    /// The tool, by the name the model uses.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
}

impl From<&ThreadMessage> for Message {
    fn from(message: &ThreadMessage) -> Self {
        let id = message.id.clone();
        match &message.body {
            MessageBody::User { text } => Self::User {
                id,
                content: text.clone(),
            },
            MessageBody::Assistant(said) => Self::Assistant {
                id,
                content: said.text.clone(),
                tool_calls: said.tool_calls.iter().map(ToolCall::from).collect(),
            },
            MessageBody::Tool { result, .. } => Self::Tool {
                id,
                content: result.text.clone(),
                tool_call_id: result.call_id.clone(),
                error: result.is_error.then(|| result.text.clone()),
            },
        }
    }
}

impl From<&periplus_llm::ToolCall> for ToolCall {
    fn from(call: &periplus_llm::ToolCall) -> Self {
        Self {
            id: call.id.clone(),
            kind: "function",
            function: FunctionCall {
                name: call.name.clone(),
                arguments: arguments_text(&call.arguments),
            },
        }
    }
}

/// The arguments as the model wrote them; where that was no JSON object, its own text.
pub(crate) fn arguments_text(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        arguments => arguments.to_string(),
    }
}
