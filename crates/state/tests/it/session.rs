//! What happens to results and arguments over a session.

use periplus_state::{CaptureLimits, MAX_STATE_BYTES, Reason, Reply, capture};
use serde_json::{Value, json};

use crate::support::{AREA, DATASETS, Session, structured_result};

#[test]
fn a_captured_value_and_its_storage_are_one_unit() {
    let mut session = Session::new();
    let captured = session.search("severn");
    let written: Vec<&str> = captured.writes.iter().map(|write| write.key.as_str()).collect();
    let mut promised: Vec<&str> = captured
        .artifact
        .published()
        .iter()
        .map(|key| key.as_str())
        .collect();
    promised.sort_unstable();
    let mut sorted = written;
    sorted.sort_unstable();
    assert_eq!(sorted, promised);
    assert_eq!(
        session.restored(&captured.artifact)["datasets"],
        json!(["era5-land", "chirps-daily", "modis-lst"])
    );
}

#[test]
fn a_server_gets_the_value_and_the_host_a_receipt() {
    let mut session = Session::new();
    session.search("severn");
    let arguments = json!({"dataset_id": "era5-land", "bbox": format!("@state:{DATASETS}")});
    let resolved = session.resolve("clip_to_bbox", arguments).unwrap();
    assert_eq!(
        resolved.arguments["bbox"],
        json!(["era5-land", "chirps-daily", "modis-lst"])
    );
    assert_eq!(resolved.receipts["bbox"].key.as_str(), DATASETS);
    assert!(!resolved.receipts.contains_key("dataset_id"));
}

#[test]
fn a_declared_field_is_captured_whatever_its_size_and_a_large_one_always() {
    let mut session = Session::new();
    let big = "x".repeat(2046);
    let captured = session.call(
        "summarise",
        json!({}),
        structured_result(&json!({"message": "ok", "big": big, "small": "x".repeat(2045)})),
    );
    assert_eq!(
        session.state.get("stranger/summarise/big").unwrap().value.json(),
        &json!(big)
    );
    assert!(session.state.get("stranger/summarise/small").is_none());
    assert!(
        captured
            .text
            .starts_with("ok\n\n[state updated: stranger/summarise/big — ")
    );
}

#[test]
fn capture_by_size_can_be_turned_off() {
    let session = Session::new();
    let tool = session.toolbox.get("summarise").unwrap();
    let reply = Reply::from_result(structured_result(
        &json!({"message": "ok", "big": "x".repeat(5000)}),
    ));
    let limits = CaptureLimits {
        field_bytes: None,
        ..CaptureLimits::default()
    };
    let captured = capture(tool, reply, &Default::default(), &Default::default(), limits);
    assert_eq!((captured.text.as_str(), captured.writes.len()), ("ok", 0));
}

#[test]
fn values_captured_by_size_are_as_readable_as_declared_ones() {
    let mut session = Session::new();
    session.call(
        "summarise",
        json!({}),
        structured_result(&json!({"message": "ok", "rows": vec![json!({"v": 7}); 500]})),
    );
    assert_eq!(session.read("stranger/summarise/rows", "[3].v"), "7");
}

#[test]
fn a_result_without_structure_or_with_nothing_to_keep_is_left_as_it_is() {
    let mut session = Session::new();
    let plain = session.call(
        "summarise",
        json!({}),
        json!({"content": [{"type": "text", "text": "as  written\n"}]}),
    );
    assert_eq!(
        (plain.text.as_str(), plain.artifact.structured_content),
        ("as  written\n", None)
    );
    let error = json!({"error": "not_found", "detail": "no such place"});
    let pretty = serde_json::to_string_pretty(&error).unwrap();
    let result = json!({"content": [{"type": "text", "text": pretty}], "structuredContent": error});
    let structured = session.call("summarise", json!({}), result);
    assert_eq!((structured.text, structured.is_error), (pretty, false));
    assert!(session.state.is_empty());
}

#[test]
fn a_result_without_message_shows_the_fields_that_stayed() {
    let mut session = Session::new();
    let captured = session.call(
        "search_datasets",
        json!({"query": "q"}),
        structured_result(&json!({"datasets": [1], "total": 1})),
    );
    assert!(
        captured.text.starts_with("{\"total\":1}\n\n[state updated: "),
        "{}",
        captured.text
    );
    let all = session.call(
        "search_datasets",
        json!({"query": "q"}),
        structured_result(&json!({"datasets": [1]})),
    );
    assert!(all.text.starts_with("[state updated: "), "{}", all.text);
}

#[test]
fn a_failed_call_publishes_nothing_and_has_no_view() {
    let mut session = Session::new();
    let mut result = structured_result(&json!({"message": "half done", "datasets": [1]}));
    result["isError"] = true.into();
    let captured = session.call("search_datasets", json!({"query": "q"}), result);
    assert!(captured.is_error && captured.writes.is_empty());
    assert!(session.state.is_empty());
    assert_eq!(captured.artifact.restore_structured(&session.state), None);
}

#[test]
fn a_call_without_structured_result_still_reports_what_it_received() {
    let mut session = Session::new();
    session.search("severn");
    let captured = session.call(
        "clip_to_bbox",
        json!({"dataset_id": "x", "bbox": format!("@state:{AREA}")}),
        json!({"content": [{"type": "text", "text": "broken pipe"}], "isError": true}),
    );
    assert_eq!(captured.artifact.injected_state["bbox"].key.as_str(), AREA);
}

#[test]
fn an_empty_value_does_not_hide_an_earlier_one() {
    let mut session = Session::new();
    session.search("severn");
    let captured = session.call(
        "search_datasets",
        json!({"query": "atlantis"}),
        structured_result(&json!({"message": "Nothing found.", "datasets": null})),
    );
    assert_eq!(captured.text, "Nothing found.");
    assert_eq!(
        session
            .state
            .get(DATASETS)
            .unwrap()
            .value
            .json()
            .as_array()
            .unwrap()
            .len(),
        3
    );
}

#[test]
fn an_optional_reference_may_be_left_out_or_null_and_never_reaches_the_server_as_null() {
    let mut session = Session::new();
    session.search("severn");
    let bbox = format!("@state:{AREA}");
    let resolved = session
        .resolve(
            "clip_to_bbox",
            json!({"dataset_id": "x", "bbox": bbox, "mask": null}),
        )
        .unwrap();
    assert!(!resolved.arguments.contains_key("mask"));
    assert!(
        session
            .resolve("clip_to_bbox", json!({"dataset_id": "x", "bbox": null}))
            .is_err()
    );
}

#[test]
fn a_refusal_is_a_result_with_a_reason_and_changes_nothing() {
    let session = Session::new();
    let refusal = session
        .resolve("clip_to_bbox", json!({"dataset_id": "x", "bbox": [1]}))
        .unwrap_err();
    assert!(matches!(refusal.reason(), Reason::NotAuthored(problems) if problems.len() == 1));
    assert!(refusal.to_string().starts_with("clip_to_bbox was not called."));
    assert!(session.state.is_empty());
}

#[test]
fn a_tool_without_structured_parameters_is_shown_as_its_server_wrote_it() {
    let session = Session::new();
    let tool = session.toolbox.get("search_datasets").unwrap();
    assert!(!tool.is_rewritten());
    assert_eq!(
        json!(tool.input_schema()),
        crate::support::search_datasets()["inputSchema"]
    );
    assert!(session.toolbox.get("summarise").unwrap().is_rewritten());
}

#[test]
fn a_later_turn_shows_the_age_of_a_value_and_an_earlier_state_still_has_its_own() {
    let mut session = Session::new();
    let first = session.search("severn");
    let end_of_first = session.state.clone();
    session.state.start_turn(2);
    session.call(
        "search_datasets",
        json!({"query": "thames"}),
        structured_result(&json!({"message": "m", "datasets": ["x"]})),
    );
    let text = session.refusal("clip_to_bbox", json!({"dataset_id": "x", "bbox": 1}));
    assert!(text.contains("now in turn 2"), "{text}");
    assert!(
        text.contains("datasets — 1 item, from search_datasets in turn 2, written in 2 turns"),
        "{text}"
    );
    assert!(
        text.contains("area_of_interest — 1 feature, 2000 vertices, from search_datasets in turn 1 ("),
        "{text}"
    );
    assert_eq!(
        first.artifact.restore_structured(&end_of_first).unwrap()["datasets"][0],
        "era5-land"
    );
    assert_eq!(session.restored(&first.artifact)["datasets"], json!(["x"]));
}

#[test]
fn a_value_built_on_other_values_does_not_look_less_trustworthy_than_an_invented_one() {
    let mut session = Session::new();
    session.search("severn");
    session.call(
        "clip_to_bbox",
        json!({"dataset_id": "x", "bbox": format!("@state:{AREA}")}),
        structured_result(&json!({"message": "m", "bounds": [1]})),
    );
    let text = session.refusal("clip_to_bbox", json!({"dataset_id": "x", "bbox": 1}));
    let line = text
        .lines()
        .find(|line| line.contains("clip_to_bbox/bounds"))
        .unwrap();
    assert_eq!(
        line,
        "  @state:clip-view/clip_to_bbox/bounds — 1 item, from clip_to_bbox in turn 1"
    );
}

#[test]
fn state_stays_within_its_budget_over_a_long_session() {
    let mut session = Session::new();
    for turn in 1..=12 {
        session.state.start_turn(turn);
        let value = "x".repeat(MAX_STATE_BYTES / 5);
        session.call(
            "summarise",
            json!({}),
            structured_result(&json!({"message": "m", format!("v{turn}"): value})),
        );
        assert!(session.state.bytes() <= MAX_STATE_BYTES);
        assert!(
            session
                .state
                .get(&format!("stranger/summarise/v{turn}"))
                .is_some()
        );
    }
    assert!(session.state.iter().len() < 12);
}

#[test]
fn a_checkpoint_restores_the_session() {
    let mut session = Session::new();
    let captured = session.search("severn");
    let stored = serde_json::to_string(&(&session.state, &captured.artifact)).unwrap();
    let (state, artifact): (periplus_state::State, periplus_state::Artifact) =
        serde_json::from_str(&stored).unwrap();
    assert_eq!((&state, &artifact), (&session.state, &captured.artifact));
    let untouched: periplus_state::Artifact =
        serde_json::from_value(json!({"structured_content": {"message": "m"}})).unwrap();
    assert_eq!(
        untouched.restore_structured(&state).map(Value::Object),
        Some(json!({"message": "m"}))
    );
}

#[test]
fn two_fields_of_a_result_never_share_a_key() {
    let mut tool = crate::support::summarise();
    tool["_meta"] =
        json!({"io.developmentseed.toolsets/produces": [{"field": "a", "stateKey": "s/summarise/b"}]});
    let mut session = Session::empty(vec![(crate::support::connection("s"), vec![tool])]);
    let structured = json!({"message": "m", "a": "declared", "b": "x".repeat(3000)});
    let captured = session.call("summarise", json!({}), structured_result(&structured));
    assert_eq!(
        session.state.get("s/summarise/b").unwrap().value.json(),
        "declared"
    );
    assert_eq!(session.restored(&captured.artifact), structured);
}

#[test]
fn a_receipt_does_not_describe_a_value_that_came_later() {
    let mut session = Session::new();
    session.search("severn");
    session.state.start_turn(2);
    let arguments = json!({"dataset_id": "x", "bbox": format!("@state:{AREA}")});
    let receipt = session.resolve("clip_to_bbox", arguments).unwrap().receipts["bbox"].clone();
    assert!(
        receipt
            .display(&session.state)
            .contains(" · 1 feature, 2000 vertices · ")
    );
    session.search_area("thames", 4);
    assert_eq!(
        receipt.display(&session.state),
        format!("@state:{AREA} · from search_datasets in turn 1")
    );
}
