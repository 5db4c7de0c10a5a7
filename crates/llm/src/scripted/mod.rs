//! A model that replies from a script, for tests of everything that talks to models.
//!
//! It streams like a real one: text word by word, arguments in pieces, faults in the middle. It is strict: a request that
//! the script does not expect is an error that names what differed.
//!
//! ```
//! use periplus_llm::scripted::{Expect, Script, Scripted, Turn};
//! use periplus_llm::{ChatModel, ChatRequest, Message};
//! use serde_json::json;
//! use tokio_util::sync::CancellationToken;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), periplus_llm::ChatError> {
//! let script = Script::new("greeting")
//!     .turn(Turn::call("hello", json!({"name": "Ada"})).expecting(Expect::user("greet Ada")))
//!     .turn(Turn::say("She says hello.").expecting(Expect::tool_result("Hello, Ada")));
//! let model = Scripted::new(script);
//!
//! let request = ChatRequest::new(vec![Message::user("Please greet Ada")]);
//! let reply = model.reply(request, CancellationToken::new()).await?;
//! assert_eq!(reply.message.tool_calls[0].name, "hello");
//! assert_eq!(model.remaining(), 1);
//! # Ok(())
//! # }
//! ```

mod play;
mod script;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use futures::{StreamExt, stream};
use tokio_util::sync::CancellationToken;

pub use self::script::{Expect, Fault, FaultKind, Script, ScriptedCall, Turn};
use crate::{ChatError, ChatModel, ChatRequest, ChatStream, ModelName, Provider};

/// Requests kept for [`Scripted::requests`]; scripts are short, this only bounds a test that loops.
const MAX_KEPT_REQUESTS: usize = 1000;

/// A [`ChatModel`] that plays a [`Script`]. Clones play the same script together.
#[derive(Debug, Clone)]
pub struct Scripted {
    name: ModelName,
    script: Arc<Script>,
    progress: Arc<Mutex<Progress>>,
}

#[derive(Debug, Default)]
struct Progress {
    /// Turns played so far; the position in the script while it is strict.
    played: usize,
    requests: Vec<ChatRequest>,
}

impl Scripted {
    /// A model that plays `script` from its beginning.
    #[must_use]
    pub fn new(script: Script) -> Self {
        let name = ModelName::new(Provider::Scripted, script.name.replace(char::is_whitespace, "-"))
            .unwrap_or_else(|_| {
                ModelName::new(Provider::Scripted, "").expect("a built-in model needs no name")
            });
        Self {
            name,
            script: Arc::new(script),
            progress: Arc::default(),
        }
    }

    /// Turns of a strict script that were not played yet; a finished test asserts that this is zero.
    #[must_use]
    pub fn remaining(&self) -> usize {
        let played = self
            .progress
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .played;
        self.script.turns.len().saturating_sub(played)
    }

    /// Every request so far, expected or not, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.progress
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .requests
            .clone()
    }

    /// Notes the request and finds the turn that answers it.
    fn next_turn(&self, request: &ChatRequest) -> Result<Turn, ChatError> {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if progress.requests.len() < MAX_KEPT_REQUESTS {
            progress.requests.push(request.clone());
        }
        let turn = self.script.turn_for(request, progress.played)?;
        progress.played += 1;
        Ok(turn.clone())
    }
}

impl ChatModel for Scripted {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn stream(&self, request: ChatRequest, cancel: CancellationToken) -> ChatStream {
        let scripted = self.clone();
        stream::once(async move {
            match scripted.next_turn(&request) {
                Ok(turn) => play::play(scripted.name, turn, &request, cancel),
                Err(error) => stream::once(async { Err(error) }).boxed(),
            }
        })
        .flatten()
        .boxed()
    }
}
