//! `new`: a toolset in this workspace, or in a workspace of its own.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
};

use super::block_on;
use crate::{
    args::New,
    exit::{CliError, Exit, Outcome},
    printer,
    scaffold::{Change, Name, Source, Workspace},
};

pub(crate) fn run(args: &New) -> Outcome {
    let name = Name::parse(&args.name)?;
    block_on(async {
        // Dropped before it is kept, such as by Ctrl-C, it leaves no trace.
        let mut change = Change::default();
        let workspace = match &args.workspace {
            Some(folder) => {
                let root = absolute(folder)?;
                Workspace::create(&root, &Source::find(args.periplus.as_deref())?, &mut change)?
            }
            None => Workspace::find(&absolute(Path::new("."))?)?,
        };
        let made = workspace.add(&name, args.with_ui, &mut change)?;
        if !args.no_check {
            check(&workspace, &["test", "--package", &workspace.package(&name)]).await?;
            check(&workspace, &["build", "--package", workspace.app()]).await?;
        }
        change
            .keep()
            .map_err(|error| CliError::answer(format!("cannot finish: {error}")))?;
        for file in &made {
            printer::data(&format!("created {}", workspace.root().join(file).display()))?;
        }
        printer::note(&next_steps(&workspace, &name, args));
        Ok(Exit::Success)
    })
}

fn next_steps(workspace: &Workspace, name: &Name, args: &New) -> String {
    let enter = match &args.workspace {
        Some(folder) => format!("\n  cd {}", folder.display()),
        None => String::new(),
    };
    let argument = if args.with_ui { "name=Ada" } else { "query=hello" };
    format!(
        "\nNext:{enter}\n  cargo run -- call --local {name}/example {argument}\n  cargo run -- serve {name}\n  \
         edit {}",
        workspace.folder(name).join("src/tools/example.rs").display()
    )
}

/// The path from the root of the file system, whether or not it exists.
pub(super) fn absolute(path: &Path) -> Result<PathBuf, CliError> {
    let path = std::path::absolute(path)
        .map_err(|error| CliError::usage(format!("{} is no usable path: {error}", path.display())))?;
    // `.` and a trailing slash would hide the name of the folder.
    Ok(path.components().collect())
}

/// Runs cargo in a workspace; its output is for people.
///
/// # Errors
/// It cannot be started or fails; the caller's change is then undone.
pub(super) async fn check(workspace: &Workspace, arguments: &[&str]) -> Result<(), CliError> {
    let shown = format!("cargo {}", arguments.join(" "));
    printer::note(&format!("checking: {shown}"));
    let status = tokio::process::Command::new("cargo")
        .args(arguments)
        .current_dir(workspace.root())
        .stdin(Stdio::null())
        .stdout(stderr()?)
        .kill_on_drop(true)
        .status()
        .await
        .map_err(|error| {
            CliError::answer(format!("cannot start cargo: {error}")).hint("--no-check leaves the check out")
        })?;
    if status.success() {
        Ok(())
    } else {
        Err(CliError::answer(format!(
            "{shown} failed; everything is as it was before"
        )))
    }
}

/// Standard error for a child's standard output, which is no data of ours.
fn stderr() -> Result<Stdio, CliError> {
    use std::os::fd::AsFd as _;
    let owned = std::io::stderr().as_fd().try_clone_to_owned()?;
    Ok(owned.into())
}
