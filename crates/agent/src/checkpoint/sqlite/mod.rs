//! Threads in one SQLite file, for one machine: several processes may share it.
//!
//! The file is in WAL mode, so that readers and the writer do not wait for each other. Every append survives the process
//! once it is acknowledged; the one that ends a turn, or asks a person, is on the disk and all before it are. What is
//! deleted is overwritten with zeros.

mod lock;
mod read;
mod schema;
mod write;

use std::{
    collections::BTreeMap,
    fs::OpenOptions,
    io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use periplus_state::StoredValue;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use self::{lock::LockFiles, schema::SchemaError};
use super::{
    Append, CheckpointError, Checkpoints, IDLE_POLL, ListThreads, Retention, RunGuard, RunLocks,
    SnapshotLookup, StoredThread, ThreadHead, rows::Rows,
};
use crate::{RunId, ThreadId, ValueHash};

/// How long an operation waits for another process to finish writing.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Statements that stay compiled; there are fewer.
const CACHED_STATEMENTS: usize = 32;

/// Threads in a SQLite file. Clones share it.
#[derive(Debug, Clone)]
pub struct SqliteCheckpoints {
    connection: Arc<Mutex<Connection>>,
    locks: RunLocks,
    files: LockFiles,
    retention: Retention,
}

impl SqliteCheckpoints {
    /// Opens a file, or creates it, readable by its owner alone. Run locks stand in a folder beside it.
    ///
    /// # Errors
    /// [`CheckpointError::Configuration`] if the file cannot be created, is not a store of threads, or is of a later version.
    pub fn open(path: &Path, retention: Retention) -> Result<Self, CheckpointError> {
        let connection = open(path).map_err(|error| CheckpointError::Configuration {
            place: path.display().to_string(),
            reason: error.to_string(),
        })?;
        Ok(Self {
            connection: Arc::new(Mutex::new(connection)),
            locks: RunLocks::default(),
            files: LockFiles::beside(path),
            retention,
        })
    }

    /// Runs work on the connection where blocking is allowed.
    async fn run<T: Send + 'static>(
        &self,
        action: &'static str,
        work: impl FnOnce(&mut Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, CheckpointError> {
        let connection = Arc::clone(&self.connection);
        blocking(action, move || {
            // A panic while the lock was held has rolled its transaction back.
            let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            work(&mut connection)
        })
        .await
    }
}

/// Runs work on a thread that may block.
async fn blocking<T: Send + 'static>(
    action: &'static str,
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, CheckpointError> {
    let unavailable = |reason: String| CheckpointError::Unavailable { action, reason };
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(Fault::Answer(error))) => Err(error),
        Ok(Err(Fault::Sqlite(error))) => Err(unavailable(error.to_string())),
        Ok(Err(Fault::Lock(error))) => Err(unavailable(format!("cannot use its lock file: {error}"))),
        Err(error) => Err(unavailable(error.to_string())),
    }
}

/// Why work was not done.
enum Fault {
    /// The store has something to say.
    Answer(CheckpointError),
    Sqlite(rusqlite::Error),
    Lock(io::Error),
}

impl From<CheckpointError> for Fault {
    fn from(error: CheckpointError) -> Self {
        Self::Answer(error)
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// Why a file was not opened.
#[derive(Debug, thiserror::Error)]
enum OpenError {
    #[error("cannot create it: {0}")]
    Create(#[from] io::Error),
    #[error(transparent)]
    Schema(#[from] SchemaError),
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
}

fn open(path: &Path) -> Result<Connection, OpenError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    // SQLite gives its companion files the mode of the file itself.
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.execute_batch("pragma foreign_keys = on; pragma secure_delete = on;")?;
    // Before anything is changed: the file may not be ours.
    schema::migrate(&mut connection)?;
    use_write_ahead_log(&connection)?;
    Ok(connection)
}

/// Changing the mode fails at once instead of waiting while another process opens the file.
fn use_write_ahead_log(connection: &Connection) -> rusqlite::Result<()> {
    let started = Instant::now();
    loop {
        match connection.execute_batch("pragma journal_mode = wal;") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && started.elapsed() < BUSY_TIMEOUT =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            outcome => return outcome,
        }
    }
}

impl Checkpoints for SqliteCheckpoints {
    fn append<'a>(&'a self, append: Append<'a>) -> BoxFuture<'a, Result<u64, CheckpointError>> {
        let (rows, retention) = (Rows::of(&append), self.retention);
        Box::pin(self.run("adding to a thread", move |connection| {
            write::append(connection, &rows?, retention)
        }))
    }

    fn load<'a>(
        &'a self,
        thread: &'a ThreadId,
    ) -> BoxFuture<'a, Result<Option<StoredThread>, CheckpointError>> {
        let thread = thread.clone();
        Box::pin(self.run("reading a thread", move |connection| {
            read::load(connection, &thread)
        }))
    }

    fn snapshot<'a>(
        &'a self,
        thread: &'a ThreadId,
        turn: u32,
    ) -> BoxFuture<'a, Result<SnapshotLookup, CheckpointError>> {
        let thread = thread.clone();
        Box::pin(self.run("reading the state of a turn", move |connection| {
            read::snapshot(connection, &thread, turn)
        }))
    }

    fn values<'a>(
        &'a self,
        thread: &'a ThreadId,
        hashes: &'a [ValueHash],
    ) -> BoxFuture<'a, Result<BTreeMap<ValueHash, StoredValue>, CheckpointError>> {
        let (thread, hashes) = (thread.clone(), hashes.to_vec());
        Box::pin(self.run("reading values", move |connection| {
            read::values(connection, &thread, &hashes)
        }))
    }

    fn list<'a>(&'a self, query: &'a ListThreads) -> BoxFuture<'a, Result<Vec<ThreadHead>, CheckpointError>> {
        let query = query.clone();
        Box::pin(self.run("listing threads", move |connection| {
            read::list(connection, &query)
        }))
    }

    fn delete<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        let thread = thread.clone();
        Box::pin(self.run("deleting a thread", move |connection| {
            write::delete(connection, &thread)
        }))
    }

    fn lock<'a>(
        &'a self,
        thread: &'a ThreadId,
        run: &'a RunId,
    ) -> BoxFuture<'a, Result<RunGuard, CheckpointError>> {
        Box::pin(async move {
            let local = self.locks.lock(thread, run)?;
            let (files, thread) = (self.files.clone(), thread.clone());
            let claim = blocking("claiming a thread", move || {
                let claim = files.claim(&thread).map_err(Fault::Lock)?;
                Ok(claim.ok_or(CheckpointError::Busy { thread })?)
            })
            .await?;
            Ok(RunGuard::new(move || {
                // In this order: who is woken by the end of the local claim finds the file free.
                drop(claim);
                drop(local);
            }))
        })
    }

    fn is_running<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        Box::pin(async move {
            if self.locks.holder(thread).is_some() {
                return Ok(true);
            }
            let (files, thread) = (self.files.clone(), thread.clone());
            blocking("asking who works on a thread", move || {
                files.is_claimed(&thread).map_err(Fault::Lock)
            })
            .await
        })
    }

    fn wait_idle<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<(), CheckpointError>> {
        Box::pin(async move {
            self.locks.wait_idle(thread).await;
            while self.is_running(thread).await? {
                tokio::time::sleep(IDLE_POLL).await;
            }
            Ok(())
        })
    }
}
