//! Examples that a toolset declares: a question with gaps, and the calls that answer it. The form is described in the
//! documentation of the module above.

use serde_json::{Map, Value};

use super::words::{Word, stems, words};

/// Calls that may follow the first one.
const MAX_FOLLOWING: usize = 8;

/// A question with gaps and the calls it leads to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Example {
    /// As declared, for showing.
    pub(super) question: String,
    pattern: Vec<Part>,
    /// Arguments of the tool that declares it; absent if the example only shows what can be asked.
    arguments: Option<Map<String, Value>>,
    then: Vec<(String, Map<String, Value>)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Word(String),
    Gap(String),
    /// Words between two gaps that say nothing else than where one ends and the other begins.
    Link(Vec<String>),
}

/// An example that fits a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fit {
    /// Words of the question that the pattern names.
    pub(super) matched: usize,
    /// Words of the question that say something and have no place in the pattern.
    pub(super) skipped: usize,
    /// Arguments of the declaring tool, gaps filled.
    pub(super) arguments: Map<String, Value>,
    /// Calls that follow, gaps filled.
    pub(super) then: Vec<(String, Map<String, Value>)>,
}

impl Example {
    pub(super) fn read(value: &Value) -> Option<Self> {
        let object = |value: &Value| value.as_object().cloned();
        let question = value.as_str().or_else(|| value.get("question")?.as_str())?.trim();
        let then = value
            .get("then")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .take(MAX_FOLLOWING);
        Some(Self {
            question: question.to_owned(),
            pattern: pattern(question),
            arguments: value.get("arguments").and_then(object),
            then: then
                .filter_map(|step| {
                    let arguments = step.get("arguments").and_then(object).unwrap_or_default();
                    Some((step.get("tool")?.as_str()?.to_owned(), arguments))
                })
                .collect(),
        })
    }

    /// The words of the example besides its gaps.
    pub(super) fn stems(&self) -> impl Iterator<Item = &str> {
        self.pattern.iter().filter_map(|part| match part {
            Part::Word(stem) => Some(stem.as_str()),
            Part::Gap(_) | Part::Link(_) => None,
        })
    }

    /// How the example fits a question, if every word of it occurs and every gap holds something.
    pub(super) fn fit(&self, question: &str) -> Option<Fit> {
        let arguments = self.arguments.as_ref()?;
        let words = words(question);
        let mut gaps: Vec<(&str, &str)> = Vec::new();
        let (mut position, mut matched, mut skipped) = (0, 0, 0);
        let mut parts = self.pattern.iter().peekable();
        while let Some(part) = parts.next() {
            match part {
                Part::Word(stem) => {
                    let found = position_of(&words, position, stem)?;
                    skipped += content_count(&words, position, found);
                    matched += 1;
                    position = found + 1;
                }
                Part::Gap(name) => {
                    let end = match parts.peek() {
                        Some(Part::Word(stem)) => position_of(&words, position, stem)?,
                        Some(Part::Link(link)) => link_after(&words, position, link),
                        Some(Part::Gap(_)) => position + 1,
                        None => words.len(),
                    };
                    gaps.push((name, span(question, &words, position, end)?));
                    position = end;
                }
                Part::Link(link) => {
                    let is_link = |word: &&Word<'_>| link.contains(&word.stem);
                    position += words.iter().skip(position).take_while(is_link).count();
                }
            }
        }
        skipped += content_count(&words, position, words.len());
        let fill = |arguments: &Map<String, Value>| filled_object(arguments, &gaps);
        let then = self
            .then
            .iter()
            .map(|(tool, arguments)| (tool.clone(), fill(arguments)))
            .collect();
        Some(Fit {
            matched,
            skipped,
            arguments: fill(arguments),
            then,
        })
    }
}

/// The parts of a declared question; words that say nothing are left out, except between two gaps.
fn pattern(question: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut pieces = question.split_inclusive(['{', '}']).peekable();
    while let Some(piece) = pieces.next() {
        if let Some(gap) = piece.strip_suffix('}') {
            parts.push(Part::Gap(gap.trim().to_owned()));
            continue;
        }
        let stems = stems(piece);
        let stands_between_gaps = matches!(parts.last(), Some(Part::Gap(_))) && pieces.peek().is_some();
        if stems.is_empty() && stands_between_gaps {
            parts.push(Part::Link(
                words(piece).into_iter().map(|word| word.stem).collect(),
            ));
        } else {
            parts.extend(stems.into_iter().map(Part::Word));
        }
    }
    parts
}

/// Where a gap ends that begins at `from`: before the first of the linking words behind something that says something,
/// or after one word if the question links in another way.
fn link_after(words: &[Word<'_>], from: usize, link: &[String]) -> usize {
    let said = words.iter().skip(from).position(Word::has_content);
    let first = from + said.map_or(1, |offset| offset + 1);
    let found = words
        .iter()
        .skip(first)
        .position(|word| link.contains(&word.stem));
    found.map_or(first, |offset| first + offset)
}

fn position_of(words: &[Word<'_>], from: usize, stem: &str) -> Option<usize> {
    words
        .iter()
        .skip(from)
        .position(|word| word.stem == stem)
        .map(|offset| from + offset)
}

fn content_count(words: &[Word<'_>], from: usize, to: usize) -> usize {
    words
        .iter()
        .take(to)
        .skip(from)
        .filter(|word| word.has_content())
        .count()
}

/// The text from one word up to another, without words at either end that say nothing.
fn span<'a>(text: &'a str, words: &[Word<'_>], from: usize, to: usize) -> Option<&'a str> {
    let within = words.get(from..to)?;
    let first = within.iter().find(|word| word.has_content())?;
    let last = within.iter().rfind(|word| word.has_content())?;
    let inner = text.get(first.start..last.end())?;
    let is_open = inner.matches('(').count() > inner.matches(')').count();
    let closes = is_open && text.get(last.end()..)?.starts_with(')');
    text.get(first.start..last.end() + usize::from(closes))
}

fn filled_object(object: &Map<String, Value>, gaps: &[(&str, &str)]) -> Map<String, Value> {
    object
        .iter()
        .map(|(name, value)| (name.clone(), filled(value, gaps)))
        .collect()
}

/// A value with its gaps filled; a text that is nothing but a gap becomes a number if a number fills it.
fn filled(value: &Value, gaps: &[(&str, &str)]) -> Value {
    match value {
        Value::String(text) => {
            if let Some((_, word)) = gaps
                .iter()
                .find(|(name, _)| *text == format!("{{{name}:number}}"))
            {
                return word
                    .parse::<i64>()
                    .map_or_else(|_| Value::from(*word), Value::from);
            }
            let filled = gaps.iter().fold(text.clone(), |text, (name, words)| {
                text.replace(&format!("{{{name}}}"), words)
            });
            Value::String(filled)
        }
        Value::Array(items) => items.iter().map(|item| filled(item, gaps)).collect(),
        Value::Object(object) => Value::Object(filled_object(object, gaps)),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn example(question: &str, arguments: Value) -> Example {
        Example::read(&json!({"question": question, "arguments": arguments})).unwrap()
    }

    #[test]
    fn gaps_take_the_words_between_their_neighbours() {
        let example = example(
            "objects from {place} that mention {topic}",
            json!({"where": "{place}", "what": "{topic}"}),
        );
        let fit = example
            .fit("Which objects from the island of Crete mention a bull's head?")
            .unwrap();
        assert_eq!(
            Value::Object(fit.arguments),
            json!({"where": "island of Crete", "what": "bull's head"})
        );
        assert_eq!((fit.matched, fit.skipped), (2, 0));
    }

    #[test]
    fn gaps_beside_each_other_are_told_apart_by_the_words_between_them() {
        let example = example(
            "Which objects made between {begin} and {end} are about {topic}?",
            json!({"from": "{begin:number}", "to": "{end:number}", "what": "{topic}"}),
        );
        for question in [
            "Which objects made between 1500 and 1900 are about mountain lakes?",
            "objects made between 1500 and 1900 about mountain lakes",
            "objects made from 1500 to 1900 about mountain lakes",
        ] {
            let fit = example.fit(question).unwrap();
            let expected = json!({"from": 1500, "to": 1900, "what": "mountain lakes"});
            assert_eq!(Value::Object(fit.arguments), expected, "{question}");
        }
    }

    #[test]
    fn a_question_without_the_words_or_with_an_empty_gap_does_not_fit() {
        let example = example("objects that mention {topic}", json!({}));
        assert_eq!(example.fit("paintings of dragons"), None);
        assert_eq!(example.fit("Which objects do you mention?"), None);
        assert_eq!(example.fit("objects that mention dragons").unwrap().skipped, 0);
    }

    #[test]
    fn numbers_and_following_calls_are_filled_too() {
        let example = Example::read(&json!({
            "question": "object {id}",
            "arguments": {"ids": ["{id:number}"]},
            "then": [{"tool": "evidence", "arguments": {"note": "for {id}"}}],
        }))
        .unwrap();
        let fit = example.fit("tell me about object 436535").unwrap();
        assert_eq!(Value::Object(fit.arguments), json!({"ids": [436535]}));
        assert_eq!(
            Value::Object(fit.then[0].1.clone()),
            json!({"note": "for 436535"})
        );
    }

    #[test]
    fn a_plain_question_is_an_example_to_show() {
        let example = Example::read(&json!("How much forest was lost in Pará?")).unwrap();
        assert_eq!(example.fit("How much forest was lost in Pará?"), None);
        assert!(example.stems().any(|stem| stem == "forest"));
    }
}
