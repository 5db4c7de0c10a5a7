//! What an agent can be for.

use periplus_agent::QUESTION_PROMPT;
use periplus_state::STATE_PROMPT;

/// A named purpose of the agent: what its model is told, and which toolsets it works with.
#[derive(Debug, Clone, Copy)]
pub struct Profile {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub summary: &'static str,
    /// The beginning of the system prompt. What values by reference and questions need follows it, today's date ends it.
    pub prompt: &'static str,
    /// The toolsets of this binary that are served to it where no server is named.
    pub toolsets: &'static [&'static str],
}

impl Profile {
    /// The system prompt for an agent that has session state, questions to the person, both or neither.
    pub(crate) fn system_prompt(&self, session_state: bool, questions: bool) -> String {
        let mut parts = vec![self.prompt.trim_end()];
        parts.extend(session_state.then_some(STATE_PROMPT));
        parts.extend(questions.then_some(QUESTION_PROMPT));
        parts.join("\n\n")
    }
}
