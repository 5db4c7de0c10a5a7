//! What every store does, whatever it stores in.

use std::time::Duration;

use periplus_agent::{
    AnswerStatus, Asked, Asker, CheckpointError, Interrupt, InterruptAnswer, ListThreads, Record, RunId,
    Snapshot, SnapshotLookup, ThreadId, ToolSource, TurnOutcome, ValueHash,
};
use periplus_llm::{AssistantMessage, Continuation, ToolCall, ToolResult, Usage};
use periplus_state::{Artifact, StoredValue};
use serde_json::{Value, json};

use super::{
    place::Place,
    writer::{Writer, answered, called, moment, state_of, write},
};

/// Texts and numbers that a careless store would change.
fn awkward() -> Value {
    json!({
        "z": "first, though last in the alphabet",
        "text": "Ünïcödé 🗺 \u{0} \u{1f} \\ \" ' ; -- \u{feff}\u{2028}",
        "floats": [-51.123_456_789_012_345, 1e-300, 5e-324, 1.797_693_134_862_315_7e308, 0.1, -0.0],
        "integers": [u64::MAX, i64::MIN, 0],
        "nested": [[[[{"": {}}]]]],
        "null": null,
    })
}

fn hash(value: &Value) -> ValueHash {
    ValueHash::of(&StoredValue::new(value.clone()))
}

pub(crate) async fn every_kind_of_record_reads_back_as_it_was_written(place: &Place) {
    let mut writer = Writer::random();
    writer.turn = 1;
    writer.opening.owner = Some("Åsa'; drop table thread; --".to_owned());
    writer.state.start_turn(1);
    let published = [write("areas/pick/area", awkward())];
    writer.state.apply(published.clone());
    let values = [(ValueHash::of(&published[0].value), published[0].value.clone())];
    let records = records(&published);
    let snapshot = Snapshot::of(&writer.state);
    let store = place.open();
    writer
        .append(&*store, &records, &values, Some(&snapshot))
        .await
        .unwrap();
    assert_eq!(writer.position, records.len() as u64);

    let stored = place
        .open()
        .load(&writer.thread)
        .await
        .unwrap()
        .expect("it is stored");
    assert_eq!(stored.records, records);
    assert_eq!(stored.snapshot.as_ref(), Some(&snapshot));
    assert_eq!(stored.retained, [1]);
    assert_eq!(stored.head.opening, writer.opening);
    assert_eq!((stored.head.turns, stored.head.updated_at), (1, moment(9)));
    let state = state_of(&*store, &stored).await;
    assert_eq!(state, writer.state);
    let value = state.get("areas/pick/area").unwrap().value.json().to_string();
    assert_eq!(value, awkward().to_string(), "the order of keys is kept too");
}

fn records(published: &[periplus_state::Write]) -> Vec<Record> {
    let mut call = ToolCall::new("c1", "pick", json!({"q": awkward()}).as_object().unwrap().clone());
    call.signatures = vec!["signed".to_owned()];
    let message = AssistantMessage {
        text: "Let me see… ".to_owned(),
        tool_calls: vec![call.clone()],
        continuation: Some(Continuation {
            provider: "someone".to_owned(),
            parts: vec![awkward()],
        }),
    };
    let interrupt = Interrupt {
        id: "i1".to_owned(),
        reason: "input_required".to_owned(),
        message: "Which one?".to_owned(),
        tool_call_id: "c1".to_owned(),
        response_schema: json!({"type": "object"}),
    };
    let asker = Asker::Tool {
        request: "r1".to_owned(),
        state: Some("opaque".to_owned()),
    };
    let answer = InterruptAnswer {
        interrupt_id: "i1".to_owned(),
        status: AnswerStatus::Resolved,
        payload: Some(json!({"choice": "ä"})),
    };
    let artifact = Artifact {
        structured_content: json!({"message": "ok", "nothing": null}).as_object().cloned(),
        captured_state: [("area".to_owned(), published[0].key.clone())].into(),
        ..Artifact::default()
    };
    let Record::Called { writes, .. } = called(published) else {
        unreachable!("it is a call")
    };
    vec![
        Record::TurnStarted {
            turn: 1,
            run: RunId::random(),
            message_id: "u1".to_owned(),
            text: awkward().to_string(),
            at: moment(1),
        },
        Record::Answered {
            message_id: "m1".to_owned(),
            message,
            usage: Usage::default(),
        },
        Record::Called {
            message_id: "m2".to_owned(),
            result: ToolResult::failed(&call, "no\u{0}"),
            source: Some(ToolSource {
                server: "areas".to_owned(),
                tool: "pick".to_owned(),
            }),
            artifact,
            writes,
        },
        Record::Asked {
            questions: vec![Asked { interrupt, asker }],
        },
        Record::Resumed {
            run: RunId::random(),
            answers: vec![answer],
            at: moment(2),
        },
        Record::TurnFinished {
            outcome: TurnOutcome::Failed {
                message: "why".to_owned(),
            },
            citations: vec!["https://example.org/ä".to_owned()],
            at: moment(9),
        },
    ]
}

pub(crate) async fn a_thread_that_nobody_wrote_is_nowhere(place: &Place) {
    let (store, thread) = (place.open(), ThreadId::random());
    assert_eq!(store.load(&thread).await.unwrap(), None);
    assert_eq!(
        store.snapshot(&thread, 1).await.unwrap(),
        SnapshotLookup::NoSuchTurn
    );
    assert!(
        store
            .values(&thread, &[hash(&json!(1))])
            .await
            .unwrap()
            .is_empty()
    );
    assert!(!store.is_running(&thread).await.unwrap());
    assert!(!store.delete(&thread).await.unwrap());
    store.wait_idle(&thread).await.unwrap();
}

pub(crate) async fn an_append_that_does_not_continue_the_thread_is_refused(place: &Place) {
    let store = place.open();
    let mut writer = Writer::random();
    let mut ahead = Writer::new(writer.thread.clone());
    ahead.position = 1;
    let refused = ahead.begin(&*store).await.unwrap_err();
    assert!(
        matches!(
            refused,
            CheckpointError::Conflict {
                expected: 1,
                found: 0,
                ..
            }
        ),
        "{refused:?}"
    );
    assert_eq!(
        store.load(&writer.thread).await.unwrap(),
        None,
        "nothing was created"
    );

    writer.begin(&*store).await.unwrap();
    writer
        .publish(&*store, &[("areas/pick/area", json!(1))])
        .await
        .unwrap();
    let mut late = Writer::new(writer.thread.clone());
    let refused = late
        .turn(&*store, &[("areas/pick/area", json!(2))])
        .await
        .unwrap_err();
    assert!(
        matches!(
            refused,
            CheckpointError::Conflict {
                expected: 0,
                found: 2,
                ..
            }
        ),
        "{refused:?}"
    );
    let stored = store.load(&writer.thread).await.unwrap().unwrap();
    assert_eq!(stored.records.len(), 2);
    writer.finish(&*store).await.unwrap();
}

pub(crate) async fn of_many_appends_at_once_one_is_stored(place: &Place) {
    const WRITERS: usize = 8;
    let thread = ThreadId::random();
    for round in 0..4 {
        let branches = (0..WRITERS).map(|branch| {
            let (store, thread) = (place.open(), thread.clone());
            tokio::spawn(async move {
                let mut writer = Writer::resume(&*store, &thread).await;
                // Whoever came first has moved the thread on before the others have read it.
                writer.position = round;
                writer
                    .append(&*store, &[answered(&branch.to_string())], &[], None)
                    .await
            })
        });
        let mut stored = 0;
        for outcome in futures::future::join_all(branches).await {
            match outcome.unwrap() {
                Ok(()) => stored += 1,
                Err(CheckpointError::Conflict { expected, found, .. }) => {
                    assert_eq!((expected, found), (round, round + 1));
                }
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(stored, 1, "in round {round}");
    }
    let stored = place.open().load(&thread).await.unwrap().unwrap();
    assert_eq!(stored.records.len(), 4);
}

pub(crate) async fn an_interrupted_turn_keeps_its_records_and_its_values(place: &Place) {
    let store = place.open();
    let mut writer = Writer::random();
    writer
        .turn(&*store, &[("areas/pick/area", json!("of turn 1"))])
        .await
        .unwrap();
    writer.begin(&*store).await.unwrap();
    writer
        .publish(&*store, &[("areas/pick/area", json!("of turn 2"))])
        .await
        .unwrap();

    let store = place.open();
    let stored = store.load(&writer.thread).await.unwrap().unwrap();
    assert_eq!(stored.records.len(), 5);
    assert_eq!(
        (stored.head.turns, stored.snapshot.as_ref().unwrap().turn),
        (2, 1)
    );
    assert_eq!(
        store.snapshot(&writer.thread, 2).await.unwrap(),
        SnapshotLookup::NoSuchTurn
    );
    assert_eq!(state_of(&*store, &stored).await, writer.state);

    // The next turn goes on from there, and its snapshot speaks for the turn that never had one.
    let mut writer = Writer::resume(&*store, &writer.thread).await;
    writer
        .turn(&*store, &[("areas/pick/other", json!(3))])
        .await
        .unwrap();
    let stored = store.load(&writer.thread).await.unwrap().unwrap();
    assert_eq!(state_of(&*store, &stored).await, writer.state);
    assert_eq!(stored.retained, [1, 3]);
}

pub(crate) async fn a_huge_value_reads_back(place: &Place) {
    let store = place.open();
    let mut writer = Writer::random();
    let huge = json!({ "geometry": "Größe 🗺".repeat(8 * 1024 * 1024 / 13) });
    writer
        .turn(&*store, &[("areas/pick/area", huge.clone())])
        .await
        .unwrap();
    let values = place.open().values(&writer.thread, &[hash(&huge)]).await.unwrap();
    assert_eq!(values[&hash(&huge)].json(), &huge);
}

pub(crate) async fn a_value_is_read_through_the_threads_that_name_it(place: &Place) {
    let store = place.open();
    let (mut one, mut other, mut third) = (Writer::random(), Writer::random(), Writer::random());
    let shared = json!({"type": "Point", "coordinates": [1.5, 2.5]});
    one.turn(&*store, &[("areas/pick/area", shared.clone())])
        .await
        .unwrap();
    other
        .turn(&*store, &[("areas/pick/place", shared.clone())])
        .await
        .unwrap();
    third
        .turn(&*store, &[("areas/pick/area", json!("mine"))])
        .await
        .unwrap();
    let unknown = hash(&json!("never stored"));
    let wanted = [hash(&shared), unknown.clone()];
    for writer in [&one, &other] {
        let values = store.values(&writer.thread, &wanted).await.unwrap();
        assert_eq!(values.len(), 1);
        assert_eq!(values[&hash(&shared)].json(), &shared);
    }
    assert!(store.values(&third.thread, &wanted).await.unwrap().is_empty());
}

pub(crate) async fn the_state_of_old_turns_is_dropped_and_said_to_be(place: &Place) {
    let store = place.open_keeping(3);
    let mut writer = Writer::random();
    let lasting = json!("published once, in the first turn");
    for turn in 1..=5 {
        let mut published = vec![("areas/pick/area", json!(format!("of turn {turn}")))];
        if turn == 1 {
            published.push(("areas/pick/lasting", lasting.clone()));
        }
        writer.turn(&*store, &published).await.unwrap();
    }
    let stored = store.load(&writer.thread).await.unwrap().unwrap();
    assert_eq!(stored.records.len(), 15, "messages are kept");
    assert_eq!(stored.retained, [3, 4, 5]);
    for turn in [1, 2] {
        let retained = vec![3, 4, 5];
        let lookup = store.snapshot(&writer.thread, turn).await.unwrap();
        assert_eq!(lookup, SnapshotLookup::Dropped { retained });
    }
    for turn in [0, 6, u32::MAX] {
        let lookup = store.snapshot(&writer.thread, turn).await.unwrap();
        assert_eq!(lookup, SnapshotLookup::NoSuchTurn);
    }
    let SnapshotLookup::Found(third) = store.snapshot(&writer.thread, 3).await.unwrap() else {
        panic!("turn 3 is kept");
    };
    assert_eq!(third.turn, 3);
    let names: Vec<Value> = (1..=5).map(|turn| json!(format!("of turn {turn}"))).collect();
    let hashes: Vec<ValueHash> = names.iter().chain([&lasting]).map(hash).collect();
    let values = store.values(&writer.thread, &hashes).await.unwrap();
    let kept: Vec<bool> = hashes.iter().map(|hash| values.contains_key(hash)).collect();
    assert_eq!(kept, [false, false, true, true, true, true]);
}

pub(crate) async fn the_latest_state_stays_however_little_is_kept(place: &Place) {
    let store = place.open_keeping(0);
    let mut writer = Writer::random();
    writer
        .turn(&*store, &[("areas/pick/area", json!(1))])
        .await
        .unwrap();
    writer
        .turn(&*store, &[("areas/pick/area", json!(2))])
        .await
        .unwrap();
    let stored = store.load(&writer.thread).await.unwrap().unwrap();
    assert_eq!(stored.retained, [2]);
    assert_eq!(state_of(&*store, &stored).await, writer.state);
}

pub(crate) async fn a_deleted_thread_leaves_nothing_and_takes_nothing_from_others(place: &Place) {
    let store = place.open();
    let (mut gone, mut other) = (Writer::random(), Writer::random());
    let (shared, own) = (json!("shared by both"), json!("of one alone"));
    let published = [
        ("areas/pick/area", shared.clone()),
        ("areas/pick/own", own.clone()),
    ];
    gone.turn(&*store, &published).await.unwrap();
    other
        .turn(&*store, &[("areas/pick/area", shared.clone())])
        .await
        .unwrap();

    assert!(store.delete(&gone.thread).await.unwrap());
    assert!(!store.delete(&gone.thread).await.unwrap());
    assert_eq!(store.load(&gone.thread).await.unwrap(), None);
    assert_eq!(
        store.snapshot(&gone.thread, 1).await.unwrap(),
        SnapshotLookup::NoSuchTurn
    );
    assert!(
        store
            .values(&gone.thread, &[hash(&own)])
            .await
            .unwrap()
            .is_empty()
    );
    let values = store.values(&other.thread, &[hash(&shared)]).await.unwrap();
    assert_eq!(values[&hash(&shared)].json(), &shared);

    // The name is free again, and what is stored under it starts anew.
    let mut again = Writer::new(gone.thread.clone());
    again.turn(&*store, &published).await.unwrap();
    let stored = store.load(&again.thread).await.unwrap().unwrap();
    assert_eq!(state_of(&*store, &stored).await, again.state);
}

pub(crate) async fn threads_are_listed_newest_first_page_by_page(place: &Place) {
    let store = place.open();
    let mut expected = Vec::new();
    for number in 0..7 {
        let mut writer = Writer::random();
        // Some began in the same instant.
        writer.opening.created_at = moment(number / 2);
        writer.opening.owner = Some(if number % 3 == 0 { "ann" } else { "bob" }.to_owned());
        writer.begin(&*store).await.unwrap();
        expected.push((writer.opening.created_at, writer.thread, writer.opening.owner));
    }
    expected.sort_by(|a, b| b.cmp(a));
    let list = async |owner: Option<&str>| {
        let mut query = ListThreads {
            owner: owner.map(str::to_owned),
            limit: 2,
            ..ListThreads::default()
        };
        let mut pages = Vec::new();
        loop {
            let page = store.list(&query).await.unwrap();
            assert!(page.len() <= 2);
            let Some(last) = page.last() else { return pages };
            query.after = Some(last.id.clone());
            pages.extend(page.into_iter().map(|head| head.id));
        }
    };
    let of = |owner: Option<&str>| -> Vec<ThreadId> {
        let threads = expected
            .iter()
            .filter(|(.., of)| owner.is_none() || of.as_deref() == owner);
        threads.map(|(_, id, _)| id.clone()).collect()
    };
    for owner in [None, Some("ann"), Some("bob")] {
        assert_eq!(list(owner).await, of(owner));
    }
    assert!(list(Some("eve")).await.is_empty());
    let heads = store.list(&ListThreads::default()).await.unwrap();
    assert_eq!(heads.len(), 7);
    assert_eq!(
        (heads[0].turns, &heads[0].opening.question),
        (1, &Writer::random().opening.question)
    );
}

pub(crate) async fn a_thread_is_held_by_one_run_at_a_time(place: &Place) {
    let (store, elsewhere) = (place.open(), place.open());
    let (thread, run) = (ThreadId::random(), RunId::random());
    let guard = store.lock(&thread, &run).await.unwrap();
    for store in [&store, &elsewhere] {
        let refused = store.lock(&thread, &RunId::random()).await.unwrap_err();
        assert!(
            matches!(&refused, CheckpointError::Busy { thread: busy } if *busy == thread),
            "{refused:?}"
        );
        assert!(store.is_running(&thread).await.unwrap());
        let other = store.lock(&ThreadId::random(), &RunId::random()).await;
        assert!(other.is_ok(), "another thread is free");
    }
    drop(guard);
    elsewhere.wait_idle(&thread).await.unwrap();
    let guard = elsewhere.lock(&thread, &run).await.unwrap();
    assert!(store.is_running(&thread).await.unwrap());
    drop(guard);
}

pub(crate) async fn who_waits_for_a_thread_is_told_when_it_is_free(place: &Place) {
    let store = place.open();
    let thread = ThreadId::random();
    let guard = store.lock(&thread, &RunId::random()).await.unwrap();
    for waiting in [place.open(), store] {
        let waits = waiting.wait_idle(&thread);
        assert!(
            tokio::time::timeout(Duration::from_millis(50), waits)
                .await
                .is_err(),
            "it is held"
        );
    }
    let (waiting, waited) = (place.open(), thread.clone());
    let waiter = tokio::spawn(async move { waiting.wait_idle(&waited).await });
    drop(guard);
    let told = tokio::time::timeout(Duration::from_secs(10), waiter).await;
    told.expect("it is told").unwrap().unwrap();
}

pub(crate) async fn a_released_thread_can_be_claimed_at_once(place: &Place) {
    let store = place.open();
    let thread = ThreadId::random();
    for _ in 0..30 {
        drop(store.lock(&thread, &RunId::random()).await.unwrap());
    }
    // Nor does a claim that nobody waits for any more, however far it came.
    for patience in 0..20 {
        let patience = Duration::from_micros(patience * 100);
        drop(tokio::time::timeout(patience, store.lock(&thread, &RunId::random())).await);
    }
    store.wait_idle(&thread).await.unwrap();
    drop(store.lock(&thread, &RunId::random()).await.unwrap());
}

pub(crate) async fn a_first_message_may_hold_any_character(place: &Place) {
    let store = place.open();
    let mut writer = Writer::random();
    writer.opening.question = "a\u{0}b 🗺".to_owned();
    writer.opening.owner = Some("own\u{0}er".to_owned());
    writer.begin(&*store).await.unwrap();
    let query = ListThreads {
        owner: writer.opening.owner.clone(),
        ..ListThreads::default()
    };
    let heads = store.list(&query).await.unwrap();
    let shown = heads[0].opening.question.replace('\0', "\u{fffd}");
    assert_eq!(shown, "a\u{fffd}b 🗺");
}
