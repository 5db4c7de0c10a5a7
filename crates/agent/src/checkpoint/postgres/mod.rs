//! Threads in PostgreSQL, for any number of processes.
//!
//! It works behind a pooler that hands out connections by transaction: everything happens in transactions, statements
//! are not prepared, settings are local, and a run holds its thread by a transaction that stays open.

mod idle;
mod lock;
mod read;
mod schema;
mod write;

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime, Timeouts,
};
use futures::future::BoxFuture;
pub(super) use periplus_postgres::is_address;
use periplus_postgres::{Address, cause};
use periplus_state::StoredValue;
use tokio::sync::OnceCell;
use tokio_postgres::{Config, config::Host, error::SqlState};

use self::{idle::Claimed, lock::Claims};
use super::{
    Append, CheckpointError, Checkpoints, IDLE_POLL, ListThreads, Retention, RunGuard, SnapshotLookup,
    StoredThread, ThreadHead, rows::Rows,
};
use crate::{RunId, ThreadId, ValueHash};

/// Connections that read and write; each operation takes milliseconds.
const CONNECTIONS: usize = 8;

/// Connections that hold threads, one for each run: more runs at once than this wait, and then are refused. A server
/// takes 100 connections of all its clients together, unless it is told otherwise.
const CLAIM_CONNECTIONS: usize = 32;

/// How long an operation waits for a connection to be free, made or found alive.
const POOL_TIMEOUT: Duration = Duration::from_secs(10);

/// How long an operation may take from its beginning, whatever the server or a pooler in between does.
const DEADLINE: Duration = Duration::from_secs(30);

/// How long one statement may take, which the server watches over.
const BEGIN: &str = "set local statement_timeout = '15s'";

/// How often a write is tried: two threads may store and drop the same value at once, and then one of them begins again.
const ATTEMPTS: usize = 4;

/// Threads in a PostgreSQL database. Clones share its connections.
#[derive(Clone)]
pub struct PostgresCheckpoints {
    /// Host, port and database, without credentials.
    place: String,
    pool: Pool,
    claims: Claims,
    claimed: Claimed,
    is_migrated: Arc<OnceCell<()>>,
    retention: Retention,
}

impl fmt::Debug for PostgresCheckpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresCheckpoints")
            .field("place", &self.place)
            .field("retention", &self.retention)
            .finish_non_exhaustive()
    }
}

impl PostgresCheckpoints {
    /// A store at an address: `postgresql://`, `postgres://` or `postgresql+asyncpg://`, with libpq's parameters.
    ///
    /// `sslmode` has libpq's meanings: `prefer`, which is the default, and `require` encrypt without asking who answers;
    /// `verify-ca` and `verify-full` trust the authorities of `sslrootcert`, or else those of the system.
    /// Nothing is connected yet. Tables are made, or brought up to date, by the first operation.
    ///
    /// # Errors
    /// [`CheckpointError::Configuration`] if the text is no such address or a certificate file cannot be read.
    pub fn new(address: &str, retention: Retention) -> Result<Self, CheckpointError> {
        let address = Address::parse(address).map_err(|reason| CheckpointError::Configuration {
            place: "PostgreSQL".to_owned(),
            reason: format!("the address cannot be used: {reason}"),
        })?;
        Ok(Self {
            place: place_of(&address.config),
            pool: pool(&address, CONNECTIONS),
            claims: Claims::new(pool(&address, CLAIM_CONNECTIONS)),
            claimed: Claimed::default(),
            is_migrated: Arc::default(),
            retention,
        })
    }

    /// A connection to a database whose tables are there.
    async fn connection(&self) -> Result<Object, Fault> {
        let mut client = self.pool.get().await?;
        self.is_migrated
            .get_or_try_init(async || schema::migrate(&mut client, &self.place).await)
            .await?;
        Ok(client)
    }

    /// Ends work that takes too long, and says what was being done when it fails.
    async fn run<T>(
        &self,
        action: &'static str,
        work: impl Future<Output = Result<T, Fault>> + Send,
    ) -> Result<T, CheckpointError> {
        let unavailable = |reason| CheckpointError::Unavailable { action, reason };
        match tokio::time::timeout(DEADLINE, work).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(Fault::Answer(error))) => Err(error),
            Ok(Err(Fault::Database(error))) => Err(unavailable(format!("{}: {}", self.place, cause(&error)))),
            Ok(Err(Fault::Pool(error))) => {
                Err(unavailable(format!("{}: {}", self.place, pool_cause(&error))))
            }
            Err(_elapsed) => Err(unavailable(format!(
                "{}: no answer within {DEADLINE:?}",
                self.place
            ))),
        }
    }

    /// The key of the claim that a run of any process has on the thread.
    async fn claim_elsewhere(&self, thread: &ThreadId) -> Result<Option<i64>, Fault> {
        let mut client = self.connection().await?;
        let key = read::claim_key(&mut client, thread).await?;
        Ok(read::claims(&mut client).await?.contains(&key).then_some(key))
    }

    async fn append_rows(&self, rows: &Rows) -> Result<u64, Fault> {
        let mut attempt = 1;
        loop {
            let mut client = self.connection().await?;
            match write::append(&mut client, rows, self.retention).await {
                Err(Fault::Database(error)) if is_race(&error) && attempt < ATTEMPTS => attempt += 1,
                Err(Fault::Database(error)) if is_missing(&error) => {
                    return Err(super::rows::missing_value(&rows.thread).into());
                }
                Ok(position) if rows.snapshot.is_some() => {
                    self.sweep(&client).await;
                    return Ok(position);
                }
                outcome => return outcome,
            }
        }
    }

    async fn delete_thread(&self, thread: &ThreadId) -> Result<bool, Fault> {
        let mut attempt = 1;
        loop {
            let mut client = self.connection().await?;
            match write::delete(&mut client, thread).await {
                Err(Fault::Database(error)) if is_race(&error) && attempt < ATTEMPTS => attempt += 1,
                Ok(true) => {
                    self.sweep(&client).await;
                    return Ok(true);
                }
                outcome => return outcome,
            }
        }
    }

    /// Drops values that no thread names. If it fails, the next turn of any thread does it.
    async fn sweep(&self, client: &Object) {
        if let Err(Fault::Database(error)) = write::sweep(client).await {
            tracing::warn!(place = %self.place, error = %cause(&error), "values that no thread names were not dropped");
        }
    }
}

/// Why work was not done.
enum Fault {
    /// The store has something to say.
    Answer(CheckpointError),
    Database(tokio_postgres::Error),
    Pool(PoolError),
}

impl From<CheckpointError> for Fault {
    fn from(error: CheckpointError) -> Self {
        Self::Answer(error)
    }
}

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error)
    }
}

impl From<PoolError> for Fault {
    fn from(error: PoolError) -> Self {
        Self::Pool(error)
    }
}

/// Whether another writer was in the way, so that the same work may succeed now.
fn is_race(error: &tokio_postgres::Error) -> bool {
    is_missing(error)
        || [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
        ]
        .iter()
        .any(|state| error.code() == Some(state))
}

/// Whether a value that a thread names is not there, or a value that is to go is named again.
fn is_missing(error: &tokio_postgres::Error) -> bool {
    error.code() == Some(&SqlState::FOREIGN_KEY_VIOLATION)
}

fn pool(address: &Address, size: usize) -> Pool {
    let config = ManagerConfig {
        // Asks whether the connection lives: after a restart of the server the first operation must not fail.
        recycling_method: RecyclingMethod::Verified,
    };
    let manager = Manager::from_config(address.config.clone(), address.tls.clone(), config);
    Pool::builder(manager)
        .max_size(size)
        .runtime(Runtime::Tokio1)
        .timeouts(Timeouts {
            wait: Some(POOL_TIMEOUT),
            create: Some(POOL_TIMEOUT),
            recycle: Some(POOL_TIMEOUT),
        })
        .build()
        .expect("a pool with timeouts needs a runtime, and has one")
}

fn place_of(config: &Config) -> String {
    let hosts: Vec<String> = config
        .get_hosts()
        .iter()
        .map(|host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(path) => path.display().to_string(),
        })
        .collect();
    let ports: Vec<String> = config.get_ports().iter().map(u16::to_string).collect();
    let database = config.get_dbname().unwrap_or_default();
    format!("PostgreSQL at {}:{}/{database}", hosts.join(","), ports.join(","))
}

fn pool_cause(error: &PoolError) -> String {
    match error {
        PoolError::Backend(error) => format!("cannot connect: {}", cause(error)),
        PoolError::Timeout(_) => {
            format!("no connection was free, made or found alive within {POOL_TIMEOUT:?}")
        }
        other => other.to_string(),
    }
}

impl Checkpoints for PostgresCheckpoints {
    fn append<'a>(&'a self, append: Append<'a>) -> BoxFuture<'a, Result<u64, CheckpointError>> {
        let rows = Rows::of(&append);
        Box::pin(async move { self.run("adding to a thread", self.append_rows(&rows?)).await })
    }

    fn load<'a>(
        &'a self,
        thread: &'a ThreadId,
    ) -> BoxFuture<'a, Result<Option<StoredThread>, CheckpointError>> {
        Box::pin(self.run("reading a thread", async move {
            read::load(&mut self.connection().await?, thread).await
        }))
    }

    fn snapshot<'a>(
        &'a self,
        thread: &'a ThreadId,
        turn: u32,
    ) -> BoxFuture<'a, Result<SnapshotLookup, CheckpointError>> {
        Box::pin(self.run("reading the state of a turn", async move {
            read::snapshot(&mut self.connection().await?, thread, turn).await
        }))
    }

    fn values<'a>(
        &'a self,
        thread: &'a ThreadId,
        hashes: &'a [ValueHash],
    ) -> BoxFuture<'a, Result<BTreeMap<ValueHash, StoredValue>, CheckpointError>> {
        Box::pin(self.run("reading values", async move {
            read::values(&mut self.connection().await?, thread, hashes).await
        }))
    }

    fn list<'a>(&'a self, query: &'a ListThreads) -> BoxFuture<'a, Result<Vec<ThreadHead>, CheckpointError>> {
        Box::pin(self.run("listing threads", async move {
            read::list(&mut self.connection().await?, query).await
        }))
    }

    fn delete<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        Box::pin(self.run("deleting a thread", self.delete_thread(thread)))
    }

    fn lock<'a>(
        &'a self,
        thread: &'a ThreadId,
        run: &'a RunId,
    ) -> BoxFuture<'a, Result<RunGuard, CheckpointError>> {
        Box::pin(self.run("claiming a thread", self.claims.claim(thread, run)))
    }

    fn is_running<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        Box::pin(self.run("asking who works on a thread", async move {
            Ok(self.claims.is_held_here(thread) || self.claim_elsewhere(thread).await?.is_some())
        }))
    }

    fn wait_idle<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<(), CheckpointError>> {
        const ACTION: &str = "waiting for a thread";
        Box::pin(async move {
            self.claims.wait_here(thread).await;
            let Some(key) = self.run(ACTION, self.claim_elsewhere(thread)).await? else {
                return Ok(());
            };
            loop {
                tokio::time::sleep(IDLE_POLL).await;
                if !self.run(ACTION, self.was_claimed(key)).await? {
                    return Ok(());
                }
            }
        })
    }
}
