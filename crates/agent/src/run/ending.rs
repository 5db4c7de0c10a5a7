//! How a run ends: the turn is closed in its thread, then the thread is released, then the end is told.

use tokio::sync::mpsc::Sender;
use tracing::error;

use super::{End, Run, Stop, citations};
use crate::{
    AgentError, MessageBody, Record, TurnEvent, TurnOutcome, TurnResult, conversation, run::calls::Finished,
};

/// The last item of a run, to be sent once its thread is released.
pub(crate) struct Last {
    sender: Sender<Result<TurnEvent, AgentError>>,
    item: Result<TurnEvent, AgentError>,
}

impl Last {
    pub(crate) async fn send(self) {
        // Nobody may listen any more; everything is stored.
        let _ = self.sender.send(self.item).await;
    }
}

impl Run {
    pub(super) async fn end(mut self, end: Result<End, Stop>) -> Last {
        let outcome = match end {
            Ok(End::Asked) => Ok(None),
            Ok(End::Over(outcome)) => self.close(outcome).await,
            Err(Stop::Cancelled) => self.close(TurnOutcome::Cancelled).await,
            Err(Stop::Failed(cause)) => {
                let message = cause.to_string();
                // The cause is what a person should read, even if the store fails as well.
                if let Err(second) = self.close(TurnOutcome::Failed { message }).await {
                    error!(error = %second, thread = %self.log.thread().head.id, "a failed turn could not be closed");
                }
                Err(cause)
            }
        };
        let item = outcome.map(|outcome| TurnEvent::Finished(Box::new(self.result(outcome))));
        Last {
            sender: self.events.into_sender(),
            item,
        }
    }

    async fn close(&mut self, outcome: TurnOutcome) -> Result<Option<TurnOutcome>, AgentError> {
        match self.finish(outcome.clone()).await {
            Ok(()) => Ok(Some(outcome)),
            Err(Stop::Failed(error)) => Err(error),
            Err(Stop::Cancelled) => Ok(Some(TurnOutcome::Cancelled)),
        }
    }

    /// Ends the turn in its thread. Calls without a result get one, because no provider accepts a conversation without.
    pub(super) async fn finish(&mut self, outcome: TurnOutcome) -> Result<(), Stop> {
        if self.log.thread().turns.is_empty() {
            return Ok(());
        }
        let dangling = conversation::dangling_calls(self.log.thread());
        if !dangling.is_empty() {
            let records = dangling
                .iter()
                .map(|call| Finished::own(conversation::unfinished(call)).into_plain_record())
                .collect();
            self.log.append(records).await?;
        }
        let citations = citations::cited(self.log.thread());
        let record = Record::TurnFinished {
            outcome,
            citations,
            at: (self.agent.clock)(),
        };
        Ok(self.log.finish(record).await?)
    }

    fn result(&self, outcome: Option<TurnOutcome>) -> TurnResult {
        let thread = self.log.thread();
        let new_messages = thread
            .messages
            .get(self.first_message..)
            .unwrap_or_default()
            .to_vec();
        let answer = new_messages.iter().rev().find_map(|message| match &message.body {
            MessageBody::Assistant(message) => Some(message.text.clone()),
            MessageBody::User { .. } | MessageBody::Tool { .. } => None,
        });
        TurnResult {
            thread: thread.head.id.clone(),
            run: self.id.clone(),
            turn: thread.head.turns,
            outcome,
            answer: answer.unwrap_or_default(),
            new_messages,
            history: thread.messages.clone(),
            state: thread.state.clone(),
            citations: thread
                .turns
                .last()
                .map(|turn| turn.citations.clone())
                .unwrap_or_default(),
            interrupts: thread.interrupts(),
            usage: self.usage,
        }
    }
}
