//! The door of a tool: arguments are bounded, repaired where the meaning is plain, completed, and checked.

use jsonschema::Validator;
use serde_json::{Number, Value};

use crate::{
    JsonObject, Problem, ProblemKind,
    problem::{nearest, pointer_to, problems, shorten},
    shape::{Kinds, Shape, exact_integer},
};

/// Deepest nesting of arguments; GeoJSON needs eight, a predicate tree about ten.
const MAX_DEPTH: usize = 64;
/// Largest arguments, as [`weight`] counts them: about the bytes of their JSON text.
const MAX_WEIGHT: usize = 16 * 1024 * 1024;
/// What a value weighs beside its text.
const VALUE_WEIGHT: usize = 8;

/// A compiled input schema.
#[derive(Debug)]
pub(crate) struct Input {
    schema: Value,
    validator: Validator,
    parameters: Vec<Parameter>,
    /// Only declared names are allowed.
    closed: bool,
}

#[derive(Debug)]
struct Parameter {
    name: String,
    required: bool,
    kinds: Kinds,
    shape: Shape,
    default: Option<Value>,
}

impl Input {
    /// Compiles a schema; the error is the validator's sentence about it.
    ///
    /// The values of `unchecked` parameters are admitted as they come.
    pub(crate) fn compile(schema: &JsonObject, unchecked: &[String]) -> Result<Self, String> {
        let schema = Value::Object(schema.clone());
        let validator = compile(&without_checks(&schema, unchecked))?;
        let required: Vec<&str> = names(&schema, "required").collect();
        let parameters = schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        let parameters = parameters
            .map(|(name, property)| Parameter {
                name: name.clone(),
                required: required.contains(&name.as_str()),
                kinds: Kinds::of_schema(property, &schema),
                shape: Shape::of_schema(property, &schema),
                default: property
                    .get("default")
                    .filter(|default| !default.is_null())
                    .cloned(),
            })
            .collect();
        let closed = schema.get("additionalProperties") == Some(&Value::Bool(false))
            && schema.get("patternProperties").is_none();
        Ok(Self {
            schema,
            validator,
            parameters,
            closed,
        })
    }

    /// Repairs, completes and checks arguments.
    pub(crate) fn admit(&self, mut arguments: JsonObject) -> Result<JsonObject, Vec<Problem>> {
        let mut budget = MAX_WEIGHT;
        for (name, value) in &arguments {
            budget = weight(value, budget.saturating_sub(name.len()), 1).map_err(|problem| vec![problem])?;
        }
        let mut found = self.unknown(&arguments);
        for parameter in &self.parameters {
            if let Err(problem) = parameter.repair(&mut arguments) {
                found.push(problem);
            }
        }
        let arguments = Value::Object(arguments);
        if found.is_empty() && self.validator.is_valid(&arguments) {
            return Ok(into_object(arguments));
        }
        // What is known already is better phrased than what the validator says about the same place.
        for problem in problems(&self.validator, &self.schema, &arguments) {
            if !found.iter().any(|known| known.pointer == problem.pointer) {
                found.push(problem);
            }
        }
        Err(found)
    }

    fn unknown(&self, arguments: &JsonObject) -> Vec<Problem> {
        let unknown = |name: &&String| self.closed && !self.parameters.iter().any(|p| p.name == **name);
        arguments
            .keys()
            .filter(unknown)
            .take(20)
            .map(|name| self.unknown_argument(name))
            .collect()
    }

    fn unknown_argument(&self, name: &str) -> Problem {
        let names = || self.parameters.iter().map(|parameter| parameter.name.as_str());
        let nearest = nearest(name, names());
        let message = match nearest {
            Some(nearest) => format!("unknown argument; did you mean `{nearest}`?"),
            None if self.parameters.is_empty() => "unknown argument; the tool takes none".to_owned(),
            None => format!(
                "unknown argument; the tool takes {}",
                names().collect::<Vec<_>>().join(", ")
            ),
        };
        Problem {
            pointer: pointer_to("", &shorten(name)),
            message,
            kind: ProblemKind::UnknownArgument {
                nearest: nearest.map(str::to_owned),
            },
        }
    }
}

/// The schema with nothing said about the values of some parameters.
fn without_checks(schema: &Value, unchecked: &[String]) -> Value {
    let mut schema = schema.clone();
    for name in unchecked {
        if let Some(property) = schema
            .pointer_mut("/properties")
            .and_then(|properties| properties.get_mut(name))
        {
            *property = Value::Bool(true);
        }
    }
    schema
}

impl Parameter {
    /// Removes a null that stands for "not given", reads texts that stand for a value, fills the default.
    fn repair(&self, arguments: &mut JsonObject) -> Result<(), Problem> {
        if matches!(arguments.get(&self.name), Some(Value::Null)) && !self.kinds.admits(Kinds::NULL) {
            if self.required {
                return Err(self.problem("is required, found null", ProblemKind::Missing));
            }
            arguments.shift_remove(&self.name);
        }
        match arguments.get_mut(&self.name) {
            Some(value) => {
                if let Value::String(text) = value
                    && let Some(meant) = self.read(text)
                {
                    weight(&meant, MAX_WEIGHT, 1)?;
                    *value = meant;
                }
                self.shape.conform_input(value);
            }
            None => {
                if let Some(default) = &self.default {
                    arguments.insert(self.name.clone(), default.clone());
                }
            }
        }
        Ok(())
    }

    /// The value that a text stands for, where the parameter takes no text.
    fn read(&self, text: &str) -> Option<Value> {
        if self.kinds.admits(Kinds::STRING) {
            return None;
        }
        // The parser bounds the depth of the text, its length is bounded by the weight of all arguments.
        let value: Value = serde_json::from_str(text).ok()?;
        match value {
            Value::Number(number) => self.number(number),
            Value::Bool(_) => self.kinds.admits(Kinds::BOOLEAN).then_some(value),
            Value::Array(_) => self.kinds.admits(Kinds::ARRAY).then_some(value),
            Value::Object(_) => self.kinds.admits(Kinds::OBJECT).then_some(value),
            Value::Null | Value::String(_) => None,
        }
    }

    fn number(&self, number: Number) -> Option<Value> {
        if self.kinds.admits(Kinds::FLOAT) {
            return Some(Value::Number(number));
        }
        let integer = if number.is_f64() {
            exact_integer(&number)?
        } else {
            number
        };
        self.kinds
            .admits(Kinds::INTEGER)
            .then_some(Value::Number(integer))
    }

    fn problem(&self, message: &str, kind: ProblemKind) -> Problem {
        Problem {
            pointer: pointer_to("", &self.name),
            message: message.to_owned(),
            kind,
        }
    }
}

/// Compiles a schema of draft 2020-12 with patterns that match in linear time.
pub(crate) fn compile(schema: &Value) -> Result<Validator, String> {
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .with_pattern_options(jsonschema::PatternOptions::regex())
        .build(schema)
        .map_err(|error| error.to_string())
}

pub(crate) fn into_object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

pub(crate) fn names<'a>(schema: &'a Value, keyword: &str) -> impl Iterator<Item = &'a str> {
    schema
        .get(keyword)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// What is left of `budget` after a value, about the bytes of its JSON text.
fn weight(value: &Value, budget: usize, depth: usize) -> Result<usize, Problem> {
    if depth > MAX_DEPTH {
        return Err(too_much(format!(
            "the arguments are nested more than {MAX_DEPTH} levels deep"
        )));
    }
    let own = VALUE_WEIGHT
        + if let Value::String(text) = value {
            text.len()
        } else {
            0
        };
    let Some(mut budget) = budget.checked_sub(own) else {
        return Err(too_much(format!(
            "the arguments have more than about {} MiB",
            MAX_WEIGHT >> 20
        )));
    };
    match value {
        Value::Array(items) => {
            for item in items {
                budget = weight(item, budget, depth + 1)?;
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                budget = weight(member, budget.saturating_sub(name.len()), depth + 1)?;
            }
        }
        _ => {}
    }
    Ok(budget)
}

fn too_much(message: String) -> Problem {
    Problem {
        pointer: String::new(),
        message,
        kind: ProblemKind::Invalid,
    }
}
