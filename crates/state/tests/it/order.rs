//! The order of the calls of one step.

use std::collections::BTreeMap;

use periplus_state::{Call, JsonObject, State, StateKey, StoredValue, Toolbox, Write, waves};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{AREA, Session, connection, object, toolbox};

fn planned(session: &Session, calls: &[(&str, Value)]) -> Vec<Vec<usize>> {
    let arguments: Vec<JsonObject> = calls
        .iter()
        .map(|(_, arguments)| object(arguments.clone()))
        .collect();
    let calls: Vec<Call<'_>> = calls
        .iter()
        .zip(&arguments)
        .map(|((tool, _), arguments)| Call {
            tool: session.toolbox.get(tool),
            arguments,
        })
        .collect();
    waves(&calls, &session.state)
}

fn search() -> (&'static str, Value) {
    ("search_datasets", json!({"query": "severn"}))
}

fn clip() -> (&'static str, Value) {
    (
        "clip_to_bbox",
        json!({"dataset_id": "x", "bbox": format!("@state:{AREA}")}),
    )
}

#[test]
fn a_consumer_waits_for_the_publisher_of_the_same_step() {
    assert_eq!(planned(&Session::new(), &[search(), clip()]), [[0], [1]]);
}

#[test]
fn a_consumer_written_first_waits_for_a_value_that_does_not_exist_yet() {
    let mut session = Session::new();
    assert_eq!(planned(&session, &[clip(), search()]), [[1], [0]]);
    session.search("severn");
    assert_eq!(
        planned(&session, &[clip(), search()]),
        [[0, 1]],
        "it means the value it could see"
    );
}

#[test]
fn calls_that_do_not_touch_each_other_run_side_by_side() {
    let other = ("summarise", json!({"title": "t"}));
    assert_eq!(
        planned(&Session::new(), &[search(), other.clone(), clip()]),
        [vec![0, 1], vec![2]]
    );
    assert!(planned(&Session::new(), &[]).is_empty());
}

#[test]
fn each_consumer_gets_the_value_written_before_it() {
    assert_eq!(
        planned(&Session::new(), &[search(), clip(), search(), clip()]),
        [vec![0], vec![1, 2], vec![3]]
    );
}

#[test]
fn a_value_captured_by_size_is_waited_for_by_its_place() {
    let calls = [
        ("summarise", json!({"title": "t"})),
        (
            "clip_to_bbox",
            json!({"dataset_id": "x", "bbox": "@state:stranger/summarise/rows"}),
        ),
    ];
    assert_eq!(planned(&Session::new(), &calls), [[0], [1]]);
}

#[test]
fn an_inspection_waits_for_what_it_reads() {
    assert_eq!(
        planned(
            &Session::new(),
            &[search(), ("inspect_state", json!({"key": AREA}))]
        ),
        [[0], [1]]
    );
    assert_eq!(
        planned(
            &Session::new(),
            &[search(), ("inspect_state", json!({"key": "*"}))]
        ),
        [[0, 1]]
    );
}

#[test]
fn calls_that_wait_for_each_other_are_still_all_made() {
    let session = Session::new();
    let calls = [
        (
            "clip_to_bbox",
            json!({"dataset_id": "x", "bbox": "@state:stranger/summarise/a"}),
        ),
        (
            "summarise",
            json!({"request": "@state:clip-view/clip_to_bbox/bounds"}),
        ),
    ];
    let mut made: Vec<usize> = planned(&session, &calls).concat();
    made.sort_unstable();
    assert_eq!(made, [0, 1]);
}

fn numbered_tools() -> Toolbox {
    let tool = |i: usize| {
        let key = format!("s/t{i}/v");
        json!({"name": format!("t{i}"), "_meta": {"io.developmentseed.toolsets/produces": [{"stateKey": key, "field": "v"}]}})
    };
    toolbox(vec![(connection("s"), (0..4).map(tool).collect())])
}

/// What each call reads when the calls are made in these waves, each one publishing its own number.
fn observed(steps: &[(usize, Vec<usize>)], waves: &[Vec<usize>]) -> BTreeMap<usize, Vec<Value>> {
    let mut state = initial_state();
    let mut seen = BTreeMap::new();
    for wave in waves {
        for &call in wave {
            let read = |key: &usize| state.get(&format!("s/t{key}/v")).unwrap().value.json().clone();
            seen.insert(call, steps[call].1.iter().map(read).collect());
        }
        state.apply(wave.iter().map(|&call| write(steps[call].0, json!(call))));
    }
    seen
}

fn initial_state() -> State {
    let mut state = State::default();
    state.apply((0..4).map(|key| write(key, json!("before"))));
    state
}

fn write(key: usize, value: Value) -> Write {
    Write {
        key: StateKey::parse(&format!("s/t{key}/v")).unwrap(),
        value: StoredValue::new(value),
        tool: format!("t{key}"),
        inputs: BTreeMap::new(),
    }
}

proptest! {
    #[test]
    fn waves_give_every_call_what_the_written_order_would(
        steps in proptest::collection::vec((0usize..4, proptest::collection::vec(0usize..4, 0..3)), 0..9),
        known in any::<bool>(),
    ) {
        let toolbox = numbered_tools();
        let arguments: Vec<JsonObject> = steps
            .iter()
            .map(|(_, reads)| reads.iter().enumerate().map(|(i, key)| (format!("p{i}"), json!(format!("@state:s/t{key}/v")))).collect())
            .collect();
        let calls: Vec<Call<'_>> = steps
            .iter()
            .zip(&arguments)
            .map(|((tool, _), arguments)| Call { tool: toolbox.get(&format!("t{tool}")), arguments })
            .collect();
        let state = if known { initial_state() } else { State::default() };
        let planned = waves(&calls, &state);
        let mut made = planned.concat();
        made.sort_unstable();
        prop_assert_eq!(made, (0..steps.len()).collect::<Vec<_>>());
        prop_assert!(planned.iter().all(|wave| !wave.is_empty()));
        if known {
            let one_by_one: Vec<Vec<usize>> = (0..steps.len()).map(|call| vec![call]).collect();
            prop_assert_eq!(observed(&steps, &planned), observed(&steps, &one_by_one));
        }
    }
}
