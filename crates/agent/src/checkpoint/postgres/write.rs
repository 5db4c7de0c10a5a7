//! Appending to a thread and deleting it, each in one transaction; and dropping values that no thread names, after it.
//!
//! After it, because of two threads that give up the same value at once each still sees the other's use of it. Whoever is
//! over last sees that nobody is left.

use deadpool_postgres::{Object, Transaction};
use tokio_postgres::types::Type;

use super::{BEGIN, Fault, is_missing};
use crate::{Retention, ThreadId, checkpoint::rows::Rows};

pub(super) async fn append(client: &mut Object, rows: &Rows, retention: Retention) -> Result<u64, Fault> {
    let transaction = client.transaction().await?;
    transaction.batch_execute(BEGIN).await?;
    if rows.after == 0 {
        open_thread(&transaction, rows).await?;
    }
    let found = position(&transaction, rows).await?;
    if found != rows.after {
        return Err(rows.conflict(found).into());
    }
    add_values(&transaction, rows).await?;
    add_records(&transaction, rows).await?;
    match &rows.snapshot {
        Some(snapshot) => finish_turn(&transaction, rows, snapshot, retention).await?,
        None => keep_named(&transaction, rows).await?,
    }
    advance(&transaction, rows).await?;
    transaction.commit().await?;
    Ok(rows.position().unsigned_abs())
}

/// Creates the thread unless it exists; of two who create it, the second waits for the first.
async fn open_thread(transaction: &Transaction<'_>, rows: &Rows) -> Result<(), Fault> {
    let sql = "
        insert into periplus_thread (id, owner, question, created_at, updated_at, position, turns, finished)
        values ($1, $2, $3, $4, $4, 0, 0, 0)
        on conflict (id) do nothing";
    let parameters = [
        (&rows.thread.as_str() as _, Type::TEXT),
        (&rows.opening.owner as _, Type::TEXT),
        (&rows.opening.question as _, Type::TEXT),
        (&rows.opening.created_at as _, Type::TIMESTAMPTZ),
    ];
    transaction.execute_typed(sql, &parameters).await?;
    Ok(())
}

/// How many records the thread has; nobody else writes to it until this transaction is over.
async fn position(transaction: &Transaction<'_>, rows: &Rows) -> Result<i64, Fault> {
    let sql = "select position from periplus_thread where id = $1 for update";
    let thread = [(&rows.thread.as_str() as _, Type::TEXT)];
    let row = transaction.query_typed_opt(sql, &thread).await?;
    Ok(row.map_or(0, |row| row.get(0)))
}

async fn add_values(transaction: &Transaction<'_>, rows: &Rows) -> Result<(), Fault> {
    if rows.values.is_empty() {
        return Ok(());
    }
    // Asked first, because a value may have megabytes to send.
    let hashes: Vec<&str> = rows.values.iter().map(|(hash, _)| hash.as_str()).collect();
    let known = transaction
        .query_typed(
            "select hash from periplus_value where hash = any($1)",
            &[(&hashes, Type::TEXT_ARRAY)],
        )
        .await?;
    let known: Vec<&str> = known.iter().map(|row| row.get(0)).collect();
    for (hash, value) in &rows.values {
        if known.contains(&hash.as_str()) {
            continue;
        }
        let body = value.json().to_string();
        transaction
            .execute_typed(
                "insert into periplus_value (hash, body) values ($1, $2) on conflict (hash) do nothing",
                &[(hash, Type::TEXT), (&body, Type::TEXT)],
            )
            .await?;
    }
    Ok(())
}

async fn add_records(transaction: &Transaction<'_>, rows: &Rows) -> Result<(), Fault> {
    let sql = "
        insert into periplus_record (thread, position, turn, body)
        select $1, $2 + number - 1, $3, body
        from unnest($4) with ordinality as added (body, number)";
    let parameters = [
        (&rows.thread.as_str() as _, Type::TEXT),
        (&rows.after as _, Type::INT8),
        (&rows.turn as _, Type::INT8),
        (&rows.records as _, Type::TEXT_ARRAY),
    ];
    transaction.execute_typed(sql, &parameters).await?;
    Ok(())
}

/// Stores the snapshot of a turn, drops those that are too old, and gives up the values that only those named.
async fn finish_turn(
    transaction: &Transaction<'_>,
    rows: &Rows,
    snapshot: &str,
    retention: Retention,
) -> Result<(), Fault> {
    let thread = rows.thread.as_str();
    let sql = "
        insert into periplus_snapshot (thread, turn, body) values ($1, $2, $3)
        on conflict (thread, turn) do update set body = excluded.body";
    let parameters = [
        (&thread as _, Type::TEXT),
        (&rows.turn as _, Type::INT8),
        (&snapshot as _, Type::TEXT),
    ];
    transaction.execute_typed(sql, &parameters).await?;
    let last_dropped = rows.last_dropped(retention);
    transaction
        .execute_typed(
            "delete from periplus_snapshot where thread = $1 and turn <= $2",
            &[(&thread, Type::TEXT), (&last_dropped, Type::INT8)],
        )
        .await?;
    // The snapshot speaks for its turn from now on, and for the records of turns that never came to one.
    let sql = "
        delete from periplus_value_use
        where thread = $1
          and (turn = $2 or turn not in (select turn from periplus_snapshot where thread = $1))
        returning hash";
    let released = transaction
        .query_typed(sql, &[(&thread, Type::TEXT), (&rows.turn, Type::INT8)])
        .await?;
    keep_named(transaction, rows).await?;
    let released = released.iter().map(|row| row.get(0));
    // Most are named by the new snapshot too.
    let released: Vec<&str> = released
        .filter(|hash| !rows.named.iter().any(|named| named == hash))
        .collect();
    give_up(transaction, &released).await
}

async fn keep_named(transaction: &Transaction<'_>, rows: &Rows) -> Result<(), Fault> {
    if rows.named.is_empty() {
        return Ok(());
    }
    let sql = "
        insert into periplus_value_use (thread, turn, hash)
        select $1, $2, hash from unnest($3) as named (hash)
        on conflict do nothing";
    let parameters = [
        (&rows.thread.as_str() as _, Type::TEXT),
        (&rows.turn as _, Type::INT8),
        (&rows.named as _, Type::TEXT_ARRAY),
    ];
    transaction.execute_typed(sql, &parameters).await?;
    Ok(())
}

/// Remembers values that have to be looked at once this transaction is over, by whoever comes to it.
async fn give_up(transaction: &Transaction<'_>, hashes: &[&str]) -> Result<(), Fault> {
    if hashes.is_empty() {
        return Ok(());
    }
    let sql = "insert into periplus_released (hash) select unnest($1)";
    transaction
        .execute_typed(sql, &[(&hashes, Type::TEXT_ARRAY)])
        .await?;
    Ok(())
}

/// Drops the values that were given up and that no thread names, also those that a process left behind when it ended.
///
/// Each on its own, so that nobody waits for it who holds what it waits for.
pub(super) async fn sweep(client: &Object) -> Result<(), Fault> {
    loop {
        let released = "select distinct hash from periplus_released limit 100";
        let released = client.query_typed(released, &[]).await?;
        if released.is_empty() {
            return Ok(());
        }
        for row in &released {
            sweep_one(client, row.get(0)).await?;
        }
    }
}

async fn sweep_one(client: &Object, hash: &str) -> Result<(), Fault> {
    // One statement, so that it sees the uses as they were when the releases that it removes had been made.
    let sql = "
        with looked_at as (delete from periplus_released where hash = $1)
        delete from periplus_value as value
        where hash = $1
          and not exists (select from periplus_value_use as kept where kept.hash = value.hash)";
    match client.execute_typed(sql, &[(&hash, Type::TEXT)]).await {
        // Somebody has just named it again, which the next look will see.
        Err(error) if is_missing(&error) => Ok(()),
        outcome => Ok(outcome.map(drop)?),
    }
}

async fn advance(transaction: &Transaction<'_>, rows: &Rows) -> Result<(), Fault> {
    let sql = "
        update periplus_thread set
            position = $2,
            turns = greatest(turns, $3),
            finished = case when $4 then $3 else finished end,
            updated_at = coalesce($5, updated_at)
        where id = $1";
    let parameters = [
        (&rows.thread.as_str() as _, Type::TEXT),
        (&rows.position() as _, Type::INT8),
        (&rows.turn as _, Type::INT8),
        (&rows.snapshot.is_some() as _, Type::BOOL),
        (&rows.updated_at as _, Type::TIMESTAMPTZ),
    ];
    transaction.execute_typed(sql, &parameters).await?;
    Ok(())
}

pub(super) async fn delete(client: &mut Object, thread: &ThreadId) -> Result<bool, Fault> {
    let transaction = client.transaction().await?;
    transaction.batch_execute(BEGIN).await?;
    let thread = [(&thread.as_str() as _, Type::TEXT)];
    // An append that is under way ends first: what it names is known then.
    let locked = "select from periplus_thread where id = $1 for update";
    if transaction.query_typed_opt(locked, &thread).await?.is_none() {
        return Ok(false);
    }
    let named = "select distinct hash from periplus_value_use where thread = $1";
    let named = transaction.query_typed(named, &thread).await?;
    transaction
        .execute_typed("delete from periplus_thread where id = $1", &thread)
        .await?;
    let named: Vec<&str> = named.iter().map(|row| row.get(0)).collect();
    give_up(&transaction, &named).await?;
    transaction.commit().await?;
    Ok(true)
}
