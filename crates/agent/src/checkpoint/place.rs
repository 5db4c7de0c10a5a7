//! Where threads are to be kept, as a person writes it.

use std::{fmt, path::PathBuf, str::FromStr, sync::Arc};

use super::{
    CheckpointError, Checkpoints, MemoryCheckpoints, PostgresCheckpoints, Retention, SqliteCheckpoints,
    postgres,
};

/// What a path to a SQLite file stands behind.
const SQLITE: &str = "sqlite:";

/// Where threads are to be kept: `memory`, `sqlite:<path>`, or the address of a PostgreSQL database.
#[derive(Clone, PartialEq, Eq)]
pub enum CheckpointPlace {
    /// In this process, as long as it lives.
    Memory,
    /// In a file.
    Sqlite(PathBuf),
    /// In a database; the address may hold a password and is shown nowhere.
    Postgres(String),
}

impl CheckpointPlace {
    /// Opens the place. A file is opened or created at once; a database is connected to by the first operation.
    ///
    /// # Errors
    /// [`CheckpointError::Configuration`] if the file or the address cannot be used.
    pub fn open(&self, retention: Retention) -> Result<Arc<dyn Checkpoints>, CheckpointError> {
        Ok(match self {
            Self::Memory => Arc::new(MemoryCheckpoints::new(retention)),
            Self::Sqlite(path) => Arc::new(SqliteCheckpoints::open(path, retention)?),
            Self::Postgres(address) => Arc::new(PostgresCheckpoints::new(address, retention)?),
        })
    }
}

impl FromStr for CheckpointPlace {
    type Err = CheckpointError;

    fn from_str(text: &str) -> Result<Self, CheckpointError> {
        match text.strip_prefix(SQLITE) {
            _ if text == "memory" => Ok(Self::Memory),
            Some(path) if !path.is_empty() => Ok(Self::Sqlite(PathBuf::from(path))),
            _ if postgres::is_address(text) => Ok(Self::Postgres(text.to_owned())),
            _ => Err(CheckpointError::Configuration {
                // The text may be an address with a password and a mistake in its first letters.
                place: "the place that was named".to_owned(),
                reason: format!(
                    "write `memory`, `{SQLITE}<path>`, or an address such as `postgresql://user@host/database`"
                ),
            }),
        }
    }
}

/// Shows a database as such, because its address may hold a password.
impl fmt::Display for CheckpointPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory"),
            Self::Sqlite(path) => write!(f, "{SQLITE}{}", path.display()),
            Self::Postgres(_) => f.write_str("PostgreSQL"),
        }
    }
}

impl fmt::Debug for CheckpointPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_and_shown_without_a_password() {
        for (text, shown) in [
            ("memory", "memory"),
            ("sqlite:/tmp/a b.sqlite", "sqlite:/tmp/a b.sqlite"),
            ("postgres://me:hunter2@db/x", "PostgreSQL"),
            ("postgresql+asyncpg://me:hunter2@db/x", "PostgreSQL"),
        ] {
            let place: CheckpointPlace = text.parse().unwrap();
            assert_eq!(place.to_string(), shown);
            assert!(!format!("{place:?}").contains("hunter2"));
        }
        for text in [
            "",
            "Memory",
            "sqlite:",
            "threads.sqlite",
            "postgre://me:hunter2@db/x",
        ] {
            let error = text.parse::<CheckpointPlace>().unwrap_err().to_string();
            assert!(
                error.contains("sqlite:<path>") && !error.contains("hunter2"),
                "{error}"
            );
        }
    }

    #[test]
    fn an_address_that_cannot_be_used_is_refused_before_anything_is_served() {
        let place: CheckpointPlace = "postgres://me:hunter2@db/x?sslmode=sometimes".parse().unwrap();
        let error = place.open(Retention::default()).unwrap_err().to_string();
        assert!(
            error.contains("`sometimes`") && !error.contains("hunter2"),
            "{error}"
        );
    }
}
