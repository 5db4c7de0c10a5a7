//! A folder that appears whole or not at all.
//!
//! Files are written into a sibling of the target, which is then renamed into place, or exchanged with what
//! is there, in one step: a process killed at any moment leaves the target as it was or as it should be.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::ImportError;

/// Name of every sibling, after the target's own name; the rest is random.
const MARK: &str = ".importing-";
/// Locked while an import is at work in a sibling.
const LOCK: &str = "lock";

/// A folder being built beside its target.
#[derive(Debug)]
pub(crate) struct Staging {
    target: PathBuf,
    folder: TempDir,
    /// Holds the lock until the import ends, however it ends.
    lock: Option<File>,
    replaces: bool,
}

impl Staging {
    /// Starts beside a target, which must not exist unless it is to be replaced.
    ///
    /// Only a folder for which `is_ours` holds is ever replaced.
    pub(crate) fn new(
        target: &Path,
        replace: bool,
        is_ours: impl Fn(&Path) -> bool,
    ) -> Result<Self, ImportError> {
        let exists = fs::symlink_metadata(target).is_ok();
        let refuse = |reason| {
            Err(ImportError::OutputExists {
                path: target.to_owned(),
                reason,
            })
        };
        if exists && !replace {
            return refuse("; --replace puts the new snapshot in its place");
        }
        if exists && !is_ours(target) {
            return refuse(" and is not a snapshot: nothing is replaced");
        }
        let parent = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let Some(name) = target.file_name() else {
            return Err(ImportError::Usage(format!(
                "{} names no folder to write",
                target.display()
            )));
        };
        let prefix = format!(".{}{MARK}", name.to_string_lossy());
        let output = |source| ImportError::Output {
            path: parent.to_owned(),
            source,
        };
        fs::create_dir_all(parent).map_err(output)?;
        remove_abandoned(parent, &prefix);
        let folder = tempfile::Builder::new()
            .prefix(&prefix)
            .tempdir_in(parent)
            .map_err(output)?;
        let lock = lock(folder.path()).map_err(output)?;
        Ok(Self {
            target: target.to_owned(),
            folder,
            lock: Some(lock),
            replaces: exists,
        })
    }

    /// The folder to write into.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Puts the folder, whose files are synced already, in the target's place.
    pub(crate) fn publish(mut self) -> Result<(), ImportError> {
        let built = self.folder.path();
        let publish = || {
            fs::remove_file(built.join(LOCK))?;
            sync(built)?;
            if self.replaces {
                exchange(built, &self.target)?
            } else {
                fs::rename(built, &self.target)?
            }
            self.target
                .parent()
                .filter(|parent| !parent.as_os_str().is_empty())
                .map_or(Ok(()), sync)
        };
        publish().map_err(|source| ImportError::Output {
            path: self.target.clone(),
            source,
        })?;
        self.lock = None;
        // After an exchange the sibling is the replaced folder, which goes; else there is nothing to remove.
        drop(self.folder.close());
        Ok(())
    }
}

fn lock(folder: &Path) -> io::Result<File> {
    let lock = File::create(folder.join(LOCK))?;
    lock.try_lock()?;
    Ok(lock)
}

/// Removes what killed imports left behind: siblings that nobody holds the lock of.
fn remove_abandoned(parent: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let is_sibling = entry.file_name().to_string_lossy().starts_with(prefix);
        // Without a lock file an import is just starting or just publishing.
        if is_sibling && File::open(entry.path().join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok()) {
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn exchange(built: &Path, target: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, built, CWD, target, RenameFlags::EXCHANGE)?)
}

/// Without an atomic exchange there is a moment in which only the sibling with the old folder exists.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn exchange(built: &Path, target: &Path) -> io::Result<()> {
    let previous = target.with_extension("previous");
    fs::rename(target, &previous)?;
    fs::rename(built, target)?;
    fs::rename(previous, built)
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
