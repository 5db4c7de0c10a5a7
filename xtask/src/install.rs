//! Installed packages, and whether they are those that the lock files name now.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::shell;

/// Installs what the folder's lock file names, without what npm would rather ask or report.
pub(crate) fn npm_ci(folder: &Path) -> Result<()> {
    let mut command = Command::new("npm");
    command
        .args(["ci", "--no-audit", "--no-fund", "--silent"])
        .current_dir(folder);
    shell::run(&mut command)
}

/// Copies a folder's files into the cache, because Node looks for packages beside a script, and installs its lock file there.
pub(crate) fn npm_folder(source: &Path, name: &str) -> Result<PathBuf> {
    let target = shell::cache()?.join(name);
    let locks = [source.join("package.json"), source.join("package-lock.json")];
    let locks = [locks[0].as_path(), locks[1].as_path()];
    let is_installed = is_current(&target, &locks);
    if !is_installed {
        replace(&target)?;
    }
    for entry in std::fs::read_dir(source).with_context(|| format!("cannot read {}", source.display()))? {
        let path = entry?.path();
        let name = path.file_name().context("a file has a name")?;
        if path.is_file() {
            std::fs::copy(&path, target.join(name))
                .with_context(|| format!("cannot copy {}", path.display()))?;
        }
    }
    if !is_installed {
        println!(
            "installing the packages of {} into {}",
            locks[1].display(),
            target.display()
        );
        npm_ci(&target)?;
        mark_current(&target, &locks)?;
    }
    Ok(target)
}

/// Whether what is installed in a folder is what the lock files name.
pub(crate) fn is_current(target: &Path, locks: &[&Path]) -> bool {
    std::fs::read(mark(target)).is_ok_and(|installed| contents(locks).is_ok_and(|wanted| wanted == installed))
}

/// Notes in the folder what has been installed there, after it has been.
pub(crate) fn mark_current(target: &Path, locks: &[&Path]) -> Result<()> {
    std::fs::write(mark(target), contents(locks)?)
        .with_context(|| format!("cannot write into {}", target.display()))
}

/// An empty folder in the place of whatever an interrupted installation left.
pub(crate) fn replace(target: &Path) -> Result<()> {
    if target.exists() {
        std::fs::remove_dir_all(target).with_context(|| format!("cannot remove {}", target.display()))?;
    }
    std::fs::create_dir_all(target).with_context(|| format!("cannot make {}", target.display()))
}

fn mark(target: &Path) -> PathBuf {
    target.join(".installed")
}

fn contents(files: &[&Path]) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    for file in files {
        all.extend(std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installation_is_current_until_its_lock_changes() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("lock");
        let target = folder.path().join("target");
        std::fs::write(&lock, "a==1").unwrap();
        replace(&target).unwrap();
        assert!(!is_current(&target, &[&lock]));
        mark_current(&target, &[&lock]).unwrap();
        assert!(is_current(&target, &[&lock]));
        std::fs::write(&lock, "a==2").unwrap();
        assert!(!is_current(&target, &[&lock]));
    }
}
