//! `cargo xtask conformance`: the official MCP conformance suite against our server and our client.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::{
    check::Check,
    clients::Server,
    install, reference,
    shell::{self, capture},
};

/// The revisions whose requirements are claimed in full, for a server.
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// What the suite asks of a client at each revision, but authorization: the client sends the credentials it is given
/// and obtains none.
const CLIENT: [(&str, &[&str]); 2] = [
    (
        "2025-11-25",
        &[
            "initialize",
            "tools_call",
            "elicitation-sep1034-client-defaults",
            "sse-retry",
            "json-schema-2020-12-preservation",
        ],
    ),
    (
        "2026-07-28",
        &[
            "tools_call",
            "request-metadata",
            "sep-2322-client-request-state",
            "http-standard-headers",
            "http-custom-headers",
            "http-invalid-tool-headers",
            "json-schema-ref-no-deref",
            "json-schema-2020-12-preservation",
        ],
    ),
];

/// Scenarios that any toolset passes, and the checks in them that need a fixture which only `conformance` has.
const ORDINARY: [(&str, &str, &[&str]); 8] = [
    ("2025-11-25", "server-initialize", &[]),
    ("2025-11-25", "ping", &[]),
    ("2025-11-25", "tools-list", &[]),
    ("2025-11-25", "dns-rebinding-protection", &[]),
    (
        "2026-07-28",
        "server-stateless",
        &[
            "sep-2575-server-declares-prompts-in-discover",
            "sep-2575-server-rejects-undeclared-capability",
            "sep-2575-missing-capability-http-400",
            "sep-2575-http-server-no-independent-requests-on-stream",
            "sep-2575-server-no-log-without-loglevel",
        ],
    ),
    ("2026-07-28", "tools-list", &[]),
    ("2026-07-28", "caching", &[]),
    ("2026-07-28", "http-header-validation", &[]),
];

/// Runs every set; all failures are reported together.
pub(crate) fn run() -> Result<()> {
    Check::all(&checks()?)
}

/// One check a set, each announced by one line.
pub(crate) fn checks() -> Result<Vec<Check>> {
    let suite = Suite::install()?;
    let binary = reference::build()?;
    let mut checks = Vec::new();
    let server = Server::start(&binary, &["conformance"])?;
    for revision in REVISIONS {
        checks.push(check(
            format!("server {revision}"),
            suite.server_set(&server.url, revision),
        ));
    }
    let hello = Server::start(&binary, &["hello"])?;
    checks.push(check("server hello".to_owned(), suite.ordinary(&hello.url)));
    for (revision, scenarios) in CLIENT {
        let outcome = suite.client_set(&binary, revision, scenarios);
        checks.push(check(format!("client {revision}"), outcome));
    }
    Ok(checks)
}

/// How a set went.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: Vec<String>,
}

fn check(name: String, tally: Result<Tally>) -> Check {
    let outcome = tally.and_then(|tally| {
        println!("{name}: {} passed, {} failed", tally.passed, tally.failed.len());
        ensure!(tally.failed.is_empty(), "{}", tally.failed.join("; "));
        ensure!(tally.passed > 0, "nothing was checked");
        Ok(())
    });
    Check { name, outcome }
}

/// The installed suite with the Node that it needs.
struct Suite {
    folder: PathBuf,
}

impl Suite {
    fn install() -> Result<Self> {
        ensure!(
            shell::exists("npm"),
            "npm is not installed: the conformance suite cannot be installed"
        );
        let source = shell::root().join("tests/conformance");
        let folder = shell::cache()?.join("conformance");
        let locks = [source.join("package.json"), source.join("package-lock.json")];
        let locks = locks.each_ref().map(PathBuf::as_path);
        if !install::is_current(&folder, &locks) {
            println!("installing the conformance suite into {}", folder.display());
            install::replace(&folder)?;
            for lock in locks {
                let name = lock.file_name().context("a lock file has a name")?;
                std::fs::copy(lock, folder.join(name))
                    .with_context(|| format!("cannot copy {}", lock.display()))?;
            }
            install::npm_ci(&folder)?;
            install::mark_current(&folder, &locks)?;
        }
        Ok(Self { folder })
    }

    /// Everything that a revision demands of a server.
    fn server_set(&self, url: &str, revision: &str) -> Result<Tally> {
        let url = format!("{url}/mcp");
        let (succeeded, text) = self.suite(["server", "--url", &url, "--requirements", revision])?;
        let mut tally = totals(&text).context("the suite ended without a summary")?;
        if succeeded {
            // What fails beside a success is not scored: extensions and scenarios that are not settled.
            tally.failed.clear();
        } else if tally.failed.is_empty() {
            bail!("the suite failed without naming a scenario:\n{}", end_of(&text));
        }
        Ok(tally)
    }

    /// What the runtime promises for every toolset.
    fn ordinary(&self, url: &str) -> Result<Tally> {
        let url = format!("{url}/mcp");
        let mut tally = Tally::default();
        for (revision, scenario, needs_fixtures) in ORDINARY {
            let arguments = [
                "server",
                "--url",
                &url,
                "--scenario",
                scenario,
                "--spec-version",
                revision,
            ];
            self.scenario(&arguments, scenario, needs_fixtures, &mut tally)?;
        }
        Ok(tally)
    }

    fn client_set(&self, binary: &Path, revision: &str, scenarios: &[&str]) -> Result<Tally> {
        let command = format!("{} conformance-client", binary.display());
        let mut tally = Tally::default();
        for scenario in scenarios {
            let arguments = [
                "client",
                "--command",
                &command,
                "--scenario",
                scenario,
                "--spec-version",
                revision,
            ];
            self.scenario(&arguments, scenario, &[], &mut tally)?;
        }
        Ok(tally)
    }

    /// Runs one scenario and reads what it checked.
    fn scenario(&self, arguments: &[&str], name: &str, expected: &[&str], tally: &mut Tally) -> Result<()> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Made {
            id: String,
            status: String,
            error_message: Option<String>,
        }
        let results = self.folder.join("results");
        install::replace(&results)?;
        let results_text = results.display().to_string();
        let (_, text) = self.suite(arguments.iter().copied().chain(["-o", &results_text]))?;
        let file =
            checks_file(&results).with_context(|| format!("{name} made no checks:\n{}", end_of(&text)))?;
        let made = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let made: Vec<Made> =
            serde_json::from_slice(&made).with_context(|| format!("cannot read {}", file.display()))?;
        for made in made {
            match made.status.as_str() {
                "SUCCESS" => tally.passed += 1,
                "FAILURE" if !expected.contains(&made.id.as_str()) => {
                    let why = made.error_message.unwrap_or_default();
                    tally.failed.push(format!("{name}: {}: {why}", made.id));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn suite<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Result<(bool, String)> {
        let mut command = Command::new(self.folder.join("node_modules/.bin/node"));
        command
            .arg(
                self.folder
                    .join("node_modules/@modelcontextprotocol/conformance/dist/index.js"),
            )
            .args(arguments)
            .current_dir(&self.folder);
        capture(&mut command)
    }
}

/// The one file of checks below a folder.
fn checks_file(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let files = entries.filter_map(|entry| Some(entry.ok()?.path().join("checks.json")));
    files.into_iter().find(|file| file.is_file())
}

/// What the summary at the end of a set says: `Total: 75 passed, 0 failed`, and `✗` before scenarios that failed.
fn totals(text: &str) -> Option<Tally> {
    let summary = text.rsplit_once("=== SUMMARY ===")?.1;
    let total = summary
        .lines()
        .find_map(|line| line.trim().strip_prefix("Total: "))?;
    let passed = total.split(' ').next()?.parse().ok()?;
    let failed = summary
        .lines()
        .map_while(|line| (!line.starts_with("Total: ")).then_some(line.trim()))
        .filter_map(|line| line.strip_prefix("✗ "))
        .map(str::to_owned)
        .collect();
    Some(Tally { passed, failed })
}

fn end_of(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_of_a_set_is_read() {
        let text = "=== Running ===\n✗ not this\n\n=== SUMMARY ===\n✓ ping: 2 passed, 0 failed\n\
                    ✗ tools-list: 1 passed, 1 failed\n\nTotal: 3 passed, 1 failed\n\n✗ nor this (extension)\n";
        let tally = totals(text).unwrap();
        assert_eq!(tally.passed, 3);
        assert_eq!(tally.failed, ["tools-list: 1 passed, 1 failed"]);
        assert!(totals("it broke").is_none());
    }
}
