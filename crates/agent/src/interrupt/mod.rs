//! Questions to the person: the run stops, and the answer becomes the result of the call that asked.

mod form;
mod tool;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::tool::{INTERRUPT, INTERRUPT_ALIAS, QUESTION_PROMPT};
pub(crate) use self::{
    form::response,
    tool::{Question, definition},
};

/// Why a run stops for a person.
const INPUT_REQUIRED: &str = "input_required";

/// A question that a run stopped for, in the form that AG-UI gives it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Interrupt {
    /// What an answer names.
    pub id: String,
    /// Why the run stopped; always `input_required`.
    pub reason: String,
    /// The question.
    pub message: String,
    /// The call that asked.
    pub tool_call_id: String,
    /// JSON Schema of the answer's payload.
    pub response_schema: Value,
}

/// What a person answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InterruptAnswer {
    /// The question.
    #[serde(alias = "interrupt_id")]
    pub interrupt_id: String,
    /// Whether it was answered.
    pub status: AnswerStatus,
    /// The answer, in the form of the question's schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
}

/// Whether a question was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerStatus {
    /// It was.
    Resolved,
    /// The person declined.
    Cancelled,
}

/// A question with what is needed to go on from its answer; the second half never leaves the thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// The question.
    pub interrupt: Interrupt,
    /// Who asked.
    pub asker: Asker,
}

/// Who asked a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Asker {
    /// The model, with the `interrupt` tool.
    Model,
    /// A tool of a server: it is called once more, with the answer.
    Tool {
        /// What the server calls the question.
        request: String,
        /// What the server wants back unchanged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<String>,
    },
}

/// Finds the answer to each open question; says what is missing or too much.
pub(crate) fn match_answers<'a>(
    questions: &'a [Asked],
    answers: &'a [InterruptAnswer],
) -> Result<Vec<(&'a Asked, &'a InterruptAnswer)>, String> {
    if questions.is_empty() {
        return Err("it asks nothing".to_owned());
    }
    let is_known = |answer: &&InterruptAnswer| {
        questions
            .iter()
            .any(|asked| asked.interrupt.id == answer.interrupt_id)
    };
    if let Some(unknown) = answers.iter().find(|answer| !is_known(answer)) {
        return Err(format!("there is no open question {:?}", unknown.interrupt_id));
    }
    if answers.len() > questions.len() {
        return Err("a question is answered twice".to_owned());
    }
    let answer_to = |asked: &'a Asked| {
        let mut found = answers
            .iter()
            .filter(|answer| answer.interrupt_id == asked.interrupt.id);
        let answer = found
            .next()
            .ok_or_else(|| format!("question {:?} is not answered", asked.interrupt.id))?;
        Ok((asked, answer))
    };
    questions.iter().map(answer_to).collect()
}
