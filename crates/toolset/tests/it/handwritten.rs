//! Tools declared at run time, with schemas of any shape.

use futures::FutureExt as _;
use periplus_toolset::{JsonObject, Parameter, Tool, Toolset, contract, testing::call};
use serde_json::{Value, json};

fn object(schema: Value) -> JsonObject {
    serde_json::from_value(schema).unwrap()
}

fn output_schema() -> JsonObject {
    object(json!({
        "type": "object",
        "properties": {
            "message": { "type": "string", "description": "Says so." },
            "seen": { "type": "object", "description": "The arguments." }
        },
        "required": ["message"]
    }))
}

/// A tool that repeats its arguments.
fn repeating(schema: Value) -> Toolset {
    let tool = Tool::builder("repeat")
        .description("Repeats its arguments.")
        .input_schema(object(schema))
        .output_schema(output_schema())
        .handler(|arguments, _| async move { Ok(json!({ "message": "so", "seen": arguments })) }.boxed());
    Toolset::new("handwritten").tool(tool)
}

async fn seen(toolset: &Toolset, arguments: Value) -> Result<Value, String> {
    let mut output = call(toolset, "repeat", arguments)
        .await
        .map_err(|failure| failure.to_string())?;
    Ok(output.structured["seen"].take())
}

#[tokio::test]
async fn conditions_and_anchors_are_served_untouched_and_checked() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": {
            "$anchor": "addressDef", "type": "object", "properties": { "street": { "type": "string" } }
        } },
        "properties": {
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" }
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false
    });
    let toolset = repeating(schema.clone());
    assert_eq!(toolset.check(), Ok(()));
    assert_eq!(
        Value::Object((*toolset.tools()[0].declaration().input_schema).clone()),
        schema
    );
    let call = json!({ "contactMethod": "phone", "phone": "1", "address": r#"{"street":"S"}"# });
    assert_eq!(seen(&toolset, call).await.unwrap()["address"]["street"], "S");
    let refused = seen(&toolset, json!({ "contactMethod": "phone", "email": "e" }))
        .await
        .unwrap_err();
    assert!(refused.contains("/phone: is required"), "{refused}");
}

#[tokio::test]
async fn a_recursive_schema_is_followed_as_deep_as_arguments_go() {
    let toolset = repeating(json!({
        "type": "object", "additionalProperties": false, "required": ["where"],
        "properties": { "where": { "$ref": "#/$defs/node", "description": "A tree." } },
        "$defs": { "node": { "oneOf": [
            { "type": "object", "required": ["all"], "additionalProperties": false,
              "properties": { "all": { "type": "array", "items": { "$ref": "#/$defs/node" } } } },
            { "type": "object", "required": ["has"], "additionalProperties": false,
              "properties": { "has": { "type": "string" } } }
        ] } }
    }));
    contract::sweep(&toolset);
    let nest = |depth: usize| (0..depth).fold(json!({ "has": "x" }), |inner, _| json!({ "all": [inner] }));
    assert_eq!(
        seen(&toolset, json!({ "where": nest(20) })).await.unwrap()["where"],
        nest(20)
    );
    assert_eq!(
        seen(&toolset, json!({ "where": nest(20).to_string() }))
            .await
            .unwrap()["where"],
        nest(20)
    );
    assert!(
        seen(&toolset, json!({ "where": { "all": [{ "has": 5 }] } }))
            .await
            .unwrap_err()
            .contains("/where")
    );
    assert!(
        seen(&toolset, json!({ "where": nest(40) }))
            .await
            .unwrap_err()
            .contains("levels deep")
    );
}

#[tokio::test]
async fn an_open_schema_takes_other_names() {
    let toolset = repeating(json!({ "type": "object", "properties": { "a": { "type": "integer" } } }));
    assert_eq!(
        seen(&toolset, json!({ "a": "1", "b": "2" })).await.unwrap(),
        json!({ "a": 1, "b": "2" })
    );
}

#[tokio::test]
async fn a_parameter_that_takes_null_gets_it() {
    let nullable = json!({ "anyOf": [{ "type": "integer" }, { "type": "null" }], "default": 3 });
    let toolset = repeating(json!({ "type": "object", "properties": { "a": nullable } }));
    assert_eq!(
        seen(&toolset, json!({ "a": null })).await.unwrap(),
        json!({ "a": null })
    );
    assert_eq!(seen(&toolset, json!({})).await.unwrap(), json!({ "a": 3 }));
    assert_eq!(
        seen(&toolset, json!({ "a": "7" })).await.unwrap(),
        json!({ "a": 7 })
    );
}

#[tokio::test]
async fn a_misspelt_member_of_a_structure_gets_the_nearest_name() {
    let toolset = repeating(json!({
        "type": "object",
        "properties": { "window": {
            "type": "object", "additionalProperties": false, "properties": { "start": {}, "end": {} }
        } }
    }));
    let refused = seen(&toolset, json!({ "window": { "strat": 1 } }))
        .await
        .unwrap_err();
    assert!(
        refused.ends_with("/window/strat: unknown property; did you mean `start`?"),
        "{refused}"
    );
}

#[test]
fn typed_parameters_can_be_declared_at_run_time() {
    let tool = Tool::builder("repeat")
        .description("Repeats its arguments.")
        .parameter(Parameter::required::<String>("query", "Words."))
        .parameter(
            Parameter::with_default::<u32>("limit", "At most.", 8)
                .at_least(1)
                .at_most(50),
        )
        .output_schema(output_schema())
        .handler(|arguments, _| async move { Ok(json!({ "message": "so", "seen": arguments })) }.boxed());
    assert_eq!(
        tool.declaration().input_schema["properties"]["limit"]["maximum"],
        50
    );
    contract::sweep(&Toolset::new("handwritten").tool(tool));
}

#[tokio::test]
async fn names_may_be_known_at_run_time_only() {
    let names: Vec<String> = (1..=2).map(|n| format!("table_{n}")).collect();
    let toolset = names.iter().fold(Toolset::new("tables"), |toolset, name| {
        let tool = Tool::builder(name.clone())
            .title(format!("Read {name}"))
            .description("Reads a table.")
            .input_schema(object(json!({ "type": "object", "additionalProperties": false })))
            .output_schema(output_schema())
            .handler(|arguments, _| async move { Ok(json!({ "message": "so", "seen": arguments })) }.boxed());
        toolset.tool(tool)
    });
    assert_eq!(toolset.check(), Ok(()));
    let output = call(&toolset, "table_2", json!({})).await.unwrap();
    assert_eq!(output.structured["message"], "so");
}
