//! Calls that fail, and how they say so.

use periplus_toolset::{
    Failure, Problem, ProblemKind,
    testing::{call, call_with_headers},
};
use serde_json::{Value, json};

use crate::fixture;

async fn problems(arguments: Value) -> Vec<Problem> {
    match call(&fixture::toolset(), "echo", arguments).await {
        Err(Failure::Arguments(problems)) => problems,
        other => panic!("expected refused arguments, got {other:?}"),
    }
}

#[tokio::test]
async fn every_failing_path_is_in_one_failure() {
    let arguments = json!({
        "limit": 500, "order": "worst", "tags": [], "window": { "end": -1 }, "deep": "maybe", "minScore": "high",
    });
    let found = problems(arguments).await;
    let texts: Vec<String> = found
        .iter()
        .map(|p| format!("{}: {}", p.pointer, p.message))
        .collect();
    for expected in [
        "/query: is required",
        "/limit: expected at most 50, found 500",
        "/order: expected one of \"best-first\", \"by-title\", found \"worst\"",
        "/tags: expected at least 1 items, found an array of 0",
        "/window/start: is required",
        "/window/end: expected at least 0, found -1",
        "/deep: expected a boolean, found \"maybe\"",
        "/minScore: expected a number, found \"high\"",
    ] {
        assert!(
            texts.iter().any(|text| text == expected),
            "{expected} in {texts:#?}"
        );
    }
    assert_eq!(texts.len(), 8, "{texts:#?}");
}

#[tokio::test]
async fn an_unknown_argument_is_refused_with_the_nearest_name() {
    let found = problems(json!({ "query": "a", "limits": 3, "min_score": 1, "zzz": 0 })).await;
    let kinds: Vec<(&str, Option<&str>)> = found
        .iter()
        .map(|problem| match &problem.kind {
            ProblemKind::UnknownArgument { nearest } => (problem.pointer.as_str(), nearest.as_deref()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        kinds,
        [
            ("/limits", Some("limit")),
            ("/min_score", Some("minScore")),
            ("/zzz", None)
        ]
    );
    assert_eq!(found[0].message, "unknown argument; did you mean `limit`?");
    assert!(
        found[2]
            .message
            .ends_with("the tool takes query, limit, minScore, order, deep, tags, window, area, condition")
    );
}

#[tokio::test]
async fn a_null_for_a_required_argument_is_missing() {
    let found = problems(json!({ "query": null })).await;
    assert_eq!(
        (found[0].pointer.as_str(), &found[0].kind),
        ("/query", &ProblemKind::Missing)
    );
    assert_eq!(found.len(), 1);
}

#[tokio::test]
async fn an_arm_of_a_union_is_explained_where_the_value_chose_it() {
    let found = problems(json!({
        "query": "a",
        "condition": { "op": "all", "children": [{ "op": "contains", "text": 5 }] }
    }))
    .await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].pointer, "/condition/children/0/text");
    assert_eq!(found[0].message, "expected a string, found 5");
    let found = problems(json!({ "query": "a", "condition": { "op": "none" } })).await;
    assert!(found[0].message.contains("\"all\", \"contains\""), "{found:?}");
}

#[tokio::test]
async fn a_value_that_its_type_refuses_is_a_problem_of_the_arguments() {
    // The schema allows any integer for `start`, the type only 32 bits.
    let found = problems(json!({ "query": "a", "window": { "start": 5_000_000_000_i64 } })).await;
    assert_eq!(found[0].pointer, "/window");
    assert!(found[0].message.contains("5000000000"), "{found:?}");
}

#[tokio::test]
async fn a_long_value_is_cut_in_messages() {
    let found = problems(json!({ "query": "x".repeat(5000) })).await;
    assert!(found[0].message.len() < 200, "{}", found[0].message);
}

#[tokio::test]
async fn a_structured_error_is_an_answer() {
    let output = call(&fixture::toolset(), "echo", json!({ "query": "nothing" }))
        .await
        .unwrap();
    assert_eq!(output.structured["error"], "not_found");
    assert_eq!(
        output.text,
        r#"{"error":"not_found","detail":"nothing has these words; try others"}"#
    );
}

#[tokio::test]
async fn each_way_to_fail_reaches_the_right_reader() {
    let toolset = fixture::toolset();
    let fail = async |way: &str| call(&toolset, "fail", json!({ "way": way })).await.unwrap_err();
    let internal = fail("internal").await;
    assert!(matches!(&internal, Failure::Internal { cause, .. } if cause.contains("on fire")));
    assert!(!internal.to_string().contains("on fire"), "{internal}");
    assert_eq!(
        fail("body").await.to_string(),
        r#"{"code":"bad","supportedAlternatives":[]}"#
    );
    assert_eq!(
        fail("argument").await.to_string(),
        "invalid arguments: /way: is no way to fail"
    );
    assert!(matches!(fail("credential").await, Failure::MissingCredential(_)));
}

#[tokio::test]
async fn a_declared_header_reaches_the_tool_and_no_other() {
    let toolset = fixture::toolset();
    let arguments = json!({ "way": "credential" });
    let output = call_with_headers(&toolset, "fail", arguments.clone(), &[("X-Demo-Token", "t")])
        .await
        .unwrap();
    assert_eq!(output.structured["message"], "The token is there.");
    assert!(
        call_with_headers(&toolset, "fail", arguments, &[("x-other", "t")])
            .await
            .is_err()
    );
}

#[tokio::test]
async fn the_function_stays_callable() {
    let done = fixture::call_fail(&fixture::toolset().context().build(), "otherwise".to_owned())
        .await
        .unwrap();
    assert!(format!("{done:?}").contains("otherwise"));
}
