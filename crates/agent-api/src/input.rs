//! What a run is asked for: AG-UI's `RunAgentInput`, of which the last message of the person and the answers are read.

use periplus_agent::{InterruptAnswer, RunId, ThreadId, UserMessage};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

use crate::error::ApiError;

/// The body of a run. State, tools, context and earlier messages that clients send along are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct RunInput {
    #[serde(alias = "thread_id")]
    pub(crate) thread_id: Option<ThreadId>,
    #[serde(alias = "run_id")]
    pub(crate) run_id: Option<RunId>,
    messages: Vec<InputMessage>,
    resume: Option<Vec<InterruptAnswer>>,
}

#[derive(Debug, Deserialize)]
struct InputMessage {
    id: String,
    role: String,
    #[serde(default)]
    content: Option<Value>,
}

/// What the person wants.
#[derive(Debug)]
pub(crate) enum Wish {
    /// An answer to a message.
    Message(UserMessage),
    /// To go on with the answers to the open questions. `last` is the last message of the person that the client sent
    /// along; the thread must know it, else the person wanted both.
    Resume {
        answers: Vec<InterruptAnswer>,
        last: Option<UserMessage>,
    },
}

impl RunInput {
    pub(crate) fn parse(body: &[u8]) -> Result<Self, ApiError> {
        // The library would take a list for the fields in order, and name our type where it refuses.
        let is_object = body.trim_ascii_start().starts_with(b"{");
        if !is_object && serde_json::from_slice::<IgnoredAny>(body).is_ok() {
            return Err(ApiError::Invalid("the run must be a JSON object".to_owned()));
        }
        serde_json::from_slice(body)
            .map_err(|error| ApiError::Invalid(format!("the run cannot be read: {error}")))
    }

    pub(crate) fn wish(self) -> Result<Wish, ApiError> {
        let last = self
            .messages
            .into_iter()
            .rfind(|message| message.role == "user")
            .map(|message| UserMessage {
                text: message.text(),
                id: Some(message.id),
            });
        match (self.resume, last) {
            (Some(answers), last) if !answers.is_empty() => Ok(Wish::Resume { answers, last }),
            (_, Some(message)) if !message.text.trim().is_empty() => Ok(Wish::Message(message)),
            _ => Err(ApiError::Invalid("no user message to run".to_owned())),
        }
    }
}

impl InputMessage {
    /// The text of the message; other parts than text have none.
    fn text(&self) -> String {
        match &self.content {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(parts)) => parts
                .iter()
                .filter(|part| part.get("type").and_then(Value::as_str) == Some("text"))
                .filter_map(|part| part.get("text").and_then(Value::as_str))
                .collect(),
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wish(body: &Value) -> Result<Wish, ApiError> {
        RunInput::parse(body.to_string().as_bytes())?.wish()
    }

    #[test]
    fn only_the_last_message_of_the_person_is_read_and_its_text_parts_are_joined() {
        let body = json!({
            "threadId": "t1", "runId": "r1", "state": {}, "tools": [], "context": [], "forwardedProps": {},
            "messages": [
                {"id": "u1", "role": "user", "content": "earlier"},
                {"id": "a1", "role": "assistant", "content": "answer"},
                {"id": "u2", "role": "user", "content": [
                    {"type": "text", "text": "la"}, {"type": "binary", "mimeType": "image/png"}, {"type": "text", "text": "ter"},
                ]},
            ],
        });
        let Wish::Message(message) = wish(&body).unwrap() else {
            panic!("it is a message");
        };
        assert_eq!(
            (message.id.as_deref(), message.text.as_str()),
            (Some("u2"), "later")
        );
    }

    #[test]
    fn names_in_snake_case_are_understood() {
        let body = json!({"thread_id": "t1", "run_id": "r1", "resume": [{"interrupt_id": "i", "status": "resolved", "payload": "a"}]});
        let input = RunInput::parse(body.to_string().as_bytes()).unwrap();
        assert_eq!(input.thread_id.as_ref().unwrap().as_str(), "t1");
        assert!(
            matches!(input.wish().unwrap(), Wish::Resume { answers, last: None } if answers[0].interrupt_id == "i")
        );
    }

    #[test]
    fn a_run_without_anything_to_run_is_refused() {
        for body in [
            json!({}),
            json!({"messages": []}),
            json!({"messages": [{"id": "u", "role": "user", "content": "  "}]}),
            json!({"messages": [{"id": "u", "role": "user"}]}),
            json!({"messages": [{"id": "a", "role": "assistant", "content": "x"}], "resume": []}),
            json!({"messages": [{"role": "user", "content": "no id"}]}),
            json!({"threadId": "../x", "messages": [{"id": "u", "role": "user", "content": "x"}]}),
            json!({"resume": [{"interruptId": "i", "status": "maybe"}]}),
            json!([]),
        ] {
            assert!(matches!(wish(&body), Err(ApiError::Invalid(_))), "{body}");
        }
    }
}
