//! How a run begins: with a message, or with answers to what an earlier run asked.

use periplus_llm::{ToolCall, ToolResult};
use periplus_runtime::client::Answers;

use super::{End, Run, Stop};
use crate::{
    AgentError, Asked, Asker, InterruptAnswer, Record, TurnEvent, TurnOutcome, UserMessage,
    id::random_id,
    interrupt::{Question, response},
};

/// What a run begins with.
pub(crate) enum Start {
    Message(UserMessage),
    Answers(Box<Given>),
}

/// Answers, ready to go on with.
pub(crate) struct Given {
    answers: Vec<InterruptAnswer>,
    /// Calls of the model's own questions, each with its result.
    results: Vec<(String, String)>,
    /// Calls that are made again, each with the answers to what its tool had asked.
    calls: Vec<(String, Answers)>,
}

impl Start {
    /// Reads answers that were matched to their questions.
    pub(crate) fn answers(matched: &[(&Asked, &InterruptAnswer)]) -> Result<Self, AgentError> {
        let mut given = Given {
            answers: matched.iter().map(|(_, answer)| (*answer).clone()).collect(),
            results: Vec::new(),
            calls: Vec::new(),
        };
        for (asked, answer) in matched {
            given
                .add(asked, answer)
                .map_err(|problem| AgentError::InvalidAnswer {
                    interrupt_id: asked.interrupt.id.clone(),
                    problem,
                })?;
        }
        Ok(Self::Answers(Box::new(given)))
    }
}

impl Given {
    fn add(&mut self, asked: &Asked, answer: &InterruptAnswer) -> Result<(), String> {
        let call_id = asked.interrupt.tool_call_id.clone();
        match &asked.asker {
            Asker::Model => {
                let result = Question::result(&asked.interrupt, answer)?;
                self.results.push((call_id, result));
            }
            Asker::Tool { request, state } => {
                let response = response(&asked.interrupt, answer)?;
                let answers = self.answers_of(call_id);
                answers.state.clone_from(state);
                answers.responses.insert(request.clone(), response);
            }
        }
        Ok(())
    }

    /// The answers that go with a call; a tool may ask several things at once.
    fn answers_of(&mut self, call_id: String) -> &mut Answers {
        let at = match self.calls.iter().position(|(id, _)| *id == call_id) {
            Some(at) => at,
            None => {
                self.calls.push((call_id, Answers::default()));
                self.calls.len() - 1
            }
        };
        let (_, answers) = self.calls.get_mut(at).expect("it was found or added just now");
        answers
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
            Start::Answers(given) => {
                let record = Record::Resumed {
                    run: self.id.clone(),
                    answers: given.answers.clone(),
                    at: (self.agent.clock)(),
                };
                self.log.append(vec![record]).await?;
                self.tell_start().await;
                self.go_on(*given).await
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
        self.log.append(vec![record]).await?;
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
    async fn go_on(&mut self, given: Given) -> Result<Option<End>, Stop> {
        for (call_id, text) in given.results {
            if let Some(call) = self.log.thread().call(&call_id).cloned() {
                self.record_result(&call, text).await?;
            }
        }
        let thread = self.log.thread();
        let calls: Vec<(ToolCall, Answers)> = given
            .calls
            .into_iter()
            .filter_map(|(id, answers)| Some((thread.call(&id)?.clone(), answers)))
            .collect();
        let has_asked_again = self.answered_calls(calls).await?;
        Ok(has_asked_again.then_some(End::Asked))
    }

    async fn record_result(&mut self, call: &ToolCall, text: String) -> Result<(), Stop> {
        let result = ToolResult::of(call, text);
        let finished = super::calls::Finished::own(result);
        self.tell_finished(&finished).await;
        self.log.append(vec![finished.into_plain_record()]).await?;
        Ok(())
    }
}
