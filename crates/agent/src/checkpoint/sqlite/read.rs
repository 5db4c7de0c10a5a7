//! Reading threads, each time as one moment of the file.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use periplus_state::StoredValue;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Fault, write::column};
use crate::{
    ListThreads, SnapshotLookup, StoredThread, ThreadHead, ThreadId, ValueHash,
    checkpoint::rows::{self, ThreadRow},
};

const HEAD: &str = "id, owner, question, created_at, updated_at, turns";

pub(super) fn load(connection: &mut Connection, thread: &ThreadId) -> Result<Option<StoredThread>, Fault> {
    let transaction = connection.transaction()?;
    let head = transaction
        .prepare_cached(&format!("select {HEAD}, finished from thread where id = ?1"))?
        .query_row([thread.as_str()], |row| Ok((head(row)?, row.get("finished")?)))
        .optional()?;
    let Some((head, finished)) = head else {
        return Ok(None);
    };
    let bodies: Vec<String> = column(
        &transaction,
        "select body from record where thread = ?1 order by position",
        [thread.as_str()],
    )?;
    let records = bodies
        .iter()
        .enumerate()
        .map(|(position, body)| rows::record(thread, position, body));
    Ok(Some(StoredThread {
        head: head.head("reading a thread")?,
        records: records.collect::<Result<_, _>>()?,
        snapshot: body_of(&transaction, thread, finished)?
            .map(|body| rows::snapshot(thread, finished, &body))
            .transpose()?,
        retained: retained(&transaction, thread)?,
    }))
}

pub(super) fn snapshot(
    connection: &mut Connection,
    thread: &ThreadId,
    turn: u32,
) -> Result<SnapshotLookup, Fault> {
    let transaction = connection.transaction()?;
    let number = i64::from(turn);
    if let Some(body) = body_of(&transaction, thread, number)? {
        return Ok(SnapshotLookup::Found(rows::snapshot(thread, number, &body)?));
    }
    let finished: Option<i64> = transaction
        .prepare_cached("select finished from thread where id = ?1")?
        .query_row([thread.as_str()], |row| row.get(0))
        .optional()?;
    Ok(if (1..=finished.unwrap_or(0)).contains(&number) {
        SnapshotLookup::Dropped {
            retained: retained(&transaction, thread)?,
        }
    } else {
        SnapshotLookup::NoSuchTurn
    })
}

fn body_of(connection: &Connection, thread: &ThreadId, turn: i64) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("select body from snapshot where thread = ?1 and turn = ?2")?
        .query_row(params![thread.as_str(), turn], |row| row.get(0))
        .optional()
}

fn retained(connection: &Connection, thread: &ThreadId) -> rusqlite::Result<Vec<u32>> {
    let turns: Vec<i64> = column(
        connection,
        "select turn from snapshot where thread = ?1 order by turn",
        [thread.as_str()],
    )?;
    Ok(turns.into_iter().map(rows::number).collect())
}

pub(super) fn values(
    connection: &mut Connection,
    thread: &ThreadId,
    hashes: &[ValueHash],
) -> Result<BTreeMap<ValueHash, StoredValue>, Fault> {
    let transaction = connection.transaction()?;
    let mut select = transaction.prepare_cached(
        "select body from value
         where hash = ?2 and exists (select 1 from value_use where thread = ?1 and value_use.hash = ?2)",
    )?;
    let mut found = BTreeMap::new();
    for hash in hashes {
        let parameters = [thread.as_str(), hash.as_str()];
        let body: Option<String> = select.query_row(parameters, |row| row.get(0)).optional()?;
        if let Some(body) = body {
            let (hash, value) = rows::value(thread, hash.as_str().to_owned(), &body)?;
            found.insert(hash, value);
        }
    }
    Ok(found)
}

pub(super) fn list(connection: &mut Connection, query: &ListThreads) -> Result<Vec<ThreadHead>, Fault> {
    let of_owner = query.owner.as_ref().map_or("?1 is null", |_| "owner = ?1");
    let after = query.after.as_ref().map_or(
        "?2 is null",
        |_| "(created_at, id) < (select created_at, id from thread where id = ?2)",
    );
    let sql = format!(
        "select {HEAD} from thread where {of_owner} and {after} order by created_at desc, id desc limit ?3"
    );
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
    let after = query.after.as_ref().map(ThreadId::as_str);
    let mut select = connection.prepare_cached(&sql)?;
    let owner = query.owner.as_deref().map(rows::storable);
    let mut found = select.query(params![owner, after, limit])?;
    let mut heads = Vec::new();
    while let Some(row) = found.next()? {
        heads.push(head(row)?.head("listing threads")?);
    }
    Ok(heads)
}

fn head(row: &Row<'_>) -> rusqlite::Result<ThreadRow> {
    Ok(ThreadRow {
        id: row.get("id")?,
        owner: row.get("owner")?,
        question: row.get("question")?,
        created_at: time(row.get("created_at")?),
        updated_at: time(row.get("updated_at")?),
        turns: row.get("turns")?,
    })
}

/// Microseconds as a time; what is no time, which we never wrote, becomes the earliest there is.
fn time(micros: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(micros).unwrap_or(DateTime::<Utc>::MIN_UTC)
}
