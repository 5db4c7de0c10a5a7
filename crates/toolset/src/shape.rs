//! What a schema says about the form of values, compiled once so that calls need not read schemas.

use std::collections::HashMap;

use serde_json::{Number, Value};

use crate::{
    JsonObject,
    schema::{is_recursive, resolve},
};

/// Deepest nesting of a schema that is followed; below it, values are taken as they are.
const MAX_SCHEMA_DEPTH: usize = 32;
/// Longest chain of references and unions that is followed to learn the kinds of a value.
const MAX_UNION_DEPTH: usize = 8;

/// The kinds of JSON value that a schema can admit at its root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kinds(u8);

impl Kinds {
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const BOOLEAN: Self = Self(1 << 1);
    pub(crate) const INTEGER: Self = Self(1 << 2);
    pub(crate) const FLOAT: Self = Self(1 << 3);
    /// A number may be written as an integer.
    const NUMBER: Self = Self(1 << 3 | 1 << 2);
    pub(crate) const STRING: Self = Self(1 << 4);
    pub(crate) const ARRAY: Self = Self(1 << 5);
    pub(crate) const OBJECT: Self = Self(1 << 6);
    const NONE: Self = Self(0);
    const ALL: Self = Self(0x7f);

    pub(crate) fn admits(self, kind: Self) -> bool {
        self.0 & kind.0 != 0
    }

    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    fn named(name: &str) -> Self {
        match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => Self::NONE,
        }
    }

    pub(crate) fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if number.is_f64() => Self::NUMBER,
            Value::Number(_) => Self::INTEGER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    /// The kinds that `schema` can admit; references lead into `root`.
    pub(crate) fn of_schema(schema: &Value, root: &Value) -> Self {
        Self::at_depth(schema, root, 0)
    }

    fn at_depth(schema: &Value, root: &Value, depth: usize) -> Self {
        let Value::Object(object) = schema else {
            return if schema == &Value::Bool(false) {
                Self::NONE
            } else {
                Self::ALL
            };
        };
        if depth > MAX_UNION_DEPTH {
            return Self::ALL;
        }
        let mut kinds = match object.get("type") {
            Some(Value::String(name)) => Self::named(name),
            Some(Value::Array(names)) => names
                .iter()
                .filter_map(Value::as_str)
                .map(Self::named)
                .fold(Self::NONE, Self::or),
            _ => Self::ALL,
        };
        if let Some(Value::Array(values)) = object.get("enum") {
            kinds = kinds.and(values.iter().map(Self::of_value).fold(Self::NONE, Self::or));
        }
        if let Some(value) = object.get("const") {
            kinds = kinds.and(Self::of_value(value));
        }
        if let Some(target) = object
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|r| resolve(root, r))
        {
            kinds = kinds.and(Self::at_depth(target, root, depth + 1));
        }
        for arms in ["anyOf", "oneOf"]
            .iter()
            .filter_map(|keyword| object.get(*keyword)?.as_array())
        {
            let any = arms
                .iter()
                .map(|arm| Self::at_depth(arm, root, depth + 1))
                .fold(Self::NONE, Self::or);
            kinds = kinds.and(any);
        }
        for arm in object
            .get("allOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            kinds = kinds.and(Self::at_depth(arm, root, depth + 1));
        }
        kinds
    }
}

/// The form of a value: where its numbers, lists and declared keys are.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// Nothing to do: scalars, free-form objects, real unions.
    Any,
    Integer,
    Number,
    Array(Box<Self>),
    Object(ObjectShape),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ObjectShape {
    properties: HashMap<String, Shape>,
    /// Shape of keys that are not declared; `None` if the object is for declared keys only.
    rest: Option<Box<Shape>>,
}

impl Shape {
    pub(crate) fn of_schema(schema: &Value, root: &Value) -> Self {
        Self::at_depth(schema, root, 0)
    }

    fn at_depth(schema: &Value, root: &Value, depth: usize) -> Self {
        let Value::Object(object) = schema else {
            return Self::Any;
        };
        if depth > MAX_SCHEMA_DEPTH {
            return Self::Any;
        }
        if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
            // A recursive type has no finite shape: its values are checked but not touched.
            let target = resolve(root, reference).filter(|_| !is_recursive(root, reference));
            return target.map_or(Self::Any, |target| Self::at_depth(target, root, depth + 1));
        }
        let properties = properties(object, root, depth);
        if !properties.is_empty() {
            return Self::Object(ObjectShape {
                properties,
                rest: rest(object, root, depth),
            });
        }
        if let Some(arms) = object
            .get("anyOf")
            .or_else(|| object.get("oneOf"))
            .and_then(Value::as_array)
        {
            let mut real = arms
                .iter()
                .filter(|arm| arm.get("type") != Some(&Value::from("null")));
            return match (real.next(), real.next()) {
                (Some(only), None) => Self::at_depth(only, root, depth + 1),
                _ => Self::Any,
            };
        }
        match object.get("type").and_then(Value::as_str) {
            Some("integer") => Self::Integer,
            Some("number") => Self::Number,
            Some("array") => match object.get("items") {
                Some(items) => Self::Array(Box::new(Self::at_depth(items, root, depth + 1))),
                None => Self::Any,
            },
            Some("object") => match object.get("additionalProperties") {
                Some(values @ Value::Object(_)) => {
                    let rest = Some(Box::new(Self::at_depth(values, root, depth + 1)));
                    Self::Object(ObjectShape {
                        properties: HashMap::new(),
                        rest,
                    })
                }
                _ => Self::Any,
            },
            _ => Self::Any,
        }
    }

    /// Drops undeclared keys and writes whole numbers of number fields as floats.
    pub(crate) fn conform_output(&self, value: &mut Value) {
        match (self, value) {
            (Self::Number, Value::Number(number)) => {
                if let Some(float) = exact_float(number) {
                    *number = float;
                }
            }
            (Self::Array(items), Value::Array(values)) if **items != Self::Any => {
                values.iter_mut().for_each(|value| items.conform_output(value));
            }
            (Self::Object(object), Value::Object(values)) => {
                if object.rest.is_none() && !values.keys().all(|key| object.properties.contains_key(key)) {
                    values.retain(|key, _| object.properties.contains_key(key));
                }
                for (key, value) in values.iter_mut() {
                    if let Some(shape) = object.properties.get(key).or(object.rest.as_deref()) {
                        shape.conform_output(value);
                    }
                }
            }
            _ => {}
        }
    }

    /// Writes `3.0` as `3` where an integer is due: JSON Schema takes both, Rust's integers only the latter.
    pub(crate) fn conform_input(&self, value: &mut Value) {
        match (self, value) {
            (Self::Integer, Value::Number(number)) => {
                if let Some(integer) = exact_integer(number) {
                    *number = integer;
                }
            }
            (Self::Array(items), Value::Array(values)) if **items != Self::Any => {
                values.iter_mut().for_each(|value| items.conform_input(value));
            }
            (Self::Object(object), Value::Object(values)) => {
                for (key, value) in values.iter_mut() {
                    if let Some(shape) = object.properties.get(key).or(object.rest.as_deref()) {
                        shape.conform_input(value);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The properties that the schema and all its arms declare.
fn properties(object: &JsonObject, root: &Value, depth: usize) -> HashMap<String, Shape> {
    let mut all = HashMap::new();
    if depth > MAX_SCHEMA_DEPTH {
        return all;
    }
    for (name, schema) in object
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        all.insert(name.clone(), Shape::at_depth(schema, root, depth + 1));
    }
    for arms in ["anyOf", "oneOf", "allOf"]
        .iter()
        .filter_map(|keyword| object.get(*keyword)?.as_array())
    {
        for arm in arms.iter().filter_map(|arm| dereference(arm, root)) {
            for (name, shape) in properties(arm, root, depth + 1) {
                // Arms that disagree about a key leave it untouched.
                let entry = all.entry(name).or_insert_with(|| shape.clone());
                if *entry != shape {
                    *entry = Shape::Any;
                }
            }
        }
    }
    all
}

fn dereference<'a>(schema: &'a Value, root: &'a Value) -> Option<&'a JsonObject> {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) if is_recursive(root, reference) => None,
        Some(reference) => resolve(root, reference)?.as_object(),
        None => schema.as_object(),
    }
}

/// What undeclared keys may hold, over the schema and its arms; `None` if there may be none.
fn rest(object: &JsonObject, root: &Value, depth: usize) -> Option<Box<Shape>> {
    if object.contains_key("patternProperties") {
        return Some(Box::new(Shape::Any));
    }
    match object.get("additionalProperties") {
        None | Some(Value::Bool(false)) => {}
        Some(schema) => return Some(Box::new(Shape::at_depth(schema, root, depth + 1))),
    }
    let arms = ["anyOf", "oneOf", "allOf"]
        .into_iter()
        .filter_map(|keyword| object.get(keyword)?.as_array());
    let mut open = arms
        .flatten()
        .filter_map(|arm| dereference(arm, root))
        .filter(|arm| {
            matches!(
                arm.get("additionalProperties"),
                Some(Value::Object(_) | Value::Bool(true))
            ) || arm.contains_key("patternProperties")
        });
    open.next().map(|_| Box::new(Shape::Any))
}

/// Whole numbers above this are not exact as floats.
const MAX_EXACT: u64 = 1 << 53;

fn exact_float(number: &Number) -> Option<Number> {
    if number.is_f64() {
        return None;
    }
    let magnitude = number
        .as_u64()
        .or_else(|| number.as_i64().map(i64::unsigned_abs))?;
    if magnitude > MAX_EXACT {
        return None;
    }
    Number::from_f64(number.as_f64()?)
}

/// The integer that a number or a numeric text stands for, if it is exact.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the value is whole and within ±2^53"
)]
pub(crate) fn exact_integer(number: &Number) -> Option<Number> {
    if !number.is_f64() {
        return None;
    }
    let float = number.as_f64()?;
    (float.fract() == 0.0 && float.abs() <= MAX_EXACT as f64).then(|| Number::from(float as i64))
}
