//! The API as an OpenAPI 3.1 document.

use serde_json::{Map, Value, json};

/// A route: method, path, what it does, and what it answers by status.
type Route = (
    &'static str,
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const THREAD_MISSING: (&str, &str) = ("404", "There is no such thread, or it is somebody else's.");
const CONNECTING: (&str, &str) = ("503", "The agent is still connecting to its toolsets.");

const ROUTES: &[Route] = &[
    (
        "post",
        "/runs",
        "Answer a message, or go on with answers to open questions",
        &[
            (
                "200",
                "The run, as AG-UI events; failures from here on are a RUN_ERROR event.",
            ),
            (
                "409",
                "Another run holds the thread, or the thread waits for answers and the request does not fit them.",
            ),
            ("408", "The body did not arrive in time."),
            ("413", "The body is larger than is accepted."),
            ("415", "The body is not application/json."),
            (
                "422",
                "There is nothing to run, or the body or an answer is malformed.",
            ),
            CONNECTING,
        ],
    ),
    (
        "post",
        "/runs/{run}/cancel",
        "Cancel a run; what it had finished stays in its thread",
        &[
            ("202", "It is being cancelled."),
            ("404", "No such run is in progress here."),
            CONNECTING,
        ],
    ),
    (
        "get",
        "/threads",
        "The caller's threads, the newest first",
        &[
            ("200", "A page of threads."),
            ("403", "No identity came with the request."),
            CONNECTING,
        ],
    ),
    (
        "get",
        "/threads/{thread}",
        "A thread: messages with their activities, session state, open questions",
        &[("200", "The thread."), THREAD_MISSING, CONNECTING],
    ),
    (
        "delete",
        "/threads/{thread}",
        "Remove a thread with its values",
        &[
            ("204", "It is gone."),
            THREAD_MISSING,
            ("409", "A run holds it."),
            CONNECTING,
        ],
    ),
    (
        "get",
        "/threads/{thread}/turns",
        "The turns whose session state is still kept",
        &[("200", "The turns."), THREAD_MISSING, CONNECTING],
    ),
    (
        "get",
        "/threads/{thread}/state/{key}",
        "A value of session state, now or at the end of a turn; the key's slashes stand as they are",
        &[
            ("200", "The value."),
            ("404", "There is no such thread, turn or key."),
            ("410", "The values of that turn were dropped to save space."),
            ("422", "The turn is not a number from 1."),
            CONNECTING,
        ],
    ),
    (
        "get",
        "/threads/{thread}/idle",
        "Wait, up to 25 seconds, until no run holds the thread",
        &[
            ("200", "Whether a run still holds it."),
            THREAD_MISSING,
            CONNECTING,
        ],
    ),
    (
        "get",
        "/views/{toolset}/{view}",
        "The HTML of a view",
        &[
            ("200", "The page."),
            ("404", "No tool has such a view."),
            CONNECTING,
        ],
    ),
    (
        "get",
        "/connections",
        "The toolsets, the credential headers they take, their tools, and what could not be reached",
        &[("200", "The connections."), CONNECTING],
    ),
    (
        "get",
        "/docs",
        "This description as a page",
        &[("200", "The page.")],
    ),
    (
        "get",
        "/openapi.json",
        "This description",
        &[("200", "An OpenAPI document.")],
    ),
    (
        "get",
        "/health/liveness",
        "Whether the process answers",
        &[("200", "It does.")],
    ),
    (
        "get",
        "/health/readiness",
        "Whether runs can start",
        &[("200", "They can."), CONNECTING],
    ),
];

/// The HTTP interface of an API whose routes begin with `prefix`, as an OpenAPI 3.1 document.
#[must_use]
pub fn interface(prefix: &str) -> Value {
    let mut paths = Map::new();
    for (method, path, summary, answers) in ROUTES {
        let item = paths.entry(*path).or_insert_with(|| json!({}));
        if let Value::Object(item) = item {
            item.insert((*method).to_owned(), operation(method, path, summary, answers));
        }
    }
    json!({
        "openapi": "3.1.1",
        "info": {
            "title": "Periplus agent",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Runs of the agent as AG-UI event streams, and the threads they leave.",
        },
        "servers": [{ "url": format!("/{}", prefix.trim_matches('/')) }],
        "paths": paths,
        "components": { "schemas": { "Error": error_schema(), "Run": run_schema() } },
    })
}

fn operation(method: &str, path: &str, summary: &str, answers: &[(&str, &str)]) -> Value {
    let responses: Map<String, Value> = answers
        .iter()
        .map(|(status, description)| ((*status).to_owned(), response(path, status, description)))
        .collect();
    let mut operation = Map::from_iter([
        ("summary".to_owned(), json!(summary)),
        ("tags".to_owned(), json!(["agent"])),
        ("responses".to_owned(), Value::Object(responses)),
    ]);
    let parameters = parameters(path);
    if !parameters.is_empty() {
        operation.insert("parameters".to_owned(), parameters.into());
    }
    if (method, path) == ("post", "/runs") {
        let body = json!({
            "required": true,
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Run" } } },
        });
        operation.insert("requestBody".to_owned(), body);
    }
    Value::Object(operation)
}

fn response(path: &str, status: &str, description: &str) -> Value {
    let media = match (path, status) {
        (_, "202" | "204") => return json!({ "description": description }),
        ("/runs", "200") => "text/event-stream",
        ("/views/{toolset}/{view}" | "/docs", "200") => "text/html",
        _ => "application/json",
    };
    let schema = match (media, status) {
        ("application/json", "200") => json!({ "type": "object" }),
        ("application/json", _) => json!({ "$ref": "#/components/schemas/Error" }),
        _ => json!({ "type": "string" }),
    };
    json!({ "description": description, "content": { media: { "schema": schema } } })
}

fn parameters(path: &str) -> Vec<Value> {
    let in_path = path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }));
    let query = |name: &str, kind: &str| json!({ "name": name, "in": "query", "schema": { "type": kind } });
    let in_query = match path {
        "/threads" => vec![query("limit", "integer"), query("after", "string")],
        "/threads/{thread}/state/{key}" => vec![query("turn", "integer")],
        _ => Vec::new(),
    };
    in_path.chain(in_query).collect()
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "required": ["detail"],
        "properties": { "detail": { "description": "A sentence, or an object with a reason and a message.", "anyOf": [
            { "type": "string" },
            { "type": "object", "required": ["reason", "message"], "properties": {
                "reason": { "type": "string" }, "message": { "type": "string" },
            } },
        ] } },
    })
}

fn run_schema() -> Value {
    json!({
        "type": "object",
        "description": "AG-UI's RunAgentInput. Of the messages only the last one of the person is read; state, tools and context are ignored.",
        "properties": {
            "threadId": { "type": "string", "description": "The thread; a new one is begun without it." },
            "runId": { "type": "string", "description": "The run; one is chosen without it." },
            "messages": { "type": "array", "items": {
                "type": "object",
                "required": ["id", "role"],
                "properties": {
                    "id": { "type": "string" },
                    "role": { "type": "string" },
                    "content": { "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "object" } }] },
                },
            } },
            "resume": { "type": "array", "items": {
                "type": "object",
                "required": ["interruptId", "status"],
                "properties": {
                    "interruptId": { "type": "string" },
                    "status": { "enum": ["resolved", "cancelled"] },
                    "payload": { "description": "In the form of the question's responseSchema." },
                },
            } },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_of_a_path_is_described() {
        let document = interface("/agent/");
        assert_eq!(document["servers"][0]["url"], "/agent");
        for (path, item) in document["paths"].as_object().unwrap() {
            for operation in item.as_object().unwrap().values() {
                let described = operation["parameters"].as_array().map_or(0, |parameters| {
                    parameters
                        .iter()
                        .filter(|parameter| parameter["in"] == "path")
                        .count()
                });
                assert_eq!(described, path.matches('{').count(), "{path}");
                assert!(!operation["responses"].as_object().unwrap().is_empty());
            }
        }
    }
}
