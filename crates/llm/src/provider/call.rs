//! One call: attempts, waits, events, and the bounds around them.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use futures::{StreamExt, stream};
use genai::chat::{self as wire, ChatStreamEvent, ContentPart};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{Dispatch, instrument::WithSubscriber};

use super::{
    assemble::{Assembly, Ending},
    convert, fault,
    target::{Target, Wire},
    tool_names::ToolNames,
    watch::FrameWatch,
};
use crate::{ChatError, ChatEvent, ChatRequest, ChatStream, Continuation, StopReason, TimeoutPhase, Usage};

/// A call in progress; dropping it closes its connection.
pub(super) struct Call {
    target: Arc<Target>,
    request: wire::ChatRequest,
    options: wire::ChatOptions,
    cancel: CancellationToken,
    deadline: Option<Instant>,
    attempt: u32,
    state: State,
    watch: Arc<FrameWatch>,
    assembly: Assembly,
    ready: VecDeque<ChatEvent>,
}

enum State {
    Send,
    Receive(wire::ChatStream),
    Wait(Duration),
    Done,
}

impl Call {
    pub(super) fn new(target: Arc<Target>, request: &ChatRequest, cancel: CancellationToken) -> Self {
        let declared: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
        let names = ToolNames::new(&declared);
        Self {
            request: convert::request(request, &names, &target),
            options: convert::options(request, &names, &target),
            assembly: Assembly::new(target.wire, request, names),
            target,
            cancel,
            deadline: None,
            attempt: 1,
            state: State::Send,
            watch: Arc::default(),
            ready: VecDeque::new(),
        }
    }

    pub(super) fn into_stream(self) -> ChatStream {
        stream::unfold(self, |mut call| async move {
            call.next().await.map(|event| (event, call))
        })
        .boxed()
    }

    async fn next(&mut self) -> Option<Result<ChatEvent, ChatError>> {
        let total = self.target.timeouts.total;
        let deadline = *self.deadline.get_or_insert_with(|| Instant::now() + total);
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            if matches!(self.state, State::Done) {
                return None;
            }
            let cancel = self.cancel.clone();
            let step = tokio::select! {
                biased;
                () = cancel.cancelled() => Err(ChatError::Cancelled),
                () = tokio::time::sleep_until(deadline) => Err(self.timeout(TimeoutPhase::Total, total)),
                step = self.step() => step,
            };
            if let Err(error) = step {
                // Replacing the state drops the connection.
                self.state = State::Done;
                return Some(Err(error));
            }
        }
    }

    /// Does the next thing; what it gives the consumer is put into `ready`.
    async fn step(&mut self) -> Result<(), ChatError> {
        match &mut self.state {
            State::Send => self.send().await,
            State::Receive(stream) => {
                // The library logs error bodies and frames, which may hold what was asked and answered.
                let item = stream.next().with_subscriber(Dispatch::none()).await;
                let outcome = match item {
                    Some(Ok(event)) => self.receive(event),
                    Some(Err(error)) => Err(fault::sort(&error, &self.target, self.watch.bytes() > 0)),
                    None => Err(self.broken_off()),
                };
                // A blocked prompt reaches us as an error without words; only the frame has them.
                let outcome = outcome.map_err(|error| self.refusal().unwrap_or(error));
                outcome.or_else(|error| self.retry(error))
            }
            State::Wait(wait) => {
                tokio::time::sleep(*wait).await;
                self.state = State::Send;
                Ok(())
            }
            State::Done => Ok(()),
        }
    }

    async fn send(&mut self) -> Result<(), ChatError> {
        self.watch = Arc::default();
        let options = self.options.clone().with_raw_frame_sink_arc(self.watch.clone());
        let sent = self
            .target
            .client
            .exec_chat_stream(self.target.service(), self.request.clone(), Some(&options))
            .with_subscriber(Dispatch::none())
            .await
            .map_err(|error| fault::sort(&error, &self.target, false))?;
        self.state = State::Receive(sent.stream);
        Ok(())
    }

    fn receive(&mut self, event: ChatStreamEvent) -> Result<(), ChatError> {
        let limits = self.target.limits;
        if self.watch.bytes() > limits.answer_bytes {
            return Err(self.too_large(limits.answer_bytes, "bytes"));
        }
        match event {
            ChatStreamEvent::Chunk(chunk) => self.ready.extend(self.assembly.text(chunk.content)),
            ChatStreamEvent::ReasoningChunk(chunk) => {
                self.ready.extend(self.assembly.reasoning(chunk.content))
            }
            ChatStreamEvent::ToolCallChunk(chunk) => {
                self.ready.extend(self.assembly.tool_call(chunk.tool_call))
            }
            ChatStreamEvent::End(end) => return self.finish(end),
            // The library reports a start before the request is answered, so it means nothing.
            ChatStreamEvent::Start
            | ChatStreamEvent::Heartbeat
            | ChatStreamEvent::ThoughtSignatureChunk(_) => {}
        }
        if self.assembly.call_count() > limits.tool_calls {
            return Err(self.too_large(limits.tool_calls, "tool calls"));
        }
        Ok(())
    }

    fn finish(&mut self, end: wire::StreamEnd) -> Result<(), ChatError> {
        if let Some(reason) = self.watch.refusal() {
            let reason = fault::passed_on(&self.target, &reason);
            return Err(ChatError::Refused {
                model: self.target.model.clone(),
                reason,
            });
        }
        let stop_reason = match &end.captured_stop_reason {
            // Gemini's stream has no end mark of its own: one that breaks off looks finished, but without a reason.
            None if self.target.wire == Wire::Gemini || self.assembly.is_empty() => {
                return Err(self.broken_off());
            }
            None => StopReason::Complete,
            Some(reason) => self.stop_reason(reason)?,
        };
        let continuation = self.continuation(&end);
        let usage = usage(end.captured_usage);
        let reply = self.assembly.finish(Ending {
            stop_reason,
            usage,
            continuation,
        });
        self.ready.push_back(ChatEvent::Finished(reply));
        self.state = State::Done;
        Ok(())
    }

    fn stop_reason(&self, reason: &wire::StopReason) -> Result<StopReason, ChatError> {
        Ok(match reason {
            wire::StopReason::Completed(_) | wire::StopReason::StopSequence(_) => StopReason::Complete,
            wire::StopReason::ToolCall(_) => StopReason::ToolCalls,
            wire::StopReason::MaxTokens(_) => StopReason::MaxTokens,
            wire::StopReason::ContentFilter(filter) => {
                return Err(ChatError::Refused {
                    model: self.target.model.clone(),
                    reason: format!("stopped by {filter}"),
                });
            }
            wire::StopReason::Other(word) if word.eq_ignore_ascii_case("malformed_function_call") => {
                return Err(ChatError::Malformed {
                    what: format!("{} wrote a tool call nobody can read", self.target.model),
                });
            }
            wire::StopReason::Other(word) => StopReason::Other(word.clone()),
        })
    }

    /// The reasoning the provider wants back: everything that is neither text nor a call, and for servers that show plain
    /// reasoning the reasoning itself.
    fn continuation(&self, end: &wire::StreamEnd) -> Option<Continuation> {
        let captured = end.captured_content.iter().flat_map(wire::MessageContent::parts);
        let mut parts: Vec<_> = captured
            .filter(|part| !matches!(part, ContentPart::Text(_) | ContentPart::ToolCall(_)))
            .filter_map(|part| serde_json::to_value(part).ok())
            .collect();
        if let Some(reasoning) = self.assembly.plain_reasoning(self.target.model.provider()) {
            parts.extend(serde_json::to_value(ContentPart::ReasoningContent(reasoning)).ok());
        }
        let provider = self.target.model.provider().as_str().to_owned();
        (!parts.is_empty()).then_some(Continuation { provider, parts })
    }

    /// Prepares another attempt, if the consumer has seen nothing yet and the error may pass.
    fn retry(&mut self, error: ChatError) -> Result<(), ChatError> {
        let wait = if self.assembly.is_empty() {
            self.target.retries.wait_after(self.attempt, &error)
        } else {
            None
        };
        let Some(wait) = wait else { return Err(error) };
        self.attempt += 1;
        tracing::debug!(model = %self.target.model, attempt = self.attempt, ?wait, "repeating a model call");
        self.ready.push_back(ChatEvent::Retrying {
            attempt: self.attempt,
            wait,
            reason: error.to_string(),
        });
        self.state = State::Wait(wait);
        Ok(())
    }

    fn refusal(&self) -> Option<ChatError> {
        let reason = fault::passed_on(&self.target, &self.watch.refusal()?);
        Some(ChatError::Refused {
            model: self.target.model.clone(),
            reason,
        })
    }

    fn broken_off(&self) -> ChatError {
        let reason = match self.watch.bytes() {
            0 => "the response held no event of the protocol".to_owned(),
            _ => "the stream ended before the answer was complete".to_owned(),
        };
        ChatError::Interrupted {
            model: self.target.model.clone(),
            reason,
        }
    }

    fn timeout(&self, phase: TimeoutPhase, after: Duration) -> ChatError {
        ChatError::Timeout {
            model: self.target.model.clone(),
            phase,
            after,
        }
    }

    fn too_large(&self, limit: usize, unit: &'static str) -> ChatError {
        ChatError::TooLarge {
            model: self.target.model.clone(),
            limit,
            unit,
        }
    }
}

fn usage(usage: Option<wire::Usage>) -> Usage {
    let Some(usage) = usage else {
        return Usage::default();
    };
    let count = |tokens: Option<i32>| tokens.and_then(|tokens| u64::try_from(tokens).ok());
    Usage {
        input_tokens: count(usage.prompt_tokens),
        output_tokens: count(usage.completion_tokens),
        cached_tokens: count(
            usage
                .prompt_tokens_details
                .and_then(|details| details.cached_tokens),
        ),
    }
}
