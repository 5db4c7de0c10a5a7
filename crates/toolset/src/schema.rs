//! JSON Schemas as hosts and model APIs can read them.
//!
//! Generated schemas are inlined, draft 2020-12 without saying so, and use one `type` per schema: a `$ref` is lost by
//! some hosts, a type list or an integer `format` confuses or floods others. Hand-written schemas are left untouched.

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::JsonObject;

/// String formats that validators agree on; every other `format` is dropped.
const PORTABLE_FORMATS: [&str; 5] = ["date", "date-time", "uri", "uuid", "email"];

/// Keywords whose value is one schema.
const SCHEMA_KEYWORDS: [&str; 7] = [
    "items",
    "additionalProperties",
    "contains",
    "not",
    "if",
    "then",
    "else",
];
/// Keywords whose value is a list of schemas.
const LIST_KEYWORDS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
/// Keywords whose value maps names to schemas.
const MAP_KEYWORDS: [&str; 4] = ["properties", "patternProperties", "$defs", "dependentSchemas"];

/// Which side of the wire a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Input,
    Output,
}

/// Builds one object schema, property by property.
#[derive(Debug)]
pub(crate) struct ObjectSchema {
    generator: SchemaGenerator,
    properties: JsonObject,
    required: Vec<Value>,
    /// Definitions that hand-written properties bring with them.
    definitions: JsonObject,
}

impl ObjectSchema {
    pub(crate) fn new(direction: Direction) -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        });
        let settings = match direction {
            Direction::Input => settings.for_deserialize(),
            Direction::Output => settings.for_serialize(),
        };
        Self {
            generator: settings.into_generator(),
            properties: JsonObject::new(),
            required: Vec::new(),
            definitions: JsonObject::new(),
        }
    }

    /// The cleaned schema of a type, as an object that takes further keywords.
    pub(crate) fn of<T: JsonSchema>(&mut self) -> JsonObject {
        let mut schema = self.generator.subschema_for::<T>().to_value();
        clean(&mut schema);
        match schema {
            Value::Object(schema) => schema,
            // `true` admits everything, as does the empty schema.
            _ => JsonObject::new(),
        }
    }

    pub(crate) fn property(&mut self, name: &str, mut schema: JsonObject, required: bool) {
        schema.entry("title").or_insert_with(|| title_case(name).into());
        if let Some(Value::Object(definitions)) = schema.shift_remove("$defs") {
            self.definitions.extend(definitions);
        }
        self.properties.insert(name.to_owned(), Value::Object(schema));
        if required {
            self.required.push(name.into());
        }
    }

    /// The finished schema; `title` and `description` first, `$defs` only for recursive types.
    pub(crate) fn finish(mut self, title: Option<&str>, description: &str) -> JsonObject {
        let mut schema = JsonObject::new();
        if let Some(title) = title {
            schema.insert("title".to_owned(), title.into());
        }
        if !description.is_empty() {
            schema.insert("description".to_owned(), description.into());
        }
        schema.insert("type".to_owned(), "object".into());
        if !self.properties.is_empty() {
            schema.insert("properties".to_owned(), Value::Object(self.properties));
        }
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(self.required));
        }
        let mut definitions = self.generator.take_definitions(true);
        definitions.values_mut().for_each(clean);
        definitions.extend(self.definitions);
        if !definitions.is_empty() {
            schema.insert("$defs".to_owned(), Value::Object(definitions));
        }
        schema
    }
}

/// Admits `{error, detail}` beside the result: an object that is one of two.
///
/// Each arm repeats its own keys in full: strict validators want what an arm requires to be declared in it.
pub(crate) fn admit_tool_error(schema: &mut JsonObject) {
    let mut result = JsonObject::new();
    for keyword in ["type", "properties", "required"] {
        let moved = schema.shift_remove(keyword);
        result.extend(moved.map(|value| (keyword.to_owned(), value)));
    }
    let text = |title: &str, description: &str| json!({ "type": "string", "description": description, "title": title });
    let error = json!({
        "type": "object",
        "properties": {
            "error": text("Error", "A short stable kind of failure."),
            "detail": text("Detail", "What happened and what to do next."),
        },
        "required": ["error", "detail"],
    });
    schema.insert("type".to_owned(), "object".into());
    schema.insert("anyOf".to_owned(), json!([result, error]));
}

/// Data keys of an output schema, sorted: every declared key but `message`, `error` and `detail`, over all arms.
pub(crate) fn data_keys(schema: &JsonObject) -> Vec<String> {
    let mut keys = Vec::new();
    collect_keys(schema, &mut keys);
    keys.retain(|key| !matches!(key.as_str(), "message" | "error" | "detail"));
    keys.sort_unstable();
    keys.dedup();
    keys
}

fn collect_keys(schema: &JsonObject, keys: &mut Vec<String>) {
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        keys.extend(properties.keys().cloned());
    }
    for arms in LIST_KEYWORDS
        .iter()
        .filter_map(|keyword| schema.get(*keyword)?.as_array())
    {
        arms.iter()
            .filter_map(Value::as_object)
            .for_each(|arm| collect_keys(arm, keys));
    }
}

/// Where a local `$ref` (`#/…`) of `root` leads.
pub(crate) fn resolve<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    root.pointer(reference.strip_prefix('#')?)
}

/// `area_of_interest` and `areaOfInterest` become `Area Of Interest`.
pub(crate) fn title_case(name: &str) -> String {
    let mut title = String::with_capacity(name.len() + 4);
    let mut start = true;
    let mut lower_before = false;
    for letter in name.chars() {
        if matches!(letter, '_' | '-' | '.') {
            start = true;
            continue;
        }
        if (start || (letter.is_uppercase() && lower_before)) && !title.is_empty() {
            title.push(' ');
        }
        if start {
            title.extend(letter.to_uppercase());
        } else {
            title.push(letter);
        }
        lower_before = letter.is_lowercase() || letter.is_ascii_digit();
        start = false;
    }
    title
}

/// Each direct subschema with its path.
pub(crate) fn subschemas(schema: &JsonObject) -> Vec<(Vec<String>, &Value)> {
    let mut found = Vec::new();
    for keyword in SCHEMA_KEYWORDS {
        found.extend(
            schema
                .get(keyword)
                .map(|subschema| (vec![keyword.to_owned()], subschema)),
        );
    }
    for keyword in LIST_KEYWORDS {
        let list = schema
            .get(keyword)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .enumerate();
        found.extend(list.map(|(index, subschema)| (vec![keyword.to_owned(), index.to_string()], subschema)));
    }
    for keyword in MAP_KEYWORDS {
        let map = schema
            .get(keyword)
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        found.extend(map.map(|(name, subschema)| (vec![keyword.to_owned(), name.clone()], subschema)));
    }
    found
}

fn for_each_subschema(schema: &mut JsonObject, visit: &mut dyn FnMut(&mut Value)) {
    for keyword in SCHEMA_KEYWORDS {
        schema.get_mut(keyword).into_iter().for_each(&mut *visit);
    }
    for keyword in LIST_KEYWORDS {
        schema
            .get_mut(keyword)
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
            .for_each(&mut *visit);
    }
    for keyword in MAP_KEYWORDS {
        let named = schema.get_mut(keyword).and_then(Value::as_object_mut);
        named.into_iter().flat_map(Map::values_mut).for_each(&mut *visit);
    }
}

/// Whether following `reference` can lead back to it.
pub(crate) fn is_recursive(root: &Value, reference: &str) -> bool {
    let mut seen: Vec<&str> = Vec::new();
    let mut open = vec![reference];
    while let Some(next) = open.pop() {
        let Some(target) = resolve(root, next) else {
            continue;
        };
        let mut references = Vec::new();
        collect_references(target, &mut references);
        if references.contains(&reference) {
            return true;
        }
        for reference in references {
            if !seen.contains(&reference) {
                seen.push(reference);
                open.push(reference);
            }
        }
    }
    false
}

fn collect_references<'a>(schema: &'a Value, references: &mut Vec<&'a str>) {
    match schema {
        Value::Object(object) => {
            references.extend(object.get("$ref").and_then(Value::as_str));
            object
                .values()
                .for_each(|value| collect_references(value, references));
        }
        Value::Array(values) => values
            .iter()
            .for_each(|value| collect_references(value, references)),
        _ => {}
    }
}

/// Reduces a generated schema to what every host reads the same way.
fn clean(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    object.shift_remove("$schema");
    drop_exotic_format(object);
    merge_enum_variants(object);
    split_type_list(object);
    for_each_subschema(object, &mut clean);
}

fn drop_exotic_format(schema: &mut JsonObject) {
    let portable = schema
        .get("format")
        .and_then(Value::as_str)
        .is_some_and(|f| PORTABLE_FORMATS.contains(&f));
    if !portable {
        schema.shift_remove("format");
    }
}

/// Documented unit variants arrive as `oneOf` of constants: they become one plain `enum`, their texts a list.
fn merge_enum_variants(schema: &mut JsonObject) {
    let Some(variants) = schema.get("oneOf").and_then(Value::as_array) else {
        return;
    };
    let mut values = Vec::new();
    let mut texts = Vec::new();
    for variant in variants {
        let names = match (
            variant.get("const"),
            variant.get("enum").and_then(Value::as_array),
        ) {
            (Some(Value::String(name)), _) => vec![name.clone()],
            (_, Some(names)) => names
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            _ => return,
        };
        if let (Some(text), [name]) = (
            variant.get("description").and_then(Value::as_str),
            names.as_slice(),
        ) {
            texts.push(format!("- `{name}`: {text}"));
        }
        values.extend(names.into_iter().map(Value::String));
    }
    schema.shift_remove("oneOf");
    schema.insert("type".to_owned(), "string".into());
    schema.insert("enum".to_owned(), values.into());
    append_description(schema, &texts.join("\n"), "\n");
}

/// `type: [T, null]` becomes `anyOf: [{type: T, …}, {type: null}]`.
fn split_type_list(schema: &mut JsonObject) {
    let Some(Value::Array(types)) = schema.get("type") else {
        return;
    };
    let types = types.clone();
    if let [only] = types.as_slice() {
        schema.insert("type".to_owned(), only.clone());
        return;
    }
    let mut kept = JsonObject::new();
    for keyword in ["title", "description", "default"] {
        if let Some(value) = schema.shift_remove(keyword) {
            kept.insert(keyword.to_owned(), value);
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let arms: Vec<Value> = types.into_iter().map(|kind| arm(schema, kind)).collect();
    kept.insert("anyOf".to_owned(), arms.into());
    *schema = kept;
}

fn arm(schema: &JsonObject, kind: Value) -> Value {
    if kind == "null" {
        return json!({ "type": "null" });
    }
    let mut arm = schema.clone();
    arm.insert("type".to_owned(), kind);
    Value::Object(arm)
}

/// Puts the author's words about one use of a type before, or in place of, those about the type itself.
///
/// The texts of an enumeration's values stay: a model needs them to choose.
pub(crate) fn describe_use(schema: &mut JsonObject, text: &str) {
    let about_type = schema.shift_remove("description");
    append_description(schema, text, "");
    if schema.contains_key("enum")
        && let Some(Value::String(about_type)) = about_type
    {
        append_description(schema, &about_type, "\n");
    }
}

/// Adds a text to a schema's description, after `separator` if there is one already.
pub(crate) fn append_description(schema: &mut JsonObject, text: &str, separator: &str) {
    if text.is_empty() {
        return;
    }
    let description = match schema.get("description").and_then(Value::as_str) {
        Some(before) if !before.is_empty() => format!("{before}{separator}{text}"),
        _ => text.to_owned(),
    };
    schema.insert("description".to_owned(), description.into());
}
