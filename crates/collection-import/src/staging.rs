//! A folder that appears whole or not at all.
//!
//! Files are written into a sibling of the target, which is then renamed into place, or exchanged with what
//! is there, in one step: a process killed at any moment leaves the target as it was or as it should be.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempDir};

use crate::ImportError;

/// Name of every sibling, after the target's own name; the rest is random.
const MARK: &str = ".importing-";
/// Ending of the file beside a sibling that is locked while an import is at work in it.
const LOCK: &str = ".lock";

/// A folder being built beside its target.
#[derive(Debug)]
pub(crate) struct Staging {
    target: PathBuf,
    folder: TempDir,
    /// Goes after the folder, so that what a dying process leaves can be told from what is in use.
    _lock: NamedTempFile,
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
        let Some(name) = target.file_name() else {
            return Err(ImportError::Usage(format!(
                "{} names no folder to write",
                target.display()
            )));
        };
        let parent = parent(target);
        let prefix = format!(".{}{MARK}", name.to_string_lossy());
        let (lock, folder) = sibling(parent, &prefix).map_err(|source| ImportError::Output {
            path: parent.to_owned(),
            source,
        })?;
        Ok(Self {
            target: target.to_owned(),
            folder,
            _lock: lock,
            replaces: exists,
        })
    }

    /// The folder to write into.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Puts the folder, whose files are synced already, in the target's place.
    pub(crate) fn publish(self) -> Result<(), ImportError> {
        let built = self.folder.path();
        let publish = || {
            sync(built)?;
            if self.replaces {
                exchange(built, &self.target)?
            } else {
                fs::rename(built, &self.target)?
            }
            sync(parent(&self.target))
        };
        publish().map_err(|source| ImportError::Output {
            path: self.target.clone(),
            source,
        })?;
        // After an exchange the sibling is the replaced folder, which goes; else there is nothing to remove.
        drop(self.folder.close());
        Ok(())
    }
}

fn parent(target: &Path) -> &Path {
    target
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// A new sibling and its lock.
fn sibling(parent: &Path, prefix: &str) -> io::Result<(NamedTempFile, TempDir)> {
    fs::create_dir_all(parent)?;
    remove_abandoned(parent, prefix)?;
    let lock = tempfile::Builder::new()
        .prefix(prefix)
        .suffix(LOCK)
        .tempfile_in(parent)?;
    lock.as_file().lock()?;
    let name = lock.path().file_stem().unwrap_or_default();
    let folder = tempfile::Builder::new()
        .prefix(name)
        .rand_bytes(0)
        .tempdir_in(parent)?;
    Ok((lock, folder))
}

/// Removes what killed imports left behind: siblings that nobody holds the lock of.
fn remove_abandoned(parent: &Path, prefix: &str) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_lock = name.starts_with(prefix) && path.extension() == Some(OsStr::new(&LOCK[1..]));
        let Some(lock) = is_lock.then(|| File::open(&path).ok()).flatten() else {
            continue;
        };
        // The lock is held while the folder goes: an import that was just about to take it waits.
        if lock.try_lock().is_ok() {
            // Two imports may clear away the same; what the other removed is removed.
            drop(fs::remove_dir_all(path.with_extension("")));
            drop(fs::remove_file(&path));
        }
    }
    Ok(())
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
