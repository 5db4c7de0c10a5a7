//! Why a run did not start or did not finish.

use periplus_llm::ChatError;

use crate::{CheckpointError, Interrupt, RunId, ThreadId};

/// Why a run did not start or did not finish. No text here holds a key, a credential, an argument or a value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// There is nothing to answer.
    #[error("the message has no text: write what you want to know")]
    EmptyMessage,
    /// The message is longer than one is allowed to be.
    #[error("the message has {bytes} bytes; at most {limit} are read")]
    MessageTooLong {
        /// Its length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The thread waits for answers, which a new message would drop.
    #[error("thread {thread} waits for an answer to {}: resume it, or cancel the question", questions(.interrupts))]
    Paused {
        /// The thread.
        thread: ThreadId,
        /// The open questions.
        interrupts: Vec<Interrupt>,
    },
    /// Answers came for a thread that asks nothing, or not for exactly the questions it asks.
    #[error("the answers do not fit the open questions of thread {thread}: {problem}")]
    AnswersDoNotFit {
        /// The thread.
        thread: ThreadId,
        /// What is missing or too much.
        problem: String,
        /// The open questions.
        interrupts: Vec<Interrupt>,
    },
    /// An answer is not of the form that its question asks for.
    #[error("the answer to question {interrupt_id} is not of the form it asks for: {problem}")]
    InvalidAnswer {
        /// The question.
        interrupt_id: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Another run of this process has the same id.
    #[error("a run with the id {0} is in progress: give every run an id of its own")]
    RunInProgress(RunId),
    /// There is no such thread, or none that this run may see.
    #[error("no thread '{0}'")]
    NoSuchThread(ThreadId),
    /// The model gave no answer.
    #[error("the model gave no answer: {0}")]
    Model(#[from] ChatError),
    /// The model answered with nothing at all.
    #[error("the model answered with nothing; ask again, or use another model")]
    EmptyAnswer,
    /// The thread could not be read or written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The run ended without saying how; its task was killed.
    #[error("the run of thread {0} broke off; its next turn goes on from what was stored")]
    BrokenOff(ThreadId),
}

fn questions(interrupts: &[Interrupt]) -> String {
    let quoted: Vec<String> = interrupts
        .iter()
        .map(|interrupt| format!("{:?}", interrupt.message))
        .collect();
    quoted.join(" and ")
}
