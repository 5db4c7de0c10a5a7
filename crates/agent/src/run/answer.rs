//! Asking the model.

use futures::StreamExt;
use periplus_llm::{
    AssistantMessage, ChatError, ChatEvent, ChatRequest, Reply, ToolChoice, ToolDefinition, Usage,
};
use periplus_state::{BASE_PROMPT, STATE_PROMPT, inspect_state_declaration};
use serde_json::Value;
use tracing::debug;

use super::{Run, Stop};
use crate::{AgentError, QUESTION_PROMPT, Record, TurnEvent, conversation, id::random_id, interrupt};

impl Run {
    /// Asks the model; once more with less of the thread if that is too long for it.
    pub(super) async fn ask(&mut self, must_answer: bool) -> Result<(String, AssistantMessage), Stop> {
        self.steps += 1;
        loop {
            match self.ask_once(must_answer).await {
                Err(Stop::Failed(AgentError::Model(ChatError::ContextLength { .. })))
                    if self.memory.less().is_some() =>
                {
                    self.show_less().await;
                }
                outcome => return outcome,
            }
        }
    }

    async fn show_less(&mut self) {
        self.memory = self.memory.less().unwrap_or(self.memory);
        debug!(memory = ?self.memory, "the thread is too long for the model");
        let event = TurnEvent::Retrying {
            attempt: 2,
            wait_ms: 0,
            reason: "the thread is too long for the model; it is shown less of the earlier turns".to_owned(),
        };
        self.events.send(event).await;
    }

    /// Asks the model, tells what it says as it says it, and stores its message.
    async fn ask_once(&mut self, must_answer: bool) -> Result<(String, AssistantMessage), Stop> {
        let id = random_id();
        let mut stream = self.model.stream(self.request(must_answer), self.cancel.clone());
        let mut said = String::new();
        while let Some(event) = stream.next().await {
            match event {
                Ok(ChatEvent::Finished(reply)) => return self.answered(id, reply).await,
                Ok(event) => self.tell(&id, &mut said, event).await,
                Err(error) => return Err(self.broke_off(id, said, error).await),
            }
        }
        let error = ChatError::Interrupted {
            model: self.model.name().clone(),
            reason: "its stream ended early".to_owned(),
        };
        Err(self.broke_off(id, said, error).await)
    }

    fn request(&self, must_answer: bool) -> ChatRequest {
        ChatRequest {
            system: Some(self.system_prompt()),
            messages: conversation::messages(self.log.thread(), self.memory),
            tools: self.tools(),
            tool_choice: if must_answer {
                ToolChoice::None
            } else {
                ToolChoice::Auto
            },
            format: None,
            generation: self.agent.settings.generation,
        }
    }

    fn system_prompt(&self) -> String {
        let settings = &self.agent.settings;
        let mut parts = match &settings.system_prompt {
            Some(prompt) => vec![prompt.clone()],
            None => {
                let mut parts = vec![BASE_PROMPT.to_owned()];
                parts.extend(settings.session_state.then(|| STATE_PROMPT.to_owned()));
                parts.extend(
                    settings
                        .question_options
                        .as_ref()
                        .map(|_| QUESTION_PROMPT.to_owned()),
                );
                parts
            }
        };
        // It comes last: what stands before it is the same in every call, and providers cache the beginning.
        parts.extend(self.agent.note.as_ref().map(|note| note((self.agent.clock)())));
        parts.join("\n\n")
    }

    fn tools(&self) -> Vec<ToolDefinition> {
        let settings = &self.agent.settings;
        let connected = self.toolsets.tools().iter();
        let mut tools: Vec<ToolDefinition> = connected
            .map(|tool| tool.definition(settings.session_state))
            .collect();
        tools.extend(self.agent.host_tools.iter().map(|tool| tool.definition()));
        tools.extend(settings.session_state.then(inspect_state_definition));
        tools.extend(settings.question_options.as_ref().map(interrupt::definition));
        tools
    }

    async fn tell(&self, id: &str, said: &mut String, event: ChatEvent) {
        let id = id.to_owned();
        let event = match event {
            ChatEvent::Text(text) => {
                said.push_str(&text);
                TurnEvent::AnswerChunk { id, text }
            }
            ChatEvent::Reasoning(text) => TurnEvent::Reasoning { id, text },
            ChatEvent::Retrying {
                attempt,
                wait,
                reason,
            } => TurnEvent::Retrying {
                attempt,
                wait_ms: wait.as_millis().try_into().unwrap_or(u64::MAX),
                reason,
            },
            // A call is told when it is complete.
            _ => return,
        };
        self.events.send(event).await;
    }

    async fn answered(&mut self, id: String, reply: Reply) -> Result<(String, AssistantMessage), Stop> {
        add(&mut self.usage, reply.usage);
        let (input, output) = (reply.usage.input_tokens, reply.usage.output_tokens);
        let calls = reply.message.tool_calls.len();
        debug!(model = %self.model.name(), input, output, calls, "the model answered");
        let mut message = reply.message;
        if message.is_empty() {
            return Err(AgentError::EmptyAnswer.into());
        }
        let mut calls = Vec::with_capacity(message.tool_calls.len());
        for call in std::mem::take(&mut message.tool_calls) {
            let call = self.with_new_id(call, &calls);
            calls.push(call);
        }
        message.tool_calls = calls;
        self.store_answer(&id, message.clone(), reply.usage).await?;
        Ok((id, message))
    }

    /// What was said before an answer broke off has been read, so it stays.
    async fn broke_off(&mut self, id: String, said: String, error: ChatError) -> Stop {
        if !said.is_empty() {
            let message = AssistantMessage {
                text: said,
                ..AssistantMessage::default()
            };
            if let Err(stop) = self.store_answer(&id, message, Usage::default()).await {
                return stop;
            }
        }
        AgentError::from(error).into()
    }

    async fn store_answer(&mut self, id: &str, message: AssistantMessage, usage: Usage) -> Result<(), Stop> {
        let record = Record::Answered {
            message_id: id.to_owned(),
            message,
            usage,
        };
        Ok(self.log.append(vec![record]).await?)
    }
}

fn inspect_state_definition() -> ToolDefinition {
    let declaration = inspect_state_declaration();
    let text = |name: &str| declaration.get(name).and_then(Value::as_str).unwrap_or_default();
    let schema = declaration.get("inputSchema").cloned().unwrap_or_default();
    ToolDefinition::new(text("name"), text("description"), schema)
}

/// Adds what a provider counted; what it does not count stays unknown.
fn add(total: &mut Usage, usage: Usage) {
    let sum = |total: &mut Option<u64>, more: Option<u64>| {
        if let Some(more) = more {
            *total = Some(total.unwrap_or(0).saturating_add(more));
        }
    };
    sum(&mut total.input_tokens, usage.input_tokens);
    sum(&mut total.output_tokens, usage.output_tokens);
    sum(&mut total.cached_tokens, usage.cached_tokens);
}
