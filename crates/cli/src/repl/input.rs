//! Where lines come from: a terminal with history and completion, or a pipe.

use std::{
    fs,
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
};

use rustyline::{
    CompletionType, Config, Editor, config::Configurer as _, error::ReadlineError, history::FileHistory,
};
use tokio::{runtime::Runtime, signal::unix::Signal};

use super::Vocabulary;
use crate::{
    exit::{CliError, Exit},
    printer,
};

/// Lines that are remembered.
const HISTORY_LINES: usize = 1000;

/// What came in.
#[derive(Debug)]
pub(crate) enum Next {
    Line(String),
    /// The person wants to begin a new line.
    Again,
    End,
}

/// A source of lines.
pub(crate) enum Input {
    Terminal(Box<Terminal>),
    Pipe,
}

/// A line editor and its history.
pub(crate) struct Terminal {
    editor: Editor<Vocabulary, FileHistory>,
    history: Option<PathBuf>,
}

impl Input {
    /// A terminal if a person sits at both ends, else a pipe.
    pub(crate) fn open(history: Option<PathBuf>) -> Result<Self, CliError> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Ok(Self::Pipe);
        }
        let open = || -> rustyline::Result<Editor<Vocabulary, FileHistory>> {
            let config = Config::builder()
                .max_history_size(HISTORY_LINES)?
                .history_ignore_dups(true)?
                // A line that begins with a space is not remembered, as in a shell.
                .history_ignore_space(true)
                .auto_add_history(true)
                .completion_type(CompletionType::List)
                .build();
            Editor::with_config(config)
        };
        let mut editor =
            open().map_err(|error| CliError::answer(format!("cannot read from the terminal: {error}")))?;
        if let Some(path) = &history {
            // There is none before the first session.
            let _ = editor.load_history(path);
        }
        Ok(Self::Terminal(Box::new(Terminal { editor, history })))
    }

    pub(crate) fn is_terminal(&self) -> bool {
        matches!(self, Self::Terminal(_))
    }

    /// Says what can be completed from now on.
    pub(crate) fn learn(&mut self, vocabulary: Vocabulary) {
        if let Self::Terminal(terminal) = self {
            terminal.editor.set_helper(Some(vocabulary));
        }
    }

    /// Waits for the answer to a question, which is not remembered.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub(crate) fn answer(
        &mut self,
        question: &str,
        runtime: &Runtime,
        interrupt: &mut Signal,
    ) -> Result<Next, CliError> {
        match self {
            Self::Terminal(terminal) => {
                terminal.editor.set_auto_add_history(false);
                let helper = terminal.editor.helper_mut().map(std::mem::take);
                let answer = terminal.read(question);
                terminal.editor.set_auto_add_history(true);
                terminal.editor.set_helper(helper);
                answer
            }
            Self::Pipe => {
                printer::note(question.trim_end());
                self.next("", runtime, interrupt)
            }
        }
    }

    /// Waits for the next line; a terminal shows the prompt.
    ///
    /// # Errors
    /// The input cannot be read; an interrupt while waiting for a pipe ends the program.
    pub(crate) fn next(
        &mut self,
        prompt: &str,
        runtime: &Runtime,
        interrupt: &mut Signal,
    ) -> Result<Next, CliError> {
        match self {
            Self::Terminal(terminal) => terminal.read(prompt),
            Self::Pipe => runtime.block_on(async {
                tokio::select! {
                    line = tokio::task::spawn_blocking(read_line) => line
                        .map_err(io::Error::other)
                        .flatten()
                        .map_err(|error| CliError::answer(format!("cannot read standard input: {error}"))),
                    _ = interrupt.recv() => Err(CliError {
                        exit: Exit::Interrupted,
                        message: String::new(),
                        hint: None,
                    }),
                }
            }),
        }
    }

    /// Writes the history.
    pub(crate) fn close(self) {
        let Self::Terminal(mut terminal) = self else {
            return;
        };
        let Some(path) = &terminal.history else {
            return;
        };
        let written = make_parent(path)
            .map_err(ReadlineError::Io)
            .and_then(|()| terminal.editor.save_history(path));
        if let Err(error) = written {
            printer::warning(&format!("the history is not kept in {}: {error}", path.display()));
        }
    }
}

impl Terminal {
    fn read(&mut self, prompt: &str) -> Result<Next, CliError> {
        match self.editor.readline(prompt) {
            Ok(line) => Ok(Next::Line(line)),
            Err(ReadlineError::Interrupted) => Ok(Next::Again),
            Err(ReadlineError::Eof) => Ok(Next::End),
            Err(error) => Err(CliError::answer(format!(
                "cannot read from the terminal: {error}"
            ))),
        }
    }
}

fn read_line() -> io::Result<Next> {
    let mut line = String::new();
    match io::stdin().read_line(&mut line)? {
        0 => Ok(Next::End),
        _ => Ok(Next::Line(line)),
    }
}

fn make_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}
