//! What can be completed at the cursor: commands, tools, argument names, values, keys.

use std::collections::BTreeMap;

use periplus_state::{HANDLE_PREFIX, State, Toolbox};
use rustyline::{
    Context, Helper, completion::Completer, highlight::Highlighter, hint::Hinter, validate::Validator,
};
use serde_json::Value;

use super::line::COMMANDS;

/// The words of a session.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    commands: &'static [&'static str],
    /// Argument names of each tool, with the values a schema lists.
    tools: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    keys: Vec<String>,
}

impl Vocabulary {
    /// The words that these tools and values make possible.
    pub(crate) fn of(toolbox: &Toolbox, state: &State) -> Self {
        let tools = toolbox.tools().iter().map(|tool| {
            let properties = tool.input_schema().get("properties").and_then(Value::as_object);
            let arguments = properties
                .into_iter()
                .flatten()
                .map(|(name, schema)| (name.clone(), listed_values(schema)));
            (tool.exposed_name().to_owned(), arguments.collect())
        });
        Self {
            commands: &COMMANDS,
            tools: tools.collect(),
            keys: state.iter().map(|(key, _)| key.to_string()).collect(),
        }
    }

    /// The words of a conversation: its commands, and the keys of its values.
    pub(crate) fn of_commands(commands: &'static [&'static str], state: &State) -> Self {
        Self {
            commands,
            tools: BTreeMap::new(),
            keys: state.iter().map(|(key, _)| key.to_string()).collect(),
        }
    }

    /// Where the word before the cursor begins, and what it can become.
    fn candidates(&self, before_cursor: &str) -> (usize, Vec<String>) {
        let start = word_start(before_cursor);
        let (earlier, word) = before_cursor.split_at(start);
        let mut earlier = earlier.split_whitespace();
        let candidates = match earlier.next() {
            None => {
                let commands = self.commands.iter().map(|command| (*command).to_owned());
                starting(word, commands.chain(self.tools.keys().cloned()), " ")
            }
            Some("help") => starting(word, self.tools.keys().cloned(), ""),
            Some("inspect" | "/inspect") => starting(word, self.keys.iter().cloned(), " "),
            Some(tool) => match self.tools.get(tool) {
                Some(arguments) => self.argument(word, arguments, &earlier.collect::<Vec<_>>()),
                None => Vec::new(),
            },
        };
        (start, candidates)
    }

    /// A name that is not used yet, or the value after a name.
    fn argument(&self, word: &str, arguments: &BTreeMap<String, Vec<String>>, used: &[&str]) -> Vec<String> {
        let Some((name, value)) = word.split_once('=') else {
            let is_used = |name: &&String| {
                let names = used.iter().filter_map(|word| word.split_once('='));
                names.map(|(name, _)| name).any(|used| used == *name)
            };
            return starting(word, arguments.keys().filter(|name| !is_used(name)).cloned(), "=");
        };
        let handles = self.keys.iter().map(|key| format!("{HANDLE_PREFIX}{key}"));
        let values = arguments.get(name).into_iter().flatten().cloned();
        starting(value, values.chain(handles), " ")
            .into_iter()
            .map(|value| format!("{name}={value}"))
            .collect()
    }
}

/// The words that start with what is written, each followed by `end`.
fn starting(written: &str, words: impl Iterator<Item = String>, end: &str) -> Vec<String> {
    words
        .filter(|word| word.starts_with(written))
        .map(|word| word + end)
        .collect()
}

/// The values of an enumeration or a truth value.
fn listed_values(schema: &Value) -> Vec<String> {
    if schema.get("type").and_then(Value::as_str) == Some("boolean") {
        return vec!["false".to_owned(), "true".to_owned()];
    }
    let values = schema.get("enum").and_then(Value::as_array);
    values
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// The byte at which the last word begins; spaces within quotes end no word.
fn word_start(text: &str) -> usize {
    let mut start = 0;
    let mut quote = None;
    for (index, character) in text.char_indices() {
        match (quote, character) {
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            (None, ' ' | '\t') => start = index + 1,
            _ => {}
        }
    }
    start
}

impl Completer for Vocabulary {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.candidates(line.get(..pos).unwrap_or(line)))
    }
}

impl Hinter for Vocabulary {
    type Hint = String;
}

impl Highlighter for Vocabulary {}

impl Validator for Vocabulary {}

impl Helper for Vocabulary {}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(text: &str) -> (usize, Vec<String>) {
        let arguments = |names: &[(&str, &[&str])]| {
            names
                .iter()
                .map(|(name, values)| {
                    let values = values.iter().map(|value| (*value).to_owned()).collect();
                    ((*name).to_owned(), values)
                })
                .collect()
        };
        let vocabulary = Vocabulary {
            commands: &COMMANDS,
            tools: [
                ("hello".to_owned(), arguments(&[("name", &[])])),
                (
                    "rank".to_owned(),
                    arguments(&[("selection", &[]), ("axis", &["topic", "image"]), ("anchor", &[])]),
                ),
            ]
            .into(),
            keys: vec!["met/select/selection".to_owned()],
        };
        vocabulary.candidates(text)
    }

    #[test]
    fn the_first_word_is_a_command_or_a_tool() {
        assert_eq!(complete("he"), (0, vec!["help ".to_owned(), "hello ".to_owned()]));
        assert_eq!(complete("").1.len(), COMMANDS.len() + 2);
        assert_eq!(complete("xyz").1, Vec::<String>::new());
    }

    #[test]
    fn a_tool_takes_its_own_arguments_once() {
        assert_eq!(
            complete("rank a"),
            (5, vec!["anchor=".to_owned(), "axis=".to_owned()])
        );
        assert_eq!(
            complete("rank anchor='a b' "),
            (18, vec!["axis=".to_owned(), "selection=".to_owned()])
        );
        assert_eq!(complete("nothing a").1, Vec::<String>::new());
    }

    #[test]
    fn a_value_is_one_of_a_list_or_a_handle() {
        assert_eq!(complete("rank axis=t"), (5, vec!["axis=topic ".to_owned()]));
        assert_eq!(
            complete("rank selection=@"),
            (5, vec!["selection=@state:met/select/selection ".to_owned()])
        );
        assert_eq!(complete("rank anchor='open ").1, Vec::<String>::new());
    }

    #[test]
    fn commands_take_keys_and_tools() {
        assert_eq!(
            complete("inspect m"),
            (8, vec!["met/select/selection ".to_owned()])
        );
        assert_eq!(complete("help r"), (5, vec!["rank".to_owned()]));
        assert_eq!(complete("state ").1, Vec::<String>::new());
    }
}
