//! One command, run to its end.

use std::{
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::{Server, binary};

/// A user of the binary: a home folder, a working folder, and the variables that were set.
#[derive(Debug)]
pub struct Periplus {
    folder: TempDir,
    variables: Vec<(String, String)>,
}

impl Default for Periplus {
    fn default() -> Self {
        Self::new()
    }
}

impl Periplus {
    /// A user with an empty home and no variables.
    ///
    /// # Panics
    /// If no temporary folder can be made.
    #[must_use]
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder can be made"),
            variables: Vec::new(),
        }
    }

    /// Sets a variable for everything this user runs.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The working folder, which is also the home.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file into the working folder.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder().join(name), text).expect("the temporary folder can be written");
    }

    /// Runs a command to its end.
    ///
    /// # Panics
    /// If the binary cannot be started.
    #[must_use]
    pub fn run(&self, arguments: &[&str]) -> Finished {
        self.run_with_input(arguments, "")
    }

    /// Runs a command that reads standard input.
    ///
    /// # Panics
    /// If the binary cannot be started.
    #[must_use]
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Finished {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        if let Some(mut stdin) = child.stdin.take() {
            // A command that reads no input closes the pipe, which is its right.
            let _ = stdin.write_all(input.as_bytes());
        }
        Finished::of(
            child
                .wait_with_output()
                .expect("the output of the binary is readable"),
        )
    }

    /// Starts a server on a free port and waits until it is up.
    #[must_use]
    pub fn serve(&self, arguments: &[&str]) -> Server {
        let mut all = vec!["serve", "--port", "0"];
        all.extend(arguments);
        Server::start(self.command(&all))
    }

    /// Starts a directory on a free port and waits until it is up.
    #[must_use]
    pub fn index(&self, arguments: &[&str]) -> Server {
        let mut all = vec!["index", "--port", "0"];
        all.extend(arguments);
        Server::start(self.command(&all))
    }

    /// Starts the stand-in of the analytics service on a free port and waits until it is up.
    #[must_use]
    pub fn analytics(&self) -> Server {
        Server::start(self.command(&["analytics", "--port", "0"]))
    }

    /// Starts the agent over HTTP on a free port and waits until it is up.
    #[must_use]
    pub fn web(&self, arguments: &[&str]) -> Server {
        let mut all = vec!["web", "--port", "0"];
        all.extend(arguments);
        Server::start(self.command(&all))
    }

    /// The command, ready to be started.
    #[must_use]
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .args(arguments)
            .current_dir(self.folder())
            .env_clear()
            .env("HOME", self.folder());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// What a command left behind.
#[derive(Debug)]
pub struct Finished {
    /// The exit code; -1 if a signal ended it.
    pub code: i32,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

impl Finished {
    fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is UTF-8");
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Checks the exit code.
    ///
    /// # Panics
    /// If it is another one.
    #[track_caller]
    #[must_use]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "stdout:\n{}\nstderr:\n{}",
            self.stdout, self.stderr
        );
        self
    }

    /// Standard output as JSON.
    ///
    /// # Panics
    /// If it is none.
    #[track_caller]
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("no JSON ({error}):\n{}", self.stdout))
    }
}
