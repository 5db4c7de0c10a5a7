//! What a server says of a tool, and what a call returned.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

/// A tool as a server lists it; its schemas are kept exactly as they were sent.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteTool {
    /// Machine name, unique within its server.
    pub name: String,
    /// Name for people.
    pub title: Option<String>,
    /// What it does, for the model.
    pub description: Option<String>,
    /// JSON Schema of the arguments.
    pub input_schema: Box<RawValue>,
    /// JSON Schema of the structured result.
    pub output_schema: Option<Box<RawValue>>,
    /// Hints such as `readOnlyHint`.
    pub annotations: Option<Value>,
    /// Declarations of extensions: published state keys, parameters a model must not write, views.
    #[serde(rename = "_meta")]
    pub meta: Option<Value>,
}

/// The result of a call that reached its tool.
#[derive(Debug, Clone)]
pub struct CallResult {
    /// The tool says that it failed; the text tells why.
    pub is_error: bool,
    /// The text blocks of the result, in order.
    pub text: Vec<String>,
    /// The structured result, if the tool has one.
    pub structured: Option<Value>,
    /// The whole result as the server sent it.
    pub raw: Value,
}

impl CallResult {
    pub(super) fn from_raw(raw: Value) -> Self {
        let blocks = raw
            .get("content")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        Self {
            is_error: raw.get("isError").and_then(Value::as_bool).unwrap_or(false),
            text: blocks
                .iter()
                .filter_map(|block| block.get("text")?.as_str().map(str::to_owned))
                .collect(),
            structured: raw.get("structuredContent").cloned(),
            raw,
        }
    }
}
