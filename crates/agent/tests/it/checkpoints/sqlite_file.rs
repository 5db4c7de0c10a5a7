//! The SQLite file itself: who may read it, what is left after a deletion, what is done with a damaged or a strange one.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use periplus_agent::{CheckpointError, Checkpoints, Retention, SqliteCheckpoints, ThreadId, ValueHash};
use periplus_state::StoredValue;
use rusqlite::Connection;
use serde_json::json;

use super::writer::{Writer, moment, state_of};

fn open(path: &Path) -> SqliteCheckpoints {
    SqliteCheckpoints::open(path, Retention::default()).unwrap()
}

#[tokio::test]
async fn what_was_deleted_is_in_no_file_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("threads.sqlite"));
    let mut writer = Writer::random();
    writer.opening.question = "where is hunter2 buried".to_owned();
    writer
        .turn(&store, &[("areas/pick/area", json!("hunter2".repeat(3000)))])
        .await
        .unwrap();
    let holds_it = || {
        let files = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path());
        files.filter(|path| path.is_file()).any(|path| {
            let bytes = fs::read(path).unwrap();
            bytes.windows(7).any(|window| window == b"hunter2")
        })
    };
    assert!(holds_it());
    store.delete(&writer.thread).await.unwrap();
    assert!(!holds_it());
}

#[tokio::test]
async fn only_its_owner_reads_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("made/on/the/way/threads.sqlite"));
    Writer::random().begin(&store).await.unwrap();
    let made = folder.path().join("made/on/the/way");
    let files: Vec<_> = fs::read_dir(made).unwrap().map(Result::unwrap).collect();
    assert!(files.len() >= 2, "the file and its log");
    for file in files {
        assert_eq!(
            file.metadata().unwrap().permissions().mode() & 0o777,
            0o600,
            "{file:?}"
        );
    }
}

#[test]
fn a_file_of_something_else_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    fs::write(
        &text,
        "not a database, but longer than the header of one would be",
    )
    .unwrap();
    let foreign = folder.path().join("bookmarks.sqlite");
    Connection::open(&foreign)
        .unwrap()
        .execute_batch("create table bookmarks (url)")
        .unwrap();
    for path in [text, foreign] {
        let before = fs::read(&path).unwrap();
        let error = SqliteCheckpoints::open(&path, Retention::default()).unwrap_err();
        assert!(
            matches!(error, CheckpointError::Configuration { .. }),
            "{error:?}"
        );
        assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

#[tokio::test]
async fn a_damaged_value_or_record_is_reported_and_never_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("threads.sqlite");
    let store = open(&path);
    let mut writer = Writer::random();
    writer
        .turn(&store, &[("areas/pick/area", json!([1, 2]))])
        .await
        .unwrap();
    let damage = |sql: &str| Connection::open(&path).unwrap().execute_batch(sql).unwrap();

    damage("update value set body = '[1,3]'");
    let hash = [ValueHash::of(&StoredValue::new(json!([1, 2])))];
    let error = store.values(&writer.thread, &hash).await.unwrap_err();
    assert!(
        matches!(&error, CheckpointError::Corrupt { thread, .. } if *thread == writer.thread),
        "{error}"
    );

    damage("update record set body = '{\"record\": \"of a later version\"}' where position = 1");
    let error = store.load(&writer.thread).await.unwrap_err();
    assert!(error.to_string().contains("record 1"), "{error}");
}

/// What version 1 wrote is kept for ever, and every later version has to read it.
#[tokio::test]
async fn a_file_of_version_1_opens() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("threads.sqlite");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/threads-v1.sql");
    Connection::open(&path)
        .unwrap()
        .execute_batch(&fs::read_to_string(file).unwrap())
        .unwrap();
    let store = open(&path);
    let thread = ThreadId::parse("kept-since-version-1").unwrap();
    let stored = store.load(&thread).await.unwrap().unwrap();
    assert_eq!(
        (stored.records.len(), stored.head.turns, stored.head.updated_at),
        (4, 2, moment(2))
    );
    let state = state_of(&store, &stored).await;
    assert_eq!(
        state.get("areas/pick/area").unwrap().value.json(),
        &json!({"name": "Größe 🗺"})
    );
    let mut writer = Writer::resume(&store, &thread).await;
    writer
        .turn(&store, &[("areas/pick/area", json!(2))])
        .await
        .unwrap();
}
