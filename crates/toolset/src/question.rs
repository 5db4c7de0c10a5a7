//! Questions of a tool to its caller: to the person, to their model, or about the client itself.
//!
//! [`Context::ask`](crate::Context::ask) puts them. A server that keeps nothing between requests cannot wait for the
//! answer: the call ends with the questions, the client repeats it with the answers, and the tool runs again from its
//! start, where the same `ask` now returns what was answered. So a tool asks before it changes anything.

use std::{collections::BTreeMap, fmt, marker::PhantomData};

use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    JsonObject,
    schema::{Direction, ObjectSchema},
};

/// Something that a client may be able to do for a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Capability {
    /// Show its user a form.
    Elicitation,
    /// Let its model write something.
    Sampling,
    /// Name the folders it works in.
    Roots,
    /// Ask for the result of a call later.
    Tasks,
}

impl Capability {
    /// The client capabilities that declare it, as the wire has them.
    #[must_use]
    pub fn declaration(self) -> Value {
        match self {
            Self::Elicitation => json!({ "elicitation": {} }),
            Self::Sampling => json!({ "sampling": {} }),
            Self::Roots => json!({ "roots": {} }),
            Self::Tasks => json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } }),
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Elicitation => "show its user a form (elicitation)",
            Self::Sampling => "let its model write something (sampling)",
            Self::Roots => "name its folders (roots)",
            Self::Tasks => "come back for a result (tasks)",
        })
    }
}

/// A question as it goes to the client.
#[derive(Debug, Clone, PartialEq)]
pub struct InputRequest {
    /// What the answer is filed under; unique among the questions of a tool.
    pub key: String,
    /// The protocol method that asks it.
    pub method: &'static str,
    /// The parameters of that method.
    pub params: Value,
    /// What the client must be able to do.
    pub capability: Capability,
}

/// The answers to questions by their keys, as clients send them.
pub type Answers = BTreeMap<String, Value>;

/// A folder that the client works in.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Root {
    /// Where it is.
    pub uri: String,
    /// Its name for people.
    pub name: Option<String>,
}

/// What an answer says.
pub(crate) enum Reading<T> {
    Answer(T),
    /// The person would rather not say.
    Declined,
    /// No answer, or one that does not fit: the question is put again.
    Unusable,
}

/// A question whose answer is a `T`.
pub struct Question<T> {
    request: InputRequest,
    read: fn(&Value) -> Reading<T>,
    of: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned + JsonSchema> Question<T> {
    /// Asks the person to fill a form with the fields of `T`: texts, numbers, truth values and choices, no nesting.
    #[must_use]
    pub fn form(key: &str, message: &str) -> Self {
        let schema = ObjectSchema::new(Direction::Input).of::<T>();
        Self::form_with(key, message, schema)
    }
}

impl<T: DeserializeOwned> Question<T> {
    /// Asks the person to fill a form whose schema is written by hand.
    #[must_use]
    pub fn form_with(key: &str, message: &str, schema: JsonObject) -> Self {
        let mut params = json!({ "message": message });
        params["requestedSchema"] = schema.into();
        Self::new(
            InputRequest {
                key: key.to_owned(),
                method: "elicitation/create",
                params,
                capability: Capability::Elicitation,
            },
            |answer| match answer.get("action").and_then(Value::as_str) {
                Some("accept") => read(answer.get("content")),
                Some("decline" | "cancel") => Reading::Declined,
                _ => Reading::Unusable,
            },
        )
    }
}

impl Question<bool> {
    /// Asks the person for a yes; a no, and a closed form, is `false`.
    #[must_use]
    pub fn confirm(key: &str, message: &str) -> Self {
        let schema = json!({
            "type": "object",
            "properties": { "confirm": { "type": "boolean", "title": "Yes", "default": false } },
            "required": ["confirm"],
        });
        let asked = Question::<JsonObject>::form_with(key, message, into_object(schema));
        Self::new(asked.request, |answer| {
            let confirmed = answer.pointer("/content/confirm").and_then(Value::as_bool);
            match (answer.get("action").and_then(Value::as_str), confirmed) {
                (Some("accept"), Some(confirmed)) => Reading::Answer(confirmed),
                (Some("decline" | "cancel"), _) => Reading::Answer(false),
                _ => Reading::Unusable,
            }
        })
    }
}

impl Question<String> {
    /// Asks the client's model; the answer is its text.
    #[must_use]
    pub fn model(key: &str, prompt: &str, max_tokens: u32) -> Self {
        Self::new(
            InputRequest {
                key: key.to_owned(),
                method: "sampling/createMessage",
                params: json!({
                    "messages": [{ "role": "user", "content": { "type": "text", "text": prompt } }],
                    "maxTokens": max_tokens,
                }),
                capability: Capability::Sampling,
            },
            |answer| match text_of(answer.get("content")) {
                Some(text) => Reading::Answer(text),
                None => Reading::Unusable,
            },
        )
    }
}

impl Question<Vec<Root>> {
    /// Asks which folders the client works in.
    #[must_use]
    pub fn roots(key: &str) -> Self {
        Self::new(
            InputRequest {
                key: key.to_owned(),
                method: "roots/list",
                params: json!({}),
                capability: Capability::Roots,
            },
            |answer| read(answer.get("roots")),
        )
    }
}

impl<T> Question<T> {
    fn new(request: InputRequest, read: fn(&Value) -> Reading<T>) -> Self {
        Self {
            request,
            read,
            of: PhantomData,
        }
    }

    /// What the client is asked.
    #[must_use]
    pub fn request(&self) -> &InputRequest {
        &self.request
    }
}

impl<T> fmt::Debug for Question<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Question").field(&self.request).finish()
    }
}

fn read<T: DeserializeOwned>(value: Option<&Value>) -> Reading<T> {
    match value.and_then(|value| T::deserialize(value).ok()) {
        Some(answer) => Reading::Answer(answer),
        None => Reading::Unusable,
    }
}

/// The text of one content block, or of several.
fn text_of(content: Option<&Value>) -> Option<String> {
    match content? {
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks
                .iter()
                .filter_map(|block| block.get("text")?.as_str())
                .collect();
            (!texts.is_empty()).then(|| texts.concat())
        }
        block => block.get("text")?.as_str().map(str::to_owned),
    }
}

fn into_object(value: Value) -> JsonObject {
    crate::input::into_object(value)
}

/// How far a set of questions is answered.
#[derive(Debug, Default)]
pub struct Standing {
    /// Questions without a usable answer.
    pub(crate) open: Vec<InputRequest>,
    /// Questions that were declined.
    pub(crate) declined: Vec<InputRequest>,
    /// Usable answers, as they came.
    pub(crate) answered: Answers,
}

/// One question or several that are asked together: a [`Question`], or a tuple or list of them.
pub trait Questions: Send + Sync {
    /// What they answer to.
    type Answers;

    /// Sorts the questions by their answers; the answers are there once none is open or declined.
    #[doc(hidden)]
    fn stand(&self, answers: &Answers, standing: &mut Standing) -> Option<Self::Answers>;
}

impl<T> Questions for Question<T> {
    type Answers = T;

    fn stand(&self, answers: &Answers, standing: &mut Standing) -> Option<T> {
        let key = &self.request.key;
        let answer = answers.get(key);
        let reading = answer.map_or(Reading::Unusable, self.read);
        let keep = |standing: &mut Standing| {
            if let Some(answer) = answer {
                standing.answered.insert(key.clone(), answer.clone());
            }
        };
        match reading {
            Reading::Answer(value) => {
                keep(standing);
                Some(value)
            }
            Reading::Declined => {
                keep(standing);
                standing.declined.push(self.request.clone());
                None
            }
            Reading::Unusable => {
                standing.open.push(self.request.clone());
                None
            }
        }
    }
}

impl<Q: Questions> Questions for Vec<Q> {
    type Answers = Vec<Q::Answers>;

    fn stand(&self, answers: &Answers, standing: &mut Standing) -> Option<Self::Answers> {
        // All are looked at, also behind one that is open: they are asked together.
        let found: Vec<Option<Q::Answers>> = self
            .iter()
            .map(|question| question.stand(answers, standing))
            .collect();
        found.into_iter().collect()
    }
}

macro_rules! tuples {
    ($(($($name:ident),+))+) => {$(
        impl<$($name: Questions),+> Questions for ($($name,)+) {
            type Answers = ($($name::Answers,)+);

            #[expect(non_snake_case, reason = "each question is named after its type")]
            fn stand(&self, answers: &Answers, standing: &mut Standing) -> Option<Self::Answers> {
                let ($($name,)+) = self;
                $(let $name = $name.stand(answers, standing);)+
                Some(($($name?,)+))
            }
        }
    )+};
}

tuples! {
    (A, B)
    (A, B, C)
    (A, B, C, D)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Person {
        /// Full name.
        name: String,
        /// Age in years.
        age: Option<u8>,
    }

    fn stand<Q: Questions>(questions: &Q, answers: Value) -> (Option<Q::Answers>, Standing) {
        let answers: Answers = serde_json::from_value(answers).unwrap();
        let mut standing = Standing::default();
        let found = questions.stand(&answers, &mut standing);
        (found, standing)
    }

    #[test]
    fn a_form_asks_for_the_fields_of_its_type() {
        let question = Question::<Person>::form("who", "Who are you?");
        let schema = &question.request().params["requestedSchema"];
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["properties"]["name"]["description"], "Full name.");
        assert_eq!(schema["required"], json!(["name"]));
    }

    #[test]
    fn an_answer_that_does_not_fit_leaves_the_question_open() {
        let question = Question::<Person>::form("who", "Who are you?");
        for answer in [
            json!(1),
            json!({}),
            json!({ "action": "accept" }),
            json!({ "action": "accept", "content": { "name": 1 } }),
            json!({ "action": "perhaps", "content": { "name": "Ada" } }),
        ] {
            let (found, standing) = stand(&question, json!({ "who": answer }));
            assert_eq!(found, None);
            assert_eq!(standing.open.len(), 1, "{answer}");
            assert!(standing.answered.is_empty());
        }
        let (found, standing) = stand(
            &question,
            json!({ "who": { "action": "accept", "content": { "name": "Ada" } }, "other": 1 }),
        );
        assert_eq!(
            found,
            Some(Person {
                name: "Ada".to_owned(),
                age: None
            })
        );
        assert_eq!(standing.answered.len(), 1, "what was not asked is not kept");
    }

    #[test]
    fn questions_asked_together_are_answered_together() {
        let questions = (
            Question::<Person>::form("who", "Who are you?"),
            Question::model("greeting", "Greet them.", 10),
            Question::roots("roots"),
        );
        let greeting = json!({ "role": "assistant", "content": { "type": "text", "text": "Hello" } });
        let (found, standing) = stand(&questions, json!({ "greeting": greeting }));
        assert_eq!(found, None);
        let open: Vec<&str> = standing.open.iter().map(|request| request.key.as_str()).collect();
        assert_eq!(open, ["who", "roots"]);
        assert!(standing.answered.contains_key("greeting"));
    }

    #[test]
    fn a_form_can_be_declined_and_a_confirmation_is_then_a_no() {
        let declined = json!({ "q": { "action": "decline" } });
        let (found, standing) = stand(&Question::<Person>::form("q", "Who?"), declined.clone());
        assert_eq!((found, standing.declined.len()), (None, 1));
        let (found, standing) = stand(&Question::confirm("q", "Sure?"), declined);
        assert_eq!((found, standing.declined.len()), (Some(false), 0));
    }
}
