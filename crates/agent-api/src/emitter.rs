//! From what a turn tells to what AG-UI clients expect, in an order they accept.
//!
//! Nothing precedes `RUN_STARTED`; a text or thought that is open is closed before anything else begins; the last event is
//! `RUN_FINISHED` or `RUN_ERROR`, once. A view waits until the state its data comes from is complete.

use std::sync::Arc;

use periplus_agent::{AgentError, Toolsets, TurnEvent, TurnOutcome, TurnResult};
use periplus_state::{Artifact, Detail, JsonObject, State, patch, resync, tool_state};
use serde_json::json;

use crate::{
    Event, Message, Outcome, UsageEntry,
    activity::{self, Activity},
    error::code_of,
    message::arguments_text,
};

/// Makes the events of one run.
#[derive(Debug)]
pub(crate) struct Emitter {
    run: String,
    model: String,
    toolsets: Arc<Toolsets>,
    state: Arc<State>,
    /// What the client knows of session state; nothing before the first delta, which tells all of it.
    told: Option<JsonObject>,
    open: Option<Open>,
    view: Option<WaitingView>,
    activities: u32,
    is_over: bool,
    events: Vec<Event>,
}

/// A message that is being told.
#[derive(Debug, PartialEq, Eq)]
enum Open {
    Text(String),
    Reasoning(String),
}

/// A view whose data may still change.
#[derive(Debug)]
struct WaitingView {
    call: String,
    tool: String,
    uri: String,
    artifact: Artifact,
}

impl Emitter {
    pub(crate) fn new(run: &str, model: &str, toolsets: Arc<Toolsets>) -> Self {
        Self {
            run: run.to_owned(),
            model: model.to_owned(),
            toolsets,
            state: Arc::default(),
            told: None,
            open: None,
            view: None,
            activities: 0,
            is_over: false,
            events: Vec::new(),
        }
    }

    /// Whether the last event was made.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// The events of a moment of the turn.
    pub(crate) fn accept(&mut self, event: TurnEvent) -> Vec<Event> {
        match event {
            TurnEvent::Started {
                thread, run, state, ..
            } => {
                self.state = state;
                self.events.push(Event::RunStarted {
                    thread_id: thread,
                    run_id: run,
                });
            }
            TurnEvent::AnswerChunk { id, text } => self.text(id, text),
            TurnEvent::Reasoning { id, text } => self.reasoning(&id, text),
            TurnEvent::Retrying {
                attempt,
                wait_ms,
                reason,
            } => self.events.push(Event::Custom {
                name: "model.retrying",
                value: json!({ "attempt": attempt, "waitMs": wait_ms, "reason": reason }),
            }),
            TurnEvent::ToolStarted {
                id,
                name,
                arguments,
                message_id,
                ..
            } => self.call(id, name, &arguments, message_id),
            finished @ TurnEvent::ToolFinished { .. } => self.result(finished),
            TurnEvent::StateChanged { state } => {
                self.state = state;
                self.tell_state(Detail::Provisional);
                self.show_view();
            }
            TurnEvent::Finished(result) => self.finish(*result),
            // A moment of a later version of the agent, which this one has no event for.
            _ => {}
        }
        std::mem::take(&mut self.events)
    }

    /// The events of a run that failed.
    pub(crate) fn fail(&mut self, error: &AgentError) -> Vec<Event> {
        self.close();
        self.is_over = true;
        self.events.push(Event::RunError {
            message: error.to_string(),
            code: code_of(error),
        });
        std::mem::take(&mut self.events)
    }

    fn text(&mut self, id: String, delta: String) {
        self.show_view();
        if self.open.as_ref() != Some(&Open::Text(id.clone())) {
            self.close();
            self.events.push(Event::TextMessageStart {
                message_id: id.clone(),
                role: "assistant",
            });
            self.open = Some(Open::Text(id.clone()));
        }
        self.events.push(Event::TextMessageContent {
            message_id: id,
            delta,
        });
    }

    fn reasoning(&mut self, answer: &str, delta: String) {
        self.show_view();
        let message_id = format!("reasoning_{answer}");
        if self.open.as_ref() != Some(&Open::Reasoning(message_id.clone())) {
            self.close();
            self.events.push(Event::ReasoningStart {
                message_id: message_id.clone(),
            });
            self.events.push(Event::ReasoningMessageStart {
                message_id: message_id.clone(),
                role: "reasoning",
            });
            self.open = Some(Open::Reasoning(message_id.clone()));
        }
        self.events
            .push(Event::ReasoningMessageContent { message_id, delta });
    }

    /// Ends the message that is open.
    fn close(&mut self) {
        match self.open.take() {
            Some(Open::Text(message_id)) => self.events.push(Event::TextMessageEnd { message_id }),
            Some(Open::Reasoning(message_id)) => {
                self.events.push(Event::ReasoningMessageEnd {
                    message_id: message_id.clone(),
                });
                self.events.push(Event::ReasoningEnd { message_id });
            }
            None => {}
        }
    }

    fn call(&mut self, id: String, name: String, arguments: &serde_json::Value, parent: String) {
        self.close();
        self.show_view();
        self.events.push(Event::ToolCallStart {
            tool_call_id: id.clone(),
            tool_call_name: name,
            parent_message_id: parent,
        });
        self.events.push(Event::ToolCallArgs {
            tool_call_id: id.clone(),
            delta: arguments_text(arguments),
        });
        self.events.push(Event::ToolCallEnd { tool_call_id: id });
    }

    fn result(&mut self, finished: TurnEvent) {
        let TurnEvent::ToolFinished {
            id,
            name,
            content,
            message_id,
            source,
            artifact,
            ..
        } = finished
        else {
            return;
        };
        self.close();
        self.show_view();
        self.events.push(Event::ToolCallResult {
            message_id,
            tool_call_id: id.clone(),
            content,
        });
        for shown in activity::of_state(&id, &name, &artifact, &self.state) {
            self.show(shown);
        }
        let tool = source.and_then(|source| self.toolsets.find(&source));
        if let Some(uri) = tool.and_then(|tool| tool.view()) {
            self.view = Some(WaitingView {
                uri: uri.to_owned(),
                call: id,
                tool: name,
                artifact,
            });
        }
    }

    /// Tells what changed since the client was told, if anything did.
    fn tell_state(&mut self, detail: Detail) {
        let now = tool_state(&self.state, detail);
        let delta = match &self.told {
            None if now.is_empty() => Vec::new(),
            None => resync(now.clone()),
            Some(told) => patch(told, &now),
        };
        if !delta.is_empty() {
            self.events.push(Event::StateDelta { delta });
            self.told = Some(now);
        }
    }

    fn show_view(&mut self) {
        if let Some(WaitingView {
            call,
            tool,
            uri,
            artifact,
        }) = self.view.take()
            && let Some(shown) = activity::of_view(&call, &tool, &uri, &artifact, &self.state)
        {
            self.show(shown);
        }
    }

    fn show(&mut self, (activity_type, content): Activity) {
        self.activities += 1;
        self.events.push(Event::ActivitySnapshot {
            message_id: format!("act_{}_{}", self.run, self.activities),
            activity_type,
            content,
            replace: true,
        });
    }

    fn finish(&mut self, result: TurnResult) {
        self.close();
        self.show_view();
        self.is_over = true;
        self.state = Arc::clone(&result.state);
        self.tell_state(Detail::Settled);
        if let Some(shown) = activity::of_citations(&result.citations) {
            self.show(shown);
        }
        self.events.push(Event::MessagesSnapshot {
            messages: result.history.iter().map(Message::from).collect(),
        });
        let usage = self.usage(&result);
        self.events.push(Event::RunFinished {
            thread_id: result.thread,
            run_id: result.run,
            usage,
            outcome: match result.outcome {
                None => Outcome::Interrupt {
                    interrupts: result.interrupts,
                },
                Some(TurnOutcome::Cancelled) => Outcome::Cancelled,
                Some(_) => Outcome::Success,
            },
        });
    }

    fn usage(&self, result: &TurnResult) -> Vec<UsageEntry> {
        let usage = &result.usage;
        if usage.input_tokens.is_none() && usage.output_tokens.is_none() {
            return Vec::new();
        }
        vec![UsageEntry {
            model: Some(self.model.clone()),
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cached_input_tokens: usage.cached_tokens,
        }]
    }
}
