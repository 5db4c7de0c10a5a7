//! Reading threads, each time as one moment of the database.

use std::collections::{BTreeMap, HashSet};

use deadpool_postgres::{Object, Transaction};
use periplus_state::StoredValue;
use tokio_postgres::{IsolationLevel, Row, types::Type};

use super::{BEGIN, Fault};
use crate::{
    ListThreads, SnapshotLookup, StoredThread, ThreadHead, ThreadId, ValueHash,
    checkpoint::rows::{self, ThreadRow},
};

const HEAD: &str = "id, owner, question, created_at, updated_at, turns";

/// A transaction that sees one moment.
async fn moment(client: &mut Object) -> Result<Transaction<'_>, Fault> {
    let transaction = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await?;
    transaction.batch_execute(BEGIN).await?;
    Ok(transaction)
}

pub(super) async fn load(client: &mut Object, thread: &ThreadId) -> Result<Option<StoredThread>, Fault> {
    let transaction = moment(client).await?;
    let id = [(&thread.as_str() as _, Type::TEXT)];
    let sql = format!("select {HEAD}, finished from periplus_thread where id = $1");
    let Some(found) = transaction.query_typed_opt(&sql, &id).await? else {
        return Ok(None);
    };
    let sql = "select body from periplus_record where thread = $1 order by position";
    let bodies = transaction.query_typed(sql, &id).await?;
    let records = bodies
        .iter()
        .enumerate()
        .map(|(position, row)| rows::record(thread, position, row.get(0)));
    let finished: i64 = found.get("finished");
    Ok(Some(StoredThread {
        head: head(&found).head("reading a thread")?,
        records: records.collect::<Result<_, _>>()?,
        snapshot: body_of(&transaction, thread, finished)
            .await?
            .map(|body| rows::snapshot(thread, finished, &body))
            .transpose()?,
        retained: retained(&transaction, thread).await?,
    }))
}

pub(super) async fn snapshot(
    client: &mut Object,
    thread: &ThreadId,
    turn: u32,
) -> Result<SnapshotLookup, Fault> {
    let transaction = moment(client).await?;
    let number = i64::from(turn);
    if let Some(body) = body_of(&transaction, thread, number).await? {
        return Ok(SnapshotLookup::Found(rows::snapshot(thread, number, &body)?));
    }
    let sql = "select finished from periplus_thread where id = $1";
    let finished = transaction
        .query_typed_opt(sql, &[(&thread.as_str(), Type::TEXT)])
        .await?;
    Ok(if (1..=finished.map_or(0, |row| row.get(0))).contains(&number) {
        SnapshotLookup::Dropped {
            retained: retained(&transaction, thread).await?,
        }
    } else {
        SnapshotLookup::NoSuchTurn
    })
}

async fn body_of(
    transaction: &Transaction<'_>,
    thread: &ThreadId,
    turn: i64,
) -> Result<Option<String>, Fault> {
    let sql = "select body from periplus_snapshot where thread = $1 and turn = $2";
    let parameters = [(&thread.as_str() as _, Type::TEXT), (&turn as _, Type::INT8)];
    let row = transaction.query_typed_opt(sql, &parameters).await?;
    Ok(row.map(|row| row.get(0)))
}

async fn retained(transaction: &Transaction<'_>, thread: &ThreadId) -> Result<Vec<u32>, Fault> {
    let sql = "select turn from periplus_snapshot where thread = $1 order by turn";
    let turns = transaction
        .query_typed(sql, &[(&thread.as_str(), Type::TEXT)])
        .await?;
    Ok(turns.iter().map(|row| rows::number(row.get(0))).collect())
}

pub(super) async fn values(
    client: &mut Object,
    thread: &ThreadId,
    hashes: &[ValueHash],
) -> Result<BTreeMap<ValueHash, StoredValue>, Fault> {
    let transaction = moment(client).await?;
    let sql = "
        select hash, body from periplus_value
        where hash = any($2)
          and hash in (select hash from periplus_value_use where thread = $1 and hash = any($2))";
    let hashes: Vec<&str> = hashes.iter().map(ValueHash::as_str).collect();
    let parameters = [
        (&thread.as_str() as _, Type::TEXT),
        (&hashes as _, Type::TEXT_ARRAY),
    ];
    let found = transaction.query_typed(sql, &parameters).await?;
    let values = found
        .iter()
        .map(|row| rows::value(thread, row.get(0), row.get(1)));
    Ok(values.collect::<Result<_, _>>()?)
}

pub(super) async fn list(client: &mut Object, query: &ListThreads) -> Result<Vec<ThreadHead>, Fault> {
    let transaction = moment(client).await?;
    let of_owner = query.owner.as_ref().map_or("$1 is null", |_| "owner = $1");
    let after = query.after.as_ref().map_or(
        "$2 is null",
        |_| "(created_at, id) < (select created_at, id from periplus_thread where id = $2)",
    );
    let sql = format!(
        "select {HEAD} from periplus_thread where {of_owner} and {after}
         order by created_at desc, id desc limit $3"
    );
    let owner = query.owner.as_deref().map(rows::storable);
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
    let parameters = [
        (&owner as _, Type::TEXT),
        (&query.after.as_ref().map(ThreadId::as_str) as _, Type::TEXT),
        (&limit as _, Type::INT8),
    ];
    let found = transaction.query_typed(&sql, &parameters).await?;
    let heads = found.iter().map(|row| head(row).head("listing threads"));
    Ok(heads.collect::<Result<_, _>>()?)
}

/// The key under which a thread is claimed; other programs that keep threads in PostgreSQL use the same.
pub(super) async fn claim_key(client: &mut Object, thread: &ThreadId) -> Result<i64, Fault> {
    let transaction = moment(client).await?;
    let sql = "select hashtextextended($1, 0)";
    let row = transaction
        .query_typed_one(sql, &[(&thread.as_str(), Type::TEXT)])
        .await?;
    Ok(row.get(0))
}

/// The keys of the claims of all processes.
pub(super) async fn claims(client: &mut Object) -> Result<HashSet<i64>, Fault> {
    let transaction = moment(client).await?;
    // A key is spread over two columns.
    let sql = "
        select (classid::bigint << 32) | objid::bigint from pg_locks
        where locktype = 'advisory' and objsubid = 1 and granted
          and database = (select oid from pg_database where datname = current_database())";
    let found = transaction.query_typed(sql, &[]).await?;
    Ok(found.iter().map(|row| row.get(0)).collect())
}

fn head(row: &Row) -> ThreadRow {
    ThreadRow {
        id: row.get("id"),
        created_at: row.get("created_at"),
        owner: row.get("owner"),
        question: row.get("question"),
        updated_at: row.get("updated_at"),
        turns: row.get("turns"),
    }
}
