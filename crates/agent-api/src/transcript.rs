//! A thread that is read back: its messages, with the activities of each call after its result.

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
    let mut messages = Vec::new();
    let mut past = Past::default();
    for (position, message) in thread.messages.iter().enumerate() {
        messages.push(Message::from(message));
        past.go_to(message, thread, store).await?;
        let activities = of_call(message, &past.state, toolsets);
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

/// The state at the end of one turn: a long thread is read turn by turn, and never held as a whole.
#[derive(Default)]
struct Past {
    turn: u32,
    /// A turn whose values were dropped has none: its receipts are shown without a description.
    state: State,
}

impl Past {
    /// Reads the state of a message's turn, if values moved or were shown in it.
    async fn go_to(
        &mut self,
        message: &ThreadMessage,
        thread: &Thread,
        store: &dyn Checkpoints,
    ) -> Result<(), ApiError> {
        let MessageBody::Tool { artifact, .. } = &message.body else {
            return Ok(());
        };
        let needs_state = !artifact.injected_state.is_empty() || !artifact.captured_state.is_empty();
        if needs_state && self.turn != message.turn {
            self.turn = message.turn;
            self.state = match thread.state_at(store, message.turn).await? {
                TurnState::Found(state) => state,
                TurnState::NoSuchTurn { .. } | TurnState::Dropped { .. } => State::default(),
            };
        }
        Ok(())
    }
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
