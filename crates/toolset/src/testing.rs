//! Calls tools in process, as a toolset's own tests do.
//!
//! A call takes the whole path of a served one but HTTP: checked arguments, declared headers only, a checked result.

use std::time::Instant;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use crate::{Failure, Output, Toolset, input::into_object};

/// Calls a tool by name with JSON arguments.
///
/// # Errors
/// What the tool or its contract refused.
///
/// # Panics
/// The toolset has no tool of that name, or the arguments are no object: the test is wrong.
pub async fn call(toolset: &Toolset, tool: &str, arguments: Value) -> Result<Output, Failure> {
    call_with_headers(toolset, tool, arguments, &[]).await
}

/// Calls a tool as a caller who sends these HTTP headers.
///
/// # Errors
/// What the tool or its contract refused.
///
/// # Panics
/// As [`call`], and if a header is not a valid one.
#[expect(
    clippy::panic,
    reason = "a test that calls a tool which does not exist must stop there"
)]
pub async fn call_with_headers(
    toolset: &Toolset,
    tool: &str,
    arguments: Value,
    headers: &[(&str, &str)],
) -> Result<Output, Failure> {
    let Some(found) = toolset.find(tool) else {
        let known: Vec<&str> = toolset
            .tools()
            .iter()
            .map(|tool| &*tool.declaration().name)
            .collect();
        panic!(
            "toolset `{}` has no tool `{tool}`; it has {}",
            toolset.name(),
            known.join(", ")
        );
    };
    assert!(
        arguments.is_object(),
        "arguments are a JSON object, not {arguments}"
    );
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name = HeaderName::try_from(*name).expect("the test gives a valid header name");
        map.insert(
            name,
            HeaderValue::try_from(*value).expect("the test gives a valid header value"),
        );
    }
    let cx = toolset
        .context()
        .request_id("test")
        .headers(&map)
        .deadline(Instant::now() + found.declaration().limits.timeout)
        .build();
    found.call(into_object(arguments), &cx).await
}
