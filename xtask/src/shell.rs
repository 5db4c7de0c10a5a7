//! Running other programs: output shown as it comes, and kept where it is to be read.

use std::{
    ffi::OsStr,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail, ensure};

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies below the root")
}

/// A variable of the environment; empty counts as unset.
#[expect(
    clippy::disallowed_methods,
    reason = "the task runner is a program of its own"
)]
pub(crate) fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// A folder that survives runs, for what tests install.
pub(crate) fn cache() -> Result<PathBuf> {
    let parent = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
    let cache = parent.context("neither XDG_CACHE_HOME nor HOME is set: there is no place for a cache")?;
    let cache = cache.join("periplus").join("xtask");
    std::fs::create_dir_all(&cache).with_context(|| format!("cannot make {}", cache.display()))?;
    Ok(cache)
}

/// `cargo` with these arguments, in the root of the repository.
pub(crate) fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).current_dir(root());
    command
}

/// Whether a program can be started.
pub(crate) fn exists(program: &str) -> bool {
    started(program).is_ok_and(|status| status.success())
}

/// Whether a program is there, however it takes a question about its version.
pub(crate) fn is_installed(program: &str) -> bool {
    started(program).is_ok()
}

fn started(program: &str) -> std::io::Result<std::process::ExitStatus> {
    let mut command = Command::new(program);
    command
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status()
}

/// Runs a program to its end and fails if it does.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    println!("$ {shown}");
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start `{shown}`"))?;
    ensure!(status.success(), "`{shown}` failed ({status})");
    Ok(())
}

/// Runs a program and returns what it writes to standard output.
pub(crate) fn read(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .with_context(|| format!("cannot start `{shown}`"))?;
    if !output.status.success() {
        bail!(
            "`{shown}` failed ({}):\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` wrote something that is not UTF-8"))
}

/// Runs a program, and returns whether it succeeded and all it wrote.
pub(crate) fn capture(command: &mut Command) -> Result<(bool, String)> {
    let shown = show(command);
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start `{shown}`"))?;
    let text = [output.stdout, output.stderr].concat();
    Ok((
        output.status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    ))
}

/// Runs a program, shows its output as it comes, and returns whether it succeeded and all it wrote.
pub(crate) fn watch(command: &mut Command) -> Result<(bool, String)> {
    let shown = show(command);
    println!("$ {shown}");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{shown}`"))?;
    let stdout = child.stdout.take().map(tee);
    let stderr = child.stderr.take().map(tee);
    let mut text = String::new();
    for reader in [stdout, stderr].into_iter().flatten() {
        text += &reader.join().unwrap_or_default();
    }
    let status = child
        .wait()
        .with_context(|| format!("cannot wait for `{shown}`"))?;
    Ok((status.success(), text))
}

fn tee(source: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut all = String::new();
        let mut reader = BufReader::new(source);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            let text = String::from_utf8_lossy(&line);
            let mut out = std::io::stdout().lock();
            // Nobody reading along must not stop the tests.
            let _ = write!(out, "{text}").and_then(|()| out.flush());
            all += &text;
            line.clear();
        }
        all
    })
}

fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}
