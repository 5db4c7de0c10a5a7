//! What a run is asked for and what comes of it.

use std::{fmt, sync::Arc};

use periplus_llm::{ChatModel, Usage};
use periplus_runtime::client::Credentials;
use periplus_state::{Detail, State, tool_state};
use serde::{Serialize, Serializer};
use tokio_util::sync::CancellationToken;

use crate::{Interrupt, InterruptAnswer, RunId, ThreadId, ThreadMessage, TurnOutcome};

/// Who runs, for whom, and with what: the same for a new message and for answers.
#[derive(Clone)]
pub struct RunContext {
    /// The thread; it is created by its first run.
    pub thread: ThreadId,
    /// The run.
    pub run: RunId,
    /// Credential headers of the person; each server gets those that it declares.
    pub credentials: Credentials,
    /// Whose thread it becomes, if this run creates it.
    pub owner: Option<String>,
    /// Whether a thread of another owner is to this run as if it did not exist.
    pub own_threads_only: bool,
    /// The model to use instead of the agent's own, for people who bring theirs.
    pub model: Option<Arc<dyn ChatModel>>,
    /// Cancels the run from outside.
    pub cancel: CancellationToken,
}

impl RunContext {
    /// A new run on a thread, without credentials.
    #[must_use]
    pub fn new(thread: ThreadId) -> Self {
        Self {
            thread,
            run: RunId::random(),
            credentials: Credentials::default(),
            owner: None,
            own_threads_only: false,
            model: None,
            cancel: CancellationToken::new(),
        }
    }
}

/// Credentials show their names only.
impl fmt::Debug for RunContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunContext")
            .field("thread", &self.thread)
            .field("run", &self.run)
            .field("credentials", &self.credentials)
            .field("model", &self.model.as_ref().map(|model| model.name()))
            .finish_non_exhaustive()
    }
}

/// A message of the person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserMessage {
    /// The id the client gave it; one that the thread already holds is replaced.
    pub id: Option<String>,
    /// The text.
    pub text: String,
}

impl From<&str> for UserMessage {
    fn from(text: &str) -> Self {
        Self {
            id: None,
            text: text.to_owned(),
        }
    }
}

/// Answers to every open question of a thread.
pub type Answers = Vec<InterruptAnswer>;

/// What came of a run.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnResult {
    /// The thread.
    pub thread: ThreadId,
    /// The run.
    pub run: RunId,
    /// The turn; the first is 1.
    pub turn: u32,
    /// How the turn ended; nothing if it waits for answers.
    pub outcome: Option<TurnOutcome>,
    /// The text of the last message of the model; empty if it said nothing.
    pub answer: String,
    /// The messages that this run added.
    pub new_messages: Vec<ThreadMessage>,
    /// All messages of the thread.
    pub history: Vec<ThreadMessage>,
    /// Session state at the end. It serialises as the metadata of its entries.
    #[serde(rename = "toolState", serialize_with = "as_settled_metadata")]
    pub state: Arc<State>,
    /// Sources that the answer cites, in the order of first mention.
    pub citations: Vec<String>,
    /// Questions that wait for the person.
    pub interrupts: Vec<Interrupt>,
    /// Tokens of all model calls of this run, as far as the provider counts them.
    pub usage: Usage,
}

fn as_settled_metadata<S: Serializer>(state: &Arc<State>, serializer: S) -> Result<S::Ok, S::Error> {
    tool_state(state, Detail::Settled).serialize(serializer)
}
