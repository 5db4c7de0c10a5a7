//! One typed line: split as a shell would split it, then read as a command or a call.

use std::path::PathBuf;

use crate::exit::CliError;

/// The words that are commands and not tools; a tool of one of these names is called as `<server>__<name>`.
pub(crate) const COMMANDS: [&str; 7] = ["exit", "help", "inspect", "quit", "save", "state", "tools"];

/// What a line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Nothing: it is empty or a comment.
    Nothing,
    /// The tools, or those whose name holds a word.
    Tools(Option<String>),
    /// The values that calls have published.
    State,
    /// A value, or a part of it; all keys if none is named.
    Inspect { key: String, path: Option<String> },
    /// The published charts, as files of this folder.
    Save(PathBuf),
    /// The commands, or one tool.
    Help(Option<String>),
    /// The end.
    Exit,
    /// A call: the tool and `name=value` words.
    Call { tool: String, arguments: Vec<String> },
}

impl Line {
    /// Reads a line.
    ///
    /// # Errors
    /// A quote that is not closed, or words that a command does not take.
    pub(crate) fn parse(text: &str) -> Result<Self, CliError> {
        if text.trim_start().starts_with('#') {
            return Ok(Self::Nothing);
        }
        let mut words = split(text)?.into_iter();
        let Some(first) = words.next() else {
            return Ok(Self::Nothing);
        };
        let rest: Vec<String> = words.collect();
        let at_most = |count: usize| match rest.get(count) {
            None => Ok(()),
            Some(word) => Err(CliError::usage(format!("{first} does not take {word:?}"))
                .hint("quote what holds spaces: name='garden landscape'")),
        };
        match first.as_str() {
            "tools" => at_most(1).map(|()| Self::Tools(rest.first().cloned())),
            "state" => at_most(0).map(|()| Self::State),
            "inspect" => at_most(2).map(|()| Self::Inspect {
                key: rest.first().cloned().unwrap_or_default(),
                path: rest.get(1).cloned(),
            }),
            "save" => at_most(1).and_then(|()| match rest.first() {
                Some(folder) => Ok(Self::Save(PathBuf::from(folder))),
                None => Err(CliError::usage("save needs a folder").hint("save charts")),
            }),
            "help" => at_most(1).map(|()| Self::Help(rest.first().cloned())),
            "exit" | "quit" => at_most(0).map(|()| Self::Exit),
            _ => Ok(Self::Call {
                tool: first,
                arguments: rest,
            }),
        }
    }
}

/// Splits a line as a shell does: quotes keep spaces, a backslash keeps the next character. Nothing is expanded.
fn split(text: &str) -> Result<Vec<String>, CliError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            ' ' | '\t' | '\r' | '\n' => words.extend(word.take()),
            '\'' => quoted(&mut characters, '\'', word.get_or_insert_default())?,
            '"' => quoted(&mut characters, '"', word.get_or_insert_default())?,
            '\\' => word.get_or_insert_default().extend(characters.next()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Adds what stands up to the closing quote; within double quotes `\"` and `\\` are the characters themselves.
fn quoted(characters: &mut std::str::Chars<'_>, quote: char, word: &mut String) -> Result<(), CliError> {
    while let Some(character) = characters.next() {
        if character == quote {
            return Ok(());
        }
        if character == '\\' && quote == '"' {
            match characters.next() {
                Some(escaped @ ('"' | '\\')) => word.push(escaped),
                Some(other) => word.extend(['\\', other]),
                None => {}
            }
        } else {
            word.push(character);
        }
    }
    Err(CliError::usage(format!("the quote {quote} is not closed")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        split(text).unwrap()
    }

    #[test]
    fn words_are_split_as_in_a_shell() {
        for (text, expected) in [
            ("", vec![]),
            ("  a \t b\r\n", vec!["a", "b"]),
            ("q='garden landscape'", vec!["q=garden landscape"]),
            (r#"q="a \"b\" \\ \n" x"#, vec![r#"q=a "b" \ \n"#, "x"]),
            (r#"p='{"a": "it\"s"}'"#, vec![r#"p={"a": "it\"s"}"#]),
            (r"a\ b c\'d", vec!["a b", "c'd"]),
            ("e= f='' ''", vec!["e=", "f=", ""]),
            ("a#b $HOME *", vec!["a#b", "$HOME", "*"]),
        ] {
            assert_eq!(words(text), expected, "{text:?}");
        }
        for text in ["a 'b", "\"b", "\"b\\"] {
            assert!(
                split(text).unwrap_err().message.contains("is not closed"),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_line_is_a_command_or_a_call() {
        let call = |tool: &str, arguments: &[&str]| Line::Call {
            tool: tool.to_owned(),
            arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
        };
        let inspect = |key: &str, path: Option<&str>| Line::Inspect {
            key: key.to_owned(),
            path: path.map(str::to_owned),
        };
        for (text, expected) in [
            (" ", Line::Nothing),
            ("# a comment 'with a quote", Line::Nothing),
            ("tools", Line::Tools(None)),
            ("tools rank", Line::Tools(Some("rank".to_owned()))),
            ("state", Line::State),
            ("inspect", inspect("", None)),
            ("inspect a/b/c [0].name", inspect("a/b/c", Some("[0].name"))),
            ("help hello", Line::Help(Some("hello".to_owned()))),
            ("save 'my charts'", Line::Save(PathBuf::from("my charts"))),
            ("quit", Line::Exit),
            ("hello name=Ada", call("hello", &["name=Ada"])),
            ("'tools'x y", call("toolsx", &["y"])),
        ] {
            assert_eq!(Line::parse(text).unwrap(), expected, "{text:?}");
        }
        assert!(Line::parse("state now").unwrap_err().message.contains("\"now\""));
    }
}
