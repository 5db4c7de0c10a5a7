//! A new, empty place for threads in each kind of store.

use std::sync::Arc;

use periplus_agent::{Checkpoints, MemoryCheckpoints, PostgresCheckpoints, Retention, SqliteCheckpoints};
use tempfile::TempDir;
use tokio_postgres::NoTls;
use uuid::Uuid;

/// Names the server that tests may fill; `cargo xtask postgres` sets it.
const VARIABLE: &str = "PERIPLUS_TEST_POSTGRES";

/// Where the threads of one test are.
pub(crate) enum Place {
    Memory(MemoryCheckpoints),
    Sqlite(TempDir),
    Postgres { server: String, schema: String },
}

impl Place {
    pub(crate) fn memory() -> Self {
        Self::Memory(MemoryCheckpoints::new(Retention { turns: 3 }))
    }

    pub(crate) fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().unwrap())
    }

    /// A schema of its own on the server that the environment names; without one, says that the test is skipped.
    pub(crate) async fn postgres() -> Option<Self> {
        #[expect(
            clippy::disallowed_methods,
            reason = "whoever runs the tests names the server"
        )]
        let Ok(server) = std::env::var(VARIABLE) else {
            eprintln!("skipped: {VARIABLE} names no server (run it with `cargo xtask postgres -- …`)");
            return None;
        };
        let schema = format!("test_{}", Uuid::new_v4().simple());
        execute(&server, &format!("create schema {schema}")).await;
        Some(Self::Postgres { server, schema })
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
            Self::Sqlite(folder) => {
                Arc::new(SqliteCheckpoints::open(&folder.path().join("threads.sqlite"), retention).unwrap())
            }
            Self::Postgres { .. } => Arc::new(PostgresCheckpoints::new(&self.address(), retention).unwrap()),
        }
    }

    /// What names it to another process.
    pub(crate) fn address(&self) -> String {
        match self {
            Self::Memory(_) => panic!("memory is nowhere else"),
            Self::Sqlite(folder) => folder.path().join("threads.sqlite").display().to_string(),
            Self::Postgres { server, schema } => format!("{server}?options=-csearch_path%3D{schema}"),
        }
    }

    /// Removes what would outlive the test.
    pub(crate) async fn remove(&self) {
        if let Self::Postgres { server, schema } = self {
            execute(server, &format!("drop schema {schema} cascade")).await;
        }
    }
}

/// Runs statements on a connection of their own.
pub(crate) async fn execute(address: &str, sql: &str) {
    let (client, connection) = tokio_postgres::connect(address, NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
    drop(client);
    connection.await.unwrap().unwrap();
}
