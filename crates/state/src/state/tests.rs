use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn write(key: &str, value: Value) -> Write {
    Write {
        key: StateKey::parse(key).unwrap(),
        value: StoredValue::new(value),
        tool: "t".to_owned(),
        inputs: BTreeMap::new(),
    }
}

fn keys(state: &State) -> Vec<&str> {
    state.iter().map(|(key, _)| key.as_str()).collect()
}

#[test]
fn the_last_write_of_a_key_wins_and_other_keys_stay() {
    let mut state = State::default();
    state.apply([write("a/t/x", json!(1)), write("a/t/y", json!(2))]);
    state.apply([write("a/t/x", json!(3))]);
    assert_eq!(keys(&state), ["a/t/x", "a/t/y"]);
    assert_eq!(state.get("a/t/x").unwrap().value.json(), &json!(3));
    assert_eq!(state.get("a/t/x").unwrap().seq, 3);
    assert_eq!(state.newest_first()[0].0.as_str(), "a/t/x");
}

#[test]
fn a_value_tells_its_turn_and_how_many_turns_wrote_it() {
    let mut state = State::default();
    state.start_turn(1);
    state.apply([write("a/t/x", json!(1))]);
    state.apply([write("a/t/x", json!(2))]);
    assert_eq!(
        (
            state.get("a/t/x").unwrap().turn,
            state.get("a/t/x").unwrap().turns_written
        ),
        (1, 1)
    );
    state.start_turn(4);
    state.apply([write("a/t/x", json!(3))]);
    assert_eq!(
        (
            state.get("a/t/x").unwrap().turn,
            state.get("a/t/x").unwrap().turns_written
        ),
        (4, 2)
    );
}

#[test]
fn null_is_no_value_and_overwrites_nothing() {
    let mut state = State::default();
    state.apply([write("a/t/x", json!(1)), write("a/t/x", Value::Null)]);
    assert_eq!(state.get("a/t/x").unwrap().value.json(), &json!(1));
}

#[test]
fn the_newest_values_are_kept_within_eight_mebibytes() {
    let third = json!("x".repeat(MAX_STATE_BYTES / 3));
    let mut state = State::default();
    assert!(
        state
            .apply([write("a/t/1", third.clone()), write("a/t/2", third.clone())])
            .is_empty()
    );
    let dropped = state.apply([write("a/t/3", third)]);
    assert_eq!(dropped, [StateKey::parse("a/t/1").unwrap()]);
    assert_eq!(keys(&state), ["a/t/2", "a/t/3"]);
}

#[test]
fn the_last_write_survives_even_alone_over_the_budget() {
    let mut state = State::default();
    let dropped = state.apply([
        write("a/t/small", json!(1)),
        write("a/t/big", json!("x".repeat(MAX_STATE_BYTES))),
    ]);
    assert_eq!(keys(&state), ["a/t/big"]);
    assert_eq!(dropped.len(), 1);
}

#[test]
fn tiny_values_are_bounded_in_number() {
    let mut state = State::default();
    state.apply((0..MAX_ENTRIES + 5).map(|i| write(&format!("a/t/{i}"), json!(i))));
    assert_eq!(state.iter().len(), MAX_ENTRIES);
    assert!(state.get("a/t/4").is_none() && state.get("a/t/5").is_some());
}

#[test]
fn a_state_reads_back_as_it_was_written() {
    let mut state = State::default();
    state.start_turn(3);
    state.apply([write("a/t/x", json!({"k": [1, 2]}))]);
    let text = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<State>(&text).unwrap(), state);
}

proptest! {
    #[test]
    fn the_budget_is_never_exceeded_and_nothing_older_outlives_something_newer(
        sizes in proptest::collection::vec((0u8..12, 0usize..60), 1..60),
    ) {
        let budget = Budget { bytes: 100, entries: 6 };
        let mut state = State::default();
        for (key, size) in sizes {
            let key = format!("a/t/{key}");
            let before = state.clone();
            let dropped = state.apply_within([write(&key, json!("x".repeat(size)))], budget);
            prop_assert!(state.iter().len() <= budget.entries);
            prop_assert!(state.bytes() <= budget.bytes || state.iter().len() == 1);
            prop_assert!(state.get(&key).is_some(), "the last write survives");
            let oldest_kept = state.iter().map(|(_, entry)| entry.seq).min().unwrap();
            for key in &dropped {
                prop_assert!(state.get(key.as_str()).is_none());
                prop_assert!(before.get(key.as_str()).unwrap().seq < oldest_kept);
            }
            let known = before.iter().filter(|(known, _)| known.as_str() != key).count() + 1;
            prop_assert_eq!(state.iter().len() + dropped.len(), known, "nothing goes without being named");
        }
    }
}
