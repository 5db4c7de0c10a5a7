//! Arguments that no honest client sends: nothing panics, nothing hangs, everything is bounded.

use std::sync::LazyLock;

use futures::FutureExt as _;
use periplus_toolset::{Failure, Output, Toolset, testing::call};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixture;

static TOOLSET: LazyLock<Toolset> = LazyLock::new(fixture::toolset);

fn run(arguments: Value) -> Result<Output, Failure> {
    call(&TOOLSET, "echo", arguments)
        .now_or_never()
        .expect("the tool does not wait")
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        prop_oneof![
            "-?[0-9]{1,25}(\\.[0-9]{0,3})?(e[0-9]{1,4})?",
            "[\\[\\]{}\",:0-9a-z]{0,20}"
        ]
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "query",
            "limit",
            "minScore",
            "order",
            "deep",
            "tags",
            "window",
            "area",
            "condition",
            "start",
            "end",
            "op",
            "children",
            "text",
            "type",
            "$ref",
            "__proto__",
            "",
        ])
        .prop_map(str::to_owned),
        ".{0,8}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_arguments_are_answered_or_refused(members in prop::collection::vec((key(), any_json()), 0..8)) {
        let arguments = Value::Object(members.into_iter().collect());
        match run(arguments) {
            Ok(output) => {
                let text: Value = serde_json::from_str(&output.text).unwrap();
                prop_assert!(text.get("message").is_some() || text.get("error").is_some());
            }
            Err(Failure::Arguments(problems)) => {
                prop_assert!(!problems.is_empty() && problems.len() <= 50);
                let longest = problems.iter().map(|p| p.message.len() + p.pointer.len()).max();
                prop_assert!(longest < Some(1_500));
            }
            Err(other) => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn what_a_tool_saw_is_seen_the_same_again(
        limit in prop_oneof![(1..=50_u8).prop_map(Value::from), (1..=50_u8).prop_map(|n| n.to_string().into())],
        tags in prop::collection::vec(".{0,6}", 1..=3),
        as_text in any::<bool>(),
    ) {
        let tags = if as_text { json!(json!(tags).to_string()) } else { json!(tags) };
        let first = run(json!({ "query": "q", "limit": limit, "tags": tags })).unwrap().structured;
        let mut again = first["seenArguments"].clone();
        let second = run(again.take()).unwrap().structured;
        prop_assert_eq!(&first["seenArguments"], &second["seenArguments"]);
    }

    #[test]
    fn a_literal_survives(query in ".{1,20}", tags in prop::collection::vec(".{0,20}", 1..=3), score in 0.0..=1.0_f64) {
        prop_assume!(query != "nothing" && query.chars().count() <= 20);
        let area = json!({ "type": query, "deep": [{ "x": score, "tags": tags }] });
        let seen = run(json!({ "query": query, "tags": tags, "minScore": score, "area": area })).unwrap().structured;
        let seen = &seen["seenArguments"];
        prop_assert_eq!(&seen["query"], &json!(query));
        prop_assert_eq!(&seen["tags"], &json!(tags));
        prop_assert_eq!(&seen["minScore"], &json!(score));
        prop_assert_eq!(&seen["area"], &area);
    }
}

fn refusal(arguments: Value) -> String {
    run(arguments).unwrap_err().to_string()
}

#[test]
fn deep_arguments_are_refused_whether_nested_or_as_text() {
    let nested = (0..200).fold(json!(1), |inner, _| json!([inner]));
    assert!(refusal(json!({ "query": "a", "area": { "x": nested } })).contains("levels deep"));
    for depth in [70, 100, 100_000] {
        let text = format!("{{\"x\":{}1{}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(run(json!({ "query": "a", "area": text })).is_err(), "{depth}");
    }
}

#[test]
fn huge_arguments_are_refused() {
    assert!(refusal(json!({ "query": "x".repeat(17 << 20) })).contains("16 MiB"));
    let many = Value::Array(vec![json!(1); 2_100_000]);
    assert!(refusal(json!({ "query": "a", "area": { "x": many } })).contains("16 MiB"));
    // A text that unfolds into many values weighs what they weigh.
    let text = format!("{{\"x\":[{}1]}}", "1,".repeat(2_100_000));
    assert!(refusal(json!({ "query": "a", "area": text })).contains("16 MiB"));
}

#[test]
fn thousands_of_problems_are_counted_not_listed() {
    let arguments: serde_json::Map<String, Value> = (0..5_000)
        .map(|index| (format!("unknown{index}"), json!(index)))
        .collect();
    let Err(Failure::Arguments(problems)) = run(Value::Object(arguments)) else {
        panic!("expected a refusal")
    };
    assert!(problems.len() <= 50, "{}", problems.len());
    let wrong_tags = Value::Array((0..5_000).map(Value::from).collect());
    let Err(Failure::Arguments(problems)) = run(json!({ "query": "a", "tags": wrong_tags })) else {
        panic!("expected a refusal")
    };
    assert!(problems.len() <= 21, "{}", problems.len());
    assert!(problems.last().unwrap().message.contains("more problems"));
}
