//! The claim of a run on a thread between processes: an advisory lock of a transaction that stays open.
//!
//! The server gives it back when the connection ends, however it ends. The lock belongs to the transaction and not to the
//! session, because behind a pooler a session is anybody's. If the connection breaks while the run goes on, another
//! run may claim the thread; what the first one appends then is refused, because the thread has moved on.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use deadpool_postgres::{Object, Pool};
use tokio::runtime::Handle;
use tokio_postgres::types::Type;

use super::Fault;
use crate::{CheckpointError, RunGuard, RunId, RunLocks, ThreadId};

/// Begins the transaction that holds a claim; it is idle by intention, for as long as the run takes.
const BEGIN: &str =
    "begin; set local statement_timeout = '15s'; set local idle_in_transaction_session_timeout = 0";

/// How long the server may take to give a lock back before its connection is closed, which gives it back too.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(5);

/// The claims of this process.
#[derive(Clone)]
pub(super) struct Claims {
    pool: Pool,
    locks: RunLocks,
    releasing: Releasing,
}

/// Runs that are over and whose locks the server has still to give back.
#[derive(Clone, Default)]
struct Releasing(Arc<Mutex<HashSet<RunId>>>);

impl Releasing {
    fn runs(&self) -> MutexGuard<'_, HashSet<RunId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Claims {
    pub(super) fn new(pool: Pool) -> Self {
        Self {
            pool,
            locks: RunLocks::default(),
            releasing: Releasing::default(),
        }
    }

    /// Claims a thread, at once or not at all: first here, then on the server.
    pub(super) async fn claim(&self, thread: &ThreadId, run: &RunId) -> Result<RunGuard, Fault> {
        let local = self.claim_here(thread, run).await?;
        // From here on, whatever happens, also that nobody waits for us any more, ends with a release.
        let mut claim = Claim {
            run: run.clone(),
            connection: None,
            local: Some(local),
            releasing: self.releasing.clone(),
        };
        let connection = claim.connection.insert(self.pool.get().await?);
        connection.batch_execute(BEGIN).await?;
        let sql = "select pg_try_advisory_xact_lock(hashtextextended($1, 0))";
        let row = connection
            .query_typed_one(sql, &[(&thread.as_str(), Type::TEXT)])
            .await?;
        if !row.get::<_, bool>(0) {
            return Err(CheckpointError::Busy {
                thread: thread.clone(),
            }
            .into());
        }
        Ok(RunGuard::new(move || drop(claim)))
    }

    /// Claims a thread within this process, after the release of a run that is over.
    async fn claim_here(&self, thread: &ThreadId, run: &RunId) -> Result<RunGuard, CheckpointError> {
        loop {
            let holder = self.locks.holder(thread);
            let is_over = holder.is_some_and(|holder| self.releasing.runs().contains(&holder));
            match self.locks.lock(thread, run) {
                Err(CheckpointError::Busy { .. }) if is_over => self.locks.wait_idle(thread).await,
                outcome => return outcome,
            }
        }
    }

    pub(super) fn is_held_here(&self, thread: &ThreadId) -> bool {
        self.locks.holder(thread).is_some()
    }

    pub(super) async fn wait_here(&self, thread: &ThreadId) {
        self.locks.wait_idle(thread).await;
    }
}

/// A claim, or the beginning of one; dropping it gives it up.
struct Claim {
    run: RunId,
    connection: Option<Object>,
    local: Option<RunGuard>,
    releasing: Releasing,
}

impl Drop for Claim {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else {
            return;
        };
        let Ok(runtime) = Handle::try_current() else {
            // Nobody is left to speak to the server; the end of the connection says the same.
            drop(Object::take(connection));
            return;
        };
        let (run, local, releasing) = (self.run.clone(), self.local.take(), self.releasing.clone());
        releasing.runs().insert(run.clone());
        runtime.spawn(async move {
            let rollback = connection.batch_execute("rollback");
            if !matches!(tokio::time::timeout(RELEASE_TIMEOUT, rollback).await, Ok(Ok(()))) {
                drop(Object::take(connection));
            }
            drop(local);
            releasing.runs().remove(&run);
        });
    }
}
