//! `cargo xtask bench server|met|agent|zeno|load`: builds release programs, starts or installs the peers, and runs the measurements.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};

use crate::{clients, postgres, shell};

const PROFILE: &str = "release";

/// Measures one subject; what follows it on the command line goes to the bench program.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let Some((subject, rest)) = arguments.split_first() else {
        bail!("say what to measure: `cargo xtask bench server`, `… met`, `… agent`, `… zeno` or `… load`");
    };
    match subject.as_str() {
        "agent" | "zeno" => return beside_postgres(subject, rest),
        "load" => return load(rest),
        _ => {}
    }
    if subject == "server" {
        ensure!(
            shell::is_installed("wrk"),
            "wrk, the load generator, is not installed (Debian package `wrk`)"
        );
    }
    let target = build()?;
    let peers = shell::root().join("benches/peers");
    let python = clients::install_python(&peers.join("requirements.txt"))?;
    let mut command = Command::new(target.join("bench"));
    command
        .arg(subject)
        .arg("--periplus")
        .arg(target.join("periplus"))
        .arg("--bare")
        .arg(target.join("examples/bare_rmcp"))
        .args(["--python", "python3"])
        .arg("--peers")
        .arg(&peers)
        .arg("--cache")
        .arg(shell::cache()?.join("bench"))
        .args(rest)
        .env("PYTHONPATH", python)
        // Settings of the surroundings that slow the peer's linear algebra down.
        .env_remove("OPENBLAS_CORETYPE")
        .env_remove("OPENBLAS_L2_SIZE")
        .current_dir(shell::root());
    shell::run(&mut command)
}

/// Measures turns over each store, or searches in each catalogue of areas; a private PostgreSQL is one of them.
fn beside_postgres(subject: &str, arguments: &[String]) -> Result<()> {
    let target = build()?;
    let server = postgres::Server::start()?;
    let mut command = Command::new(target.join("bench"));
    command
        .arg(subject)
        .arg("--periplus")
        .arg(target.join("periplus"))
        .args(["--postgres", &server.url])
        .arg("--cache")
        .arg(shell::cache()?.join("bench"))
        .args(arguments);
    shell::run(&mut command)
}

/// Puts servers under load for a minute; no peer is needed.
fn load(arguments: &[String]) -> Result<()> {
    let target = build()?;
    // Two thousand connections are more than a process may have open by default on many systems.
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -n \"$(ulimit -H -n)\"; exec \"$0\" \"$@\""])
        .arg(target.join("bench"))
        .args(["load", "--seconds", "60", "--periplus"])
        .arg(target.join("periplus"))
        .arg("--cache")
        .arg(shell::cache()?.join("bench"))
        .args(arguments);
    shell::run(&mut command)
}

/// Builds everything that is measured and returns the folder with the programs.
///
/// Every subject builds the same set in one command: another choice of packages would be another choice of features, and
/// most of the tree would be compiled again.
fn build() -> Result<PathBuf> {
    shell::run(&mut shell::cargo([
        "build",
        "--profile",
        PROFILE,
        "-p",
        "periplus",
        "-p",
        "bench",
        "-p",
        "periplus-runtime",
        "--bins",
        "--example",
        "bare_rmcp",
    ]))?;
    target()
}

/// The folder with the programs.
fn target() -> Result<PathBuf> {
    let metadata = shell::read(&mut shell::cargo([
        "metadata",
        "--no-deps",
        "--format-version",
        "1",
    ]))?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata)?;
    let target = metadata["target_directory"]
        .as_str()
        .context("cargo names its target folder")?;
    Ok(Path::new(target).join(PROFILE))
}
