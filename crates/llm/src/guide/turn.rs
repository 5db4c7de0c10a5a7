//! The conversation as the guide reads it: the question, what was called since, what was published.

use super::answer::WHICH_ONE;
use crate::{ChatRequest, Message, ToolResult};

/// What stands between a result's text and the keys it published.
const PUBLISHED: &str = "[state updated: ";

/// Prefix of the answer to a question that was asked with a tool.
const CHOSEN: &str = "User chose: ";

/// The latest question and everything that happened since.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    pub(super) question: String,
    /// Results since the question, oldest first.
    pub(super) results: Vec<&'a ToolResult>,
    /// Keys published before the question.
    pub(super) earlier_keys: Vec<&'a str>,
}

impl<'a> Turn<'a> {
    /// Reads a conversation. After the guide has asked back, a text answers that, unless it `stands_alone`.
    pub(super) fn read(request: &'a ChatRequest, stands_alone: impl Fn(&str) -> bool) -> Self {
        let messages = &request.messages;
        let asked_at = messages
            .iter()
            .rposition(|message| matches!(message, Message::User { .. }))
            .unwrap_or(0);
        let (before, since) = messages.split_at(asked_at);
        Self {
            question: question(
                before,
                without_salutation(since.first().map_or("", Message::text)),
                stands_alone,
            ),
            results: results(since).collect(),
            earlier_keys: results(before)
                .flat_map(|result| published(&result.text))
                .collect(),
        }
    }

    /// Keys published since the question.
    pub(super) fn new_keys(&self) -> Vec<&'a str> {
        self.results
            .iter()
            .flat_map(|result| published(&result.text))
            .collect()
    }

    /// What the person chose when asked, latest last.
    pub(super) fn chosen(&self) -> Vec<&'a str> {
        self.results.iter().copied().filter_map(choice).collect()
    }
}

/// What the person chose, if a result is the answer to such a question.
pub(super) fn choice(result: &ToolResult) -> Option<&str> {
    let answer = result.text.strip_prefix(CHOSEN)?;
    Some(answer.split(" (value: ").next().unwrap_or(answer).trim())
}

/// A text without the "Hello!" that stands before what it is about.
fn without_salutation(text: &str) -> &str {
    let text = text.trim();
    let Some((first, rest)) = text.split_once([',', '!', '.']) else {
        return text;
    };
    let is_salutation = ["hi", "hello", "hey"]
        .iter()
        .any(|word| first.trim().eq_ignore_ascii_case(word));
    if is_salutation && !rest.trim().is_empty() {
        rest.trim()
    } else {
        text
    }
}

/// The question; where the guide had asked back, the question before it with the answer behind.
fn question(before: &[Message], text: &str, stands_alone: impl Fn(&str) -> bool) -> String {
    let asked_back =
        matches!(before.last(), Some(Message::Assistant(answer)) if answer.text.contains(WHICH_ONE));
    let first = before.iter().rev().find_map(|message| match message {
        Message::User { text } => Some(text),
        Message::Assistant(_) | Message::Tool(_) => None,
    });
    match first {
        Some(first) if asked_back && !stands_alone(text) => format!("{} ({})", first.trim(), text.trim()),
        _ => text.trim().to_owned(),
    }
}

fn results(messages: &[Message]) -> impl Iterator<Item = &ToolResult> {
    messages.iter().filter_map(|message| match message {
        Message::Tool(result) => Some(result),
        Message::User { .. } | Message::Assistant(_) => None,
    })
}

/// The keys that the note at the end of a result names.
pub(super) fn published(text: &str) -> Vec<&str> {
    let Some((_, note)) = text.rsplit_once(PUBLISHED) else {
        return Vec::new();
    };
    let keys = note.split(['—', ']']).next().unwrap_or_default();
    keys.split(',')
        .map(str::trim)
        .filter(|key| !key.is_empty())
        .collect()
}

/// A result's text without that note.
pub(super) fn without_note(text: &str) -> &str {
    text.rsplit_once(PUBLISHED).map_or(text, |(text, _)| text).trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolCall;

    #[test]
    fn keys_are_read_from_the_note_of_a_result() {
        let text = "Found 3.\n\n[state updated: a/b/area, a/b/list — pass the bare key to inspect_state]";
        assert_eq!(published(text), ["a/b/area", "a/b/list"]);
        assert_eq!(without_note(text), "Found 3.");
        assert_eq!(
            (published("Found 3."), without_note("Found 3.")),
            (vec![], "Found 3.")
        );
    }

    #[test]
    fn only_what_came_after_the_question_belongs_to_its_turn() {
        let call = ToolCall::new("c", "t", serde_json::Map::new());
        let result = |text: &str| Message::Tool(ToolResult::of(&call, text));
        let request = ChatRequest::new(vec![
            Message::user("one"),
            result("x [state updated: old/t/a — …]"),
            Message::assistant("done"),
            Message::user("two"),
            result("y [state updated: new/t/a — …]"),
            result("User chose: Georgia, US (value: USA.11_1)"),
        ]);
        let turn = Turn::read(&request, |_| false);
        assert_eq!(turn.question, "two");
        assert_eq!(
            (turn.earlier_keys.clone(), turn.new_keys()),
            (vec!["old/t/a"], vec!["new/t/a"])
        );
        assert_eq!(turn.chosen(), ["Georgia, US"]);
    }

    #[test]
    fn a_salutation_is_no_part_of_the_question() {
        for (text, expected) in [
            ("Hello! Where is it?", "Where is it?"),
            ("hi", "hi"),
            ("Hello!", "Hello!"),
            ("Hi you, go", "Hi you, go"),
        ] {
            assert_eq!(without_salutation(text), expected);
        }
    }

    #[test]
    fn an_answer_to_the_guides_own_question_completes_the_first_one() {
        let messages = vec![
            Message::user("Forest loss in Georgia"),
            Message::assistant(WHICH_ONE),
            Message::user("the country"),
        ];
        let request = ChatRequest::new(messages);
        assert_eq!(
            Turn::read(&request, |_| false).question,
            "Forest loss in Georgia (the country)"
        );
    }
}
