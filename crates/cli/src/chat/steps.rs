//! What a step of a turn shows: the call, what it was given out of session state, what it published.

use periplus_state::Artifact;
use serde_json::Value;

/// Characters of arguments that are shown.
const MAX_ARGUMENTS: usize = 300;

/// The line of a call that begins.
pub(crate) fn started(tool: &str, arguments: &Value) -> String {
    let text = match arguments {
        Value::String(text) => text.clone(),
        arguments => arguments.to_string(),
    };
    let shown: String = text.chars().take(MAX_ARGUMENTS).collect();
    let rest = if shown.len() < text.len() { "…" } else { "" };
    format!("→ {tool} {shown}{rest}")
}

/// The lines of a call that has ended; none if there is nothing to say.
pub(crate) fn finished(content: &str, is_error: bool, artifact: &Artifact) -> Vec<String> {
    let mut lines: Vec<String> = artifact
        .injected_state
        .iter()
        .map(|(parameter, receipt)| format!("    {}", receipt.line(parameter)))
        .collect();
    if is_error {
        let first = content.lines().next().unwrap_or_default();
        lines.push(format!("    failed: {first}"));
    }
    lines.extend(
        artifact
            .published()
            .iter()
            .map(|key| format!("    published {key}")),
    );
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_arguments_are_cut_and_failures_give_their_first_line() {
        assert_eq!(
            started("hello", &json!({"name": "Ada"})),
            r#"→ hello {"name":"Ada"}"#
        );
        let long = started("hello", &json!({ "name": "x".repeat(400) }));
        assert_eq!(
            long.chars().count(),
            "→ hello ".chars().count() + MAX_ARGUMENTS + 1
        );
        let artifact = Artifact::default();
        assert_eq!(finished("no\nbecause", true, &artifact), ["    failed: no"]);
        assert!(finished("fine", false, &artifact).is_empty());
    }
}
