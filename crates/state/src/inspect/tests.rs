use std::collections::BTreeMap;

use super::*;
use crate::{StateKey, StoredValue, Write};

fn state() -> State {
    let write = |key: &str, value: Value| Write {
        key: StateKey::parse(key).unwrap(),
        value: StoredValue::new(value),
        tool: "search".to_owned(),
        inputs: BTreeMap::new(),
    };
    let mut state = State::default();
    state.start_turn(1);
    state.apply([
        write("s/search/datasets", json!(["era5-land", "chirps-daily"])),
        write(
            "s/search/area",
            json!({"type": "Polygon", "coordinates": [vec![[1, 2]; 2000]], "odd key": 1}),
        ),
        write(
            "s/search/plot",
            json!(format!("data:image/png;base64,{}", "A".repeat(8000))),
        ),
    ]);
    state
}

fn ask(state: &State, key: &str, pattern: &str, path: &str) -> String {
    let request = InspectRequest {
        key: key.to_owned(),
        pattern: Some(pattern.to_owned()),
        path: Some(path.to_owned()),
        turn: None,
    };
    inspect(&request, Moment::Now(state), &Toolbox::default())
}

fn ask_json(state: &State, key: &str, path: &str) -> Value {
    serde_json::from_str(&ask(state, key, "", path)).unwrap()
}

#[test]
fn a_star_or_nothing_lists_all_keys_with_their_shapes() {
    for key in ["*", "", " "] {
        assert_eq!(
            ask_json(&state(), key, ""),
            json!({"available_keys": {
                "s/search/area": "object(3 keys: type, coordinates, odd key)",
                "s/search/datasets": "list[2] of \"era5-land\"",
                "s/search/plot": "\"<image, 6 KB, rendered in UI>\"",
            }})
        );
    }
}

#[test]
fn a_small_value_is_shown_whole_and_a_large_one_in_outline() {
    let state = state();
    assert_eq!(
        ask(&state, "s/search/datasets", "", ""),
        r#"["era5-land","chirps-daily"]"#
    );
    let outline = ask_json(&state, "s/search/area", "");
    let names: Vec<&String> = outline.as_object().unwrap().keys().collect();
    assert_eq!(names, ["key", "size_chars", "type", "outline", "hint"]);
    assert_eq!(
        outline["outline"]["coordinates"],
        "list[1] of list[2000] of list[2] of 1"
    );
    let part = ask_json(&state, "s/search/area", "coordinates[0]");
    assert_eq!(part["path"], "coordinates[0]");
    assert_eq!(
        part["outline"],
        json!({"length": 2000, "items": "list[2] of 1", "first": [1, 2]})
    );
}

#[test]
fn a_handle_is_tolerated_as_a_key_but_never_advertised() {
    assert_eq!(
        ask(&state(), "@state:s/search/datasets", "", "[1]"),
        "\"chirps-daily\""
    );
    assert!(!inspect_state_declaration().to_string().contains("@state:"));
}

#[test]
fn a_path_may_repeat_the_key() {
    for path in [
        "s/search/area[\"odd key\"]",
        ".[\"odd key\"]",
        "[\"odd key\"]",
        "odd key",
        ".odd key",
    ] {
        let answer = ask(&state(), "s/search/area", "", path);
        assert_eq!(answer, "1", "{path}");
    }
}

#[test]
fn a_path_that_leads_nowhere_shows_what_is_there() {
    assert_eq!(
        ask_json(&state(), "s/search/datasets", "[7].id"),
        json!({"path_not_found": "[7].id", "key": "s/search/datasets", "failed_at": "[7]", "context": "list[2] of \"era5-land\""})
    );
    assert_eq!(
        ask_json(&state(), "*", "[0]")["error"],
        "a path needs the key of one value"
    );
}

#[test]
fn an_unknown_key_names_the_known_ones_and_who_would_publish_it() {
    let connection = std::sync::Arc::new(crate::Connection::new("s").unwrap());
    let tool = json!({"name": "clip", "_meta": {crate::PRODUCES_META: [{"field": "bounds", "stateKey": "s/clip/bounds"}]}});
    let (toolbox, _) = Toolbox::bind(&[(connection, vec![tool])], &[]);
    let request = InspectRequest {
        key: "s/clip/bounds".to_owned(),
        ..InspectRequest::default()
    };
    let answer: Value = serde_json::from_str(&inspect(&request, Moment::Now(&state()), &toolbox)).unwrap();
    assert_eq!(answer["unknown_or_empty_key"], "s/clip/bounds");
    assert_eq!(answer["available_keys"].as_object().unwrap().len(), 3);
    assert!(
        answer["hint"].as_str().unwrap().starts_with("clip publishes"),
        "{answer}"
    );
    assert!(ask_json(&state(), "nope/x/y", "").get("hint").is_none());
}

#[test]
fn every_value_is_searched_and_matches_stand_under_their_key() {
    assert_eq!(
        ask(&state(), "*", "era5|odd", ""),
        "2 matches for 'era5|odd' in all values\ns/search/area:\n  [\"odd key\"] = 1\ns/search/datasets:\n  [0] = \"era5-land\""
    );
    assert!(
        ask(&state(), "s/search/area", "zz", "coordinates")
            .starts_with("no match for 'zz' in s/search/area at")
    );
}

#[test]
fn binary_content_never_reaches_the_answer() {
    assert_eq!(
        ask(&state(), "s/search/plot", "", ""),
        "\"<image, 6 KB, rendered in UI>\""
    );
    assert!(ask(&state(), "*", "AAAA", "").starts_with("no match"));
}

#[test]
fn a_long_text_can_be_read_part_by_part() {
    let mut state = State::default();
    let text: String = (0..2000).map(|i| format!("line {i}\n")).collect();
    state.apply([Write {
        key: StateKey::parse("s/t/full_text").unwrap(),
        value: StoredValue::new(text.clone().into()),
        tool: "t".to_owned(),
        inputs: BTreeMap::new(),
    }]);
    assert_eq!(
        ask_json(&state, "s/t/full_text", "")["outline"]["length"],
        text.len()
    );
    assert_eq!(ask_json(&state, "s/t/full_text", "[7:14]"), json!("line 1\n"));
}

#[test]
fn the_three_ways_to_miss_a_turn_are_told_apart() {
    let request = InspectRequest {
        key: "s/t/x".to_owned(),
        turn: Some(4),
        ..InspectRequest::default()
    };
    let missed = |miss| -> Value {
        serde_json::from_str(&inspect(&request, Moment::Missed(4, miss), &Toolbox::default())).unwrap()
    };
    assert_eq!(missed(TurnMiss::NoHistory)["no_turn_history"], true);
    assert_eq!(
        missed(TurnMiss::NoSuchTurn { turns_so_far: 2 }),
        json!({"no_such_turn": 4, "turns_so_far": 2})
    );
    let pruned = missed(TurnMiss::NoLongerRetained { retained: &[7, 8] });
    assert_eq!(
        (&pruned["turn_no_longer_retained"], &pruned["retained_turns"]),
        (&json!(4), &json!([7, 8]))
    );
    assert!(
        pruned["hint"]
            .as_str()
            .unwrap()
            .contains("do not use the present value")
    );
}

#[test]
fn a_miss_at_a_turn_names_the_turn() {
    let state = state();
    let request = InspectRequest {
        key: "no/such/key".to_owned(),
        turn: Some(1),
        ..InspectRequest::default()
    };
    let answer: Value =
        serde_json::from_str(&inspect(&request, Moment::AtTurn(1, &state), &Toolbox::default())).unwrap();
    assert_eq!(answer["at_turn"], 1);
}

#[test]
fn a_value_of_several_turns_says_so_when_it_is_read_now() {
    let mut state = state();
    state.start_turn(3);
    state.apply([Write {
        key: StateKey::parse("s/search/datasets").unwrap(),
        value: StoredValue::new(json!(["modis-lst"])),
        tool: "search".to_owned(),
        inputs: BTreeMap::new(),
    }]);
    let now = ask(&state, "s/search/datasets", "", "");
    assert!(
        now.starts_with("[\"modis-lst\"]\n\nThis is the value of turn 3; 2 turns wrote this key."),
        "{now}"
    );
    let request = InspectRequest {
        key: "s/search/datasets".to_owned(),
        ..InspectRequest::default()
    };
    assert_eq!(
        inspect(&request, Moment::AtTurn(3, &state), &Toolbox::default()),
        "[\"modis-lst\"]"
    );
}

#[test]
fn arguments_are_read_as_models_write_them() {
    let arguments = json!({"key": "a/b/c", "turn": "2", "path": null, "pattern": 3});
    let request = InspectRequest::from_arguments(arguments.as_object().unwrap());
    assert_eq!(
        request,
        InspectRequest {
            key: "a/b/c".to_owned(),
            pattern: None,
            path: None,
            turn: Some(2)
        }
    );
}

#[test]
fn the_list_of_keys_is_bounded() {
    let mut state = State::default();
    state.apply((0..300).map(|i| Write {
        key: StateKey::parse(&format!("a/t/{i:03}")).unwrap(),
        value: StoredValue::new(json!(i)),
        tool: "t".to_owned(),
        inputs: BTreeMap::new(),
    }));
    let answer = ask_json(&state, "*", "");
    assert_eq!(answer["available_keys"].as_object().unwrap().len(), 101);
    assert_eq!(answer["available_keys"]["…"], "200 more");
}
