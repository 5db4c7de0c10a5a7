//! Questions that a tool asks before it answers, and the answers that go back with the call.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::CallResult;

/// How a call ended, for a client that can be asked.
#[derive(Debug, Clone)]
pub enum CallOutcome {
    /// With a result.
    Complete(CallResult),
    /// With questions: the call is made again with the answers, and nothing has happened yet.
    InputRequired(Questions),
}

/// What a tool wants to know, by the keys that the answers go back under.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Questions {
    /// The questions; none means that the same call should simply be made again.
    #[serde(rename = "inputRequests")]
    pub requests: BTreeMap<String, Question>,
    /// What the server wants back as it is.
    #[serde(rename = "requestState")]
    pub state: Option<String>,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Question {
    /// Who is asked: `elicitation/create` the user, `sampling/createMessage` the model, `roots/list` the client.
    pub method: String,
    /// The question, in the form of that method.
    #[serde(default)]
    pub params: Value,
}

/// Answers to the questions of one round.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// A result for each question, in the form of its method.
    pub responses: Map<String, Value>,
    /// The state that came with the questions.
    pub state: Option<String>,
}

impl Questions {
    /// The answers to go back with the call.
    #[must_use]
    pub fn answer(&self, responses: Map<String, Value>) -> Answers {
        Answers {
            responses,
            state: self.state.clone(),
        }
    }
}

impl Question {
    /// The words for the person who is asked.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        self.params.get("message")?.as_str()
    }

    /// JSON Schema of the form that the person fills: an object of scalars.
    #[must_use]
    pub fn schema(&self) -> Option<&Value> {
        self.params.get("requestedSchema")
    }

    /// The form as it stands before a person has touched it: the fields that have defaults.
    #[must_use]
    pub fn defaults(&self) -> Map<String, Value> {
        let fields = self
            .schema()
            .and_then(|schema| schema.get("properties")?.as_object());
        let default = |(name, field): (&String, &Value)| Some((name.clone(), field.get("default")?.clone()));
        fields.into_iter().flatten().filter_map(default).collect()
    }

    /// The response of a person who filled the form.
    #[must_use]
    pub fn accept(content: Map<String, Value>) -> Value {
        let mut response = json!({ "action": "accept" });
        response["content"] = content.into();
        response
    }

    /// The response of a person who would rather not say.
    #[must_use]
    pub fn decline() -> Value {
        json!({ "action": "decline" })
    }
}

impl Answers {
    /// Adds the answers to the parameters of a call.
    pub(super) fn add_to(&self, params: &mut Value) {
        params["inputResponses"] = Value::Object(self.responses.clone());
        if let Some(state) = &self.state {
            params["requestState"] = state.as_str().into();
        }
    }
}
