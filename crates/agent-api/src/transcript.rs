//! A thread that is read back: its messages, with the activities of each call after its result.

use std::{collections::BTreeMap, sync::Arc};

use periplus_agent::{Checkpoints, MessageBody, Thread, ThreadMessage, Toolsets, TurnState};
use periplus_state::State;

use crate::{
    Message,
    activity::{self, Activity},
    error::ApiError,
};

/// The messages of a thread with their activities, rebuilt as the streams of its runs told them.
pub(crate) async fn messages(
    thread: &Thread,
    store: &dyn Checkpoints,
    toolsets: &Toolsets,
) -> Result<Vec<Message>, ApiError> {
    let states = states(thread, store).await?;
    let nothing = Arc::default();
    let mut messages = Vec::new();
    for (position, message) in thread.messages.iter().enumerate() {
        messages.push(Message::from(message));
        let state = states.get(&message.turn).unwrap_or(&nothing);
        let activities = of_call(message, state, toolsets);
        for (index, activity) in activities.into_iter().enumerate() {
            messages.push(shown(format!("act_{position}_{index}"), activity));
        }
        if let Some(activity) = of_answer(thread, position, message) {
            messages.push(shown(format!("act_{position}_c"), activity));
        }
    }
    Ok(messages)
}

fn shown(id: String, (activity_type, content): Activity) -> Message {
    Message::Activity {
        id,
        activity_type,
        content,
    }
}

/// The state at the end of each turn in which values moved or were shown. A turn whose values were dropped has none:
/// its receipts are shown without a description.
async fn states(thread: &Thread, store: &dyn Checkpoints) -> Result<BTreeMap<u32, Arc<State>>, ApiError> {
    let mut states = BTreeMap::new();
    for message in &thread.messages {
        let MessageBody::Tool { artifact, .. } = &message.body else {
            continue;
        };
        let needs_state = !artifact.injected_state.is_empty() || !artifact.captured_state.is_empty();
        if !needs_state || states.contains_key(&message.turn) {
            continue;
        }
        if let TurnState::Found(state) = thread.state_at(store, message.turn).await? {
            states.insert(message.turn, Arc::new(state));
        }
    }
    Ok(states)
}

fn of_call(message: &ThreadMessage, state: &State, toolsets: &Toolsets) -> Vec<Activity> {
    let MessageBody::Tool {
        result,
        source,
        artifact,
    } = &message.body
    else {
        return Vec::new();
    };
    let mut activities = activity::of_state(&result.call_id, &result.tool, artifact, state);
    let tool = source.as_ref().and_then(|source| toolsets.find(source));
    if let Some(uri) = tool.and_then(|tool| tool.view()) {
        activities.extend(activity::of_view(
            &result.call_id,
            &result.tool,
            uri,
            artifact,
            state,
        ));
    }
    activities
}

/// The sources of a turn's answer, after its last message.
fn of_answer(thread: &Thread, position: usize, message: &ThreadMessage) -> Option<Activity> {
    let is_last = thread
        .messages
        .get(position + 1)
        .is_none_or(|next| next.turn != message.turn);
    let turn = thread.turns.iter().find(|turn| turn.turn == message.turn)?;
    is_last.then(|| activity::of_citations(&turn.citations)).flatten()
}
