//! The fixtures of the official MCP conformance suite, as one toolset.
//!
//! It uses every part of the protocol that the runtime serves, which is what the suite looks for and what no useful
//! toolset does at once. Names and texts are the suite's; it is served when it is named, and by tests.

mod documents;
mod media;
mod prompts;
mod tools;

use periplus_toolset::{Changes, Failure, LegacyStreams, Toolset, Value};

/// The toolset `conformance`.
#[must_use]
pub fn toolset() -> Toolset {
    let changes = Changes::default();
    let toolset = Toolset::new("conformance")
        .title("Conformance fixtures")
        .version(env!("CARGO_PKG_VERSION"))
        .changes(changes.clone())
        .state(changes)
        .legacy_streams(LegacyStreams {
            logs: true,
            questions: true,
        })
        .failure_text(plain_text);
    let toolset = documents::all().add_to(toolset);
    let toolset = prompts::all().into_iter().fold(toolset, Toolset::prompt);
    tools::all().into_iter().fold(toolset, Toolset::tool)
}

/// Error results are the texts that the suite expects, without a word of the runtime's.
fn plain_text(_tool: &str, failure: &Failure) -> Option<String> {
    match failure {
        Failure::IsError(Value::String(text)) => Some(text.clone()),
        _ => None,
    }
}
