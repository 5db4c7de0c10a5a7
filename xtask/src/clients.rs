//! The official MCP clients, in the versions of their lock files, against the built binary.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result, ensure};

use crate::{check::Check, inspector, install, reference, shell};

/// Scripts of `tests/clients/python`, each with its requirements.
const PYTHON: [(&str, &str); 2] = [
    ("client_2.py", "requirements-2.txt"),
    ("client_1.py", "requirements-1.txt"),
];

/// Scripts of `tests/clients/typescript`.
const TYPESCRIPT: [&str; 3] = ["client-2.mjs", "client-2-legacy.mjs", "client-1.mjs"];

/// The script of `tests/clients/python` that starts the server itself, for both requirements.
const PYTHON_PIPES: &str = "stdio.py";

/// Scripts of `tests/clients/typescript` that start the server themselves.
const TYPESCRIPT_PIPES: [&str; 2] = ["stdio-2.mjs", "stdio-1.mjs"];

/// Installs the clients and runs every script; all failures are reported together.
pub(crate) fn run() -> Result<()> {
    Check::all(&checks()?)
}

/// Runs every script: against one server, the Python ones also through a directory of its toolsets, and over pipes.
pub(crate) fn checks() -> Result<Vec<Check>> {
    let binary = reference::build()?;
    let server = Server::start(&binary, &[])?;
    let index = Server::index(&binary, &listed(&server.url))?;
    let mut checks = Vec::new();
    for (script, requirements) in PYTHON {
        for (name, url) in [
            (script.to_owned(), &server.url),
            (format!("{script} through a directory"), &index.url),
        ] {
            let outcome = python(script, requirements, url);
            checks.push(Check { name, outcome });
        }
    }
    let command = binary.display().to_string();
    for (_, requirements) in PYTHON {
        checks.push(Check {
            name: format!("{PYTHON_PIPES} with {requirements}"),
            outcome: python(PYTHON_PIPES, requirements, &command),
        });
    }
    let node = install_node();
    let by_address = TYPESCRIPT.map(|script| (script, &server.url));
    let over_pipes = TYPESCRIPT_PIPES.map(|script| (script, &command));
    for (script, target) in by_address.into_iter().chain(over_pipes) {
        let outcome = match &node {
            Ok(folder) => shell::run(Command::new("node").arg(folder.join(script)).arg(target)),
            Err(error) => Err(anyhow::anyhow!("{error:#}")),
        };
        checks.push(Check {
            name: script.to_owned(),
            outcome,
        });
    }
    checks.extend(inspector::checks(&server.url));
    checks.push(Check {
        name: "ag-ui".to_owned(),
        outcome: ag_ui(&binary, &server.url),
    });
    Ok(checks)
}

/// The official AG-UI client against the agent, whose tools are those of a server.
fn ag_ui(binary: &Path, tools: &str) -> Result<()> {
    let folder = install::npm_folder(&shell::root().join("tests/clients/ag-ui"), "ag-ui")?;
    let agent = Server::web(binary, tools)?;
    shell::run(
        Command::new("node")
            .arg(folder.join("client.mjs"))
            .arg(&agent.url),
    )
}

/// The toolsets that the scripts call, as `index` takes them.
fn listed(url: &str) -> String {
    let toolsets = ["hello", "credential-demo", "stac-explorer", "met"];
    let entries: Vec<String> = toolsets
        .iter()
        .map(|name| format!("{name}={url}/{name}"))
        .collect();
    entries.join(",")
}

fn python(script: &str, requirements: &str, target: &str) -> Result<()> {
    let folder = shell::root().join("tests/clients/python");
    let packages = install_python(&folder.join(requirements))?;
    let mut command = Command::new("python3");
    command
        .arg(folder.join(script))
        .arg(target)
        .env("PYTHONPATH", packages)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    shell::run(&mut command)
}

/// Installs pinned packages into a folder of their own; nothing is installed into the system.
pub(crate) fn install_python(requirements: &Path) -> Result<PathBuf> {
    pip(requirements, &[])
}

/// As [`install_python`], without what the packages depend on: for those of which only a file is wanted.
pub(crate) fn install_python_alone(requirements: &Path) -> Result<PathBuf> {
    pip(requirements, &["--no-deps"])
}

fn pip(requirements: &Path, flags: &[&str]) -> Result<PathBuf> {
    ensure!(
        shell::exists("python3"),
        "python3 is not installed: the packages of {} cannot be fetched",
        requirements.display()
    );
    let name = requirements.file_stem().context("requirements have a name")?;
    let target = shell::cache()?.join("python").join(name);
    if install::is_current(&target, &[requirements]) {
        return Ok(target);
    }
    println!(
        "installing the packages of {} into {}",
        requirements.display(),
        target.display()
    );
    install::replace(&target)?;
    let mut command = Command::new("python3");
    command.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-warn-script-location",
    ]);
    command
        .args(flags)
        .arg("--root-user-action=ignore")
        .arg("--target")
        .arg(&target)
        .arg("--requirement")
        .arg(requirements);
    shell::run(&mut command)?;
    install::mark_current(&target, &[requirements])?;
    Ok(target)
}

/// Installs the official TypeScript clients, with our scripts beside them.
fn install_node() -> Result<PathBuf> {
    ensure!(
        shell::exists("npm"),
        "npm is not installed: the official TypeScript clients cannot run"
    );
    install::npm_folder(&shell::root().join("tests/clients/typescript"), "typescript")
}

/// The server under test, ended by its own handle.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Server {
    /// Serves these toolsets; all of them if none is named.
    pub(crate) fn start(binary: &Path, toolsets: &[&str]) -> Result<Self> {
        Self::run(Command::new(binary).arg("serve").args(toolsets))
    }

    /// Serves the directory of toolsets that another server serves.
    fn index(binary: &Path, list: &str) -> Result<Self> {
        Self::run(Command::new(binary).args(["index", "--static", list]))
    }

    /// Serves the agent, with the tools of another server, the guide as its model and no threads kept.
    fn web(binary: &Path, tools: &str) -> Result<Self> {
        Self::run(Command::new(binary).args(["web", tools, "--model", "guide:", "--checkpoint", "memory"]))
    }

    fn run(command: &mut Command) -> Result<Self> {
        Self::wait_for(command.args(["--port", "0", "--log", "warn"]))
    }

    /// Starts a program that says where it serves, and waits until it does.
    pub(crate) fn wait_for(command: &mut Command) -> Result<Self> {
        command.current_dir(shell::cache()?);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        let stderr = child.stderr.take().context("standard error is piped")?;
        let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
        let mut said = String::new();
        let url = lines.by_ref().find_map(|line| {
            said += &format!("{line}\n");
            line.split_once(" serves at ")
                .map(|(_, url)| url.trim().to_owned())
        });
        let Some(url) = url else {
            child.wait()?;
            anyhow::bail!("the server did not start:\n{said}");
        };
        // The pipe is read to its end, so that the server never waits for a reader.
        std::thread::spawn(move || lines.for_each(|line| println!("{line}")));
        Ok(Self { child, url })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself, which the scripts have noticed then.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
