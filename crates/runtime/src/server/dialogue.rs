//! Questions to legacy clients: requests of the server on the stream of a call, answered by messages of their own.
//!
//! An answer must reach the process that asked, so this is for toolsets that allow it, on servers of one replica.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use futures::future::BoxFuture;
use periplus_toolset::{Answers, InputRequest, Line};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::protocol::Response;

/// Questions that may wait for an answer at once; each belongs to a running call.
const MAX_WAITING: usize = 1024;

type Reply = Result<Value, String>;

/// The questions that wait for answers, by the ids they were asked under, which nobody can guess.
#[derive(Debug, Default)]
pub(super) struct Dialogues(Mutex<HashMap<String, oneshot::Sender<Reply>>>);

impl Dialogues {
    /// Hands an answer to the call that waits for it, if one does.
    pub(super) fn deliver(&self, response: &Response<'_>) {
        let id = response.id.and_then(|id| serde_json::from_str::<String>(id).ok());
        let Some(waiting) = id.and_then(|id| self.lock().remove(&id)) else {
            return;
        };
        let reply = match response.outcome {
            Ok(result) => serde_json::from_str(result.get()).map_err(|error| error.to_string()),
            Err(error) => Err(refusal(error.get())),
        };
        // The call may have ended while the answer travelled.
        let _ = waiting.send(reply);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, oneshot::Sender<Reply>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a client says that will not answer.
fn refusal(error: &str) -> String {
    let error: Value = serde_json::from_str(error).unwrap_or_default();
    match error.get("message").and_then(Value::as_str) {
        Some(message) => format!("the client does not answer: {message}"),
        None => "the client does not answer".to_owned(),
    }
}

/// The line to a legacy caller: the stream of its call, and the messages that come back.
pub(super) struct LegacyLine {
    pub(super) dialogues: Arc<Dialogues>,
    pub(super) messages: mpsc::Sender<Value>,
}

impl Line for LegacyLine {
    fn ask(&self, requests: Vec<InputRequest>) -> Option<BoxFuture<'_, Result<Answers, String>>> {
        Some(Box::pin(async move {
            let mut answers = Answers::new();
            for request in requests {
                let answer = self.ask_one(&request).await?;
                answers.insert(request.key, answer);
            }
            Ok(answers)
        }))
    }

    /// Legacy clients know no tasks: they wait.
    fn detach(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

impl LegacyLine {
    async fn ask_one(&self, request: &InputRequest) -> Reply {
        let (waiting, answer) = Waiting::begin(&self.dialogues)?;
        let message = json!({
            "jsonrpc": "2.0", "id": waiting.id, "method": request.method, "params": request.params,
        });
        let gone = || "the client is gone".to_owned();
        self.messages.send(message).await.map_err(|_closed| gone())?;
        answer.await.map_err(|_closed| gone())?
    }
}

/// One question that waits; it is forgotten when its call ends.
struct Waiting<'a> {
    dialogues: &'a Dialogues,
    id: String,
}

impl<'a> Waiting<'a> {
    fn begin(dialogues: &'a Dialogues) -> Result<(Self, oneshot::Receiver<Reply>), String> {
        let id = uuid::Uuid::new_v4().to_string();
        let (sender, receiver) = oneshot::channel();
        let mut waiting = dialogues.lock();
        if waiting.len() >= MAX_WAITING {
            return Err("the server waits for as many answers as it may".to_owned());
        }
        waiting.insert(id.clone(), sender);
        drop(waiting);
        Ok((Self { dialogues, id }, receiver))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.dialogues.lock().remove(&self.id);
    }
}
