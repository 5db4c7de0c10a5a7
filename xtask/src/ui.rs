//! The views: built into the toolsets that embed them, or checked and tested, by the npm scripts of `ui/`.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, anyhow, ensure};

use crate::{check::Check, install, shell};

/// What `npm ci` reads beside the lock file.
const LOCKS: [&str; 4] = [
    "package-lock.json",
    "package.json",
    "mcp-view/package.json",
    "views/package.json",
];

/// Where the tests look for the browser unless `CHROMIUM` says otherwise.
const CHROMIUM: &str = "/usr/bin/chromium";

/// Builds the views, or with `--check` checks them without writing any.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    match arguments {
        [] => {
            install()?;
            script("build")
        }
        [flag] if flag == "--check" => Check::all(&checks()?),
        _ => Err(anyhow!("usage: cargo xtask ui [--check]")),
    }
}

/// Types, formatting and the committed pages; then the tests, which need a browser.
pub(crate) fn checks() -> Result<Vec<Check>> {
    install()?;
    Ok(vec![
        Check {
            name: "npm run check".to_owned(),
            outcome: script("check"),
        },
        Check {
            name: "npm test".to_owned(),
            outcome: browser().and_then(|_| script("test")),
        },
    ])
}

/// Installs the locked packages into the checkout unless they are there; `npm ci` removes the mark with the rest.
fn install() -> Result<()> {
    ensure!(
        shell::exists("npm"),
        "npm is not installed: install Node 20.19 or later, which the views are built with"
    );
    let folder = folder();
    let modules = folder.join("node_modules");
    let locks = LOCKS.map(|lock| folder.join(lock));
    let locks = locks.each_ref().map(PathBuf::as_path);
    if install::is_current(&modules, &locks) {
        return Ok(());
    }
    println!(
        "installing the packages of {} into {}",
        locks[0].display(),
        modules.display()
    );
    install::npm_ci(&folder)?;
    install::mark_current(&modules, &locks)
}

fn script(name: &str) -> Result<()> {
    shell::run(Command::new("npm").args(["run", name]).current_dir(folder()))
}

fn browser() -> Result<PathBuf> {
    let path = shell::variable("CHROMIUM").unwrap_or_else(|| PathBuf::from(CHROMIUM));
    ensure!(
        Path::exists(&path),
        "there is no Chromium at {}: `apt-get install chromium`, or set CHROMIUM to its path",
        path.display()
    );
    Ok(path)
}

fn folder() -> PathBuf {
    shell::root().join("ui")
}
