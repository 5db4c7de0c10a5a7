//! `cargo xtask test`: every check in turn, none skipped because an earlier one failed, and one line at the end.

use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::{bans, check::Check, clients, conformance, edges, postgres, reference, scaffold, shell, ui};

/// Passed and failed checks and tests.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tally {
    passed: usize,
    failed: usize,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }

    fn of(outcome: Result<()>) -> Self {
        match outcome {
            Ok(()) => Self { passed: 1, failed: 0 },
            Err(error) => {
                println!("error: {error:#}");
                Self { passed: 0, failed: 1 }
            }
        }
    }
}

/// A named part of the suite.
type Section = (&'static str, fn() -> Tally);

const SECTIONS: &[Section] = &[
    ("formatting", || {
        Tally::of(shell::run(&mut shell::cargo(["fmt", "--all", "--check"])))
    }),
    ("edges between crates", || Tally::of(edges::check())),
    ("bans and licences", || Tally::of(bans::check())),
    ("lints", || Tally::of(lints())),
    ("tests", tests),
    ("documentation tests", || {
        counted(&mut shell::cargo(["test", "--workspace", "--doc", "--locked"]))
    }),
    ("documentation", || Tally::of(documentation())),
    ("generated reference", || Tally::of(reference::check())),
    ("official clients", || of_checks(clients::checks())),
    ("conformance suite", || of_checks(conformance::checks())),
    ("scaffolder", || Tally::of(scaffold::check())),
    ("views", || of_checks(ui::checks())),
];

/// Runs all sections.
pub(crate) fn run() -> ExitCode {
    let mut total = Tally::default();
    let mut failed = Vec::new();
    for (name, section) in SECTIONS {
        println!("\n=== {name} ===");
        let tally = section();
        println!("=== {name}: {} passed, {} failed ===", tally.passed, tally.failed);
        if tally.failed > 0 {
            failed.push(*name);
        }
        total.add(tally);
    }
    println!();
    if !failed.is_empty() {
        println!("failed: {}", failed.join(", "));
    }
    println!("{} passed, {} failed", total.passed, total.failed);
    if total.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn lints() -> Result<()> {
    shell::run(&mut shell::cargo([
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ]))
}

fn documentation() -> Result<()> {
    let mut command = shell::cargo(["doc", "--workspace", "--no-deps", "--locked"]);
    shell::run(command.env("RUSTDOCFLAGS", "-D warnings"))
}

/// The tests with a database server beside them: one that the environment names, or a private one.
fn tests() -> Tally {
    let mut command = test_runner();
    if shell::variable(postgres::VARIABLE).is_some() {
        return counted(&mut command);
    }
    match postgres::Server::start() {
        Ok(server) => counted(server.beside(&mut command)),
        Err(error) => {
            let mut tally = counted(&mut command);
            tally.add(Tally::of(Err(error)));
            tally
        }
    }
}

/// nextest if it is installed, else what cargo brings along; the same tests either way.
fn test_runner() -> Command {
    if shell::exists("cargo-nextest") {
        shell::cargo(["nextest", "run", "--workspace", "--locked"])
    } else {
        println!("cargo-nextest is not installed: using cargo test");
        shell::cargo([
            "test",
            "--workspace",
            "--all-targets",
            "--locked",
            "--no-fail-fast",
        ])
    }
}

/// One for each check; one failure if they could not be begun.
fn of_checks(checks: Result<Vec<Check>>) -> Tally {
    let checks = match checks {
        Ok(checks) => checks,
        Err(error) => return Tally::of(Err(error)),
    };
    let mut tally = Tally::default();
    for check in checks {
        tally.add(Tally::of(
            check.outcome.map_err(|error| error.context(check.name)),
        ));
    }
    tally
}

/// Runs tests and adds up their summaries; a run without a summary, or a failure that none counts, is one failure.
fn counted(command: &mut Command) -> Tally {
    let outcome = shell::watch(command).and_then(|(succeeded, text)| match (summary(&text), succeeded) {
        (None, true) => bail!("the tests ended without a summary"),
        (None | Some(Tally { failed: 0, .. }), false) => bail!("the tests could not be built or run"),
        (Some(tally), _) => Ok(tally),
    });
    outcome.unwrap_or_else(|error| Tally::of(Err(error)))
}

/// Adds up the summary lines of nextest and of cargo's own test runner.
fn summary(text: &str) -> Option<Tally> {
    let lines: Vec<&str> = text.lines().filter(|line| is_summary(line)).collect();
    (!lines.is_empty()).then(|| {
        lines.iter().fold(Tally::default(), |mut total, line| {
            total.add(Tally {
                passed: number_before(line, "passed"),
                failed: number_before(line, "failed"),
            });
            total
        })
    })
}

fn is_summary(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("test result: ") || (line.starts_with("Summary [") && line.contains(" run: "))
}

/// The number that stands before a word.
fn number_before(line: &str, word: &str) -> usize {
    let words: Vec<&str> = line
        .split([' ', ',', ';', ':'])
        .filter(|word| !word.is_empty())
        .collect();
    words
        .windows(2)
        .find(|pair| pair[1] == word)
        .and_then(|pair| pair[0].parse().ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_of_both_runners_are_added_up() {
        let nextest = "     Summary [   1.702s] 33 tests run: 31 passed (1 slow), 2 failed, 4 skipped";
        assert_eq!(
            summary(nextest),
            Some(Tally {
                passed: 31,
                failed: 2
            })
        );
        let cargo = "test result: ok. 3 passed; 0 failed; 0 ignored\nx\ntest result: FAILED. 1 passed; 2 failed; 0 ignored";
        assert_eq!(summary(cargo), Some(Tally { passed: 4, failed: 2 }));
        assert_eq!(summary("error: could not compile"), None);
    }
}
