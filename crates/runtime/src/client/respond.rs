//! Answers to what servers ask of a client: its user, its model, its folders.

use std::fmt;

use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::{
    Answers, ClientError, Connection, Credentials, Question, Questions, RemoteTool, session::Session,
    stream::Listener,
};

/// Most rounds of questions that one call is followed through.
pub(super) const MAX_ROUNDS: usize = 10;

/// Answers questions while a call waits for it.
///
/// A client that has one follows questions by itself, of both eras; one that has none gets them as
/// [`CallOutcome::InputRequired`](super::CallOutcome::InputRequired) and can take its time.
pub trait Responder: fmt::Debug + Send + Sync {
    /// The result that answers the question, in the form of its method; `None` if there is no answer to be had.
    fn respond<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Option<Value>>;
}

impl Connection {
    /// Answers the questions that a call ended with.
    pub(super) async fn respond(
        &self,
        tool: &RemoteTool,
        questions: &Questions,
    ) -> Result<Answers, ClientError> {
        let unanswered = || ClientError::InputRequired {
            tool: tool.name.clone(),
        };
        let responder = self.client.options().responder.as_ref().ok_or_else(unanswered)?;
        let mut responses = serde_json::Map::new();
        for (key, question) in &questions.requests {
            let response = responder.respond(question).await.ok_or_else(unanswered)?;
            responses.insert(key.clone(), response);
        }
        Ok(questions.answer(responses))
    }
}

/// Answers the requests of a legacy server, which come on the stream of a call.
pub(super) struct Hearing<'a> {
    pub(super) connection: &'a Connection,
    pub(super) session: &'a Session,
    pub(super) credentials: &'a Credentials,
}

#[derive(Deserialize)]
struct Asked<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
}

impl Listener for Hearing<'_> {
    fn hear<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let asked: Option<Asked<'_>> = serde_json::from_slice(message).ok();
            // Notifications have no id, and want no answer.
            if let Some(Asked {
                id: Some(id),
                method: Some(method),
                params,
            }) = asked
            {
                self.answer(id, Question { method, params }).await;
            }
        })
    }
}

impl Hearing<'_> {
    async fn answer(&self, id: &RawValue, question: Question) {
        let responder = self.connection.client.options().responder.as_ref();
        let response = match responder {
            Some(responder) => responder.respond(&question).await,
            None => None,
        };
        let message = match response {
            Some(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            None => {
                let error = json!({ "code": -32601, "message": "this client does not answer that" });
                json!({ "jsonrpc": "2.0", "id": id, "error": error })
            }
        };
        let headers = self.session.headers("", None);
        let body = message.to_string().into_bytes();
        let sent = self.connection.post(headers, body, None, self.credentials).await;
        if let Err(error) = sent {
            tracing::warn!(server = %self.connection.name(), %error, "an answer to the server was not delivered");
        }
    }
}
