//! What holds for any value, any argument and any request.

use std::sync::Arc;

use periplus_state::{
    CaptureLimits, Connection, InspectRequest, Moment, Reply, State, Tool, Toolbox, capture, inspect, resolve,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{AREA, DATASETS, Session, clip_to_bbox, object, structured_result};

/// JSON of any form, with texts in which handles occur.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-zé\"\\[\\]. ]{0,12}".prop_map(Value::from),
        Just(json!(format!("@state:{AREA}"))),
        Just(json!("@state:no/such/key")),
        "[a-z ]{0,3}@state:[a-z/]{0,6}".prop_map(Value::from),
        (0usize..4000).prop_map(|length| json!("x".repeat(length))),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((field_name(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn field_name() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-z]{1,6}", 1 => "[a-z .\\[\\]\"/~é]{0,8}", 1 => Just("message".to_owned()), 1 => Just("@state:x/y/z".to_owned())]
}

fn has_handle(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains("@state:"),
        Value::Array(items) => items.iter().any(has_handle),
        Value::Object(object) => object
            .iter()
            .any(|(name, field)| name.contains("@state:") || has_handle(field)),
        _ => false,
    }
}

fn has_secret(value: &Value) -> bool {
    let text = value.to_string();
    [
        "secret",
        "token",
        "password",
        "passwd",
        "credential",
        "authorization",
        "apikey",
        "api_key",
    ]
    .iter()
    .any(|word| text.contains(word))
}

fn searched() -> Session {
    let mut session = Session::new();
    session.search_area("severn", 4);
    session
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn restoring_a_captured_result_gives_the_result(
        fields in proptest::collection::vec((field_name(), json_value()), 0..8),
        declared in proptest::collection::vec("[a-z]{1,6}", 0..4),
    ) {
        let structured: Value = Value::Object(fields.into_iter().collect());
        prop_assume!(!has_secret(&structured));
        let names = structured.as_object().unwrap().keys().take(2).chain(&declared);
        let produces: Vec<Value> =
            names.map(|field| json!({"field": field, "stateKey": format!("server/tool/{field}")})).collect();
        let declaration = json!({"name": "tool", "_meta": {"io.developmentseed.toolsets/produces": produces}});
        let tool = Tool::bind(&Arc::new(Connection::new("server").unwrap()), &declaration).0.unwrap();
        let reply = Reply::from_result(structured_result(&structured));
        let captured = capture(&tool, reply, &Default::default(), &Default::default(), CaptureLimits::default());
        let mut state = State::default();
        prop_assert!(state.apply(captured.writes.clone()).is_empty());
        prop_assert_eq!(captured.artifact.restore_structured(&state).map(Value::Object), Some(structured));
        let noted: Vec<&str> = captured.artifact.published().iter().map(|key| key.as_str()).collect();
        prop_assert!(noted.iter().all(|key| captured.text.contains(key)));
        prop_assert_eq!(noted.len(), captured.writes.len());
    }

    #[test]
    fn no_literal_passes_a_not_authored_parameter(bbox in json_value(), mask in json_value(), dataset in json_value()) {
        let session = searched();
        let arguments = json!({"dataset_id": dataset, "bbox": bbox, "mask": mask});
        if let Ok(resolved) = session.resolve("clip_to_bbox", arguments) {
            for name in ["bbox", "mask"] {
                if let Some(sent) = resolved.arguments.get(name) {
                    let receipt = &resolved.receipts[name];
                    prop_assert_eq!(sent, session.state.get(receipt.key.as_str()).unwrap().value.json());
                }
            }
            prop_assert!(resolved.arguments.contains_key("bbox"));
        }
    }

    #[test]
    fn no_handle_reaches_a_server(fields in proptest::collection::vec((field_name(), json_value()), 0..5)) {
        let session = searched();
        let arguments: Value = Value::Object(fields.into_iter().collect());
        match session.resolve("summarise", arguments.clone()) {
            Ok(resolved) => prop_assert!(!has_handle(&Value::Object(resolved.arguments))),
            Err(refusal) => {
                prop_assert!(has_handle(&arguments));
                prop_assert!(refusal.to_string().starts_with("summarise was not called."));
            }
        }
    }

    #[test]
    fn what_holds_no_handle_is_sent_as_it_was_written(fields in proptest::collection::vec((field_name(), json_value()), 0..5)) {
        let arguments: Value = Value::Object(fields.into_iter().collect());
        prop_assume!(!has_handle(&arguments));
        let resolved = searched().resolve("summarise", arguments.clone()).unwrap();
        prop_assert_eq!(Value::Object(resolved.arguments), arguments);
        prop_assert!(resolved.receipts.is_empty());
    }

    #[test]
    fn inspection_answers_any_request_within_bounds(
        value in json_value(),
        key in prop_oneof![Just("*".to_owned()), Just(DATASETS.to_owned()), Just(format!("@state:{DATASETS}")), any::<String>()],
        pattern in proptest::option::of(prop_oneof![any::<String>(), "[a-z.*+(){}|\\\\\\[\\]^$?0-9]{0,12}"]),
        path in proptest::option::of(prop_oneof![any::<String>(), "[a-z.\\[\\]\"0-9:]{0,12}"]),
    ) {
        let mut session = searched();
        let structured = json!({"message": "m", "datasets": value});
        session.call("search_datasets", json!({"query": "q"}), structured_result(&structured));
        let request = InspectRequest { key, pattern, path, turn: None };
        let answer = inspect(&request, Moment::Now(&session.state), &Toolbox::default());
        prop_assert!(!answer.is_empty());
        prop_assert!(answer.chars().count() < 40_000, "{} characters", answer.chars().count());
    }

    #[test]
    fn refusals_are_bounded(lengths in proptest::collection::vec(0usize..400, 1..60)) {
        let handles: Vec<String> = lengths.iter().map(|&length| format!("@state:{}", "k".repeat(length))).collect();
        let text = searched().refusal("summarise", json!({"request": handles}));
        prop_assert!(text.chars().count() < 6000, "{} characters", text.chars().count());
    }

    #[test]
    fn a_not_authored_parameter_is_guarded_even_if_the_schema_does_not_name_it(value in json_value()) {
        let mut declaration = clip_to_bbox();
        declaration["inputSchema"] = json!({"type": "object"});
        let tool = Tool::bind(&Arc::new(Connection::new("clip-view").unwrap()), &declaration).0.unwrap();
        let is_null = value.is_null();
        let resolved = resolve(&tool, object(json!({"bbox": value})), &State::default());
        prop_assert_eq!(resolved.is_ok(), is_null);
    }
}
