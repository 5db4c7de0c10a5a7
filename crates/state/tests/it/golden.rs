//! Whole texts and shapes: their markers, keys and order are what models, hosts and clients rely on.

use periplus_state::{Detail, HANDLE_PREFIX, consumed_activity, published_activity, tool_state};
use serde_json::{Value, json};

use crate::support::{AREA, DATASETS, Session, structured_result};

#[test]
fn a_result_becomes_its_message_and_a_note_with_sorted_keys() {
    let captured = Session::new().search("severn");
    assert_eq!(
        captured.text,
        "Found 3 datasets for 'severn'.\n\n\
         [state updated: dataset-search/search_datasets/area_of_interest, dataset-search/search_datasets/datasets — \
         to read one, give its bare key to inspect_state; to pass one on, write @state:<key> as a whole argument, \
         and only where the parameter's schema accepts it]"
    );
}

#[test]
fn the_artifact_holds_what_stayed_where_the_rest_went_and_what_came_in() {
    let mut session = Session::new();
    let found = session.search("severn");
    assert_eq!(
        serde_json::to_value(&found.artifact).unwrap(),
        json!({
            "structured_content": {"message": "Found 3 datasets for 'severn'.", "total": 3},
            "captured_state": {"area_of_interest": AREA, "datasets": DATASETS},
        })
    );
    let clipped = clip(&mut session);
    assert_eq!(
        serde_json::to_value(&clipped.artifact).unwrap(),
        json!({
            "structured_content": {"message": "Cut."},
            "captured_state": {"bounds": "clip-view/clip_to_bbox/bounds"},
            "injected_state": {"bbox": {"key": AREA, "tool": "search_datasets", "turn": 1}},
        })
    );
}

fn clip(session: &mut Session) -> periplus_state::Captured {
    session.call(
        "clip_to_bbox",
        json!({"dataset_id": "era5-land", "bbox": format!("@state:{AREA}")}),
        structured_result(&json!({"message": "Cut.", "bounds": [1, 2, 3, 4]})),
    )
}

#[test]
fn a_literal_is_refused_with_the_values_to_choose_from() {
    let mut session = Session::new();
    session.search("severn");
    assert_eq!(
        session.refusal("clip_to_bbox", json!({"dataset_id": "x", "bbox": [1, 2, 3, 4]})),
        "clip_to_bbox was not called. \
         'bbox' was given a value you wrote; it takes only a reference to a value that a tool has produced.\n\
         Pass @state:<key> with one of these keys (newest first, now in turn 1):\n  \
         @state:dataset-search/search_datasets/area_of_interest — 1 feature, 2000 vertices, \
         from search_datasets in turn 1 (you wrote: query)\n  \
         @state:dataset-search/search_datasets/datasets — 3 items, from search_datasets in turn 1 (you wrote: query)"
    );
}

#[test]
fn an_omitted_reference_is_refused_and_says_what_to_do_when_nothing_was_published() {
    assert_eq!(
        Session::new().refusal("clip_to_bbox", json!({"dataset_id": "x", "mask": "{}"})),
        "clip_to_bbox was not called. \
         'bbox' is missing; it takes a value that already exists in this session, and you cannot write one. \
         'mask' was given a value you wrote; it takes only a reference to a value that a tool has produced.\n\
         No tool has published a value in this session yet: first call the tool that produces this one."
    );
}

#[test]
fn unresolved_references_are_named_by_path_with_what_to_do_instead() {
    let mut session = Session::new();
    session.search("severn");
    let text = session.refusal(
        "summarise",
        json!({"request": {"area": "@state:a/b/c", "list": [{"x y": "see @state:d/e/f, please"}]}, "title": "@state:nope/x/y"}),
    );
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        &lines[..5],
        [
            "summarise was not called. These references stand for no value:",
            "  request.area: @state:a/b/c — a reference is replaced only where it is a whole argument",
            "  request.list[0][\"x y\"]: @state:d/e/f — a reference is replaced only where it is a whole argument",
            "  title: @state:nope/x/y — no such key in session state",
            "Read the value with inspect_state and write the field yourself, or first call the tool that produces it. \
             In session state (newest first, now in turn 1):",
        ]
    );
    assert_eq!(lines.len(), 7);
    assert!(lines[5].starts_with(&format!("  @state:{AREA} — ")), "{text}");
}

#[test]
fn a_model_is_not_told_to_copy_a_value_around_a_not_authored_parameter() {
    let mut session = Session::new();
    session.search("severn");
    let text = session.refusal(
        "clip_to_bbox",
        json!({"dataset_id": "x", "bbox": "@state:nope/x/y"}),
    );
    assert!(
        text.contains("Do not read the value and write it in: pass the whole reference to 'bbox' or 'mask'"),
        "{text}"
    );
    assert!(!text.contains("write the field yourself"), "{text}");
}

#[test]
fn the_schema_of_a_not_authored_parameter_shows_a_reference_and_nothing_else() {
    let session = Session::new();
    let tool = session.toolbox.get("clip_to_bbox").unwrap();
    let schema = Value::Object(tool.input_schema().clone());
    let bbox = schema["properties"]["bbox"].as_object().unwrap();
    assert_eq!(
        bbox.keys().collect::<Vec<_>>(),
        ["type", "pattern", "description"]
    );
    assert_eq!(bbox["pattern"], format!("^{HANDLE_PREFIX}"));
    let description = bbox["description"].as_str().unwrap();
    for part in [
        "The box. A reference to a value",
        "@state:dataset-search/",
        "[state updated: ...]",
        "before the tool runs",
        "prefer",
    ] {
        assert!(description.contains(part), "{part} in {description}");
    }
    assert_eq!(schema["required"], json!(["dataset_id", "bbox"]));
    assert_eq!(schema["properties"]["dataset_id"], json!({"type": "string"}));
}

#[test]
fn receipts_show_where_a_value_came_from_and_never_the_value() {
    let mut session = Session::new();
    session.search("severn");
    let clipped = clip(&mut session);
    let receipt = &clipped.artifact.injected_state["bbox"];
    assert_eq!(
        receipt.display(&session.state),
        format!(
            "@state:{AREA} · 1 feature, 2000 vertices · from search_datasets in turn 1 · query written by the model"
        )
    );
    assert_eq!(
        receipt.line("bbox"),
        format!("bbox ← {AREA}, published by search_datasets in turn 1")
    );
    assert!(!format!("{:?}{:?}", clipped.artifact, session.state).contains("52.0"));
    assert_eq!(
        consumed_activity("c4", "clip_to_bbox", &clipped.artifact, &session.state).unwrap(),
        json!({"toolCallId": "c4", "tool": "clip_to_bbox", "received": {"bbox": {
            "key": AREA, "tool": "search_datasets", "turn": 1, "display": receipt.display(&session.state),
        }}})
    );
    assert_eq!(
        published_activity("c4", "clip_to_bbox", &clipped.artifact).unwrap(),
        json!({
            "toolCallId": "c4", "tool": "clip_to_bbox",
            "published": {"bounds": "clip-view/clip_to_bbox/bounds"}, "display": "→ clip-view/clip_to_bbox/bounds",
        })
    );
}

#[test]
fn inputs_name_parameters_and_keys_and_never_values() {
    let mut session = Session::new();
    session.search("severn");
    clip(&mut session);
    let state = tool_state(&session.state, Detail::Provisional);
    assert_eq!(
        state[DATASETS],
        json!({"tool": "search_datasets", "bytes": 40, "inputs": {"query": "model"}})
    );
    assert_eq!(
        state["clip-view/clip_to_bbox/bounds"],
        json!({"tool": "clip_to_bbox", "bytes": 9, "inputs": {"bbox": AREA, "dataset_id": "model"}})
    );
}
