//! Words for what a validator found wrong: which path, what was expected, what was there.

use jsonschema::{
    ValidationError, Validator,
    error::{TypeKind, ValidationErrorKind},
};
use serde_json::Value;

use crate::{JsonObject, Problem, ProblemKind};

/// Most problems listed in one failure; a model repairs a handful at a time.
const MAX_PROBLEMS: usize = 20;
/// Longest excerpt of a caller's value in a message, in characters.
const MAX_EXCERPT: usize = 60;
/// Most allowed values listed for an enumeration.
const MAX_OPTIONS: usize = 30;
/// Deepest nesting of `anyOf`/`oneOf` that is explained.
const MAX_UNION_DEPTH: usize = 8;

/// Every failing path of `value`, at most [`MAX_PROBLEMS`] and a last line that counts the others.
pub(crate) fn problems(validator: &Validator, schema: &Value, value: &Value) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut more = 0;
    for error in validator.iter_errors(value) {
        if found.len() < MAX_PROBLEMS {
            explain(&error, schema, 0, &mut found);
        } else {
            more += 1;
        }
    }
    more += found.len().saturating_sub(MAX_PROBLEMS);
    found.truncate(MAX_PROBLEMS);
    if more > 0 {
        found.push(Problem {
            pointer: String::new(),
            message: format!("and {more} more problems"),
            kind: ProblemKind::Invalid,
        });
    }
    found
}

/// The nearest of `names` to `name`, if it is close enough to be a typing mistake.
pub(crate) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const LIKENESS: f64 = 0.7;
    // The comparison is quadratic in the length, and no declared name is that long.
    if name.len() > 100 {
        return None;
    }
    let (asked, mut best) = (name.to_lowercase(), None);
    for candidate in names {
        let likeness = strsim::jaro_winkler(&asked, &candidate.to_lowercase());
        if likeness >= LIKENESS && best.is_none_or(|(before, _)| likeness > before) {
            best = Some((likeness, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// A caller's value, short enough for a message.
pub(crate) fn excerpt(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\"{}\"", shorten(text)),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
        scalar => scalar.to_string(),
    }
}

/// A caller's text, cut to what a message can carry.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_EXCERPT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Escapes a name for a JSON pointer.
pub(crate) fn pointer_to(parent: &str, name: &str) -> String {
    format!("{parent}/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn explain(error: &ValidationError<'_>, schema: &Value, depth: usize, found: &mut Vec<Problem>) {
    let pointer = error.instance_path().as_str();
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            found.push(Problem {
                pointer: pointer_to(pointer, name),
                message: "is required".to_owned(),
                kind: ProblemKind::Missing,
            });
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let known = known_properties(error, schema);
            found.extend(unexpected.iter().take(MAX_PROBLEMS).map(|name| Problem {
                pointer: pointer_to(pointer, &shorten(name)),
                message: unknown_property(name, known),
                kind: ProblemKind::Invalid,
            }));
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context }
            if depth < MAX_UNION_DEPTH =>
        {
            match closest_arm(context, pointer) {
                Some(arm) => arm
                    .iter()
                    .for_each(|error| explain(error, schema, depth + 1, found)),
                None => found.push(invalid(error, union_message(context, error))),
            }
        }
        _ => found.push(invalid(error, message(error))),
    }
}

fn invalid(error: &ValidationError<'_>, message: String) -> Problem {
    Problem {
        pointer: error.instance_path().as_str().to_owned(),
        message,
        kind: ProblemKind::Invalid,
    }
}

fn message(error: &ValidationError<'_>) -> String {
    use ValidationErrorKind as Kind;
    let found = excerpt(error.instance());
    match error.kind() {
        Kind::Type { kind } => format!("expected {}, found {found}", type_names(kind)),
        Kind::Enum { options } => format!("expected one of {}, found {found}", list(options)),
        Kind::Constant { expected_value } => format!("expected {}, found {found}", excerpt(expected_value)),
        Kind::Minimum { limit } => format!("expected at least {limit}, found {found}"),
        Kind::Maximum { limit } => format!("expected at most {limit}, found {found}"),
        Kind::ExclusiveMinimum { limit } => format!("expected more than {limit}, found {found}"),
        Kind::ExclusiveMaximum { limit } => format!("expected less than {limit}, found {found}"),
        Kind::MinLength { limit } => format!("expected at least {limit} characters, found {found}"),
        Kind::MaxLength { limit } => format!("expected at most {limit} characters, found {found}"),
        Kind::MinItems { limit } => format!("expected at least {limit} items, found {found}"),
        Kind::MaxItems { limit } => format!("expected at most {limit} items, found {found}"),
        Kind::MinProperties { limit } => format!("expected at least {limit} properties"),
        Kind::MaxProperties { limit } => format!("expected at most {limit} properties"),
        Kind::UniqueItems => "expected no item twice".to_owned(),
        Kind::Pattern { pattern } => format!("expected text that matches {pattern}, found {found}"),
        Kind::Format { format } => format!("expected text in the format {format}, found {found}"),
        Kind::OneOfMultipleValid { .. } => "fits more than one of the allowed forms; leave one".to_owned(),
        // The crate's own sentence, with the caller's value left out.
        _ => error.masked().to_string(),
    }
}

fn type_names(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(kind) => with_article(kind.as_str()),
        TypeKind::Multiple(kinds) => {
            let names: Vec<String> = kinds.iter().map(|kind| with_article(kind.as_str())).collect();
            names.join(" or ")
        }
    }
}

fn with_article(name: &str) -> String {
    match name {
        "null" => name.to_owned(),
        "integer" | "array" | "object" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

fn list(options: &Value) -> String {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut texts: Vec<String> = options.iter().take(MAX_OPTIONS).map(excerpt).collect();
    if options.len() > MAX_OPTIONS {
        texts.push(format!("{} more", options.len() - MAX_OPTIONS));
    }
    texts.join(", ")
}

fn unknown_property(name: &str, known: Option<&JsonObject>) -> String {
    match known.and_then(|known| nearest(name, known.keys().map(String::as_str))) {
        Some(nearest) => format!("unknown property; did you mean `{nearest}`?"),
        None => "unknown property".to_owned(),
    }
}

/// The `properties` beside the keyword that refused a name.
fn known_properties<'a>(error: &ValidationError<'_>, schema: &'a Value) -> Option<&'a JsonObject> {
    let path = error.schema_path().as_str();
    let parent = path.get(..path.rfind('/')?)?;
    schema.pointer(parent)?.get("properties")?.as_object()
}

/// The arm of a union that the value was meant for: the only one that does not fail on the value itself.
fn closest_arm<'a, 'b>(
    context: &'a [Vec<ValidationError<'b>>],
    pointer: &str,
) -> Option<&'a [ValidationError<'b>]> {
    let mut near = context
        .iter()
        .filter(|arm| !arm.iter().any(|error| rejects_outright(error, pointer)));
    match (near.next(), near.next()) {
        (Some(arm), None) => Some(arm),
        _ => None,
    }
}

/// Whether the error says "this is another kind of thing", by its type or by a constant that names the kind.
fn rejects_outright(error: &ValidationError<'_>, pointer: &str) -> bool {
    let here = error.instance_path().as_str();
    let depth = here.get(pointer.len()..).unwrap_or_default().matches('/').count();
    match error.kind() {
        ValidationErrorKind::Type { .. } => depth == 0,
        ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. } => depth <= 1,
        _ => false,
    }
}

fn union_message(context: &[Vec<ValidationError<'_>>], error: &ValidationError<'_>) -> String {
    let mut expected: Vec<String> = Vec::new();
    for error in context.iter().flatten() {
        let text = match error.kind() {
            ValidationErrorKind::Type { kind } => type_names(kind),
            ValidationErrorKind::Constant { expected_value } => excerpt(expected_value),
            _ => continue,
        };
        if !expected.contains(&text) && expected.len() < MAX_OPTIONS {
            expected.push(text);
        }
    }
    let found = excerpt(error.instance());
    if expected.is_empty() {
        format!("fits none of the {} allowed forms, found {found}", context.len())
    } else {
        format!(
            "fits none of the {} allowed forms ({}), found {found}",
            context.len(),
            expected.join(", ")
        )
    }
}
