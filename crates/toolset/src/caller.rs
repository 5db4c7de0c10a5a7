//! Who calls: what their client can do, what they have answered, and the line to them while the call runs.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use futures::future::BoxFuture;

use crate::{
    Capability, ToolError,
    question::{Answers, InputRequest, Questions, Standing},
};

/// How often one set of questions is put on a live line before the tool is told that nobody answers.
const LIVE_ROUNDS: usize = 3;

/// What the caller's client says it can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClientCapabilities {
    /// It can show its user a form.
    pub elicitation: bool,
    /// It lets its model write something.
    pub sampling: bool,
    /// It names the folders it works in.
    pub roots: bool,
    /// It comes back for the result of a long call.
    pub tasks: bool,
}

impl ClientCapabilities {
    /// A client that can do everything.
    pub const ALL: Self = Self {
        elicitation: true,
        sampling: true,
        roots: true,
        tasks: true,
    };

    /// Whether it can do that.
    #[must_use]
    pub fn has(self, capability: Capability) -> bool {
        match capability {
            Capability::Elicitation => self.elicitation,
            Capability::Sampling => self.sampling,
            Capability::Roots => self.roots,
            Capability::Tasks => self.tasks,
        }
    }
}

/// The questions that a call ended with, and what had been answered before them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asked {
    /// What the client is asked.
    pub requests: Vec<InputRequest>,
    /// Earlier answers, which the next round needs again.
    pub answered: Answers,
}

/// A line to the caller that stays open while the call runs; the runtime's to implement.
///
/// Most calls have none: their questions end them, and the client repeats them with the answers.
pub trait Line: Send + Sync {
    /// Puts questions and waits for the answers, or `None` if nobody can be asked while the call runs.
    ///
    /// The future fails with a reason for the caller of the tool.
    fn ask(&self, requests: Vec<InputRequest>) -> Option<BoxFuture<'_, Result<Answers, String>>>;

    /// Lets the caller go: it comes back for the result. Does nothing where that is not possible.
    fn detach(&self) -> BoxFuture<'_, ()>;
}

/// The caller, as a [`Context`](crate::Context) knows them.
#[derive(Default)]
pub(crate) struct Caller {
    pub(crate) capabilities: ClientCapabilities,
    /// Answers that came with the request, asked for or not.
    pub(crate) answers: Answers,
    /// Those of them that a question has used.
    used: Mutex<Answers>,
    pub(crate) line: Option<Arc<dyn Line>>,
}

impl Caller {
    pub(crate) fn require(&self, capability: Capability) -> Result<(), ToolError> {
        if self.capabilities.has(capability) {
            Ok(())
        } else {
            Err(ToolError::MissingCapability(capability))
        }
    }

    pub(crate) async fn ask<Q: Questions>(&self, questions: &Q) -> Result<Q::Answers, ToolError> {
        let mut answers = self.answers.clone();
        for _ in 0..LIVE_ROUNDS {
            let mut standing = Standing::default();
            let found = questions.stand(&answers, &mut standing);
            let Standing {
                open,
                declined,
                answered,
            } = standing;
            let answered = self.remember(answered);
            if let Some(found) = found {
                return Ok(found);
            }
            if open.is_empty() {
                return Err(refused(&declined));
            }
            for request in &open {
                self.require(request.capability)?;
            }
            match self.line.as_ref().and_then(|line| line.ask(open.clone())) {
                Some(replies) => answers.extend(
                    replies
                        .await
                        .map_err(|reason| ToolError::new("no_answer", reason))?,
                ),
                None => {
                    return Err(ToolError::InputRequired(Asked {
                        requests: open,
                        answered,
                    }));
                }
            }
        }
        Err(ToolError::new(
            "no_answer",
            "the client's answers do not fit what was asked",
        ))
    }

    /// Adds answers to those that were used, and returns all of them: what the next round needs again.
    fn remember(&self, answered: Answers) -> Answers {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.extend(answered);
        used.clone()
    }
}

fn refused(declined: &[InputRequest]) -> ToolError {
    let asked = declined
        .first()
        .and_then(|request| request.params.get("message")?.as_str())
        .unwrap_or("what the tool asked");
    ToolError::new("declined", format!("the user did not answer: {asked}"))
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Answers are what people said: only their keys are shown.
        f.debug_struct("Caller")
            .field("capabilities", &self.capabilities)
            .field("answered", &self.answers.keys())
            .finish_non_exhaustive()
    }
}
