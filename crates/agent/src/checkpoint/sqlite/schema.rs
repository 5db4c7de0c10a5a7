//! The tables, and how a file of an earlier version becomes one of this version.

use rusqlite::{Connection, TransactionBehavior};

/// Marks a file as ours; it reads `PERI`.
const APPLICATION_ID: i64 = 0x5045_5249;

/// Step `n` leads from version `n` to `n + 1`. A step that was released is never changed; a new one is added.
const STEPS: &[&str] = &[V1];

/// Times are microseconds since 1970 in UTC, `body` is compact JSON.
///
/// A row of `value_use` says that a turn of a thread keeps a value: its snapshot names it, or a record after the latest
/// snapshot does.
const V1: &str = "
create table thread (
    id text primary key,
    owner text,
    question text not null,
    created_at integer not null,
    updated_at integer not null,
    position integer not null,
    turns integer not null,
    finished integer not null
) strict, without rowid;
create index thread_by_age on thread (created_at, id);
create index thread_by_owner on thread (owner, created_at, id);

create table record (
    thread text not null references thread on delete cascade,
    position integer not null,
    turn integer not null,
    body text not null,
    primary key (thread, position)
) strict;

create table snapshot (
    thread text not null references thread on delete cascade,
    turn integer not null,
    body text not null,
    primary key (thread, turn)
) strict;

create table value (
    hash text primary key,
    body text not null
) strict;

create table value_use (
    thread text not null references thread on delete cascade,
    turn integer not null,
    hash text not null references value,
    primary key (thread, turn, hash)
) strict, without rowid;
create index value_use_by_hash on value_use (hash);
";

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum SchemaError {
    /// It is another program's.
    #[error("it is the database of another program")]
    Foreign,
    /// It is from a later version of ours.
    #[error("it was written by a later version (its tables are version {found}, this program knows {known})")]
    Newer {
        /// The version of the file.
        found: usize,
        /// The version of this program.
        known: usize,
    },
    /// SQLite refuses it.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
}

/// Brings a file to the version of this program, in one transaction.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), SchemaError> {
    migrate_by(connection, STEPS)
}

fn migrate_by(connection: &mut Connection, steps: &[&str]) -> Result<(), SchemaError> {
    // Another process may be at it: who comes second finds the work done.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let number = |sql: &str| transaction.query_row(sql, [], |row| row.get::<_, i64>(0));
    let application = number("pragma application_id")?;
    let is_empty = number("select count(*) from sqlite_schema")? == 0;
    if application != APPLICATION_ID && !(application == 0 && is_empty) {
        return Err(SchemaError::Foreign);
    }
    let found = usize::try_from(number("pragma user_version")?).unwrap_or(usize::MAX);
    let Some(missing) = steps.get(found..) else {
        return Err(SchemaError::Newer {
            found,
            known: steps.len(),
        });
    };
    for step in missing {
        transaction.execute_batch(step)?;
    }
    transaction.execute_batch(&format!(
        "pragma application_id = {APPLICATION_ID}; pragma user_version = {};",
        steps.len()
    ))?;
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(connection: &Connection) -> i64 {
        connection
            .query_row("pragma user_version", [], |row| row.get(0))
            .unwrap()
    }

    #[test]
    fn a_file_of_an_earlier_version_keeps_its_rows_and_gains_what_is_new() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate_by(
            &mut connection,
            &["create table a (x); insert into a values (1);"],
        )
        .unwrap();
        assert_eq!(version(&connection), 1);
        let steps = ["never run again", "alter table a add column y default 7"];
        migrate_by(&mut connection, &steps).unwrap();
        migrate_by(&mut connection, &steps).unwrap();
        assert_eq!(version(&connection), 2);
        let row: (i64, i64) = connection
            .query_row("select x, y from a", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        assert_eq!(row, (1, 7));
    }

    #[test]
    fn a_step_that_fails_leaves_the_file_as_it_was() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection).unwrap();
        let steps = [V1, "create table extra (x)", "no sql"];
        assert!(migrate_by(&mut connection, &steps).is_err());
        assert_eq!(version(&connection), 1);
        let extra: i64 = connection
            .query_row(
                "select count(*) from sqlite_schema where name = 'extra'",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(extra, 0);
    }

    #[test]
    fn a_later_version_and_another_programs_file_are_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate_by(&mut connection, &[V1, "create table later (x)"]).unwrap();
        assert!(matches!(
            migrate(&mut connection),
            Err(SchemaError::Newer { found: 2, known: 1 })
        ));
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("create table bookmarks (url)").unwrap();
        assert!(matches!(migrate(&mut connection), Err(SchemaError::Foreign)));
    }
}
