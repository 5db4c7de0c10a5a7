//! Arguments as models write them.

use periplus_toolset::testing::call;
use serde_json::{Value, json};

use crate::fixture;

/// The arguments that reach the tool.
async fn seen(mut arguments: Value) -> Value {
    arguments
        .as_object_mut()
        .unwrap()
        .entry("query")
        .or_insert_with(|| "a".into());
    let mut output = call(&fixture::toolset(), "echo", arguments).await.unwrap();
    output.structured["seenArguments"].take()
}

#[tokio::test]
async fn what_is_left_out_gets_its_default() {
    let expected = json!({
        "query": "a", "limit": 8, "minScore": null, "order": "best-first", "deep": false,
        "tags": null, "window": null, "area": null, "condition": null
    });
    assert_eq!(seen(json!({})).await, expected);
}

#[tokio::test]
async fn null_for_an_optional_argument_is_absence() {
    let arguments =
        json!({ "limit": null, "minScore": null, "order": null, "tags": null, "window": null, "area": null });
    assert_eq!(seen(arguments).await, seen(json!({})).await);
}

#[tokio::test]
async fn the_text_of_a_number_is_the_number() {
    assert_eq!(seen(json!({ "limit": "3" })).await["limit"], 3);
    assert_eq!(seen(json!({ "limit": "3.0" })).await["limit"], 3);
    assert_eq!(seen(json!({ "limit": 3.0 })).await["limit"], 3);
    assert_eq!(seen(json!({ "minScore": "0.5" })).await["minScore"], 0.5);
    assert_eq!(seen(json!({ "deep": "true" })).await["deep"], true);
}

#[tokio::test]
async fn the_text_of_a_structure_is_the_structure() {
    assert_eq!(
        seen(json!({ "tags": r#"["a","b"]"# })).await["tags"],
        json!(["a", "b"])
    );
    let window = json!({ "start": 1999, "end": null });
    assert_eq!(
        seen(json!({ "window": r#"{"start": 1999.0}"# })).await["window"],
        window
    );
}

#[tokio::test]
async fn text_stays_text_where_text_is_due() {
    for query in ["5", "null", "true", r#"["a"]"#, r#"{"a":1}"#, " 7 "] {
        assert_eq!(seen(json!({ "query": query })).await["query"], query);
    }
    // The items of a list are not top-level arguments.
    assert_eq!(
        seen(json!({ "tags": ["1", "null"] })).await["tags"],
        json!(["1", "null"])
    );
}

#[tokio::test]
async fn what_has_no_plain_meaning_is_refused() {
    let toolset = fixture::toolset();
    for arguments in [
        json!({ "limit": "3.5" }),
        json!({ "limit": "three" }),
        json!({ "limit": "" }),
        json!({ "limit": "0x10" }),
        json!({ "limit": true }),
        json!({ "limit": [3] }),
        json!({ "minScore": "NaN" }),
        json!({ "minScore": "Infinity" }),
        json!({ "deep": "yes" }),
        json!({ "deep": 1 }),
        json!({ "tags": "a" }),
        json!({ "tags": "{\"a\":1}" }),
        json!({ "window": "[1999]" }),
        json!({ "window": "\"{}\"" }),
        json!({ "area": "null" }),
    ] {
        let mut arguments = arguments;
        arguments["query"] = "a".into();
        let outcome = call(&toolset, "echo", arguments.clone()).await;
        assert!(outcome.is_err(), "{arguments} gave {outcome:?}");
    }
}
