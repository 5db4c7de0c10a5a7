//! What a host shows of the values that moved in one call; the same on the stream and when a thread is read back.

use serde_json::{Value, json};

use crate::{Artifact, JsonObject, State};

/// Content of a `state.consumed` activity: what a call was given, with a line to show for each parameter.
///
/// `state` is that of the call, or of the end of its turn. Nothing comes back if the call was given nothing.
#[must_use]
pub fn consumed_activity(call_id: &str, tool: &str, artifact: &Artifact, state: &State) -> Option<Value> {
    if artifact.injected_state.is_empty() {
        return None;
    }
    let received: JsonObject = artifact
        .injected_state
        .iter()
        .map(|(parameter, receipt)| {
            let shown = json!({
                "key": receipt.key, "tool": receipt.tool, "turn": receipt.turn, "display": receipt.display(state),
            });
            (parameter.clone(), shown)
        })
        .collect();
    Some(json!({ "toolCallId": call_id, "tool": tool, "received": received }))
}

/// Content of a `state.published` activity: the keys that a call wrote. Nothing comes back if it wrote none.
#[must_use]
pub fn published_activity(call_id: &str, tool: &str, artifact: &Artifact) -> Option<Value> {
    let keys: Vec<&str> = artifact.published().iter().map(|key| key.as_str()).collect();
    if keys.is_empty() {
        return None;
    }
    // The text is no field of the result; it goes by the last part of its key.
    let text = artifact
        .captured_text
        .iter()
        .filter_map(|key| Some((key.as_str().rsplit('/').next()?, key)));
    let fields = artifact
        .captured_state
        .iter()
        .map(|(field, key)| (field.as_str(), key));
    let published: JsonObject = fields
        .chain(text)
        .map(|(field, key)| (field.to_owned(), key.as_str().into()))
        .collect();
    let display = format!("→ {}", keys.join(", "));
    Some(json!({ "toolCallId": call_id, "tool": tool, "published": published, "display": display }))
}
