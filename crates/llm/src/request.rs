//! What a model is asked.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Message;

/// One request: everything the model sees.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChatRequest {
    /// Instructions that stand before the conversation.
    pub system: Option<String>,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools the model may call.
    pub tools: Vec<ToolDefinition>,
    /// Whether it must.
    pub tool_choice: ToolChoice,
    /// The shape the answer must have, instead of prose.
    pub format: Option<JsonFormat>,
    /// How the answer is generated.
    pub generation: Generation,
}

impl ChatRequest {
    /// A request with these messages and nothing else.
    #[must_use]
    pub fn new(messages: Vec<Message>) -> Self {
        Self {
            messages,
            ..Self::default()
        }
    }

    /// Sets the system prompt.
    #[must_use]
    pub fn with_system(mut self, system: impl Into<String>) -> Self {
        self.system = Some(system.into());
        self
    }

    /// Sets the tools.
    #[must_use]
    pub fn with_tools(mut self, tools: Vec<ToolDefinition>) -> Self {
        self.tools = tools;
        self
    }

    /// Asks for JSON that fits `schema`; read it with [`Reply::json`](crate::Reply::json).
    #[must_use]
    pub fn with_format(mut self, name: impl Into<String>, schema: Value) -> Self {
        self.format = Some(JsonFormat {
            name: name.into(),
            schema,
        });
        self
    }
}

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// Its name: letters, digits, `_` and `-`, at most 64 (the providers' common rule).
    pub name: String,
    /// What it does.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of its arguments, sent as it is.
    pub parameters: Value,
    /// The declaration's `_meta`; never sent to a provider, read by the built-in guide.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
}

impl ToolDefinition {
    /// A tool without `_meta`.
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: Value) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            parameters,
            meta: Map::new(),
        }
    }
}

/// Whether the model may, must or must not call a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// No tool.
    None,
    /// At least one tool.
    Required,
    /// This tool.
    Tool(String),
}

/// JSON instead of prose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JsonFormat {
    /// A short name: letters, digits, `_` and `-`.
    pub name: String,
    /// JSON Schema of the answer.
    pub schema: Value,
}

/// How an answer is generated; what is not set is left to the provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Generation {
    /// Longest answer, in the model's tokens.
    pub max_tokens: Option<u32>,
    /// 0 repeats itself as well as the provider allows; higher varies more.
    pub temperature: Option<f64>,
}
