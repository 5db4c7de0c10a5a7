//! The calls of one step: side by side, except where one needs what another publishes.

mod local;
mod remote;

use std::{collections::BTreeMap, sync::Arc};

use futures::{FutureExt, StreamExt, future::BoxFuture, stream};
use periplus_llm::{ToolCall, ToolResult};
use periplus_runtime::client::Answers;
use periplus_state::{Artifact, Call, INSPECT_STATE, JsonObject, State, Write, waves};
use tracing::debug;

use super::{Run, Stop};
use crate::{
    Asked, Asker, HostTool, INTERRUPT, INTERRUPT_ALIAS, Record, ToolSource, TurnEvent, WriteRecord,
    id::random_id, interrupt::Question, toolsets::ConnectedTool,
};

/// A call that has its result.
pub(super) struct Finished {
    message_id: String,
    result: ToolResult,
    source: Option<ToolSource>,
    artifact: Artifact,
    writes: Vec<Write>,
}

impl Finished {
    /// A call of one of the agent's or the host's own tools.
    pub(super) fn own(result: ToolResult) -> Self {
        Self {
            message_id: random_id(),
            result,
            source: None,
            artifact: Artifact::default(),
            writes: Vec::new(),
        }
    }

    fn of(tool: &ConnectedTool, result: ToolResult) -> Self {
        Self {
            source: Some(tool.source.clone()),
            ..Self::own(result)
        }
    }

    /// Leaves a line without arguments and values.
    fn log(&self) {
        let server = self.source.as_ref().map(|source| source.server.as_str());
        let (tool, is_error) = (self.result.tool.as_str(), self.result.is_error);
        debug!(
            server,
            tool,
            is_error,
            bytes = self.result.text.len(),
            published = self.writes.len(),
            "called a tool"
        );
    }

    /// The record of a call that published nothing.
    pub(super) fn into_plain_record(self) -> Record {
        self.into_record(Vec::new())
    }

    fn into_record(self, writes: Vec<WriteRecord>) -> Record {
        Record::Called {
            message_id: self.message_id,
            result: self.result,
            source: self.source,
            artifact: self.artifact,
            writes,
        }
    }
}

/// What came of a call.
enum Outcome {
    Finished(Box<Finished>),
    /// Its tool wants to know something from the person first.
    Asks(Vec<Asked>),
}

impl From<Finished> for Outcome {
    fn from(finished: Finished) -> Self {
        Self::Finished(Box::new(finished))
    }
}

/// What is to be done for a call.
enum Plan {
    Remote(Box<ConnectedTool>),
    Host(Arc<dyn HostTool>),
    Inspect,
    Ask(Question),
    /// Nothing: the text says why.
    Refuse(String),
}

/// A call with what is to be done for it.
struct Planned {
    call: ToolCall,
    arguments: JsonObject,
    plan: Plan,
    /// What its tool had asked the last time, answered.
    answers: Option<Answers>,
}

impl Planned {
    fn source(&self) -> Option<ToolSource> {
        match &self.plan {
            Plan::Remote(tool) => Some(tool.source.clone()),
            Plan::Host(_) | Plan::Inspect | Plan::Ask(_) | Plan::Refuse(_) => None,
        }
    }

    fn as_call(&self) -> Call<'_> {
        let tool = match &self.plan {
            Plan::Remote(tool) => Some(&tool.bound),
            Plan::Host(_) | Plan::Inspect | Plan::Ask(_) | Plan::Refuse(_) => None,
        };
        Call {
            tool,
            arguments: &self.arguments,
        }
    }
}

impl Run {
    /// Makes the calls of a message and stores their results. It says whether the person has to answer before it goes on.
    pub(super) async fn calls(&mut self, message_id: &str, calls: Vec<ToolCall>) -> Result<bool, Stop> {
        let planned: Vec<Planned> = calls.into_iter().map(|call| self.plan(call)).collect();
        for planned in &planned {
            self.tell_started(message_id, planned).await;
        }
        self.make(planned).await
    }

    /// Makes calls once more, with the answers to what their tools had asked.
    pub(super) async fn answered_calls(&mut self, calls: Vec<(ToolCall, Answers)>) -> Result<bool, Stop> {
        let planned = calls.into_iter().map(|(call, answers)| Planned {
            answers: Some(answers),
            ..self.plan(call)
        });
        let planned = planned.collect();
        self.make(planned).await
    }

    async fn make(&mut self, planned: Vec<Planned>) -> Result<bool, Stop> {
        let mut questions = Vec::new();
        let order: Vec<Call<'_>> = planned.iter().map(Planned::as_call).collect();
        for wave in waves(&order, self.log.state()) {
            let wave: Vec<&Planned> = wave.into_iter().filter_map(|index| planned.get(index)).collect();
            self.wave(&wave, &mut questions).await?;
        }
        questions.extend(planned.iter().filter_map(asked));
        if questions.is_empty() {
            return Ok(false);
        }
        self.log.append(vec![Record::Asked { questions }]).await?;
        Ok(true)
    }

    fn plan(&self, call: ToolCall) -> Planned {
        let (arguments, plan) = match call.object() {
            Ok(arguments) => (arguments.clone(), self.plan_of(&call.name, arguments)),
            Err(problem) => (JsonObject::new(), Plan::Refuse(problem.to_string())),
        };
        Planned {
            call,
            arguments,
            plan,
            answers: None,
        }
    }

    fn plan_of(&self, name: &str, arguments: &JsonObject) -> Plan {
        let settings = &self.agent.settings;
        if let Some(tool) = self.toolsets.get(name) {
            return Plan::Remote(Box::new(tool.clone()));
        }
        if let Some(tool) = self
            .agent
            .host_tools
            .iter()
            .find(|tool| tool.definition().name == name)
        {
            return Plan::Host(Arc::clone(tool));
        }
        if name == INSPECT_STATE && settings.session_state {
            return Plan::Inspect;
        }
        match &settings.question_options {
            Some(options) if matches!(name, INTERRUPT | INTERRUPT_ALIAS) => {
                Question::read(arguments, options).map_or_else(Plan::Refuse, Plan::Ask)
            }
            _ => Plan::Refuse(format!(
                "There is no tool {name:?}. Call one of those that are offered."
            )),
        }
    }

    /// Runs calls that do not need each other, and stores what came of them in the order in which they were written.
    async fn wave(&mut self, wave: &[&Planned], questions: &mut Vec<Asked>) -> Result<(), Stop> {
        let futures: Vec<_> = wave
            .iter()
            .enumerate()
            .filter_map(|(index, planned)| {
                let call = self.start_call(planned)?;
                Some(call.map(move |outcome| (index, outcome)))
            })
            .collect();
        let parallel = self.agent.settings.limits.parallel_calls.max(1);
        let mut running = stream::iter(futures).buffer_unordered(parallel);
        let mut finished = Vec::new();
        // What a client is told on the way; the order of writing is settled when all are done.
        let mut provisional = Arc::clone(self.log.state());
        let cancel = self.cancel.clone();
        let is_cancelled = loop {
            let next = tokio::select! {
                biased;
                next = running.next() => next,
                () = cancel.cancelled() => break true,
            };
            let (index, call) = match next {
                None => break false,
                Some((index, Outcome::Finished(call))) => (index, *call),
                Some((_, Outcome::Asks(asked))) => {
                    questions.extend(asked);
                    continue;
                }
            };
            call.log();
            self.tell_finished(&call).await;
            self.tell_writes(&call, &mut provisional).await;
            finished.push((index, call));
        };
        drop(running);
        self.store_results(finished, &provisional).await?;
        if is_cancelled {
            Err(Stop::Cancelled)
        } else {
            Ok(())
        }
    }

    /// The work of a call, resolved against the state as it is now; nothing for a question to the person.
    fn start_call(&self, planned: &Planned) -> Option<BoxFuture<'static, Outcome>> {
        let call = planned.call.clone();
        let arguments = planned.arguments.clone();
        Some(match &planned.plan {
            Plan::Ask(_) => return None,
            Plan::Refuse(text) => {
                let refused = Finished::own(ToolResult::failed(&call, text.clone()));
                std::future::ready(refused.into()).boxed()
            }
            Plan::Remote(tool) => self.remote_call(tool, call, arguments, planned.answers.clone()),
            Plan::Host(tool) => self.host_call(tool, call, arguments).map(Outcome::from).boxed(),
            Plan::Inspect => self.inspect_call(call, &arguments).map(Outcome::from).boxed(),
        })
    }

    async fn store_results(
        &mut self,
        mut finished: Vec<(usize, Finished)>,
        told: &Arc<State>,
    ) -> Result<(), Stop> {
        if finished.is_empty() {
            return Ok(());
        }
        finished.sort_by_key(|(index, _)| *index);
        let mut values = BTreeMap::new();
        let mut records = Vec::with_capacity(finished.len());
        for (_, mut call) in finished {
            let writes = std::mem::take(&mut call.writes);
            let written: Vec<WriteRecord> = writes.iter().map(WriteRecord::of).collect();
            let hashes = written.iter().map(|write| write.value.clone());
            values.extend(hashes.zip(writes.into_iter().map(|write| write.value)));
            records.push(call.into_record(written));
        }
        self.log.append_with(records, values).await?;
        if self.log.state() != told {
            let state = self.log.state().clone();
            self.events.send(TurnEvent::StateChanged { state }).await;
        }
        Ok(())
    }

    async fn tell_started(&self, message_id: &str, planned: &Planned) {
        let event = TurnEvent::ToolStarted {
            id: planned.call.id.clone(),
            name: planned.call.name.clone(),
            arguments: planned.call.arguments.clone(),
            message_id: message_id.to_owned(),
            source: planned.source(),
        };
        self.events.send(event).await;
    }

    pub(super) async fn tell_finished(&self, finished: &Finished) {
        let event = TurnEvent::ToolFinished {
            id: finished.result.call_id.clone(),
            name: finished.result.tool.clone(),
            content: finished.result.text.clone(),
            is_error: finished.result.is_error,
            message_id: finished.message_id.clone(),
            source: finished.source.clone(),
            artifact: finished.artifact.clone(),
        };
        self.events.send(event).await;
    }

    async fn tell_writes(&self, finished: &Finished, provisional: &mut Arc<State>) {
        if finished.writes.is_empty() {
            return;
        }
        Arc::make_mut(provisional).apply(finished.writes.iter().cloned());
        let state = Arc::clone(provisional);
        self.events.send(TurnEvent::StateChanged { state }).await;
    }
}

fn asked(planned: &Planned) -> Option<Asked> {
    let Plan::Ask(question) = &planned.plan else {
        return None;
    };
    Some(Asked {
        interrupt: question.interrupt(&planned.call.id),
        asker: Asker::Model,
    })
}
