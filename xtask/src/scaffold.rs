//! The scaffolder from end to end: a workspace with a toolset, a second toolset with a view, calls of both, a removal.
//!
//! The workspace gets Periplus from this clone and shares its target folder, so only what is new is compiled.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::{clients::Server, metadata::Metadata, reference, shell};

/// Name of the workspace and of its binary.
const APP: &str = "scaffolded";

/// Makes, builds, calls and removes.
pub(crate) fn check() -> Result<()> {
    let periplus = reference::build()?;
    let target = Metadata::read()?.target_directory;
    let root = shell::cache()?.join(APP);
    if root.exists() {
        std::fs::remove_dir_all(&root).with_context(|| format!("cannot remove {}", root.display()))?;
    }
    let run = |folder: &Path, arguments: &[&str]| {
        let mut command = Command::new(&periplus);
        command
            .args(arguments)
            .current_dir(folder)
            .env("CARGO_TARGET_DIR", &target);
        shell::run(&mut command)
    };
    let clone = shell::root().display().to_string();
    let here = root.display().to_string();
    run(
        shell::root(),
        &["new", "words", "--workspace", &here, "--periplus", &clone],
    )?;
    run(&root, &["new", "cards", "--with-ui"])?;
    let binary = build(&root, &target)?;
    calls(&binary)?;
    run(&root, &["remove", "cards", "--force"])?;
    let left = shell::read(Command::new(build(&root, &target)?).args(["list", "--local", "--json"]))?;
    let left: Value = serde_json::from_str(&left).context("the list is JSON")?;
    let names: Vec<&Value> = left
        .as_array()
        .into_iter()
        .flatten()
        .map(|toolset| &toolset["toolset"])
        .collect();
    ensure!(names == ["words"], "after the removal there are {left}");
    Ok(())
}

fn build(root: &Path, target: &Path) -> Result<std::path::PathBuf> {
    let mut command = shell::cargo(["build"]);
    shell::run(command.current_dir(root).env("CARGO_TARGET_DIR", target))?;
    Ok(target.join("debug").join(APP))
}

/// Both toolsets answer in process and over HTTP, and the view is served.
fn calls(binary: &Path) -> Result<()> {
    let server = Server::start(binary, &[])?;
    let folder = shell::cache()?.join("scaffolded-view");
    let save = folder.display().to_string();
    for (tool, argument, expected) in [
        (
            "words/example",
            "query=hello",
            json!({ "message": "you said: hello" }),
        ),
        (
            "cards/example",
            "name=Ada",
            json!({ "message": "Hello, Ada!", "name": "Ada" }),
        ),
    ] {
        for place in [&["--local"][..], &["--url", &server.url, "--save", &save]] {
            let mut command = Command::new(binary);
            command.args(["call", tool, argument, "--json"]).args(place);
            let answer: Value =
                serde_json::from_str(&shell::read(&mut command)?).context("the answer is JSON")?;
            ensure!(answer == expected, "{tool} answered {answer}");
        }
    }
    let view = folder.join("panel.html");
    let page = std::fs::read_to_string(&view).with_context(|| format!("cannot read {}", view.display()))?;
    ensure!(page.starts_with("<!doctype html>"), "the view is no page");
    std::fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))
}
