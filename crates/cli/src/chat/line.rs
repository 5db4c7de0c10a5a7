//! What is typed: a message, or a command that begins with a slash.

use crate::exit::CliError;

/// All commands, for completion.
pub(crate) const COMMANDS: [&str; 6] = ["/help", "/inspect", "/new", "/quit", "/state", "/tools"];

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Nothing,
    Message(String),
    Help,
    Tools,
    State,
    Inspect { key: String, path: Option<String> },
    New,
    Quit,
}

impl Line {
    pub(crate) fn parse(text: &str) -> Result<Self, CliError> {
        let text = text.trim();
        let mut words = text.split_whitespace();
        let line = match words.next() {
            None => Self::Nothing,
            Some("quit" | "exit" | "/quit" | "/exit") if words.clone().next().is_none() => Self::Quit,
            Some("/help") => Self::Help,
            Some("/tools") => Self::Tools,
            Some("/state") => Self::State,
            Some("/new") => Self::New,
            Some("/inspect") => match words.next() {
                Some(key) => Self::Inspect {
                    key: key.to_owned(),
                    path: words.next().map(str::to_owned),
                },
                None => {
                    return Err(
                        CliError::usage("which value?").hint("/inspect KEY [PATH]; /state lists the keys")
                    );
                }
            },
            Some(command) if command.starts_with('/') => {
                let known = crate::config::nearest(command, COMMANDS);
                let hint = known.map_or_else(|| COMMANDS.join(" "), |known| format!("did you mean {known}?"));
                return Err(CliError::usage(format!("{command} is no command")).hint(hint));
            }
            Some(_) => Self::Message(text.to_owned()),
        };
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_begins_a_command_and_everything_else_is_a_message() {
        let parse = |text| Line::parse(text).unwrap();
        assert_eq!(parse("  "), Line::Nothing);
        assert_eq!(parse(" how much? "), Line::Message("how much?".to_owned()));
        assert_eq!(
            parse("exit strategies of firms"),
            Line::Message("exit strategies of firms".to_owned())
        );
        assert_eq!(parse("exit"), Line::Quit);
        assert_eq!(
            parse("/inspect a/b/c features[0]"),
            Line::Inspect {
                key: "a/b/c".to_owned(),
                path: Some("features[0]".to_owned())
            }
        );
        for bad in ["/inspect", "/stat", "/etc/passwd"] {
            assert!(Line::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(
            Line::parse("/stat").unwrap_err().hint.unwrap(),
            "did you mean /state?"
        );
    }
}
