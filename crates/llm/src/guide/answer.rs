//! The guide's own words: few, and honest about what it is.

use serde_json::Value;

use super::{
    declaration::{Product, Tool},
    fill::Missing,
    turn::{published, without_note},
};
use crate::ToolResult;

/// Ends every question of the guide; a conversation that goes on from it is read together with the question before.
pub(super) const WHICH_ONE: &str = "Tell me, and I will go on from your question.";

const ABOUT: &str =
    "I am the guide: no language model, only a planner that reads what the connected tools declare.";

/// Tools that are introduced one by one.
const MAX_TOOLS_SHOWN: usize = 20;
const MAX_EXAMPLES_SHOWN: usize = 12;
/// How much of an earlier step is told beside the answer.
const MAX_STEP_CHARS: usize = 160;
/// How much of one tool's text an answer holds.
const MAX_TEXT_CHARS: usize = 6000;

pub(super) fn greeting(tools: &[Tool]) -> String {
    format!("Hello. {ABOUT}\n\n{}", offer(tools))
}

pub(super) fn introduction(tools: &[Tool]) -> String {
    format!("{ABOUT}\n\n{}", offer(tools))
}

pub(super) fn not_understood(question: &str, tools: &[Tool]) -> String {
    let question = cut(question, MAX_STEP_CHARS);
    format!(
        "I did not understand “{question}”: none of its words fits a connected tool. {ABOUT}\n\n{}",
        offer(tools)
    )
}

pub(super) fn missing_producer(tool: &Tool, parameter: &str) -> String {
    format!(
        "`{}` would answer this, but it takes `{parameter}` from another tool, and no connected tool publishes one. {ABOUT}",
        tool.name
    )
}

pub(super) fn missing_argument(tool: &Tool, missing: &Missing<'_>) -> String {
    let choices = match missing.choices {
        [] => String::new(),
        choices => format!(" (one of {})", choices.join(", ")),
    };
    format!(
        "`{}` needs `{}`{choices}, and I could not find it in your words. {WHICH_ONE}",
        tool.name, missing.parameter
    )
}

/// A tool did not give what the next one takes; its own text says why.
pub(super) fn undecided(result: &ToolResult, next: &Tool) -> String {
    format!(
        "{}\n\nSo I stopped before `{}`. {WHICH_ONE}",
        spoken(result),
        next.name
    )
}

pub(super) fn failure(result: &ToolResult) -> String {
    format!("`{}` did not work: {}\n\n{ABOUT}", result.tool, spoken(result))
}

/// The last tool's text, how it came about, and what the guide left aside.
pub(super) fn report(results: &[&ToolResult], unused: &[&str]) -> String {
    let Some((last, earlier)) = results.split_last() else {
        return ABOUT.to_owned();
    };
    let mut text = format!("{}\n\nFrom `{}`", spoken(last), last.tool);
    if !earlier.is_empty() {
        text.push_str(", which built on:");
        for result in earlier {
            let first_line = spoken(result).lines().next().unwrap_or_default().to_owned();
            text.push_str(&format!(
                "\n- `{}`: {}",
                result.tool,
                cut(&first_line, MAX_STEP_CHARS)
            ));
        }
        text.push('\n');
    } else {
        text.push('.');
    }
    if !unused.is_empty() {
        text.push_str(&format!("\nI made no use of: {}.", unused.join(", ")));
    }
    text.push_str("\nFound by the guide, without a language model.");
    text
}

/// The person was asked to choose and did not.
pub(super) fn unanswered() -> String {
    format!("Without a choice I cannot go on. {WHICH_ONE}")
}

/// What there is when no further call is allowed.
pub(super) fn stopped(results: &[&ToolResult], next: &str) -> String {
    let stopped = format!("I would call `{next}` next, but no more calls are allowed here.");
    if results.is_empty() {
        format!("{stopped} {ABOUT}")
    } else {
        format!("{}\n{stopped}", report(results, &[]))
    }
}

/// The options a tool's text lists, if it does: lines that begin with a dash, or those behind a colon up to the next
/// sentence.
pub(super) fn options(result: &ToolResult) -> Vec<&str> {
    let mut options = Vec::new();
    for option in option_lines(without_note(&result.text)).map(|line| dash(line).unwrap_or(line)) {
        if !option.is_empty() && !options.contains(&option) {
            options.push(option);
        }
    }
    options
}

/// The sentence above the options.
pub(super) fn question_of(result: &ToolResult) -> String {
    let text = without_note(&result.text);
    let first = option_lines(text).next();
    let lines = text.lines().map(str::trim);
    let above: Vec<&str> = lines
        .take_while(|line| Some(*line) != first)
        .filter(|line| !line.is_empty())
        .collect();
    if above.is_empty() {
        "Which one do you mean?".to_owned()
    } else {
        cut(&above.join(" "), 400)
    }
}

/// The lines that hold options.
fn option_lines(text: &str) -> impl Iterator<Item = &str> {
    let lines = || text.lines().map(str::trim);
    let has_dashes = lines().any(|line| dash(line).is_some());
    let listed = lines().skip_while(|line| !line.ends_with(':')).skip(1);
    let listed = listed.take_while(|line| !line.is_empty() && !line.ends_with('.'));
    let dashed = lines().filter(|line| dash(line).is_some());
    let (dashed, listed) = if has_dashes {
        (Some(dashed), None)
    } else {
        (None, Some(listed))
    };
    dashed.into_iter().flatten().chain(listed.into_iter().flatten())
}

/// What stands behind a dash.
fn dash(line: &str) -> Option<&str> {
    line.strip_prefix("- ")
        .or_else(|| line.strip_prefix("* "))
        .map(str::trim)
}

/// Whether a result published any of what a tool declares under one of these products.
pub(super) fn has_published(result: &ToolResult, product: &Product) -> bool {
    published(&result.text).contains(&product.key.as_str())
}

/// A result's text for a person: its message, the detail of its error, or the text as it is.
fn spoken(result: &ToolResult) -> String {
    let text = without_note(&result.text);
    let object = serde_json::from_str::<Value>(text).ok();
    let field = |name: &str| {
        object
            .as_ref()
            .and_then(|object| object.get(name))
            .and_then(Value::as_str)
    };
    let said = field("message")
        .or_else(|| field("detail"))
        .or_else(|| field("error"))
        .unwrap_or(text);
    if said.is_empty() {
        "(it returned no text)".to_owned()
    } else {
        cut(said, MAX_TEXT_CHARS)
    }
}

fn offer(tools: &[Tool]) -> String {
    if tools.is_empty() {
        return "No tools are connected, so there is nothing I can look up.".to_owned();
    }
    let mut text = "The connected tools:".to_owned();
    for tool in tools.iter().take(MAX_TOOLS_SHOWN) {
        text.push_str(&format!(
            "\n- `{}`: {}",
            tool.name,
            cut(&tool.summary, MAX_STEP_CHARS)
        ));
    }
    if tools.len() > MAX_TOOLS_SHOWN {
        text.push_str(&format!("\n- and {} more", tools.len() - MAX_TOOLS_SHOWN));
    }
    let examples = tools
        .iter()
        .flat_map(|tool| &tool.examples)
        .map(|example| example.question.as_str());
    let examples: Vec<&str> = examples.take(MAX_EXAMPLES_SHOWN).collect();
    if !examples.is_empty() {
        text.push_str("\n\nYou can ask, for example:");
        examples.iter().for_each(|example| {
            text.push_str(&format!("\n- {}", example.replace('{', "[").replace('}', "]")))
        });
    }
    text.push_str("\n\nFor free conversation, connect a language model.");
    text
}

fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
