//! What the macro makes of types and doc comments.

use std::time::Duration;

use periplus_toolset::{Annotations, Declaration, NOT_AUTHORED_NOTE, contract};
use serde_json::{Value, json};

use crate::fixture;

fn declaration(tool: &str) -> Declaration {
    fixture::toolset().find(tool).unwrap().declaration().clone()
}

fn property(name: &str) -> Value {
    declaration("echo").input_schema["properties"][name].clone()
}

#[test]
fn the_fixture_keeps_every_rule() {
    contract::sweep(&fixture::toolset());
}

#[test]
fn doc_comments_and_options_are_declared() {
    let echo = declaration("echo");
    assert_eq!(echo.name, "echo");
    assert_eq!(echo.title.as_deref(), Some("Echo arguments"));
    assert_eq!(
        echo.description,
        "Repeats its arguments.\n\nUse it to see what arrives."
    );
    let annotations = Annotations {
        read_only: Some(true),
        destructive: Some(false),
        idempotent: Some(true),
        open_world: Some(false),
    };
    assert_eq!(echo.annotations, annotations);
    assert_eq!(echo.limits.timeout, Duration::from_millis(1500));
    assert_eq!(echo.limits.max_result_bytes, 4096);
    assert_eq!(echo.limits.concurrency, Some("echo"));
    assert_eq!(echo.not_authored, ["area"]);
    assert_eq!(echo.produces, ["note", "seenArguments", "share"]);
    assert_eq!(declaration("fail").annotations, Annotations::default());
}

#[test]
fn the_input_is_a_closed_object_that_requires_what_has_no_default() {
    let schema = declaration("echo").input_schema;
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["title"], "echo");
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["required"], json!(["query"]));
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    let order = [
        "query",
        "limit",
        "minScore",
        "order",
        "deep",
        "tags",
        "window",
        "area",
        "condition",
    ];
    assert_eq!(names, order);
}

#[test]
fn options_become_keywords() {
    let query = json!({
        "type": "string", "description": "Words to look for.", "minLength": 1, "maxLength": 20, "title": "Query"
    });
    assert_eq!(property("query"), query);
    let limit = json!({
        "type": "integer", "minimum": 1, "maximum": 50, "description": "At most this many.", "default": 8,
        "title": "Limit"
    });
    assert_eq!(property("limit"), limit);
    let min_score = json!({
        "type": "number", "description": "Least similarity.", "minimum": 0.0, "maximum": 1.0, "title": "Min Score"
    });
    assert_eq!(property("minScore"), min_score);
    let tags = json!({
        "type": "array", "items": { "type": "string" }, "description": "Labels that must all be there.",
        "minItems": 1, "maxItems": 3, "title": "Tags"
    });
    assert_eq!(property("tags"), tags);
}

#[test]
fn an_enumeration_is_plain_and_keeps_the_texts_of_its_values() {
    let order = json!({
        "type": "string",
        "enum": ["best-first", "by-title"],
        "description": "Order of the results.\nHow results are ordered.\n- `best-first`: Best match first.\n- `by-title`: Alphabetically by title.",
        "default": "best-first",
        "title": "Order"
    });
    assert_eq!(property("order"), order);
}

#[test]
fn a_nullable_member_is_a_union_with_null_and_a_nested_type_stands_in_place() {
    let window = json!({
        "type": "object",
        "properties": {
            "start": { "type": "integer", "description": "First year." },
            "end": {
                "description": "Last year, open if absent.",
                "anyOf": [{ "type": "integer", "minimum": 0, "maximum": 65535 }, { "type": "null" }]
            }
        },
        "required": ["start"],
        "description": "Years.",
        "title": "Window"
    });
    assert_eq!(property("window"), window);
}

#[test]
fn only_recursion_leaves_a_reference() {
    let schema = declaration("echo").input_schema;
    let definitions: Vec<&String> = schema["$defs"].as_object().unwrap().keys().collect();
    assert_eq!(definitions, ["Condition"]);
    assert!(declaration("fail").input_schema.get("$defs").is_none());
}

#[test]
fn what_is_not_authored_says_so_after_its_description() {
    assert_eq!(
        property("area")["description"],
        format!("Area to search in. {NOT_AUTHORED_NOTE}")
    );
}

#[test]
fn a_fallible_tool_declares_both_of_its_answers() {
    let schema = declaration("fail").output_schema.unwrap();
    let text = |title: &str, description: &str| json!({ "type": "string", "description": description, "title": title });
    let expected = json!({
        "description": "A bare result.",
        "type": "object",
        "anyOf": [
            {
                "type": "object",
                "properties": { "message": text("Message", "What was done.") },
                "required": ["message"]
            },
            {
                "type": "object",
                "properties": {
                    "error": text("Error", "A short stable kind of failure."),
                    "detail": text("Detail", "What happened and what to do next.")
                },
                "required": ["error", "detail"]
            }
        ]
    });
    assert_eq!(Value::Object((*schema).clone()), expected);
}

#[test]
fn result_fields_keep_their_order_and_wire_names() {
    let schema = declaration("echo").output_schema.unwrap();
    let result = &schema["anyOf"][0];
    let names: Vec<&String> = result["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["message", "seenArguments", "share", "note"]);
    assert_eq!(result["required"], json!(["message", "seenArguments"]));
}
