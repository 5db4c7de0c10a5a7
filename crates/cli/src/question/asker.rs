//! Who answers for a `call`: first its `--answer` flags, then the person at the terminal, if there is one.

use std::{
    io::{self, BufRead as _, IsTerminal as _, Write as _},
    sync::{Mutex, PoisonError},
};

use futures::future::BoxFuture;
use periplus_runtime::client::{Question, Responder};
use periplus_state::JsonObject;
use serde_json::Value;
use tokio::task;

use super::{Field, fields, fill};
use crate::{arguments, exit::CliError, printer};

/// Answers the questions of one call, of servers of both eras and of tools in this process.
#[derive(Debug)]
pub(crate) struct Asker {
    /// What was given and not used yet, in its order.
    given: Mutex<Vec<(String, String)>>,
    is_terminal: bool,
    failure: Mutex<Option<CliError>>,
}

impl Asker {
    /// Takes the `--answer` flags of a command line.
    ///
    /// # Errors
    /// One of them is not of the form `NAME=VALUE`.
    pub(crate) fn new(answers: &[String]) -> Result<Self, CliError> {
        let given: Result<Vec<_>, CliError> = answers.iter().map(|text| arguments::answer(text)).collect();
        Ok(Self {
            given: Mutex::new(given?),
            // The result may go into a pipe: questions are put on standard error.
            is_terminal: io::stdin().is_terminal() && io::stderr().is_terminal(),
            failure: Mutex::default(),
        })
    }

    /// The response to a question.
    ///
    /// # Errors
    /// It is no form, an answer does not fit, or nobody answers.
    pub(crate) async fn answer(&self, question: &Question) -> Result<Value, CliError> {
        let form = fields(question).ok_or_else(|| no_form(question))?;
        let (mut content, open) = self.use_given(form)?;
        let answered = if open.is_empty() && !content.is_empty() {
            Some(JsonObject::new())
        } else if self.is_terminal {
            ask(message(question).to_owned(), open).await?
        } else if content.is_empty() {
            return Err(unanswered(question, &open));
        } else {
            Some(left_out(question, &open)?)
        };
        Ok(answered.map_or_else(Question::decline, |answered| {
            content.extend(answered);
            Question::accept(content)
        }))
    }

    /// Why a question went without an answer, once.
    pub(crate) fn failure(&self) -> Option<CliError> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Tells of answers that nothing asked for: one of them may be misspelt.
    pub(crate) fn tell_unused(&self) {
        for (name, _) in self.given.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            printer::warning(&format!(
                "the tool did not ask for {name:?}; its --answer was not used"
            ));
        }
    }

    /// The values of the fields that were answered on the command line, and the other fields.
    fn use_given(&self, form: Vec<Field>) -> Result<(JsonObject, Vec<Field>), CliError> {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut content, mut open) = (JsonObject::new(), Vec::new());
        for field in form {
            // Of several answers to one name, each serves one question: two confirmations can differ.
            let Some(index) = given.iter().position(|(name, _)| *name == field.name) else {
                open.push(field);
                continue;
            };
            let (_, text) = given.remove(index);
            let value = field
                .read(&text)
                .map_err(|problem| CliError::usage(format!("--answer {}={text}: {problem}", field.name)))?;
            content.extend(value.map(|value| (field.name, value)));
        }
        Ok((content, open))
    }
}

impl Responder for Asker {
    fn respond<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Option<Value>> {
        Box::pin(async move {
            let answer = self.answer(question).await;
            // The client has no words for it; the command that made the call asks for them.
            let keep = |error| *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            answer.map_err(keep).ok()
        })
    }
}

/// Asks at the terminal; `None` if the person would rather not say.
async fn ask(message: String, form: Vec<Field>) -> Result<Option<JsonObject>, CliError> {
    let asking = task::spawn_blocking(move || {
        printer::note(&message);
        fill(&form, read_line)
    });
    asking
        .await
        .unwrap_or_else(|error| Err(CliError::answer(format!("cannot ask at the terminal: {error}"))))
}

/// A line of the terminal, without its end; `None` at the end of the input.
fn read_line(prompt: &str) -> Result<Option<String>, CliError> {
    let read = || {
        let mut out = io::stderr().lock();
        // Half of it is what a server has written.
        write!(out, "{}", printer::printable(prompt))?;
        out.flush()?;
        let mut line = String::new();
        let count = io::stdin().lock().read_line(&mut line)?;
        if count == 0 {
            writeln!(out)?;
        }
        Ok((count > 0).then_some(line))
    };
    read().map_err(|error: io::Error| CliError::answer(format!("cannot read from the terminal: {error}")))
}

/// The values of fields that nobody answered in a form that somebody did answer.
fn left_out(question: &Question, open: &[Field]) -> Result<JsonObject, CliError> {
    let mut content = JsonObject::new();
    for field in open {
        let value = field.read("").map_err(|_needed| unanswered(question, open))?;
        content.extend(value.map(|value| (field.name.clone(), value)));
    }
    Ok(content)
}

fn message(question: &Question) -> &str {
    question.message().unwrap_or("The tool asks:")
}

fn no_form(question: &Question) -> CliError {
    CliError::answer(format!(
        "the tool asks {}, which a person cannot answer here",
        question.method
    ))
}

fn unanswered(question: &Question, open: &[Field]) -> CliError {
    let error = CliError::usage(format!(
        "the tool asks {:?}, and nobody is at a terminal to answer",
        message(question)
    ));
    let flags: Vec<String> = open
        .iter()
        .map(|field| format!("--answer {}=…", field.name))
        .collect();
    if flags.is_empty() {
        return error.hint("it asks for consent alone, which only a person at a terminal can give");
    }
    let about: Vec<String> = open.iter().map(Field::about).collect();
    error.hint(format!("give {} ({})", flags.join(" "), about.join("; ")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::exit::Exit;

    fn asker(answers: &[&str]) -> Asker {
        let answers: Vec<String> = answers.iter().map(|text| (*text).to_owned()).collect();
        Asker {
            is_terminal: false,
            ..Asker::new(&answers).unwrap()
        }
    }

    fn question(properties: &Value, required: &[&str]) -> Question {
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        Question {
            method: "elicitation/create".to_owned(),
            params: json!({ "message": "Who is it for?", "requestedSchema": schema }),
        }
    }

    fn person() -> Question {
        let properties = json!({
            "name": { "type": "string", "description": "Full name." },
            "age": { "type": "integer" },
            "color": { "type": "string", "enum": ["red", "blue"], "default": "red" },
        });
        question(&properties, &["name"])
    }

    #[tokio::test]
    async fn given_answers_are_read_as_the_fields_want_them_and_the_rest_is_left_out() {
        let answer = asker(&["name=12", "age=7"]).answer(&person()).await.unwrap();
        let content = json!({ "name": "12", "age": 7, "color": "red" });
        assert_eq!(answer, json!({ "action": "accept", "content": content }));
    }

    #[tokio::test]
    async fn without_an_answer_the_error_names_question_flag_and_field() {
        for given in [vec![], vec!["age=7"], vec!["nme=Ada"]] {
            let error = asker(&given).answer(&person()).await.unwrap_err();
            assert_eq!(error.exit, Exit::Usage);
            assert!(error.message.contains("Who is it for?"), "{}", error.message);
            let hint = error.hint.unwrap();
            assert!(
                hint.contains("--answer name=…") && hint.contains("Full name"),
                "{hint}"
            );
        }
    }

    #[tokio::test]
    async fn defaults_alone_are_nobodys_answer() {
        let optional = question(&json!({ "color": { "type": "string", "default": "red" } }), &[]);
        assert_eq!(asker(&[]).answer(&optional).await.unwrap_err().exit, Exit::Usage);
        let consent = question(&json!({}), &[]);
        let error = asker(&["ok=yes"]).answer(&consent).await.unwrap_err();
        assert!(error.hint.unwrap().contains("consent"));
    }

    #[tokio::test]
    async fn an_answer_that_does_not_fit_is_refused_with_what_would() {
        let error = asker(&["name=Ada", "color=green"])
            .answer(&person())
            .await
            .unwrap_err();
        assert!(
            error.message.contains("color is one of red, blue"),
            "{}",
            error.message
        );
    }

    #[tokio::test]
    async fn of_equal_names_each_answers_one_question() {
        let sure = question(&json!({ "confirm": { "type": "boolean" } }), &["confirm"]);
        let asker = asker(&["confirm=yes", "confirm=no"]);
        for expected in [true, false] {
            let answer = asker.answer(&sure).await.unwrap();
            assert_eq!(answer["content"]["confirm"], expected);
        }
        assert!(asker.answer(&sure).await.is_err(), "both are used");
    }

    #[tokio::test]
    async fn what_only_a_model_can_answer_is_no_usage_error() {
        let question = Question {
            method: "sampling/createMessage".to_owned(),
            params: json!({}),
        };
        let asker = asker(&["a=b"]);
        assert_eq!(asker.respond(&question).await, None);
        assert_eq!(asker.failure().unwrap().exit, Exit::Answer);
        assert!(asker.failure().is_none(), "it is told once");
    }
}
