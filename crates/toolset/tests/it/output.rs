//! What leaves a tool.

use futures::FutureExt as _;
use periplus_toolset::{Failure, JsonObject, Tool, ToolError, Toolset, testing::call};
use serde_json::{Value, json};

fn object(schema: Value) -> JsonObject {
    serde_json::from_value(schema).unwrap()
}

/// A tool that answers with `answer`, under a schema written by hand.
fn answering(schema: &Value, answer: Value) -> Toolset {
    let tool = Tool::builder("answer")
        .description("Answers.")
        .input_schema(object(json!({ "type": "object", "additionalProperties": false })))
        .output_schema(object(schema.clone()))
        .handler(move |_, _| {
            let answer = answer.clone();
            async move { Ok(answer) }.boxed()
        });
    Toolset::new("answers").tool(tool)
}

fn rows() -> Value {
    json!({
        "type": "object",
        "properties": {
            "message": { "type": "string", "description": "m" },
            "rows": {
                "type": "array", "description": "r",
                "items": {
                    "type": "object",
                    "properties": { "id": { "type": "integer" }, "score": { "type": "number" } },
                    "required": ["id"]
                }
            },
            "extra": { "type": "object", "description": "e" }
        },
        "required": ["message"]
    })
}

#[tokio::test]
async fn undeclared_keys_are_nowhere() {
    let answer = json!({
        "message": "m", "secret": 1, "rows": [{ "id": 1, "secret": 2 }, { "id": 2, "score": 3 }],
        "extra": { "free": { "form": 1 } }
    });
    let output = call(&answering(&rows(), answer), "answer", json!({}))
        .await
        .unwrap();
    let expected = json!({
        "message": "m", "rows": [{ "id": 1 }, { "id": 2, "score": 3.0 }], "extra": { "free": { "form": 1 } }
    });
    assert_eq!(output.structured, expected);
    assert!(!output.text.contains("secret"));
    assert_eq!(serde_json::from_str::<Value>(&output.text).unwrap(), expected);
}

#[tokio::test]
async fn whole_numbers_of_number_fields_are_floats_unless_that_loses_digits() {
    let answer = |score: i64| json!({ "message": "m", "rows": [{ "id": 1, "score": score }] });
    let text = async |score| {
        call(&answering(&rows(), answer(score)), "answer", json!({}))
            .await
            .unwrap()
            .text
    };
    assert!(text(3).await.contains(r#""score":3.0"#));
    assert!(text(i64::MAX).await.contains(r#""score":9223372036854775807"#));
}

#[tokio::test]
async fn the_text_is_compact_and_keeps_letters() {
    let output = call(
        &answering(&rows(), json!({ "message": "Grüße aus 東京" })),
        "answer",
        json!({}),
    )
    .await
    .unwrap();
    assert_eq!(output.text, r#"{"message":"Grüße aus 東京"}"#);
}

#[tokio::test]
async fn a_broken_contract_is_the_tools_fault_and_its_detail_for_the_log() {
    for answer in [
        json!({ "rows": [] }),
        json!({ "message": 5 }),
        json!([1]),
        json!(null),
        json!({ "message": "m", "rows": [{}] }),
    ] {
        let failure = call(&answering(&rows(), answer.clone()), "answer", json!({}))
            .await
            .unwrap_err();
        assert!(
            matches!(&failure, Failure::Internal { cause, .. } if cause.contains("breaks")),
            "{answer}"
        );
        assert!(!failure.to_string().contains("breaks"), "{failure}");
    }
}

#[tokio::test]
async fn arms_written_by_hand_keep_the_keys_of_each() {
    let schema = json!({
        "type": "object",
        "anyOf": [{ "$ref": "#/$defs/A" }, { "$ref": "#/$defs/B" }],
        "$defs": {
            "A": { "type": "object", "properties": { "message": { "type": "string" } }, "required": ["message"] },
            "B": { "type": "object", "properties": { "error": { "type": "string" } }, "required": ["error"] }
        }
    });
    let answer = json!({ "error": "e", "undeclared": 1 });
    let output = call(&answering(&schema, answer), "answer", json!({}))
        .await
        .unwrap();
    assert_eq!(output.structured, json!({ "error": "e" }));
}

#[tokio::test]
async fn a_structured_error_without_room_in_the_schema_is_an_mcp_error() {
    let tool = Tool::builder("answer")
        .description("Answers.")
        .output_schema(object(rows()))
        .handler(|_, _| async { Err(ToolError::new("gone", "ask again")) }.boxed());
    let failure = call(&Toolset::new("answers").tool(tool), "answer", json!({}))
        .await
        .unwrap_err();
    assert!(
        matches!(failure, Failure::IsError(body) if body == json!({ "error": "gone", "detail": "ask again" }))
    );
}
