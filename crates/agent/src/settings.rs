//! What an agent may do, and how much of it.

use std::{ops::RangeInclusive, time::Duration};

use periplus_llm::Generation;
use periplus_state::CaptureLimits;

/// How an agent works. The defaults are what a person at a terminal and a hosted chat both want.
#[derive(Debug, Clone)]
pub struct AgentSettings {
    /// Whether values go by reference; without it results reach the model as the servers send them.
    pub session_state: bool,
    /// From which size on results are kept out of the conversation.
    pub capture: CaptureLimits,
    /// How many options a question to the person may have; nothing takes the `interrupt` tool away.
    pub question_options: Option<RangeInclusive<usize>>,
    /// The system prompt in place of the built-in one, word for word. A host that wants the built-in rules as well appends
    /// [`STATE_PROMPT`](periplus_state::STATE_PROMPT) and [`QUESTION_PROMPT`](crate::QUESTION_PROMPT).
    pub system_prompt: Option<String>,
    /// How answers are generated.
    pub generation: Generation,
    /// Bounds of one run.
    pub limits: RunLimits,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            session_state: true,
            capture: CaptureLimits::default(),
            question_options: Some(2..=10),
            system_prompt: None,
            generation: Generation::default(),
            limits: RunLimits::default(),
        }
    }
}

/// Bounds of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits {
    /// Model calls; the last one may call no tool and has to answer.
    pub steps: u32,
    /// Tokens, as the provider counts them, after which the next model call has to answer.
    pub tokens: Option<u64>,
    /// Tool calls that run at once.
    pub parallel_calls: usize,
    /// Longest wait for one tool call.
    pub tool_timeout: Duration,
    /// Longest message of a person, in bytes.
    pub message_bytes: usize,
}

impl Default for RunLimits {
    /// 25 model calls, 8 tool calls at once, 2 minutes each, messages of 256 KiB, any number of tokens.
    fn default() -> Self {
        Self {
            steps: 25,
            tokens: None,
            parallel_calls: 8,
            tool_timeout: Duration::from_secs(120),
            message_bytes: 256 * 1024,
        }
    }
}
