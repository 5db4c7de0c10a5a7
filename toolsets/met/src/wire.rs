//! What results share on the wire, and the schemas that are written by hand.

use periplus_collection::{Collection, Policies, Policy, predicate, predicate::Field, rank};
use periplus_toolset::{JsonObject, JsonSchema, ResultSchema, ToolResult};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Version of the published contract: tool names, arguments, response fields, error codes.
pub const CONTRACT: &str = "0.1.0";

/// Which data answered, under which rules: part of every successful response.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) dataset_mode: String,
    pub(crate) snapshot: String,
    pub(crate) query_version: String,
}

impl Head {
    pub(crate) fn of(collection: &Collection) -> Self {
        Self {
            dataset_mode: collection.dataset_mode().to_owned(),
            snapshot: collection.snapshot().to_owned(),
            query_version: collection.query_version().to_owned(),
        }
    }
}

/// A result together with its [`Head`].
#[derive(Debug)]
pub(crate) struct Answer<T>(pub(crate) Head, pub(crate) T);

impl<T: ToolResult> ToolResult for Answer<T> {
    fn declare(schema: &mut ResultSchema) {
        T::declare(schema);
        schema.required::<String>("contract", "Version of the contract that the response follows.");
        schema.required::<String>("datasetMode", "How much of the catalogue the snapshot holds.");
        schema.required::<String>(
            "snapshot",
            "Id of the snapshot that answered; receipts and cursors are bound to it.",
        );
        schema.required::<String>(
            "queryVersion",
            "Version of the query rules; receipts and cursors are bound to it.",
        );
    }

    fn into_object(self) -> Result<JsonObject, serde_json::Error> {
        let Self(head, result) = self;
        let mut object = result.into_object()?;
        object.insert("contract".to_owned(), CONTRACT.into());
        object.insert("datasetMode".to_owned(), head.dataset_mode.into());
        object.insert("snapshot".to_owned(), head.snapshot.into());
        object.insert("queryVersion".to_owned(), head.query_version.into());
        Ok(object)
    }
}

/// A value that is `null`, not left out, when there is none.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Nullable<T>(pub(crate) Option<T>);

impl<T> From<Option<T>> for Nullable<T> {
    fn from(value: Option<T>) -> Self {
        Self(value)
    }
}

/// The axes that can be named; not all can be ranked on.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Axis {
    Topic,
    TechniqueMaterial,
    Context,
    Visual,
    Style,
}

impl From<Axis> for rank::Axis {
    fn from(axis: Axis) -> Self {
        match axis {
            Axis::Topic => Self::Topic,
            Axis::TechniqueMaterial => Self::TechniqueMaterial,
            Axis::Context => Self::Context,
            Axis::Visual => Self::Visual,
            Axis::Style => Self::Style,
        }
    }
}

/// The methods that can be named; not all fit every axis.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
pub(crate) enum MethodName {
    #[serde(rename = "lexical_bm25_v1")]
    LexicalBm25V1,
    #[serde(rename = "metadata_rule_v1")]
    MetadataRuleV1,
    #[serde(rename = "siglip2_cosine_v1")]
    Siglip2CosineV1,
    #[serde(rename = "siglip2_text_cosine_v1")]
    Siglip2TextCosineV1,
}

impl From<MethodName> for rank::Method {
    fn from(method: MethodName) -> Self {
        match method {
            MethodName::LexicalBm25V1 => Self::LexicalBm25V1,
            MethodName::MetadataRuleV1 => Self::MetadataRuleV1,
            MethodName::Siglip2CosineV1 => Self::Siglip2CosineV1,
            MethodName::Siglip2TextCosineV1 => Self::Siglip2TextCosineV1,
        }
    }
}

/// The policies of a selection, as applied.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct AppliedPolicies {
    /// Whether records without a recorded value to judge by are eligible: `exclude` or `include`.
    unknown: &'static str,
    /// Whether records whose sources disagree are eligible: `exclude` or `include`.
    conflict: &'static str,
}

impl From<Policies> for AppliedPolicies {
    fn from(policies: Policies) -> Self {
        let name = |policy| match policy {
            Policy::Exclude => "exclude",
            Policy::Include => "include",
        };
        Self {
            unknown: name(policies.unknown),
            conflict: name(policies.conflict),
        }
    }
}

/// The schema of a predicate: one level in full, further levels by reference, so that a host that
/// loses references still shows every field and operator.
pub(crate) fn predicate_schema() -> JsonObject {
    let mut schema = condition();
    schema.insert("$defs".to_owned(), json!({ "predicate": condition() }));
    schema
}

fn condition() -> JsonObject {
    let fields: Vec<&str> = Field::all().map(Field::name).collect();
    let nested = json!({ "$ref": "#/$defs/predicate" });
    let children =
        json!({ "type": "array", "minItems": 1, "maxItems": predicate::MAX_CHILDREN, "items": nested });
    object(json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "field": { "type": "string", "enum": fields, "description": "Recorded field that a condition is about." },
            "op": {
                "type": "string",
                "enum": predicate::Operator::ALL.map(predicate::Operator::name),
                "description": "How the condition tests the field.",
            },
            "value": {
                "description": "A string or boolean for eq; strings for one_of; {\"begin\": year, \"end\": year} for overlaps and contained_within; nothing for is_missing.",
                "anyOf": [
                    { "type": "string", "maxLength": predicate::MAX_STRING },
                    { "type": "boolean" },
                    { "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": predicate::MAX_VALUES },
                    { "type": "object", "additionalProperties": false, "required": ["begin", "end"], "properties": {
                        "begin": { "type": "integer" }, "end": { "type": "integer" } } },
                ],
            },
            "all": children,
            "any": children,
            "not": nested,
        },
        "oneOf": [{ "required": ["field", "op"] }, { "required": ["all"] }, { "required": ["any"] }, { "required": ["not"] }],
    }))
}

pub(crate) fn policies_schema() -> JsonObject {
    let policy = |about| json!({ "type": "string", "enum": ["exclude", "include"], "default": "exclude", "description": about });
    object(json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "unknown": policy("Records the predicate cannot judge because a value is not recorded."),
            "conflict": policy("Records the predicate cannot judge because sources disagree."),
        },
    }))
}

pub(crate) fn anchor_schema() -> JsonObject {
    object(json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["type"],
        "properties": {
            "type": { "type": "string", "enum": ["object_id", "topic_text"], "description": "What candidates are compared with." },
            "objectId": { "type": "integer", "minimum": 1, "description": "With object_id: an object of the snapshot." },
            "topicText": { "type": "string", "minLength": 1, "maxLength": rank::MAX_TOPIC, "description": "With topic_text: words to look for." },
        },
    }))
}

fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}

/// A number with its noun, in the plural where it belongs.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}
