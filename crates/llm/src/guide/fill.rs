//! Arguments from the words of a question, and from what was published.

use serde_json::{Map, Value};

use super::{
    declaration::{Bound, Kind, Parameter, Tool},
    turn::Turn,
    words::{Word, stems, words},
};

/// Words that tell the guide to act and are nothing to look for.
const INSTRUCTIONS: &[&str] = &[
    "display", "explain", "fetch", "find", "first", "get", "know", "like", "list", "look", "need", "search",
    "see", "top", "zoom",
];

/// A required parameter that the question does not fill.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Missing<'a> {
    pub(super) parameter: &'a str,
    /// What it can be, if that is a list.
    pub(super) choices: &'a [String],
}

pub(super) fn is_instruction(stem: &str) -> bool {
    INSTRUCTIONS.binary_search(&stem).is_ok()
}

/// Arguments for a tool; fails with the first required parameter that stays empty.
pub(super) fn arguments<'a>(tool: &'a Tool, turn: &Turn<'_>) -> Result<Map<String, Value>, Missing<'a>> {
    let mut arguments = Map::new();
    for parameter in &tool.parameters {
        if let Some(value) = argument(tool, parameter, turn) {
            arguments.insert(parameter.name.clone(), value);
        } else if parameter.required {
            let choices: &[String] = if let Kind::Choice(choices) = &parameter.kind {
                choices
            } else {
                &[]
            };
            return Err(Missing {
                parameter: &parameter.name,
                choices,
            });
        }
    }
    Ok(arguments)
}

/// Arguments that an example gives, with what the person chose since in those that take the question.
pub(super) fn completed(tool: &Tool, arguments: &Map<String, Value>, turn: &Turn<'_>) -> Map<String, Value> {
    let mut completed = arguments.clone();
    let questions = tool
        .parameters
        .iter()
        .filter(|parameter| parameter.kind == Kind::Question);
    for parameter in questions {
        if let Some(Value::String(text)) = completed.get_mut(&parameter.name) {
            *text = with_choices(text, turn);
        }
    }
    completed
}

fn argument(tool: &Tool, parameter: &Parameter, turn: &Turn<'_>) -> Option<Value> {
    let question = turn.question.as_str();
    if parameter.not_authored {
        return handle(parameter, turn);
    }
    let written = match &parameter.kind {
        Kind::Question => Some(Value::from(with_choices(question, turn))),
        Kind::Keywords => keywords(tool, question).map(Value::from),
        Kind::Text if parameter.required || is_only_text(tool) => name(tool, question).map(Value::from),
        Kind::Text => None,
        Kind::Choice(choices) => choice(choices, question).map(Value::from),
        Kind::Date(bound) => date(*bound, question).map(Value::from),
        Kind::Number => number(parameter, question).map(Value::from),
        Kind::Flag => flag(parameter, question),
        Kind::Structure => None,
    };
    // A value that some tool has published under the parameter's very name beats asking for it.
    written.or_else(|| {
        if parameter.required {
            handle_of_same_name(parameter, turn)
        } else {
            None
        }
    })
}

/// Whether a tool has one text to fill; of several optional ones the guide cannot tell which a name is for.
fn is_only_text(tool: &Tool) -> bool {
    let is_text = |kind: &Kind| matches!(kind, Kind::Question | Kind::Keywords | Kind::Text);
    tool.parameters
        .iter()
        .filter(|parameter| !parameter.not_authored && is_text(&parameter.kind))
        .count()
        == 1
}

/// The question with what the person chose when asked.
fn with_choices(question: &str, turn: &Turn<'_>) -> String {
    let chosen = turn.chosen();
    if chosen.is_empty() {
        question.to_owned()
    } else {
        format!("{question} ({})", chosen.join("; "))
    }
}

/// A handle to the newest value the parameter takes; what this turn published comes first.
fn handle(parameter: &Parameter, turn: &Turn<'_>) -> Option<Value> {
    handle_of_same_name(parameter, turn).or_else(|| newest(turn, |key| parameter.takes(key)))
}

fn handle_of_same_name(parameter: &Parameter, turn: &Turn<'_>) -> Option<Value> {
    newest(turn, |key| {
        key.rsplit('/').next() == Some(parameter.name.as_str())
    })
}

fn newest(turn: &Turn<'_>, is_taken: impl Fn(&str) -> bool) -> Option<Value> {
    let new = turn.new_keys();
    let key = new
        .iter()
        .rev()
        .chain(turn.earlier_keys.iter().rev())
        .find(|key| is_taken(key))?;
    Some(Value::from(format!("@state:{key}")))
}

/// The words that are neither the tool's own nor instructions.
fn remaining<'q>(tool: &Tool, question: &'q str) -> Vec<Word<'q>> {
    let is_own = |word: &Word<'_>| tool.name_stems.contains(&word.stem);
    let is_left = |word: &Word<'_>| word.has_content() && !is_instruction(&word.stem) && !is_own(word);
    words(question).into_iter().filter(is_left).collect()
}

fn keywords(tool: &Tool, question: &str) -> Option<String> {
    if let Some(quoted) = quoted(question) {
        return Some(quoted.to_owned());
    }
    let words: Vec<&str> = remaining(tool, question).iter().map(|word| word.text).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// What a question puts in quotation marks, or the first name in it that the declaration does not hold.
fn name<'q>(tool: &Tool, question: &'q str) -> Option<&'q str> {
    if let Some(quoted) = quoted(question) {
        return Some(quoted);
    }
    let is_declared = |word: &Word<'_>| tool.weight(&word.stem) > 0;
    let is_name =
        |word: &&Word<'_>| word.start > 0 && word.text.starts_with(char::is_uppercase) && !is_declared(word);
    let left = remaining(tool, question);
    let first = left.iter().find(is_name)?;
    let mut end = first.end();
    for word in left.iter().skip_while(|word| word.start <= first.start) {
        let follows = question
            .get(end..word.start)
            .is_some_and(|between| between.trim().is_empty());
        if !(follows && is_name(&word)) {
            break;
        }
        end = word.end();
    }
    question.get(first.start..end)
}

fn quoted(question: &str) -> Option<&str> {
    for (open, close) in [('"', '"'), ('“', '”'), ('«', '»'), ('„', '“')] {
        let Some((_, rest)) = question.split_once(open) else {
            continue;
        };
        let Some((inside, _)) = rest.split_once(close) else {
            continue;
        };
        if !inside.trim().is_empty() {
            return Some(inside.trim());
        }
    }
    None
}

/// The only listed value that the question names.
fn choice<'c>(choices: &'c [String], question: &str) -> Option<&'c str> {
    let asked: Vec<String> = words(question).into_iter().map(|word| word.stem).collect();
    let is_named = |choice: &&String| {
        let stems = stems(choice);
        !stems.is_empty() && stems.iter().all(|stem| asked.contains(stem))
    };
    let mut named = choices.iter().filter(is_named);
    match (named.next(), named.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// The first or last day of the period a question names.
fn date(bound: Bound, question: &str) -> Option<String> {
    let words = words(question);
    let mut days: Vec<(usize, &str)> = Vec::new();
    for (position, word) in words.iter().enumerate() {
        if is_day(word.text) {
            days.push((position, word.text));
        } else {
            days.extend(
                word.text
                    .split('-')
                    .filter(|year| is_year(year))
                    .map(|year| (position, year)),
            );
        }
    }
    let (position, first) = *days.first()?;
    let before = position
        .checked_sub(1)
        .and_then(|before| words.get(before))
        .map_or("", |word| word.text);
    let opens = ["since", "from", "after"].contains(&before.to_lowercase().as_str());
    let closes = ["until", "before", "by", "to"].contains(&before.to_lowercase().as_str());
    match (bound, days.get(1)) {
        (Bound::First, Some(_)) => Some(day(bound, first)),
        (Bound::Last, Some((_, second))) => Some(day(bound, second)),
        (Bound::First, None) => (!closes).then(|| day(bound, first)),
        (Bound::Last, None) => (!opens).then(|| day(bound, first)),
    }
}

fn is_year(text: &str) -> bool {
    text.len() == 4
        && text
            .parse::<u32>()
            .is_ok_and(|year| (1900..=2100).contains(&year))
}

fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    matches!(parts[..], [year, month, day] if is_year(year) && [month, day].iter().all(|part| part.len() == 2 && part.parse::<u8>().is_ok()))
}

fn day(bound: Bound, text: &str) -> String {
    match (is_day(text), bound) {
        (true, _) => text.to_owned(),
        (false, Bound::First) => format!("{text}-01-01"),
        (false, Bound::Last) => format!("{text}-12-31"),
    }
}

/// A number that stands beside a word of the parameter's name, or after "first" or "top" where a limit is meant.
fn number(parameter: &Parameter, question: &str) -> Option<i64> {
    let words = words(question);
    let is_limit = parameter
        .stems
        .iter()
        .any(|stem| matches!(stem.as_str(), "limit" | "siz" | "count" | "max"));
    let names = |position: Option<usize>| {
        position
            .and_then(|position| words.get(position))
            .is_some_and(|word| {
                parameter.stems.contains(&word.stem)
                    || (is_limit && matches!(word.stem.as_str(), "first" | "top"))
            })
    };
    words.iter().enumerate().find_map(|(position, word)| {
        let number = word.text.parse::<i64>().ok()?;
        (names(position.checked_sub(1)) || names(Some(position + 1))).then_some(number)
    })
}

/// True if the question says every word of the parameter's name.
fn flag(parameter: &Parameter, question: &str) -> Option<Value> {
    let asked: Vec<String> = words(question).into_iter().map(|word| word.stem).collect();
    let is_said = !parameter.stems.is_empty() && parameter.stems.iter().all(|stem| asked.contains(stem));
    is_said.then_some(Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{ChatRequest, Message, ToolDefinition, guide::declaration};

    fn filled(tool: &str, description: &str, properties: Value, question: &str) -> Value {
        let schema = json!({"type": "object", "properties": properties});
        let tools = declaration::read(&[ToolDefinition::new(tool, description, schema)]);
        let request = ChatRequest::new(vec![Message::user(question)]);
        Value::Object(arguments(&tools[0], &Turn::read(&request, |_| false)).unwrap())
    }

    #[test]
    fn instructions_are_sorted() {
        assert!(INSTRUCTIONS.is_sorted());
    }

    #[test]
    fn keywords_are_what_is_neither_the_tools_nor_an_instruction() {
        let query = json!({"query": {"type": "string"}});
        for (question, expected) in [
            (
                "Find collections about sea surface temperature",
                "sea surface temperature",
            ),
            ("search the collections for \"land cover\" please", "land cover"),
        ] {
            assert_eq!(
                filled("search_collections", "Search.", query.clone(), question),
                json!({"query": expected})
            );
        }
        assert_eq!(
            filled("search_collections", "Search.", query, "search collections"),
            json!({})
        );
    }

    #[test]
    fn a_name_is_quoted_or_capitalised() {
        let name = json!({"name": {"type": "string"}});
        for (question, expected) in [
            (
                "Say hello to Ada Lovelace and Bob",
                json!({"name": "Ada Lovelace"}),
            ),
            (
                "say hello to \"the whole team\"",
                json!({"name": "the whole team"}),
            ),
            ("Say hello", json!({})),
        ] {
            assert_eq!(
                filled("hello", "Say hello to someone by name.", name.clone(), question),
                expected,
                "{question}"
            );
        }
    }

    #[test]
    fn periods_are_read_from_years_and_days() {
        let dates = json!({"start_date": {"type": "string"}, "end_date": {"type": "string"}});
        for (question, expected) in [
            (
                "loss in 2015",
                json!({"start_date": "2015-01-01", "end_date": "2015-12-31"}),
            ),
            ("loss since 2015", json!({"start_date": "2015-01-01"})),
            ("loss until 2015", json!({"end_date": "2015-12-31"})),
            (
                "between 2010 and 2015",
                json!({"start_date": "2010-01-01", "end_date": "2015-12-31"}),
            ),
            (
                "2010-2015",
                json!({"start_date": "2010-01-01", "end_date": "2015-12-31"}),
            ),
            (
                "from 2020-02-03 to 2020-03-04",
                json!({"start_date": "2020-02-03", "end_date": "2020-03-04"}),
            ),
            ("loss of 12345 ha", json!({})),
        ] {
            assert_eq!(
                filled("pull", "Pull.", dates.clone(), question),
                expected,
                "{question}"
            );
        }
    }

    #[test]
    fn choices_numbers_and_flags_are_taken_only_where_they_are_named() {
        let properties = json!({
            "kind": {"enum": ["protected-area", "country"]},
            "limit": {"type": "integer"},
            "change_over_time": {"type": "boolean"},
        });
        for (question, expected) in [
            (
                "top 5 protected areas",
                json!({"kind": "protected-area", "limit": 5}),
            ),
            ("country or protected area with 5 rivers", json!({})),
            ("change over time", json!({"change_over_time": true})),
        ] {
            assert_eq!(
                filled("t", "T.", properties.clone(), question),
                expected,
                "{question}"
            );
        }
    }
}
