//! What a host adds to the agent: tools of its own, a word before each model call, the time.

use std::{fmt, sync::Arc};

use chrono::{DateTime, Utc};
use futures::future::BoxFuture;
use periplus_llm::ToolDefinition;
use periplus_state::JsonObject;

/// A tool that runs inside the host. What it returns is not captured, and it is given no value of session state.
pub trait HostTool: fmt::Debug + Send + Sync {
    /// The tool as the model sees it; its name must not change.
    fn definition(&self) -> ToolDefinition;

    /// Runs it. Both texts are for the model; an error says what to do next.
    fn call(&self, arguments: JsonObject) -> BoxFuture<'static, Result<String, String>>;
}

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;

/// What stands at the end of the system prompt of each model call, made when the call is made.
pub type Note = Arc<dyn Fn(DateTime<Utc>) -> String + Send + Sync>;

/// The clock of the machine.
pub(crate) fn system_clock() -> Clock {
    Arc::new(Utc::now)
}

/// The default note: models do not know what day it is, and many questions depend on it.
pub(crate) fn date_note() -> Note {
    Arc::new(|now| format!("Today is {}.", now.format("%A, %-d %B %Y")))
}
