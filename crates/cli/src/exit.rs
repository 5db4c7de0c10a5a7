//! How a command ends: its exit code, and the one line that says why.

use std::process::ExitCode;

use periplus_runtime::{client::ClientError, directory::DirectoryError, server::ServeError};

use crate::config::ConfigError;

/// The documented exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It worked. A reader that closed the pipe early counts as success.
    Success,
    /// The tool, the server or the checked thing answered with an error.
    Answer,
    /// The command line or the configuration is wrong.
    Usage,
    /// No server could be reached, or the server could not listen.
    Connect,
    /// An import refused an input file; the message ends with its code.
    Input,
    /// An output file or folder could not be written.
    Output,
    /// Interrupted by the user.
    Interrupted,
}

impl Exit {
    /// All codes, for the reference page.
    pub const ALL: [Self; 7] = [
        Self::Success,
        Self::Answer,
        Self::Usage,
        Self::Connect,
        Self::Input,
        Self::Output,
        Self::Interrupted,
    ];

    /// The number the process ends with.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Answer => 1,
            Self::Usage => 2,
            Self::Connect | Self::Input => 3,
            Self::Output => 4,
            Self::Interrupted => 130,
        }
    }

    /// What the code means, in one sentence.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Success => "It worked; also when the reader of a pipe stopped reading.",
            Self::Answer => "The tool, the server or a check answered with an error.",
            Self::Usage => {
                "The command line or the configuration is wrong, or a tool asked what neither `--answer` nor a terminal answers."
            }
            Self::Connect => "No server answers at the address, or the address cannot be listened on.",
            Self::Input => {
                "`met import` refused an input file; the message ends with the code of the reason."
            }
            Self::Output => {
                "`met import`, `call --save`, `eval --junit` or `man --dir` could not write its output."
            }
            Self::Interrupted => "Interrupted (Ctrl-C).",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// Why a command failed, as it is shown: one line, and a hint what to do.
#[derive(Debug)]
pub struct CliError {
    /// The exit code.
    pub exit: Exit,
    /// What went wrong, with the value at fault.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// The result of a command.
pub type Outcome = Result<Exit, CliError>;

impl CliError {
    /// A mistake on the command line or in the configuration.
    pub fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.into(),
            hint: None,
        }
    }

    /// An answer that is an error.
    pub fn answer(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Answer,
            message: message.into(),
            hint: None,
        }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        Self::usage(chain(&error))
    }
}

impl From<ClientError> for CliError {
    fn from(error: ClientError) -> Self {
        let exit = if error.is_connection() {
            Exit::Connect
        } else {
            Exit::Answer
        };
        let hint = match &error {
            ClientError::Unreachable { .. } => {
                Some("start a server with `periplus serve`, or name another one with --url or MCP_URL")
            }
            ClientError::Unauthorized { .. } => Some("give the secret as -H 'Authorization: Bearer …'"),
            ClientError::Status { status: 404, .. } | ClientError::Protocol { .. } => {
                Some("check the URL: a server's root, its index, and …/mcp are understood")
            }
            ClientError::Header { .. } => return Self::usage(error.to_string()),
            _ => None,
        };
        Self {
            exit,
            message: chain(&error),
            hint: hint.map(str::to_owned),
        }
    }
}

impl From<ServeError> for CliError {
    fn from(error: ServeError) -> Self {
        let exit = match &error {
            ServeError::Bind { .. } | ServeError::Listen(_) => Exit::Connect,
            _ => Exit::Usage,
        };
        Self {
            exit,
            message: chain(&error),
            hint: None,
        }
    }
}

impl From<DirectoryError> for CliError {
    fn from(error: DirectoryError) -> Self {
        let error_text = Self::usage(chain(&error));
        match error {
            DirectoryError::NoPublicUrl => error_text.hint("set --public-url or PUBLIC_URL"),
            DirectoryError::Account { .. } => error_text.hint("set --static or TOOLSETS_STATIC to a list"),
            _ => error_text,
        }
    }
}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        // A reader that has seen enough, such as `head`, is no failure.
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self {
                exit: Exit::Success,
                message: String::new(),
                hint: None,
            };
        }
        Self::answer(format!("cannot write the output: {error}"))
    }
}

/// An error and its causes on one line.
pub(crate) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}
