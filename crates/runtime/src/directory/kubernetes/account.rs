//! The service account of the pod: files that the cluster mounts and replaces.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use http::HeaderValue;

use crate::directory::DirectoryError;

/// The bearer token, kept for a while.
#[derive(Debug)]
pub(super) struct Token {
    path: PathBuf,
    longest_use: Duration,
    kept: Mutex<Option<(Instant, HeaderValue)>>,
}

impl Token {
    pub(super) fn new(path: PathBuf, longest_use: Duration) -> Self {
        Self {
            path,
            longest_use,
            kept: Mutex::default(),
        }
    }

    /// The value of the `Authorization` header; the file is read if the last reading is too old.
    pub(super) fn header(&self) -> Result<HeaderValue, DirectoryError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((read_at, header)) = &*kept
            && read_at.elapsed() < self.longest_use
        {
            return Ok(header.clone());
        }
        let text = read(&self.path)?;
        // The parser's error is dropped on purpose: it could quote the token.
        let Ok(mut header) = HeaderValue::try_from(format!("Bearer {}", text.trim())) else {
            return Err(DirectoryError::Account {
                path: self.path.clone(),
                source: std::io::Error::new(std::io::ErrorKind::InvalidData, "it holds no token"),
            });
        };
        header.set_sensitive(true);
        *kept = Some((Instant::now(), header.clone()));
        Ok(header)
    }

    /// Reads the file again for the next request: the token was refused.
    pub(super) fn forget(&self) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The text of a file of the account; a few kilobytes, so nobody has to wait for the disk.
pub(super) fn read(path: &Path) -> Result<String, DirectoryError> {
    std::fs::read_to_string(path).map_err(|source| DirectoryError::Account {
        path: path.to_owned(),
        source,
    })
}
