//! What stands in the databases: each value once, and nothing that no thread needs.

use periplus_agent::{CheckpointError, Record, ThreadId};
use periplus_llm::{AssistantMessage, ToolCall, Usage};
use rusqlite::Connection;
use serde_json::{Value, json};
use tokio_postgres::NoTls;

use super::{place::Place, writer::Writer};

/// Rows of the tables of threads, records, snapshots, values and uses of values.
async fn counts(place: &Place) -> [i64; 5] {
    let address = place.address();
    if let Some(path) = address.strip_prefix("sqlite:") {
        let connection = Connection::open(path).unwrap();
        return ["thread", "record", "snapshot", "value", "value_use"].map(|table| {
            let sql = format!("select count(*) from {table}");
            connection.query_row(&sql, [], |row| row.get(0)).unwrap()
        });
    }
    let (client, connection) = tokio_postgres::connect(&address, NoTls).await.unwrap();
    tokio::spawn(connection);
    let sql = "select (select count(*) from periplus_thread), (select count(*) from periplus_record),
                      (select count(*) from periplus_snapshot), (select count(*) from periplus_value),
                      (select count(*) from periplus_value_use)";
    let row = client.query_one(sql, &[]).await.unwrap();
    std::array::from_fn(|column| row.get(column))
}

async fn a_value_is_stored_once_and_goes_with_its_last_use(place: &Place) {
    let store = place.open_keeping(2);
    let shared = json!({ "geometry": "x".repeat(40_000) });
    let publish = [
        ("areas/pick/area", shared.clone()),
        ("areas/pick/same", shared.clone()),
    ];
    let (mut one, mut other) = (Writer::random(), Writer::random());
    for _ in 0..3 {
        one.turn(&*store, &publish).await.unwrap();
    }
    other.turn(&*store, &publish).await.unwrap();
    assert_eq!(
        counts(place).await,
        [2, 12, 3, 1, 3],
        "one value, named by three snapshots"
    );

    let own: [(&str, Value); 1] = [("areas/pick/own", json!("of the first thread"))];
    one.turn(&*store, &own).await.unwrap();
    assert_eq!(counts(place).await, [2, 15, 3, 2, 4]);
    store.delete(&one.thread).await.unwrap();
    assert_eq!(counts(place).await, [1, 3, 1, 1, 1]);
    store.delete(&other.thread).await.unwrap();
    assert_eq!(counts(place).await, [0; 5]);
}

async fn a_value_that_is_named_and_nowhere_is_refused_with_everything_else(place: &Place) {
    let store = place.open();
    let mut writer = Writer::random();
    writer.begin(&*store).await.unwrap();
    let lost = super::writer::called(&[super::writer::write("areas/pick/area", json!("lost"))]);
    let refused = writer.append(&*store, &[lost], &[], None).await.unwrap_err();
    assert!(matches!(refused, CheckpointError::Corrupt { .. }), "{refused:?}");
    assert_eq!(counts(place).await, [1, 1, 0, 0, 0]);
}

/// A model may nest its arguments deeper than they can be read back once they stand in a record.
async fn a_record_that_could_not_be_read_again_is_refused_and_the_thread_stays_readable(place: &Place) {
    let store = place.open();
    let mut writer = Writer::random();
    writer.begin(&*store).await.unwrap();
    for depth in 100..140 {
        let nested = (0..depth).fold(json!(1), |inner, _| json!([inner]));
        let arguments = json!({ "a": nested }).as_object().unwrap().clone();
        let answered = Record::Answered {
            message_id: format!("m{depth}"),
            message: AssistantMessage {
                tool_calls: vec![ToolCall::new("c", "t", arguments)],
                ..AssistantMessage::default()
            },
            usage: Usage::default(),
        };
        let outcome = writer.append(&*store, &[answered], &[], None).await;
        assert!(
            matches!(&outcome, Ok(()) | Err(CheckpointError::TooDeep { .. })),
            "{outcome:?}"
        );
        let stored = store.load(&writer.thread).await.unwrap().unwrap();
        assert_eq!(stored.records.len() as u64, writer.position);
    }
    assert!((10..30).contains(&writer.position), "{}", writer.position);
}

/// Many threads that store and drop the same value at once.
async fn threads_that_share_values_do_not_disturb_each_other(place: &Place) {
    let threads = (0..6).map(|number| {
        let store = place.open_keeping(1);
        tokio::spawn(async move {
            let mut writer = Writer::random();
            for turn in 0..8 {
                // The value of the turn before is dropped, by some while others store it anew.
                let area = json!(format!("area {}", (turn + number) % 2));
                writer.turn(&*store, &[("areas/pick/area", area)]).await.unwrap();
            }
            let stored = store.load(&writer.thread).await.unwrap().unwrap();
            assert_eq!(super::writer::state_of(&*store, &stored).await, writer.state);
            assert!(store.delete(&writer.thread).await.unwrap());
        })
    });
    for thread in futures::future::join_all(threads).await {
        thread.unwrap();
    }
    assert_eq!(counts(place).await, [0; 5]);
}

mod sqlite {
    use super::{Place, ThreadId};

    #[tokio::test]
    async fn a_record_that_could_not_be_read_again_is_refused_and_the_thread_stays_readable() {
        let place = Place::sqlite();
        super::a_record_that_could_not_be_read_again_is_refused_and_the_thread_stays_readable(&place).await;
    }

    #[tokio::test]
    async fn a_value_is_stored_once_and_goes_with_its_last_use() {
        super::a_value_is_stored_once_and_goes_with_its_last_use(&Place::sqlite()).await;
    }

    #[tokio::test]
    async fn a_value_that_is_named_and_nowhere_is_refused_with_everything_else() {
        super::a_value_that_is_named_and_nowhere_is_refused_with_everything_else(&Place::sqlite()).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn threads_that_share_values_do_not_disturb_each_other() {
        super::threads_that_share_values_do_not_disturb_each_other(&Place::sqlite()).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_file_can_be_created_by_several_at_once() {
        let place = Place::sqlite();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| place.open());
            }
        });
        assert_eq!(place.open().load(&ThreadId::random()).await.unwrap(), None);
    }
}

mod postgres {
    use super::Place;

    #[tokio::test]
    async fn what_a_killed_process_left_to_be_dropped_goes_with_the_next_turn() {
        let Some(place) = Place::postgres().await else {
            return;
        };
        let store = place.open();
        let mut writer = super::Writer::random();
        writer
            .turn(&*store, &[("areas/pick/area", super::json!(1))])
            .await
            .unwrap();
        let left = "insert into periplus_value values ('left', '1'), ('named', '2');
                    insert into periplus_released values ('left'), ('left'), ('never stored');";
        super::super::place::execute(&place.address(), left).await;
        writer.turn(&*store, &[]).await.unwrap();
        assert_eq!(
            super::counts(&place).await,
            [1, 6, 2, 2, 2],
            "`named` was not given up"
        );
        place.remove().await;
    }

    #[tokio::test]
    async fn a_record_that_could_not_be_read_again_is_refused_and_the_thread_stays_readable() {
        let Some(place) = Place::postgres().await else {
            return;
        };
        super::a_record_that_could_not_be_read_again_is_refused_and_the_thread_stays_readable(&place).await;
        place.remove().await;
    }

    #[tokio::test]
    async fn a_value_is_stored_once_and_goes_with_its_last_use() {
        let Some(place) = Place::postgres().await else {
            return;
        };
        super::a_value_is_stored_once_and_goes_with_its_last_use(&place).await;
        place.remove().await;
    }

    #[tokio::test]
    async fn a_value_that_is_named_and_nowhere_is_refused_with_everything_else() {
        let Some(place) = Place::postgres().await else {
            return;
        };
        super::a_value_that_is_named_and_nowhere_is_refused_with_everything_else(&place).await;
        place.remove().await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn threads_that_share_values_do_not_disturb_each_other() {
        let Some(place) = Place::postgres().await else {
            return;
        };
        super::threads_that_share_values_do_not_disturb_each_other(&place).await;
        place.remove().await;
    }
}
