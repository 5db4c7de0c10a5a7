//! The tables, and how those of an earlier version become those of this version.

use deadpool_postgres::Object;
use tokio_postgres::types::Type;

use super::{BEGIN, Fault};
use crate::CheckpointError;

/// Step `n` leads from version `n` to `n + 1`. A step that was released is never changed; a new one is added.
const STEPS: &[&str] = &[V1];

/// As in a SQLite file, with names that may stand among others. And `periplus_released`: values that a thread has given up
/// and that nobody has looked at since.
const V1: &str = "
create table periplus_schema (version integer not null);
insert into periplus_schema (version) values (0);

create table periplus_thread (
    id text primary key,
    owner text,
    question text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    position bigint not null,
    turns bigint not null,
    finished bigint not null
);
create index periplus_thread_by_age on periplus_thread (created_at, id);
create index periplus_thread_by_owner on periplus_thread (owner, created_at, id);

create table periplus_record (
    thread text not null references periplus_thread on delete cascade,
    position bigint not null,
    turn bigint not null,
    body text not null,
    primary key (thread, position)
);

create table periplus_snapshot (
    thread text not null references periplus_thread on delete cascade,
    turn bigint not null,
    body text not null,
    primary key (thread, turn)
);

create table periplus_value (
    hash text primary key,
    body text not null
);

create table periplus_value_use (
    thread text not null references periplus_thread on delete cascade,
    turn bigint not null,
    hash text not null references periplus_value,
    primary key (thread, turn, hash)
);
create index periplus_value_use_by_hash on periplus_value_use (hash);

create table periplus_released (
    hash text not null
);
";

/// Processes that start at the same time make the tables one after the other. It reads `PERIPLUS`.
const MIGRATION_LOCK: i64 = i64::from_be_bytes(*b"PERIPLUS");

/// Brings the tables to the version of this program, in one transaction.
pub(super) async fn migrate(client: &mut Object, place: &str) -> Result<(), Fault> {
    let transaction = client.transaction().await?;
    transaction.batch_execute(BEGIN).await?;
    transaction
        .query_typed(
            "select pg_advisory_xact_lock($1)",
            &[(&MIGRATION_LOCK, Type::INT8)],
        )
        .await?;
    // Asked like this, an account that may not make tables can use those that an administrator made.
    let exists = "select to_regclass('periplus_schema') is not null";
    let exists: bool = transaction.query_typed_one(exists, &[]).await?.get(0);
    let found: i32 = if exists {
        transaction
            .query_typed_one("select version from periplus_schema", &[])
            .await?
            .get(0)
    } else {
        0
    };
    let missing = usize::try_from(found).ok().and_then(|found| STEPS.get(found..));
    let missing = missing.ok_or_else(|| CheckpointError::Configuration {
        place: place.to_owned(),
        reason: format!(
            "its tables were made by a later version (they are version {found}, this program knows {})",
            STEPS.len()
        ),
    })?;
    if missing.is_empty() {
        return Ok(());
    }
    for step in missing {
        transaction.batch_execute(step).await?;
    }
    let version = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    transaction
        .execute_typed(
            "update periplus_schema set version = $1",
            &[(&version, Type::INT8)],
        )
        .await?;
    transaction.commit().await?;
    Ok(())
}
