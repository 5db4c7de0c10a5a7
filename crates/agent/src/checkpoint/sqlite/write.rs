//! Appending to a thread and deleting it, each in one transaction.

use rusqlite::{
    Connection, ErrorCode, OptionalExtension, Transaction, TransactionBehavior, params, types::FromSql,
};

use super::Fault;
use crate::{
    Retention, ThreadId,
    checkpoint::rows::{self, Rows},
};

/// A commit waits until it is on the disk, and with it all commits before it.
const ON_DISK: &str = "pragma synchronous = full";

/// A commit waits until the system has it, which keeps it whatever happens to the process. That costs a hundredth, and if
/// the machine loses power in the middle of a turn, that turn is lost anyway.
const IN_SYSTEM: &str = "pragma synchronous = normal";

pub(super) fn append(connection: &mut Connection, rows: &Rows, retention: Retention) -> Result<u64, Fault> {
    connection.execute_batch(if rows.is_rest { ON_DISK } else { IN_SYSTEM })?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = transaction
        .prepare_cached("select position from thread where id = ?1")?
        .query_row([rows.thread.as_str()], |row| row.get(0))
        .optional()?;
    if found.unwrap_or(0) != rows.after {
        return Err(rows.conflict(found.unwrap_or(0)).into());
    }
    if found.is_none() {
        open_thread(&transaction, rows)?;
    }
    add_values(&transaction, rows)?;
    add_records(&transaction, rows)?;
    match &rows.snapshot {
        Some(snapshot) => finish_turn(&transaction, rows, snapshot, retention)?,
        None => keep_named(&transaction, rows)?,
    }
    advance(&transaction, rows)?;
    transaction.commit()?;
    Ok(rows.position().unsigned_abs())
}

fn open_thread(transaction: &Transaction<'_>, rows: &Rows) -> rusqlite::Result<()> {
    let created_at = rows.opening.created_at.timestamp_micros();
    transaction
        .prepare_cached(
            "insert into thread (id, owner, question, created_at, updated_at, position, turns, finished)
             values (?1, ?2, ?3, ?4, ?4, 0, 0, 0)",
        )?
        .execute(params![
            rows.thread.as_str(),
            rows.opening.owner,
            rows.opening.question,
            created_at
        ])?;
    Ok(())
}

fn add_values(transaction: &Transaction<'_>, rows: &Rows) -> rusqlite::Result<()> {
    let mut is_known = transaction.prepare_cached("select 1 from value where hash = ?1")?;
    let mut insert = transaction.prepare_cached("insert into value (hash, body) values (?1, ?2)")?;
    for (hash, value) in &rows.values {
        // Asked first, because a value may have megabytes to write out.
        if !is_known.exists([hash])? {
            insert.execute(params![hash, value.json().to_string()])?;
        }
    }
    Ok(())
}

fn add_records(transaction: &Transaction<'_>, rows: &Rows) -> rusqlite::Result<()> {
    let mut insert = transaction
        .prepare_cached("insert into record (thread, position, turn, body) values (?1, ?2, ?3, ?4)")?;
    for (position, body) in rows.numbered() {
        insert.execute(params![rows.thread.as_str(), position, rows.turn, body])?;
    }
    Ok(())
}

/// Stores the snapshot of a turn, drops those that are too old, and the values that nothing names any more.
fn finish_turn(
    transaction: &Transaction<'_>,
    rows: &Rows,
    snapshot: &str,
    retention: Retention,
) -> Result<(), Fault> {
    let thread = rows.thread.as_str();
    transaction
        .prepare_cached("insert or replace into snapshot (thread, turn, body) values (?1, ?2, ?3)")?
        .execute(params![thread, rows.turn, snapshot])?;
    transaction
        .prepare_cached("delete from snapshot where thread = ?1 and turn <= ?2")?
        .execute(params![thread, rows.last_dropped(retention)])?;
    // The snapshot speaks for its turn from now on, and for the records of turns that never came to one.
    let released: Vec<String> = column(
        transaction,
        "delete from value_use
         where thread = ?1 and (turn = ?2 or turn not in (select turn from snapshot where thread = ?1))
         returning hash",
        params![thread, rows.turn],
    )?;
    keep_named(transaction, rows)?;
    drop_unused(transaction, released)?;
    Ok(())
}

fn keep_named(transaction: &Transaction<'_>, rows: &Rows) -> Result<(), Fault> {
    let mut insert = transaction
        .prepare_cached("insert or ignore into value_use (thread, turn, hash) values (?1, ?2, ?3)")?;
    for hash in &rows.named {
        insert
            .execute(params![rows.thread.as_str(), rows.turn, hash])
            .map_err(|error| match error.sqlite_error_code() {
                Some(ErrorCode::ConstraintViolation) => rows::missing_value(&rows.thread).into(),
                _ => Fault::Sqlite(error),
            })?;
    }
    Ok(())
}

fn drop_unused(transaction: &Transaction<'_>, mut hashes: Vec<String>) -> rusqlite::Result<()> {
    hashes.sort();
    hashes.dedup();
    let mut delete = transaction.prepare_cached(
        "delete from value
         where hash = ?1 and not exists (select 1 from value_use where value_use.hash = value.hash)",
    )?;
    for hash in &hashes {
        delete.execute([hash])?;
    }
    Ok(())
}

fn advance(transaction: &Transaction<'_>, rows: &Rows) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "update thread set
                 position = ?2,
                 turns = max(turns, ?3),
                 finished = iif(?4, ?3, finished),
                 updated_at = coalesce(?5, updated_at)
             where id = ?1",
        )?
        .execute(params![
            rows.thread.as_str(),
            rows.position(),
            rows.turn,
            rows.snapshot.is_some(),
            rows.updated_at.map(|at| at.timestamp_micros()),
        ])?;
    Ok(())
}

pub(super) fn delete(connection: &mut Connection, thread: &ThreadId) -> Result<bool, Fault> {
    connection.execute_batch(ON_DISK)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let hashes: Vec<String> = column(
        &transaction,
        "select distinct hash from value_use where thread = ?1",
        [thread.as_str()],
    )?;
    let deleted = transaction.execute("delete from thread where id = ?1", [thread.as_str()])?;
    drop_unused(&transaction, hashes)?;
    transaction.commit()?;
    if deleted > 0 {
        // What was deleted still stands in the log. A reader may keep it there, and then the next deletion tries again.
        let _ = connection.execute_batch("pragma wal_checkpoint(truncate)");
    }
    Ok(deleted > 0)
}

/// The first column of every row.
pub(super) fn column<T: FromSql>(
    transaction: &Connection,
    sql: &str,
    parameters: impl rusqlite::Params,
) -> rusqlite::Result<Vec<T>> {
    transaction
        .prepare_cached(sql)?
        .query_map(parameters, |row| row.get(0))?
        .collect()
}
