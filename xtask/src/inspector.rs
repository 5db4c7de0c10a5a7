//! The official Inspector against every shipped toolset: its portability report, and a call.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, ensure};

use crate::{check::Check, install, node, shell};

const LAUNCHER: &str = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";

/// A toolset, one of its tools, the arguments of a call, and a header it needs.
struct Probe {
    toolset: &'static str,
    tool: &'static str,
    arguments: &'static str,
    header: Option<&'static str>,
}

const PROBES: [Probe; 4] = [
    Probe {
        toolset: "hello",
        tool: "hello",
        arguments: r#"{"name":"Ada"}"#,
        header: None,
    },
    Probe {
        toolset: "credential-demo",
        tool: "whoami",
        arguments: "{}",
        header: Some("X-Demo-Token: s3"),
    },
    Probe {
        toolset: "met",
        tool: "collection_facets",
        arguments: r#"{"field":"department","prefix":"isl"}"#,
        header: None,
    },
    Probe {
        toolset: "stac-explorer",
        tool: "search_collections",
        arguments: r#"{"query":"sentinel"}"#,
        header: None,
    },
];

/// Installs the Inspector and points it at each toolset of a running server, in both eras.
pub(crate) fn checks(url: &str) -> Vec<Check> {
    let installed = install();
    let mut checks = Vec::new();
    for probe in &PROBES {
        for era in ["modern", "legacy"] {
            let outcome = match &installed {
                Ok((node, launcher)) => inspect(node, launcher, url, probe, era),
                Err(error) => Err(anyhow::anyhow!("{error:#}")),
            };
            checks.push(Check {
                name: format!("inspector: {} {era}", probe.toolset),
                outcome,
            });
        }
    }
    checks
}

fn install() -> Result<(std::path::PathBuf, std::path::PathBuf)> {
    let node = node::newest()?;
    let folder = install::npm_folder(&shell::root().join("tests/clients/inspector"), "inspector")?;
    Ok((node, folder.join(LAUNCHER)))
}

fn inspect(node: &Path, launcher: &Path, url: &str, probe: &Probe, era: &str) -> Result<()> {
    let mut report = inspector(node, launcher, url, probe, era);
    report.args(["--strict", "--method", "tools/list"]);
    let (listed, warnings) = outputs(&mut report)?;
    ensure!(
        listed.contains(&format!("\"{}\"", probe.tool)),
        "{} is not listed: {listed}",
        probe.tool
    );
    ensure!(
        !warnings.contains("Warning:") && !warnings.contains("Error:"),
        "the portability report is not empty:\n{warnings}"
    );
    let mut call = inspector(node, launcher, url, probe, era);
    call.args(["--method", "tools/call", "--tool-name", probe.tool]);
    call.args(["--tool-args-json", probe.arguments]);
    let (result, _) = outputs(&mut call)?;
    ensure!(
        result.contains("structuredContent"),
        "{} gave no structured result: {result}",
        probe.tool
    );
    Ok(())
}

fn inspector(node: &Path, launcher: &Path, url: &str, probe: &Probe, era: &str) -> Command {
    let mut command = Command::new(node);
    command.arg(launcher).arg("--cli");
    command.arg(format!("{url}/{}/mcp", probe.toolset));
    command.args(["--transport", "http", "--protocol-era", era, "--format", "json"]);
    if let Some(header) = probe.header {
        command.args(["--header", header]);
    }
    command
}

/// What a run writes to its two outputs, if it succeeds.
fn outputs(command: &mut Command) -> Result<(String, String)> {
    let output = command.output().context("cannot start the Inspector")?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    ensure!(
        output.status.success(),
        "the Inspector ended with {}:\n{stdout}{stderr}",
        output.status
    );
    Ok((stdout, stderr))
}
