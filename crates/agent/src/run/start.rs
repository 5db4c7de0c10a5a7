//! How a run begins: with a message, or with answers to what an earlier run asked.

use periplus_llm::{ToolCall, ToolResult};

use super::{End, Run, Stop};
use crate::{
    AgentError, Asked, Asker, InterruptAnswer, Record, TurnEvent, TurnOutcome, UserMessage, id::random_id,
    interrupt::Question,
};

/// What a run begins with.
pub(crate) enum Start {
    Message(UserMessage),
    Answers {
        given: Vec<InterruptAnswer>,
        answered: Vec<Answered>,
    },
}

/// An answer, ready to go on with.
pub(crate) struct Answered {
    /// The call that asked.
    call_id: String,
    /// What it comes to.
    outcome: Outcome,
}

enum Outcome {
    /// The result of the call.
    Result(String),
}

impl Start {
    /// Reads answers that were matched to their questions.
    pub(crate) fn answers(matched: &[(&Asked, &InterruptAnswer)]) -> Result<Self, AgentError> {
        let mut answered = Vec::new();
        for (asked, answer) in matched {
            let outcome = match &asked.asker {
                Asker::Model => Question::result(&asked.interrupt, answer).map(Outcome::Result),
                Asker::Tool { .. } => Err("tools cannot ask yet".to_owned()),
            };
            answered.push(Answered {
                call_id: asked.interrupt.tool_call_id.clone(),
                outcome: outcome.map_err(|problem| AgentError::InvalidAnswer {
                    interrupt_id: asked.interrupt.id.clone(),
                    problem,
                })?,
            });
        }
        Ok(Self::Answers {
            given: matched.iter().map(|(_, answer)| (*answer).clone()).collect(),
            answered,
        })
    }
}

impl Run {
    /// Stores what the run begins with; an end comes back if the person has to be asked again at once.
    pub(super) async fn begin(&mut self, start: Start) -> Result<Option<End>, Stop> {
        self.heal(&start).await?;
        let is_first_turn = self.log.thread().turns.is_empty();
        self.toolsets = self.agent.toolsets_for(is_first_turn).await;
        match start {
            Start::Message(message) => {
                self.start_turn(message).await?;
                Ok(None)
            }
            Start::Answers { given, answered } => {
                let record = Record::Resumed {
                    run: self.id.clone(),
                    answers: given,
                    at: (self.agent.clock)(),
                };
                self.log.append(vec![record], &[]).await?;
                self.tell_start().await;
                self.answer(answered).await
            }
        }
    }

    /// Ends the turn of a run that was killed, before another one begins.
    async fn heal(&mut self, start: &Start) -> Result<(), Stop> {
        let thread = self.log.thread();
        let was_killed = thread.turns.last().is_some_and(|turn| turn.outcome.is_none());
        if was_killed && matches!(start, Start::Message(_)) {
            let message = "the run was killed before it came to an answer".to_owned();
            self.finish(TurnOutcome::Failed { message }).await?;
            self.first_message = self.log.thread().messages.len();
        }
        Ok(())
    }

    async fn start_turn(&mut self, message: UserMessage) -> Result<(), Stop> {
        let thread = self.log.thread();
        // An id that the thread holds already would let a client overwrite an earlier message.
        let message_id = message
            .id
            .filter(|id| !id.is_empty() && !thread.has_message(id))
            .unwrap_or_else(random_id);
        let record = Record::TurnStarted {
            turn: thread.head.turns + 1,
            run: self.id.clone(),
            message_id,
            text: message.text,
            at: (self.agent.clock)(),
        };
        self.log.append(vec![record], &[]).await?;
        self.tell_start().await;
        Ok(())
    }

    async fn tell_start(&self) {
        let thread = self.log.thread();
        let event = TurnEvent::Started {
            thread: thread.head.id.clone(),
            run: self.id.clone(),
            turn: thread.head.turns,
            message_id: thread
                .turns
                .last()
                .map(|turn| turn.message_id.clone())
                .unwrap_or_default(),
            state: self.log.state().clone(),
        };
        self.events.send(event).await;
    }

    /// Turns answers into the results of the calls that asked.
    async fn answer(&mut self, answered: Vec<Answered>) -> Result<Option<End>, Stop> {
        for Answered { call_id, outcome } in answered {
            let Some(call) = self.log.thread().call(&call_id).cloned() else {
                continue;
            };
            match outcome {
                Outcome::Result(text) => self.record_result(&call, text).await?,
            }
        }
        Ok(None)
    }

    async fn record_result(&mut self, call: &ToolCall, text: String) -> Result<(), Stop> {
        let result = ToolResult::of(call, text);
        let finished = super::calls::Finished::own(result);
        self.tell_finished(&finished).await;
        self.log.append(vec![finished.into_record()], &[]).await?;
        Ok(())
    }
}
