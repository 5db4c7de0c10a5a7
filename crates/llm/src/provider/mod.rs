//! Models behind an HTTP API, spoken to through `genai`, which only this folder names.
//!
//! A call is: [`convert`] our request into the library's, drive its stream in [`call`], put the pieces together in
//! [`assemble`], sort what fails in [`fault`]. The library has habits a caller would trip over; each is handled in the
//! file that meets it and has a test in `tests/it/`.

mod assemble;
mod call;
mod convert;
mod fault;
mod retry;
mod target;
mod tool_names;
mod watch;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use self::{call::Call, target::Target};
use crate::{ChatError, ChatModel, ChatRequest, ChatStream, ModelName, ModelSettings};

/// A model of a hosted service or of a server of one's own.
#[derive(Debug)]
pub(crate) struct Remote {
    target: Arc<Target>,
}

impl Remote {
    pub(crate) fn connect(name: &ModelName, settings: ModelSettings) -> Result<Self, ChatError> {
        Ok(Self {
            target: Arc::new(Target::new(name.clone(), settings)?),
        })
    }
}

impl ChatModel for Remote {
    fn name(&self) -> &ModelName {
        &self.target.model
    }

    fn stream(&self, request: ChatRequest, cancel: CancellationToken) -> ChatStream {
        Call::new(self.target.clone(), &request, cancel).into_stream()
    }
}
