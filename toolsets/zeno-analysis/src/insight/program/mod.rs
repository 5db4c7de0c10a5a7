//! Charts made by a program that a model writes. The program runs confined, and what it returns is believed only as far
//! as it depends on the rows.

mod output;
mod prompt;
mod verify;

use std::sync::Arc;

use periplus_interpreter::{Engine, Interpreter, Limits, Program, Table};
use periplus_llm::{ChatError, ChatModel, ChatRequest, Message};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use self::output::Output;
use super::{
    Made, Question,
    facts::{Axis, Fact, Stated, Subject},
    frame::{Frame, text_of},
    generate::{Draft, Study},
    sketch::Sketch,
};
use crate::catalogue::Endpoint;

/// Repairs of one model's program.
const MAX_REPAIRS: usize = 3;

/// Why no program made charts.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProgramError {
    /// The model could not be asked.
    #[error(transparent)]
    Chat(#[from] ChatError),
    /// Its program is still wrong after the last repair.
    #[error("the program is still wrong after {MAX_REPAIRS} repairs: {0}")]
    Wrong(String),
    /// Programs cannot be run.
    #[error(transparent)]
    Interpreter(#[from] periplus_interpreter::Error),
}

/// Asks the models in their order until one has written a program that holds.
pub(super) async fn make(
    question: &Question<'_>,
    study: Study<'_>,
    coders: &[Arc<dyn ChatModel>],
    interpreter: &Interpreter,
    cancel: &CancellationToken,
) -> Result<Made, ProgramError> {
    // A worker gets ready while the model thinks.
    interpreter.warm();
    let mut last = ProgramError::Wrong("there is no model".to_owned());
    for coder in coders {
        match written_by(coder.as_ref(), question, study, interpreter, cancel).await {
            Ok(made) => return Ok(made),
            Err(error) => {
                tracing::warn!(model = %coder.name(), %error, "no program");
                last = error;
            }
        }
        if cancel.is_cancelled() {
            break;
        }
    }
    Err(last)
}

async fn written_by(
    model: &dyn ChatModel,
    question: &Question<'_>,
    study: Study<'_>,
    interpreter: &Interpreter,
    cancel: &CancellationToken,
) -> Result<Made, ProgramError> {
    let mut messages = vec![Message::user(prompt::of(question, study))];
    let mut problem = String::new();
    for _ in 0..=MAX_REPAIRS {
        let request = ChatRequest::new(messages.clone()).with_system(prompt::RULES);
        let reply = model.reply(request, cancel.clone()).await?;
        let code = code_in(&reply.message.text);
        match run(code, question.frame, interpreter).await? {
            Ok(output) => return Ok(made(output, code.to_owned(), study)),
            Err(found) => problem = found,
        }
        messages.push(Message::assistant(reply.message.text.clone()));
        messages.push(Message::user(format!(
            "The program cannot be used:\n{problem}\nReturn the whole corrected program."
        )));
    }
    Err(ProgramError::Wrong(problem))
}

/// The program in a reply: what stands in the first fence, else all of it.
fn code_in(reply: &str) -> &str {
    let Some((_, rest)) = reply.split_once("```") else {
        return reply;
    };
    let body = rest.split_once('\n').map_or(rest, |(_, body)| body);
    body.split_once("```").map_or(body, |(code, _)| code)
}

/// Runs a program and verifies what it returns. The inner error is what the model has to repair.
async fn run(
    code: &str,
    frame: &Frame,
    interpreter: &Interpreter,
) -> Result<Result<(Vec<Sketch>, Vec<Stated>), String>, ProgramError> {
    let output = match execute(code, rows(frame, |_, _, value| value.clone()), interpreter).await? {
        Ok(output) => output,
        Err(problem) => return Ok(Err(problem)),
    };
    // The same program on other numbers: what comes out the same was never computed from them.
    let moved = rows(frame, |row, column, value| moved(frame, row, column, value));
    let shadow = execute(code, moved, interpreter).await?.ok();
    Ok(verify::verify(output, shadow.as_ref(), frame))
}

async fn execute(
    code: &str,
    rows: Table,
    interpreter: &Interpreter,
) -> Result<Result<Output, String>, ProgramError> {
    use periplus_interpreter::Error;
    let program = Program {
        engine: Engine::Python,
        code: code.to_owned(),
        tables: vec![rows],
        limits: Limits::default(),
    };
    match interpreter.run(program).await {
        Ok(outcome) => Ok(Output::read(outcome.result)),
        Err(error @ (Error::Spawn { .. } | Error::Busy { .. } | Error::TableName { .. })) => {
            Err(error.into())
        }
        // Everything else is the program's doing.
        Err(error) => Ok(Err(error.to_string())),
    }
}

/// The rows as the program sees them.
fn rows(frame: &Frame, cell: impl Fn(usize, &str, &Value) -> Value) -> Table {
    let columns = frame.informative_columns();
    Table {
        name: "rows".to_owned(),
        rows: (0..frame.row_count())
            .map(|row| {
                columns
                    .iter()
                    .map(|column| cell(row, column, frame.value(row, column)))
                    .collect()
            })
            .collect(),
        columns: columns.into_iter().map(str::to_owned).collect(),
    }
}

/// A measure moved by a share that differs from row to row, so that neither sums nor shares stay what they were.
fn moved(frame: &Frame, row: usize, column: &str, value: &Value) -> Value {
    match frame.number(row, column) {
        Some(number) if verify::is_measure(column) => {
            let step = (row * 7 + column.len() * 3) % 11;
            Value::from(number * (1.0 + (step as f64 + 1.0) / 16.0) + 1.0)
        }
        _ => value.clone(),
    }
}

fn made((sketches, findings): (Vec<Sketch>, Vec<Stated>), code: String, study: Study<'_>) -> Made {
    let mut facts: Vec<Fact> = findings
        .into_iter()
        .map(|stated| Fact {
            text: format!(
                "{}: {}.",
                stated.label,
                super::facts::say(stated.figure.value, &stated.unit)
            ),
            figures: vec![stated],
        })
        .collect();
    for sketch in &sketches {
        facts.extend(facts_of(sketch, study));
    }
    Made {
        draft: Draft {
            sketches,
            facts,
            notes: Vec::new(),
        },
        program: Some(code),
    }
}

/// What can be said of a chart with one measure along one axis.
fn facts_of(sketch: &Sketch, study: Study<'_>) -> Vec<Fact> {
    let split = [&sketch.color, &sketch.stack, &sketch.group];
    if sketch.y.is_empty() || sketch.x.is_empty() || split.iter().any(|column| !column.is_empty()) {
        return Vec::new();
    }
    let axis = if periplus_chart::is_time(&sketch.x) {
        Axis::Time
    } else if sketch.x == super::frame::NAME {
        Axis::Places
    } else {
        Axis::Parts
    };
    let unit = periplus_chart::unit(&sketch.y).unwrap_or_default();
    let is_extent = study.dataset.endpoint == Endpoint::Grasslands && axis == Axis::Time;
    super::facts::of(&Subject {
        noun: sketch.title.clone(),
        unit,
        items: sketch.items(&sketch.y),
        axis,
        additive: !is_extent && !matches!(unit, "%" | "" | "tCO₂e/t"),
    })
}

/// A label as it is compared.
fn label(value: &Value) -> String {
    text_of(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_taken_out_of_its_fence() {
        assert_eq!(code_in("Here:\n```python\nx = 1\nx\n```\nDone"), "x = 1\nx\n");
        assert_eq!(code_in("x = 1"), "x = 1");
        assert_eq!(code_in("```\nx"), "x");
    }
}
