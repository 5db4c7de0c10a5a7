//! What is shown beside the messages: values that moved, views, sources. The same on the stream and when a thread is read.

use periplus_state::{Artifact, State, consumed_activity, published_activity};
use serde_json::{Value, json};

/// A kind of activity and its content, an object.
pub(crate) type Activity = (&'static str, Value);

/// A call that was given values, or published some.
pub(crate) fn of_state(call: &str, tool: &str, artifact: &Artifact, state: &State) -> Vec<Activity> {
    let consumed = consumed_activity(call, tool, artifact, state).map(|content| ("state.consumed", content));
    let published = published_activity(call, tool, artifact).map(|content| ("state.published", content));
    consumed.into_iter().chain(published).collect()
}

/// The view of a call's result; nothing without a structured result.
pub(crate) fn of_view(
    call: &str,
    tool: &str,
    uri: &str,
    artifact: &Artifact,
    state: &State,
) -> Option<Activity> {
    let data = artifact.restore_structured(state)?;
    let content = json!({
        "toolCallId": call, "tool": tool, "uri": uri, "display": format!("view: {uri}"), "data": data,
    });
    Some(("mcp.view", content))
}

/// The sources that an answer cites; nothing if it cites none.
pub(crate) fn of_citations(ids: &[String]) -> Option<Activity> {
    if ids.is_empty() {
        return None;
    }
    let content = json!({ "ids": ids, "display": format!("Sources: {}", ids.join(", ")) });
    Some(("answer.citations", content))
}
