//! Calls of servers' tools: handles become values before, values become keys after.

use std::{sync::Arc, time::Duration};

use futures::{FutureExt, future::BoxFuture};
use periplus_llm::{ToolCall, ToolResult};
use periplus_runtime::client::{Answers, CallOutcome, CallResult, ClientError, Credentials, Questions};
use periplus_state::{
    CaptureLimits, Captured, Inputs, JsonObject, Receipts, Reply, Resolved, capture, resolve,
};
use tokio::time::timeout;
use tracing::warn;

use super::{Finished, Outcome};
use crate::{
    Asked,
    agent::Inner,
    run::Run,
    toolsets::{ConnectedTool, redacted},
};

/// How often a server may want the same call again without asking anything.
const MAX_ROUNDS: usize = 3;

/// A call on its way to a server.
struct RemoteCall {
    tool: ConnectedTool,
    call: ToolCall,
    resolved: Resolved,
    /// What the tool had asked the last time, answered.
    answers: Option<Answers>,
    credentials: Credentials,
    agent: Arc<Inner>,
}

impl Run {
    pub(super) fn remote_call(
        &self,
        tool: &ConnectedTool,
        call: ToolCall,
        arguments: JsonObject,
        answers: Option<Answers>,
    ) -> BoxFuture<'static, Outcome> {
        let resolved = if self.agent.settings.session_state {
            match resolve(&tool.bound, arguments, self.log.state()) {
                Ok(resolved) => resolved,
                Err(refusal) => {
                    let result = ToolResult::failed(&call, refusal.to_string());
                    return std::future::ready(Finished::of(tool, result).into()).boxed();
                }
            }
        } else {
            Resolved {
                arguments,
                inputs: Inputs::new(),
                receipts: Receipts::new(),
            }
        };
        let call = RemoteCall {
            tool: tool.clone(),
            call,
            resolved,
            answers,
            credentials: self.credentials.clone(),
            agent: Arc::clone(&self.agent),
        };
        call.make().boxed()
    }
}

impl RemoteCall {
    async fn make(mut self) -> Outcome {
        for _ in 0..MAX_ROUNDS {
            let limit = self.agent.settings.limits.tool_timeout;
            let (arguments, answers) = (&self.resolved.arguments, self.answers.as_ref());
            let work = self
                .tool
                .connection
                .call(&self.tool.remote, arguments, answers, &self.credentials);
            let questions = match timeout(limit, work).await {
                Ok(Ok(CallOutcome::Complete(result))) => return self.finished(result).into(),
                Ok(Ok(CallOutcome::InputRequired(questions))) => questions,
                Ok(Err(error)) => return self.failed(&error).into(),
                Err(_) => return self.without_result(too_slow(&self.call.name, limit)).into(),
            };
            if !questions.requests.is_empty() {
                return self.asks(&questions);
            }
            // Without a question the server only wants the same call again, with what it remembers.
            self.answers = Some(questions.answer(JsonObject::new()));
        }
        let text = format!(
            "{} wanted the same call again and again.",
            self.tool.source.server
        );
        self.without_result(text).into()
    }

    /// What a tool wants to know becomes a question to the person, if the person is who it asks.
    fn asks(&self, questions: &Questions) -> Outcome {
        let can_ask = self.agent.settings.question_options.is_some();
        let asked: Option<Vec<Asked>> = questions
            .requests
            .iter()
            .map(|(key, question)| Asked::by_tool(&self.call, key, question, questions.state.as_deref()))
            .collect();
        match asked {
            Some(asked) if can_ask => Outcome::Asks(asked),
            _ => self.without_result(unanswerable(&self.tool)).into(),
        }
    }

    /// A call that reached its tool.
    fn finished(&self, result: CallResult) -> Finished {
        let settings = &self.agent.settings;
        let captured = if settings.session_state {
            self.capture(Reply::from_result(result.raw), settings.capture)
        } else {
            self.as_sent(Reply::from_result(result.raw), settings.capture)
        };
        for warning in &captured.warnings {
            warn!("{warning}");
        }
        let result = ToolResult {
            is_error: captured.is_error,
            ..ToolResult::of(&self.call, captured.text)
        };
        Finished {
            artifact: captured.artifact,
            writes: captured.writes,
            ..Finished::of(&self.tool, result)
        }
    }

    fn capture(&self, reply: Reply, limits: CaptureLimits) -> Captured {
        capture(
            &self.tool.bound,
            reply,
            &self.resolved.inputs,
            &self.resolved.receipts,
            limits,
        )
    }

    /// Without session state the model reads the result as it was sent; the structured half stays beside it for views.
    fn as_sent(&self, mut reply: Reply, limits: CaptureLimits) -> Captured {
        let limits = CaptureLimits {
            field_bytes: None,
            ..limits
        };
        let structured = self.capture(reply.clone(), limits).artifact.structured_content;
        if !reply.content.is_empty() {
            reply.structured = None;
        }
        let mut captured = self.capture(reply, limits);
        captured.artifact.structured_content = structured;
        captured.writes.clear();
        captured
    }

    fn failed(&self, error: &ClientError) -> Finished {
        let server = self.tool.source.server.as_str();
        let log = redacted(&error.to_string());
        warn!(server, tool = self.tool.source.tool.as_str(), error = %log, "a call has no result");
        if shows_old_list(error) {
            self.agent.mark_stale();
        }
        self.without_result(spoken(error, &self.tool))
    }

    fn without_result(&self, text: String) -> Finished {
        let mut finished = Finished::of(&self.tool, ToolResult::failed(&self.call, text));
        finished.artifact.injected_state = self.resolved.receipts.clone();
        finished
    }
}

/// Whether a failure can mean that the server was replaced or is gone.
fn shows_old_list(error: &ClientError) -> bool {
    error.is_connection()
        || matches!(
            error,
            ClientError::Rpc {
                code: -32601 | -32602,
                ..
            } | ClientError::Status { .. }
        )
}

pub(super) fn too_slow(tool: &str, limit: Duration) -> String {
    format!(
        "{tool} did not finish within {} s and was given up. Ask for less, or go on without it.",
        limit.as_secs_f64()
    )
}

/// What the model reads of a failure; addresses stay out of it.
fn spoken(error: &ClientError, tool: &ConnectedTool) -> String {
    let server = &tool.source.server;
    match error {
        ClientError::Unauthorized { .. } | ClientError::Forbidden { .. } => format!(
            "{server} did not accept the call: the person has to supply {}.",
            wanted_headers(tool)
        ),
        ClientError::Rpc { message, .. } => format!("{server} refused the call: {message}"),
        ClientError::Busy { .. } => format!("{server} is busy or starting. Try again in a moment."),
        ClientError::TooLarge { limit, .. } => {
            format!("The result of {server} is larger than {limit} bytes. Ask for less.")
        }
        error if error.is_connection() => {
            format!("{server} cannot be reached at the moment. Say so, or go on without it.")
        }
        _ => format!("{server} gave no usable answer. Say so, or go on without it."),
    }
}

fn unanswerable(tool: &ConnectedTool) -> String {
    format!(
        "{} wants to know something in a form that cannot be asked here. Say so, or go on without it.",
        tool.source.server
    )
}

fn wanted_headers(tool: &ConnectedTool) -> String {
    match tool.connection.declared_headers() {
        periplus_runtime::client::DeclaredHeaders::Only(names) if !names.is_empty() => {
            format!("a valid {}", names.join(", "))
        }
        _ => "a valid credential".to_owned(),
    }
}
