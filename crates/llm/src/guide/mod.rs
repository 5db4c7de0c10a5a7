//! `guide:`, a model that is none: a deterministic planner over the declarations of the connected tools.
//!
//! It sees what any model sees, messages and tool declarations, and keeps nothing between calls: the plan follows from
//! the question, the position in it from the results since. It knows no toolset by name.
//!
//! What a toolset wants to be asked, a tool can declare in its `_meta` under `io.developmentseed.toolsets/examples`: a list
//! of questions, each with gaps and the calls that answer it, or of plain questions to show.
//!
//! ```json
//! [{"question": "Which objects mention {topic}?",
//!   "arguments": {"predicate": {"field": "title", "op": "contains_normalized", "value": "{topic}"}},
//!   "then": [{"tool": "collection_rank", "arguments": {"selection": "@state:met/collection_select/selection"}}]},
//!  "Where do the objects come from?"]
//! ```
//! A question fits if the words of the example that say something occur in it in this order; a gap takes the words between
//! its neighbours. In arguments `{gap}` stands for those words and a text `{gap:number}` for the number they are.

mod answer;
mod declaration;
mod example;
mod fill;
mod route;
#[cfg(test)]
mod tests;
mod turn;
mod words;

use futures::{StreamExt, stream};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use self::{
    declaration::Tool,
    route::{Route, Step},
    turn::Turn,
};
use crate::{
    AssistantMessage, ChatError, ChatModel, ChatRequest, ChatStream, ModelName, Reply, StopReason, ToolCall,
    ToolChoice, ToolResult, Usage, spoken,
};

/// How many options a question to the person may have.
const OPTIONS: std::ops::RangeInclusive<usize> = 2..=10;

/// The planner.
#[derive(Debug, Clone)]
pub struct Guide {
    name: ModelName,
}

impl Default for Guide {
    fn default() -> Self {
        Self {
            name: ModelName::guide(),
        }
    }
}

impl Guide {
    /// A guide; all are the same.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ChatModel for Guide {
    fn name(&self) -> &ModelName {
        &self.name
    }

    /// Answers at once. Fails with [`ChatError::Refused`] if the request wants JSON, which only a model can write.
    fn stream(&self, request: ChatRequest, cancel: CancellationToken) -> ChatStream {
        let model = self.name.clone();
        stream::once(async move {
            if cancel.is_cancelled() {
                return stream::once(async { Err(ChatError::Cancelled) }).boxed();
            }
            if request.format.is_some() {
                let reason = "it plans calls and writes no JSON".to_owned();
                return stream::once(async { Err(ChatError::Refused { model, reason }) }).boxed();
            }
            let reply = reply(decide(&request), &request);
            stream::iter(spoken::events(reply).into_iter().map(Ok)).boxed()
        })
        .flatten()
        .boxed()
    }
}

/// What the guide does next.
#[derive(Debug, PartialEq)]
enum Decision {
    Say(String),
    Call {
        tool: String,
        arguments: Map<String, Value>,
    },
}

fn decide(request: &ChatRequest) -> Decision {
    let tools = declaration::read(&request.tools);
    let turn = Turn::read(request, |text| {
        is_greeting(text) || asks_for_help(text) || route::is_example(text, &tools)
    });
    if turn.results.is_empty() {
        if is_greeting(&turn.question) {
            return Decision::Say(answer::greeting(&tools));
        }
        if asks_for_help(&turn.question) {
            return Decision::Say(answer::introduction(&tools));
        }
    }
    let decision = match route::find(&turn, &tools) {
        Route::Calls(steps) => follow(&steps, &turn, request),
        Route::MissingProducer { tool, parameter } => {
            Decision::Say(answer::missing_producer(tool, parameter))
        }
        Route::NotUnderstood => Decision::Say(answer::not_understood(&turn.question, &tools)),
    };
    match decision {
        Decision::Call { tool, .. } if request.tool_choice == ToolChoice::None => {
            Decision::Say(answer::stopped(&Progress::read(&turn).results, &tool))
        }
        decision => decision,
    }
}

/// The next step of a plan, given what came of the ones before.
fn follow(steps: &[Step<'_>], turn: &Turn<'_>, request: &ChatRequest) -> Decision {
    let progress = Progress::read(turn);
    if progress.unanswered {
        return Decision::Say(answer::unanswered());
    }
    let next = steps.get(progress.done);
    if let Some(result) = progress.latest {
        if result.is_error {
            return Decision::Say(answer::failure(result));
        }
        if let (Some(done), Some(next)) = (
            progress.done.checked_sub(1).and_then(|done| steps.get(done)),
            next,
        ) && lacks(done.tool, steps, result)
        {
            return ask(result, next.tool, request);
        }
    }
    let Some(step) = next else {
        let unused = unused(steps, turn);
        return Decision::Say(answer::report(&progress.results, &unused));
    };
    match &step.arguments {
        Some(arguments) => Decision::Call {
            tool: step.tool.name.clone(),
            arguments: fill::completed(step.tool, arguments, turn),
        },
        None => match fill::arguments(step.tool, turn) {
            Ok(arguments) => Decision::Call {
                tool: step.tool.name.clone(),
                arguments,
            },
            Err(missing) => Decision::Say(answer::missing_argument(step.tool, &missing)),
        },
    }
}

/// How far a plan has come.
struct Progress<'a> {
    /// Steps that need not run (again).
    done: usize,
    /// The result that came last, unless the person was asked after it.
    latest: Option<&'a ToolResult>,
    /// The results that count, one for each step done.
    results: Vec<&'a ToolResult>,
    /// The person was asked and did not choose.
    unanswered: bool,
}

impl<'a> Progress<'a> {
    fn read(turn: &Turn<'a>) -> Self {
        let mut results: Vec<&ToolResult> = Vec::new();
        let (mut latest, mut unanswered) = (None, false);
        for result in &turn.results {
            if matches!(result.tool.as_str(), "interrupt" | "ask_user") {
                // The person was asked because a step came to no decision: with the answer it runs again.
                results.pop();
                latest = None;
                unanswered = turn::choice(result).is_none();
            } else {
                results.push(result);
                latest = Some(*result);
            }
        }
        Self {
            done: results.len(),
            latest,
            results,
            unanswered,
        }
    }
}

/// Whether a step gave none of what later steps take from it.
fn lacks(done: &Tool, steps: &[Step<'_>], result: &ToolResult) -> bool {
    let taken = done.produces.iter();
    let mut taken = taken
        .filter(|product| steps.iter().any(|step| step.takes(product)))
        .peekable();
    taken.peek().is_some() && !taken.any(|product| answer::has_published(result, product))
}

/// Asks the person to decide: with the conversation's own tool if there are options to choose from, else in words.
fn ask(result: &ToolResult, next: &Tool, request: &ChatRequest) -> Decision {
    let options = answer::options(result);
    match declaration::asking_tool(&request.tools) {
        Some(tool) if OPTIONS.contains(&options.len()) => {
            let options: Vec<Value> = options
                .iter()
                .map(|option| json!({ "value": option, "label": option }))
                .collect();
            let arguments = json!({ "question": answer::question_of(result), "options": options });
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            Decision::Call {
                tool: tool.to_owned(),
                arguments,
            }
        }
        _ => Decision::Say(answer::undecided(result, next)),
    }
}

/// Words of the question that no step knows and none was handed.
fn unused<'q>(steps: &[Step<'_>], turn: &'q Turn<'_>) -> Vec<&'q str> {
    if steps.iter().any(|step| step.tool.takes_question()) {
        return Vec::new();
    }
    let handed = steps.iter().filter_map(|step| match &step.arguments {
        Some(arguments) => Some(arguments.clone()),
        None => fill::arguments(step.tool, turn).ok(),
    });
    let handed: Vec<String> = handed.flatten().map(|(_, value)| value.to_string()).collect();
    let is_handed = |text: &str| handed.iter().any(|value| value.contains(text));
    let knows = |stem: &String| steps.iter().any(|step| step.tool.weight(stem) > 0);
    let words = words::words(&turn.question).into_iter();
    words
        .filter(|word| word.has_content() && !fill::is_instruction(&word.stem))
        .filter(|word| !knows(&word.stem) && !is_handed(word.text))
        .map(|word| word.text)
        .collect()
}

fn is_greeting(question: &str) -> bool {
    const GREETINGS: &[&str] = &[
        "afternoon",
        "day",
        "evening",
        "good",
        "greeting",
        "guide",
        "hello",
        "hey",
        "hi",
        "morn",
        "thank",
        "welcom",
    ];
    let stems = words::stems(question);
    !stems.is_empty() && stems.len() <= 3 && stems.iter().all(|stem| GREETINGS.contains(&stem.as_str()))
}

fn asks_for_help(question: &str) -> bool {
    const QUESTIONS: &[&str] = &[
        "what can you do",
        "what do you do",
        "who are you",
        "what are you",
        "how do you work",
        "what can i ask",
    ];
    let plain = words::words(question)
        .iter()
        .map(|word| word.text.to_lowercase())
        .collect::<Vec<_>>()
        .join(" ");
    plain.is_empty() || plain == "help" || QUESTIONS.iter().any(|question| plain.contains(question))
}

fn reply(decision: Decision, request: &ChatRequest) -> Reply {
    let (message, stop_reason) = match decision {
        Decision::Say(text) => (
            AssistantMessage {
                text,
                ..AssistantMessage::default()
            },
            StopReason::Complete,
        ),
        Decision::Call { tool, arguments } => {
            // The number of messages only grows, so an id never comes twice in a conversation.
            let call = ToolCall::new(format!("guide-{}", request.messages.len()), tool, arguments);
            (
                AssistantMessage {
                    tool_calls: vec![call],
                    ..AssistantMessage::default()
                },
                StopReason::ToolCalls,
            )
        }
    };
    Reply {
        message,
        reasoning: String::new(),
        stop_reason,
        usage: Usage::default(),
    }
}
