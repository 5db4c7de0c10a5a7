//! What a server answered to a tool call: an MCP tool result, read leniently.

use serde_json::Value;

use crate::{JsonObject, blob::placeholder, secret};

/// The result of a tool call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reply {
    /// Content blocks, as the protocol defines them.
    pub content: Vec<Value>,
    /// The structured result.
    pub structured: Option<JsonObject>,
    /// Whether the call failed.
    pub is_error: bool,
}

impl Reply {
    /// Reads the JSON of an MCP `tools/call` result; what is not of the expected form counts as absent.
    #[must_use]
    pub fn from_result(mut result: Value) -> Self {
        let content = match result.get_mut("content").map(Value::take) {
            Some(Value::Array(blocks)) => blocks,
            _ => Vec::new(),
        };
        let structured = match result.get_mut("structuredContent").map(Value::take) {
            Some(Value::Object(object)) => Some(object),
            _ => None,
        };
        Self {
            content,
            structured,
            is_error: result.get("isError").and_then(Value::as_bool).unwrap_or(false),
        }
    }

    /// The content as text, without secret-shaped fields of blocks that hold JSON; `removed` gains their paths.
    pub(crate) fn text(&self, removed: &mut Vec<String>) -> String {
        let texts: Vec<String> = self
            .content
            .iter()
            .filter_map(|block| block_text(block, removed))
            .collect();
        texts.join("\n")
    }
}

fn block_text(block: &Value, removed: &mut Vec<String>) -> Option<String> {
    let field = |name: &str| block.get(name).and_then(Value::as_str);
    match field("type")? {
        "text" => Some(without_secrets(field("text")?, removed)),
        "image" | "audio" => Some(placeholder(
            field("mimeType").unwrap_or_default(),
            field("data")?.len(),
        )),
        "resource_link" => Some(format!("<resource {}>", field("uri")?)),
        "resource" => {
            let resource = block.get("resource")?;
            let part = |name: &str| resource.get(name).and_then(Value::as_str);
            match (part("text"), part("blob")) {
                (Some(text), _) => Some(without_secrets(text, removed)),
                (None, Some(blob)) => Some(placeholder(part("mimeType").unwrap_or_default(), blob.len())),
                (None, None) => None,
            }
        }
        _ => None,
    }
}

/// The text itself, or what is left of it as JSON if it held secret-shaped fields.
fn without_secrets(text: &str, removed: &mut Vec<String>) -> String {
    let Some(mut value) = parse_container(text) else {
        return text.to_owned();
    };
    let found = secret::strip(&mut value);
    if found.is_empty() {
        return text.to_owned();
    }
    removed.extend(found);
    value.to_string()
}

/// The object or list that a text is the JSON of.
pub(crate) fn parse_container(text: &str) -> Option<Value> {
    text.trim_start()
        .starts_with(['{', '['])
        .then(|| serde_json::from_str(text).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn blocks_become_text_without_binary_content_or_secrets() {
        let reply = Reply::from_result(json!({"content": [
            {"type": "text", "text": "Found it."},
            {"type": "text", "text": "{\"id\": 1, \"access_token\": \"t\"}"},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "x:1", "text": "inside"}},
            {"type": "resource_link", "uri": "x:2"},
            {"type": "unheard-of"}, 3,
        ]}));
        let mut removed = Vec::new();
        assert_eq!(
            reply.text(&mut removed),
            "Found it.\n{\"id\":1}\n<image, 1 KB, rendered in UI>\ninside\n<resource x:2>"
        );
        assert_eq!(removed, ["access_token"]);
    }

    #[test]
    fn a_result_of_another_form_is_read_as_far_as_possible() {
        let reply = Reply::from_result(json!({"content": 3, "structuredContent": [1], "isError": "yes"}));
        assert_eq!(reply, Reply::default());
    }
}
