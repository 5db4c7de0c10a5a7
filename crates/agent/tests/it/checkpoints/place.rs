//! A new, empty place for threads in each kind of store.

use std::sync::Arc;

use periplus_agent::{CheckpointPlace, Checkpoints, MemoryCheckpoints, Retention};
use tempfile::TempDir;
use tokio_postgres::NoTls;
use url::Url;
use uuid::Uuid;

/// Names the server that tests may fill; `cargo xtask postgres` sets it.
const SERVER: &str = "PERIPLUS_TEST_POSTGRES";

/// Names the same server behind a pooler that hands out connections by transaction.
const POOLED: &str = "PERIPLUS_TEST_POSTGRES_POOLED";

/// Where the threads of one test are.
pub(crate) enum Place {
    Memory(MemoryCheckpoints),
    Sqlite(TempDir),
    Postgres { server: String, database: String },
}

impl Place {
    pub(crate) fn memory() -> Self {
        Self::Memory(MemoryCheckpoints::new(Retention { turns: 3 }))
    }

    pub(crate) fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().unwrap())
    }

    /// A database of its own on the server that the environment names; without one, says that the test is skipped.
    pub(crate) async fn postgres() -> Option<Self> {
        Self::postgres_of(SERVER).await
    }

    /// The same behind a pooler.
    pub(crate) async fn pooled() -> Option<Self> {
        Self::postgres_of(POOLED).await
    }

    async fn postgres_of(variable: &str) -> Option<Self> {
        #[expect(
            clippy::disallowed_methods,
            reason = "whoever runs the tests names the server"
        )]
        let Ok(server) = std::env::var(variable) else {
            eprintln!("skipped: {variable} names no server (run it with `cargo xtask postgres -- …`)");
            return None;
        };
        let database = format!("test_{}", Uuid::new_v4().simple());
        execute(&server, &format!("create database {database} template template0")).await;
        Some(Self::Postgres { server, database })
    }

    /// One more handle on it, as another process would have it; it keeps the state of three turns.
    pub(crate) fn open(&self) -> Arc<dyn Checkpoints> {
        self.open_keeping(3)
    }

    pub(crate) fn open_keeping(&self, turns: u32) -> Arc<dyn Checkpoints> {
        let retention = Retention { turns };
        match self {
            Self::Memory(store) if turns == 3 => Arc::new(store.clone()),
            Self::Memory(_) => Arc::new(MemoryCheckpoints::new(retention)),
            _ => open(&self.address(), retention),
        }
    }

    /// What names it to another process.
    pub(crate) fn address(&self) -> String {
        match self {
            Self::Memory(_) => panic!("memory is nowhere else"),
            Self::Sqlite(folder) => format!("sqlite:{}", folder.path().join("threads.sqlite").display()),
            Self::Postgres { server, database } => {
                let mut address = Url::parse(server).unwrap();
                address.set_path(database);
                address.to_string()
            }
        }
    }

    /// Removes what would outlive the test.
    pub(crate) async fn remove(&self) {
        if let Self::Postgres { server, database } = self {
            execute(server, &format!("drop database {database} with (force)")).await;
        }
    }
}

pub(crate) fn open(address: &str, retention: Retention) -> Arc<dyn Checkpoints> {
    let place: CheckpointPlace = address.parse().unwrap();
    place.open(retention).unwrap()
}

/// Runs statements on a connection of their own.
pub(crate) async fn execute(address: &str, sql: &str) {
    let (client, connection) = tokio_postgres::connect(address, NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
    drop(client);
    connection.await.unwrap().unwrap();
}
