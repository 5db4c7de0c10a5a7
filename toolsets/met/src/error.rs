//! What a failed call answers: one JSON body `{code, message, supportedAlternatives}`, chosen here and nowhere else.
//!
//! A code is stable: it is never renamed and never used for something else.

use periplus_collection as collection;
use periplus_toolset::{Failure, ProblemKind, Refusal};
use serde_json::{Value, json};

/// Every code a call of this toolset can fail with, and when it does.
pub const CODES: &[(&str, &str)] = &[
    ("UNKNOWN_ARGUMENT", "An argument name the tool does not have."),
    (
        "INVALID_ARGUMENT",
        "A missing argument, or one of the wrong type, range or length.",
    ),
    (
        "INVALID_PREDICATE",
        "A predicate that is malformed, or compares a field with something it cannot hold.",
    ),
    (
        "PREDICATE_LIMIT",
        "A predicate that is too deep, too wide, or has too long values.",
    ),
    (
        "UNSUPPORTED_FIELD",
        "A field that does not exist, or whose values cannot be listed.",
    ),
    (
        "UNSUPPORTED_TRIPLE",
        "An anchor, axis and method that cannot be combined.",
    ),
    (
        "STYLE_NOT_SUPPORTED",
        "The axis `style`: nothing recorded is a judgement of style.",
    ),
    (
        "TOO_MANY_CANDIDATES",
        "A selection larger than may be ranked at once.",
    ),
    (
        "ANCHOR_NOT_FOUND",
        "An anchor object that is not in the snapshot.",
    ),
    (
        "ANCHOR_NOT_RANKABLE",
        "An anchor object without the data that the axis compares.",
    ),
    ("ANCHOR_NOT_SEARCHABLE", "A topic text without a searchable word."),
    (
        "VECTORS_UNAVAILABLE",
        "Visual ranking over a snapshot that stores no vectors.",
    ),
    (
        "INVALID_RECEIPT",
        "A selection receipt that was damaged or never issued.",
    ),
    ("INVALID_CURSOR", "A cursor that was damaged or never issued."),
    (
        "STALE_RECEIPT",
        "A selection receipt of another snapshot or of other query rules.",
    ),
    (
        "STALE_CURSOR",
        "A cursor of another snapshot or of other query rules.",
    ),
    (
        "CURSOR_MISMATCH",
        "A cursor that continues a call with other arguments.",
    ),
    (
        "RECEIPT_TOO_LARGE",
        "A predicate whose receipt would be too long to be sent back.",
    ),
    ("QUERY_TIMEOUT", "A query that ran out of its time budget."),
    (
        "SERVER_BUSY",
        "As many queries as allowed are running and waiting.",
    ),
    (
        "SNAPSHOT_NOT_READY",
        "The catalogue is still being loaded, or failed a check.",
    ),
    ("RESULT_TOO_LARGE", "A result larger than a call may return."),
    (
        "INTERNAL",
        "Anything else; the message has an incident id that the server's log explains.",
    ),
];

/// The body of a failed call.
pub(crate) fn body(code: &str, message: &str, alternatives: &[Value]) -> Value {
    json!({ "code": code, "message": message, "supportedAlternatives": alternatives })
}

/// The catalogue is not there (yet).
pub(crate) fn not_ready(why: &str) -> Refusal {
    let message = format!("the catalogue is not ready: {why}; try again shortly");
    Refusal::new(body("SNAPSHOT_NOT_READY", &message, &[]))
}

/// An argument that the tool checks itself.
pub(crate) fn invalid_argument(argument: &str, problem: &str) -> Refusal {
    let message = format!("argument `{argument}` {problem}");
    Refusal::new(body(
        "INVALID_ARGUMENT",
        &message,
        &[json!({ "argument": argument })],
    ))
}

/// What an engine error answers.
pub(crate) fn from_engine(error: collection::Error) -> Refusal {
    match error {
        collection::Error::Storage(cause) => Refusal::internal(cause),
        error => Refusal::new(body(error.code(), &error.to_string(), &error.alternatives())),
    }
}

/// The text of a call that the runtime ended.
pub(crate) fn failure_text(_tool: &str, failure: &Failure) -> Option<String> {
    let message = failure.to_string();
    let body = match failure {
        Failure::Arguments(problems) => {
            let unknown = problems.iter().find_map(|problem| match &problem.kind {
                ProblemKind::UnknownArgument { nearest } => Some(nearest.clone()),
                _ => None,
            });
            match unknown {
                Some(nearest) => body(
                    "UNKNOWN_ARGUMENT",
                    &message,
                    &nearest.into_iter().map(Value::from).collect::<Vec<_>>(),
                ),
                None => {
                    let pointers = problems
                        .iter()
                        .map(|problem| json!({ "argument": problem.pointer }));
                    body("INVALID_ARGUMENT", &message, &pointers.collect::<Vec<_>>())
                }
            }
        }
        Failure::Timeout { .. } => body("QUERY_TIMEOUT", &message, &[json!("narrow the predicate")]),
        Failure::Busy { retry_after } => {
            let again = json!({ "retryAfterSeconds": retry_after.as_secs().max(1) });
            body("SERVER_BUSY", &message, &[again])
        }
        Failure::TooLarge { .. } => body("RESULT_TOO_LARGE", &message, &[json!("a smaller pageSize")]),
        Failure::Internal { .. } => body("INTERNAL", &message, &[]),
        _ => return None,
    };
    Some(body.to_string())
}
