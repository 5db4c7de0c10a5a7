//! Which sources an answer cites.
//!
//! A citation is an address or a source id that stands in the answer and, letter for letter, in what a tool returned in the
//! same turn. What only the model knows of is no source.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{MessageBody, Thread};

/// Most citations of one answer.
const MAX_CITATIONS: usize = 100;

/// The sources that the answer of the latest turn cites, in the order of first mention.
pub(super) fn cited(thread: &Thread) -> Vec<String> {
    let turn = thread.head.turns;
    let answer = thread
        .messages_of(turn)
        .filter_map(|message| match &message.body {
            MessageBody::Assistant(message) => Some(message.text.as_str()),
            MessageBody::User { .. } | MessageBody::Tool { .. } => None,
        });
    let Some(answer) = answer.last() else {
        return Vec::new();
    };
    let mut named = Vec::new();
    for reference in references(answer) {
        if named.len() < MAX_CITATIONS && !named.contains(&reference) {
            named.push(reference);
        }
    }
    if named.is_empty() {
        return Vec::new();
    }
    let known = known(thread, turn, &named);
    named
        .into_iter()
        .filter(|reference| known.contains(reference))
        .map(str::to_owned)
        .collect()
}

/// Addresses and ids such as `object:436535:csv` in a text.
fn references(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "<>()[]{}\"'`|".contains(c))
        .map(|word| word.trim_matches(['.', ',', ';', ':', '!', '?', '*', '_', '“', '”', '…']))
        .filter(|word| is_address(word) || is_source_id(word))
}

fn is_address(word: &str) -> bool {
    let rest = word
        .strip_prefix("https://")
        .or_else(|| word.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty())
}

/// At least three parts between colons, the first one a word: a time of day or a ratio is no source.
fn is_source_id(word: &str) -> bool {
    let starts_with_letter = word.starts_with(|c: char| c.is_ascii_alphabetic());
    let parts = word.split(':');
    starts_with_letter
        && parts.clone().count() >= 3
        && parts.clone().all(|part| !part.is_empty())
        && !word.contains("//")
}

/// Those of the references that a tool returned in the turn.
fn known<'a>(thread: &Thread, turn: u32, references: &[&'a str]) -> BTreeSet<&'a str> {
    let mut known = BTreeSet::new();
    let mut note = |text: &str| {
        let found = references
            .iter()
            .filter(|reference| contains_whole(text, reference));
        known.extend(found.copied());
    };
    for message in thread.messages_of(turn) {
        if let MessageBody::Tool { result, artifact, .. } = &message.body {
            note(&result.text);
            for value in artifact
                .structured_content
                .iter()
                .flat_map(|content| content.values())
            {
                each_text(value, &mut note);
            }
        }
    }
    for (_, entry) in thread.state.iter().filter(|(_, entry)| entry.turn == turn) {
        each_text(entry.value.json(), &mut note);
    }
    known
}

/// Whether a text holds a reference that does not go on in it: `…/1` is not `…/12`.
fn contains_whole(text: &str, reference: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || "/-_%?=&#:".contains(c);
    text.match_indices(reference).any(|(start, _)| {
        let after = text
            .get(start + reference.len()..)
            .and_then(|rest| rest.chars().next());
        !after.is_some_and(goes_on)
    })
}

fn each_text(value: &Value, note: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => note(text),
        Value::Array(items) => items.iter().for_each(|item| each_text(item, note)),
        Value::Object(fields) => fields.values().for_each(|field| each_text(field, note)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_address_is_another_one() {
        assert!(contains_whole("at http://h/12 and http://h/1.", "http://h/1"));
        assert!(!contains_whole("at http://h/12", "http://h/1"));
    }

    #[test]
    fn addresses_and_source_ids_are_found_in_prose() {
        let text = "See [the page](https://www.metmuseum.org/art/collection/search/436535), object:436535:csv. \
            At 10:30:00 the ratio was 1:2:3; note: std::fmt and a:b are none. <http://h/x?y=1>";
        assert_eq!(
            references(text).collect::<Vec<_>>(),
            [
                "https://www.metmuseum.org/art/collection/search/436535",
                "object:436535:csv",
                "http://h/x?y=1"
            ]
        );
    }
}
