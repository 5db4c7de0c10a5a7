//! The generated pages under `docs/reference`: written, or compared with what the binary prints now.

use std::{path::PathBuf, process::Command};

use anyhow::{Context, Result, ensure};

use crate::{metadata::Metadata, shell};

const PAGES: [&str; 7] = [
    "cli",
    "environment",
    "errors",
    "exit-codes",
    "limits",
    "routes",
    "tools",
];

/// Writes all pages.
pub(crate) fn write() -> Result<()> {
    for (path, text) in pages()? {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

/// Fails with the names of the pages that are not current.
pub(crate) fn check() -> Result<()> {
    let pages = pages()?;
    let stale: Vec<String> = pages
        .iter()
        .filter(|(path, text)| std::fs::read_to_string(path).ok().as_ref() != Some(text))
        .map(|(path, _)| path.display().to_string())
        .collect();
    ensure!(
        stale.is_empty(),
        "not current, run `cargo xtask gen`: {}",
        stale.join(", ")
    );
    println!("{} generated pages are current", pages.len());
    Ok(())
}

fn pages() -> Result<Vec<(PathBuf, String)>> {
    let binary = build()?;
    let folder = shell::root().join("docs").join("reference");
    let page = |name: &str| {
        let mut command = Command::new(&binary);
        // The pages describe the program, not the machine: no variable but HOME, no file of the folder.
        command
            .args(["reference", name])
            .env_clear()
            .current_dir(shell::cache()?);
        command.envs(shell::variable("HOME").map(|home| ("HOME", home)));
        Ok((folder.join(name).with_extension("md"), shell::read(&mut command)?))
    };
    PAGES.iter().map(|name| page(name)).collect()
}

/// Builds the binary and says where it is.
pub(crate) fn build() -> Result<PathBuf> {
    shell::run(&mut shell::cargo([
        "build",
        "--locked",
        "--workspace",
        "--bin",
        "periplus",
    ]))?;
    Ok(Metadata::read()?.target_directory.join("debug").join("periplus"))
}
