//! `remove`: a toolset leaves its workspace.

use std::{path::Path, process::Command};

use super::{block_on, new};
use crate::{
    args::Remove,
    exit::{CliError, Exit, Outcome},
    printer,
    scaffold::{Change, Name, Workspace},
};

pub(crate) fn run(args: &Remove) -> Outcome {
    let name = Name::parse(&args.name)?;
    let workspace = Workspace::find(&new::absolute(Path::new("."))?)?;
    let folder = workspace.folder(&name);
    let lists = workspace.removals(&name)?;
    if args.dry_run {
        printer::data(&format!("would remove {}", folder.display()))?;
        for (list, _) in &lists {
            printer::data(&format!("would edit {}", list.display()))?;
        }
        return Ok(Exit::Success);
    }
    if !args.force && has_unsaved_work(&folder) {
        return Err(
            CliError::usage(format!("{} has changes that are not committed", folder.display()))
                .hint("commit them, or remove the toolset all the same with --force"),
        );
    }
    block_on(async {
        let mut change = Change::default();
        workspace.remove(&name, &mut change)?;
        if !args.no_check {
            new::check(&workspace, &["build", "--package", workspace.app()]).await?;
        }
        change
            .keep()
            .map_err(|error| CliError::answer(format!("cannot delete {}: {error}", folder.display())))?;
        printer::data(&format!("removed {}", folder.display()))?;
        printer::note("Secrets and images of a deployment are not removed with it.");
        Ok(Exit::Success)
    })
}

/// Whether git knows of work in a folder that no commit holds; without git nobody can tell.
fn has_unsaved_work(folder: &Path) -> bool {
    let status = Command::new("git")
        .args(["status", "--porcelain", "--", "."])
        .current_dir(folder)
        .output();
    status.is_ok_and(|output| output.status.success() && !output.stdout.is_empty())
}
