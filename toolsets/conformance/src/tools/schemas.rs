//! Input schemas that must arrive as they are: every composition keyword, and an argument that travels as a header.

use periplus_toolset::{Answer, Block, Parameter, Tool, Value, prelude::*};

pub(crate) fn all() -> Vec<Tool> {
    vec![json_schema_2020_12_tool(), test_custom_header()]
}

fn json_schema_2020_12_tool() -> Tool {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": {
            "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"],
        },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    });
    let Value::Object(schema) = schema else {
        unreachable!("an object was written");
    };
    Tool::builder("json_schema_2020_12_tool")
        .description("Takes a contact, described with the keywords of JSON Schema 2020-12.")
        .input_schema(schema)
        .answers(|arguments, _| {
            let text = format!("Contact: {}", Value::from(arguments));
            Box::pin(async { Ok(Answer::Content(vec![Block::Text(text)])) })
        })
}

fn test_custom_header() -> Tool {
    let value = Parameter::required::<String>("value", "What is said back.").keyword("x-mcp-header", "Value");
    Tool::builder("test_custom_header")
        .description("Says back an argument that also travels as a header.")
        .parameter(value)
        .answers(|arguments, _| {
            let value = arguments.get("value").and_then(Value::as_str).unwrap_or_default();
            let text = format!("Value: {value}");
            Box::pin(async { Ok(Answer::Content(vec![Block::Text(text)])) })
        })
}
