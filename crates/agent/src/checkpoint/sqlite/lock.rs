//! The claim of a run on a thread between processes that share a file: an advisory lock of the operating system.
//!
//! The system gives the lock back when its process ends, however it ends, so no claim has to time out and a dead process
//! holds nothing. A lock file is there while its thread is claimed, and is removed with the claim.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, ErrorKind},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use sha2::{Digest, Sha256};

use crate::ThreadId;

/// How often a claim looks again: whoever asks whether a thread is claimed holds the lock for an instant.
const ATTEMPTS: usize = 3;

/// How long a claim waits before it looks again.
const PAUSE: Duration = Duration::from_millis(3);

/// The lock files of one store.
#[derive(Debug, Clone)]
pub(super) struct LockFiles {
    folder: PathBuf,
}

impl LockFiles {
    /// The locks of a store stand beside its file, in a folder of their own.
    pub(super) fn beside(database: &Path) -> Self {
        let mut folder = database.as_os_str().to_owned();
        folder.push("-runs");
        Self {
            folder: folder.into(),
        }
    }

    /// Claims a thread; nothing if it is claimed.
    pub(super) fn claim(&self, thread: &ThreadId) -> io::Result<Option<Claim>> {
        std::fs::create_dir_all(&self.folder)?;
        let path = self.path(thread);
        let mut attempts = 0;
        loop {
            let file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .mode(0o600)
                .open(&path)?;
            match file.try_lock() {
                // Whoever held the claim before may have removed the file between our opening and our locking it.
                Ok(()) if is_at(&file, &path)? => return Ok(Some(Claim { path, _file: file })),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    attempts += 1;
                    if attempts == ATTEMPTS {
                        return Ok(None);
                    }
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    /// Whether a thread is claimed.
    pub(super) fn is_claimed(&self, thread: &ThreadId) -> io::Result<bool> {
        let file = match File::open(self.path(thread)) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Ids differ in case and may be names like `..`; digests do neither.
    fn path(&self, thread: &ThreadId) -> PathBuf {
        self.folder.join(hex::encode(Sha256::digest(thread.as_str())))
    }
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (ours.dev(), ours.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// A claim; dropping it gives it up.
pub(super) struct Claim {
    path: PathBuf,
    _file: File,
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Before the lock goes, so that nobody removes the file of the next claim. A file that stays does no harm.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_claimed_once_and_leaves_no_file_behind() {
        let folder = tempfile::tempdir().unwrap();
        let locks = LockFiles::beside(&folder.path().join("threads.sqlite"));
        let thread = ThreadId::random();
        assert!(!locks.is_claimed(&thread).unwrap());
        let claim = locks.claim(&thread).unwrap().expect("it is free");
        assert!(locks.claim(&thread).unwrap().is_none());
        assert!(locks.is_claimed(&thread).unwrap());
        assert!(locks.claim(&ThreadId::random()).unwrap().is_some());
        drop(claim);
        assert_eq!(std::fs::read_dir(&locks.folder).unwrap().count(), 0);
        assert!(locks.claim(&thread).unwrap().is_some());
    }

    #[test]
    fn what_a_dead_process_left_behind_holds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let locks = LockFiles::beside(&folder.path().join("threads.sqlite"));
        let thread = ThreadId::random();
        drop(locks.claim(&thread).unwrap());
        File::create(locks.path(&thread)).unwrap();
        assert!(!locks.is_claimed(&thread).unwrap());
        assert!(locks.claim(&thread).unwrap().is_some());
    }

    #[test]
    fn of_many_who_claim_at_once_one_holds_the_thread_at_any_time() {
        let folder = tempfile::tempdir().unwrap();
        let locks = LockFiles::beside(&folder.path().join("threads.sqlite"));
        let thread = ThreadId::random();
        let holders = std::sync::atomic::AtomicUsize::new(0);
        let claims = std::sync::atomic::AtomicUsize::new(0);
        let order = std::sync::atomic::Ordering::SeqCst;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let Some(claim) = locks.claim(&thread).unwrap() else {
                            continue;
                        };
                        assert_eq!(holders.fetch_add(1, order), 0, "two hold it");
                        claims.fetch_add(1, order);
                        holders.fetch_sub(1, order);
                        drop(claim);
                    }
                });
            }
        });
        assert!(claims.into_inner() > 0);
    }
}
