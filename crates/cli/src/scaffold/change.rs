//! Changes to files that are made as a whole: what was done is undone unless it is kept.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Changes that are undone when this is dropped, the last one first.
#[derive(Debug, Default)]
pub(crate) struct Change {
    undo: Vec<Undo>,
    /// Folders that are deleted for good once the change is kept.
    set_aside: Vec<PathBuf>,
}

#[derive(Debug)]
enum Undo {
    RemoveFolder(PathBuf),
    Restore(PathBuf, Option<Vec<u8>>),
    MoveBack { from: PathBuf, to: PathBuf },
}

impl Change {
    /// Makes a folder with files, by names relative to it; it appears with all of them at once.
    ///
    /// # Errors
    /// The folder exists with something in it, or cannot be written.
    pub(crate) fn create_folder(&mut self, folder: &Path, files: &[(PathBuf, String)]) -> io::Result<()> {
        let parent = folder.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(parent)?;
        let beside = hidden_beside(folder, "new");
        // What an interrupted run has left behind is of no use to anybody.
        if beside.exists() {
            fs::remove_dir_all(&beside)?;
        }
        self.undo.push(Undo::RemoveFolder(beside.clone()));
        for (name, text) in files {
            let path = beside.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&beside))?;
            fs::write(path, text)?;
        }
        fs::rename(&beside, folder)?;
        self.undo.pop();
        self.undo.push(Undo::RemoveFolder(folder.to_owned()));
        Ok(())
    }

    /// Replaces the text of a file in one step.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub(crate) fn replace(&mut self, path: &Path, text: &str) -> io::Result<()> {
        let before = fs::read(path)?;
        let beside = hidden_beside(path, "new");
        fs::write(&beside, text)?;
        fs::set_permissions(&beside, fs::metadata(path)?.permissions())?;
        fs::rename(&beside, path)?;
        self.undo.push(Undo::Restore(path.to_owned(), Some(before)));
        Ok(())
    }

    /// Remembers a file that other programs may change meanwhile.
    ///
    /// # Errors
    /// It exists and cannot be read.
    pub(crate) fn guard(&mut self, path: &Path) -> io::Result<()> {
        let before = match fs::read(path) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        self.undo.push(Undo::Restore(path.to_owned(), before));
        Ok(())
    }

    /// Takes a folder away.
    ///
    /// # Errors
    /// It cannot be moved.
    pub(crate) fn remove_folder(&mut self, folder: &Path) -> io::Result<()> {
        let beside = hidden_beside(folder, "removed");
        if beside.exists() {
            fs::remove_dir_all(&beside)?;
        }
        fs::rename(folder, &beside)?;
        self.undo.push(Undo::MoveBack {
            from: beside.clone(),
            to: folder.to_owned(),
        });
        self.set_aside.push(beside);
        Ok(())
    }

    /// Keeps everything that was done.
    ///
    /// # Errors
    /// A folder that was taken away cannot be deleted; the change is kept nevertheless.
    pub(crate) fn keep(mut self) -> io::Result<()> {
        self.undo.clear();
        self.set_aside.iter().try_for_each(fs::remove_dir_all)
    }
}

impl Drop for Change {
    fn drop(&mut self) {
        while let Some(step) = self.undo.pop() {
            let (undone, path) = match step {
                Undo::RemoveFolder(folder) => (fs::remove_dir_all(&folder), folder),
                Undo::Restore(path, Some(bytes)) => (fs::write(&path, bytes), path),
                Undo::Restore(path, None) => (remove_if_present(&path), path),
                Undo::MoveBack { from, to } => (fs::rename(from, &to), to),
            };
            if let Err(error) = undone {
                tracing::error!(%error, "{} could not be put back", path.display());
            }
        }
    }
}

fn remove_if_present(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => outcome,
    }
}

/// `a/b` → `a/.b.new`: on the same file system, so that moving it into place is one step.
fn hidden_beside(path: &Path, ending: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every file below a folder with its text.
    fn snapshot(folder: &Path) -> Vec<(PathBuf, String)> {
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files.extend(snapshot(&path));
            } else {
                files.push((path.clone(), fs::read_to_string(path).unwrap()));
            }
        }
        files.sort();
        files
    }

    fn workspace() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("list"), "a\n").unwrap();
        fs::create_dir_all(folder.path().join("toolsets/old/src")).unwrap();
        fs::write(folder.path().join("toolsets/old/src/lib.rs"), "old").unwrap();
        folder
    }

    fn make(change: &mut Change, root: &Path) {
        let files = [
            ("Cargo.toml".into(), "x".to_owned()),
            ("src/lib.rs".into(), "y".to_owned()),
        ];
        change.create_folder(&root.join("toolsets/new"), &files).unwrap();
        change.replace(&root.join("list"), "a\nb\n").unwrap();
        change.guard(&root.join("lock")).unwrap();
        fs::write(root.join("lock"), "written by another program").unwrap();
        change.remove_folder(&root.join("toolsets/old")).unwrap();
    }

    #[test]
    fn a_change_that_is_not_kept_leaves_no_trace() {
        let folder = workspace();
        let before = snapshot(folder.path());
        let mut change = Change::default();
        make(&mut change, folder.path());
        assert_ne!(snapshot(folder.path()), before);
        drop(change);
        assert_eq!(snapshot(folder.path()), before);
        assert!(!folder.path().join("toolsets/new").exists());
    }

    #[test]
    fn a_change_that_is_kept_is_complete() {
        let folder = workspace();
        let mut change = Change::default();
        make(&mut change, folder.path());
        change.keep().unwrap();
        let names: Vec<String> = snapshot(folder.path())
            .iter()
            .map(|(path, _)| path.strip_prefix(folder.path()).unwrap().display().to_string())
            .collect();
        assert_eq!(
            names,
            [
                "list",
                "lock",
                "toolsets/new/Cargo.toml",
                "toolsets/new/src/lib.rs"
            ]
        );
    }

    #[test]
    fn a_folder_that_is_not_empty_is_not_replaced() {
        let folder = workspace();
        let before = snapshot(folder.path());
        let mut change = Change::default();
        let files = [("a".into(), "x".to_owned())];
        assert!(
            change
                .create_folder(&folder.path().join("toolsets/old"), &files)
                .is_err()
        );
        drop(change);
        assert_eq!(snapshot(folder.path()), before);
    }
}
