//! What the library reports, sorted into our errors.
//!
//! Providers agree on little: the same fault is a status here, a code there, a sentence elsewhere, before or inside a
//! stream. Everything is decided in [`classify`], from the status and the body.

use std::{error::Error, time::Duration};

use genai::webc::StreamTimeout;
use periplus_fetch::root_cause;
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};
use serde_json::Value;

use super::target::Target;
use crate::{ChatError, TimeoutPhase};

/// How much of a provider's sentence is passed on.
const MAX_MESSAGE_CHARS: usize = 300;

const RETRY_AFTER_MS: HeaderName = HeaderName::from_static("retry-after-ms");

/// Words that providers use when a conversation is too long.
const CONTEXT_MARKS: &[&str] = &[
    "context_length_exceeded",
    "maximum context length",
    "context window",
    "context length",
    "prompt is too long",
    "input token count",
    "exceed context limit",
    "too many tokens",
];

/// Words for a quota that waiting does not bring back.
const QUOTA_MARKS: &[&str] = &["insufficient_quota", "billing", "credit balance"];

/// Words for content that a filter stopped.
const FILTER_MARKS: &[&str] = &[
    "content_filter",
    "content_policy_violation",
    "responsibleaipolicyviolation",
];

/// Sorts an error of the library. `began` says whether any of the answer had arrived.
pub(super) fn sort(error: &genai::Error, target: &Target, began: bool) -> ChatError {
    match error {
        genai::Error::HttpError {
            status,
            body,
            headers,
            ..
        } => classify(target, status.as_u16(), &parse(body), Some(headers)),
        genai::Error::ChatResponse { body, .. } => classify(target, 0, body, None),
        genai::Error::WebStream { error, .. } => sort_transport(error.as_ref(), target, began),
        genai::Error::StreamParse { serde_error, .. } if serde_error.is_eof() => ChatError::Interrupted {
            model: target.model.clone(),
            reason: "the stream ended inside an event".to_owned(),
        },
        genai::Error::StreamParse { serde_error, .. } => ChatError::Malformed {
            what: format!(
                "a piece of the stream of {} is not JSON ({serde_error})",
                target.model
            ),
        },
        genai::Error::JsonValueExt(_) | genai::Error::SerdeJson(_) => ChatError::Malformed {
            what: format!("a piece of the stream of {} lacks a field", target.model),
        },
        other => ChatError::Configuration {
            model: target.model.clone(),
            reason: passed_on(target, &other.to_string()),
        },
    }
}

fn sort_transport(error: &(dyn Error + Send + Sync + 'static), target: &Target, began: bool) -> ChatError {
    if let Some(error) = error.downcast_ref::<genai::Error>() {
        return sort(error, target, began);
    }
    if let Some(timeout) = error.downcast_ref::<StreamTimeout>() {
        let (phase, after) = match timeout {
            StreamTimeout::Headers => (TimeoutPhase::FirstByte, target.timeouts.first_byte),
            StreamTimeout::Read => (TimeoutPhase::Idle, target.timeouts.idle),
        };
        return ChatError::Timeout {
            model: target.model.clone(),
            phase,
            after,
        };
    }
    let reason = passed_on(target, &root_cause(error));
    match error.downcast_ref::<reqwest::Error>() {
        Some(error) if began || error.is_body() || error.is_decode() => ChatError::Interrupted {
            model: target.model.clone(),
            reason,
        },
        Some(_) => ChatError::Unreachable {
            model: target.model.clone(),
            host: target.host(),
            reason,
        },
        None => ChatError::Malformed {
            what: format!("the stream of {}: {reason}", target.model),
        },
    }
}

/// Decides what a provider's error means. `status` is 0 for an error inside a stream.
fn classify(target: &Target, status: u16, body: &Value, headers: Option<&HeaderMap>) -> ChatError {
    let model = target.model.clone();
    let message = passed_on(target, &sentence(body));
    let words = body.to_string().to_ascii_lowercase();
    let says = |marks: &[&str]| marks.iter().any(|mark| words.contains(mark));
    let retry_after = headers.and_then(retry_after);

    let refuses_key = matches!(status, 401 | 403)
        || says(&[
            "authentication_error",
            "permission_error",
            "invalid_api_key",
            "api_key_invalid",
        ]);
    if refuses_key {
        return ChatError::Auth { model, status };
    }
    if status == 429 || says(&["rate_limit", "resource_exhausted", "insufficient_quota"]) {
        let is_temporary = !says(QUOTA_MARKS);
        return ChatError::RateLimited {
            model,
            retry_after,
            is_temporary,
            message,
        };
    }
    if matches!(status, 0 | 400 | 413 | 422) && says(CONTEXT_MARKS) {
        return ChatError::ContextLength { model, message };
    }
    if matches!(status, 0 | 400) && says(FILTER_MARKS) {
        return ChatError::Refused {
            model,
            reason: message,
        };
    }
    let is_down = status >= 500
        || status == 408
        || (status == 0
            && says(&[
                "overloaded",
                "server_error",
                "api_error",
                "internal",
                "unavailable",
            ]));
    if is_down {
        return ChatError::Unavailable {
            model,
            status,
            message,
            retry_after,
        };
    }
    ChatError::Rejected {
        model,
        status,
        message,
    }
}

/// The sentence a person should read: the error's message wherever the provider keeps it, else the body.
fn sentence(body: &Value) -> String {
    let body = body.as_array().and_then(|items| items.first()).unwrap_or(body);
    let error = body.get("error").unwrap_or(body);
    let message = error
        .get("message")
        .or_else(|| error.get("detail"))
        .unwrap_or(error);
    match message {
        Value::String(text) if text.trim().is_empty() => "no reason given".to_owned(),
        Value::String(text) => text.clone(),
        Value::Null => "no reason given".to_owned(),
        other => other.to_string(),
    }
}

fn parse(body: &str) -> Value {
    serde_json::from_str(body).unwrap_or_else(|_| Value::String(body.to_owned()))
}

/// A text of the provider, made safe to show: one line, short, without the key.
pub(super) fn passed_on(target: &Target, text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = target.without_key(&line);
    match line.char_indices().nth(MAX_MESSAGE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The wait a response asks for: milliseconds, seconds, or a date read against the response's own clock.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &HeaderName| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::trim)
    };
    let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).ok();
    if let Some(milliseconds) = text(&RETRY_AFTER_MS).and_then(|value| value.parse::<f64>().ok()) {
        return seconds(milliseconds / 1000.0);
    }
    let value = text(&RETRY_AFTER)?;
    if let Ok(value) = value.parse::<f64>() {
        return seconds(value);
    }
    let until = httpdate::parse_http_date(value).ok()?;
    let now = httpdate::parse_http_date(text(&DATE)?).ok()?;
    Some(until.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ModelSettings;

    fn target() -> Target {
        let settings = ModelSettings {
            api_key: Some("sk-test-key".into()),
            ..Default::default()
        };
        Target::new("openai:gpt-4o".parse().unwrap(), settings).unwrap()
    }

    /// The kind of error, as its variant's name.
    fn kind(status: u16, body: &Value) -> String {
        let error = classify(&target(), status, body, None);
        format!("{error:?}").split([' ', '{']).next().unwrap().to_owned()
    }

    #[test]
    fn the_same_fault_is_recognised_in_the_words_of_every_provider() {
        for (status, body, expected) in [
            (
                401,
                json!({"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}),
                "Auth",
            ),
            (
                400,
                json!({"error": {"status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}}),
                "Auth",
            ),
            (
                401,
                json!({"type": "error", "error": {"type": "authentication_error"}}),
                "Auth",
            ),
            (429, json!({"error": {"message": "slow down"}}), "RateLimited"),
            (
                0,
                json!({"type": "error", "error": {"type": "rate_limit_error"}}),
                "RateLimited",
            ),
            (
                400,
                json!({"error": {"code": "context_length_exceeded", "message": "m"}}),
                "ContextLength",
            ),
            (
                400,
                json!({"error": {"type": "invalid_request_error", "message": "prompt is too long: 9"}}),
                "ContextLength",
            ),
            (
                400,
                json!([{"error": {"message": "The input token count (9) exceeds the maximum"}}]),
                "ContextLength",
            ),
            (
                400,
                json!({"error": {"code": "content_filter", "message": "m"}}),
                "Refused",
            ),
            (529, json!({"error": {"type": "overloaded_error"}}), "Unavailable"),
            (
                0,
                json!({"error": {"type": "overloaded_error", "message": "Overloaded"}}),
                "Unavailable",
            ),
            (500, json!("<html>Internal Server Error</html>"), "Unavailable"),
            (404, json!({"error": {"message": "model not found"}}), "Rejected"),
            (400, json!({"detail": "bad"}), "Rejected"),
        ] {
            assert_eq!(kind(status, &body), expected, "{status} {body}");
        }
    }

    #[test]
    fn a_used_up_quota_is_not_temporary() {
        let body =
            json!({"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}});
        assert!(!classify(&target(), 429, &body, None).is_transient());
        assert!(classify(&target(), 429, &json!({"error": {"message": "slow down"}}), None).is_transient());
    }

    #[test]
    fn a_passed_on_sentence_is_one_short_line_without_the_key() {
        let body = json!({"error": {"message": format!("Incorrect\nkey sk-test-key {}", "x".repeat(500))}});
        let ChatError::Rejected { message, .. } = classify(&target(), 400, &body, None) else {
            panic!()
        };
        assert!(message.starts_with("Incorrect key … xxx"), "{message}");
        assert_eq!(message.chars().count(), MAX_MESSAGE_CHARS + 1);
    }

    #[test]
    fn a_wait_is_read_in_all_its_forms() {
        let wait = |pairs: &[(&'static str, &str)]| {
            let headers = pairs
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()));
            retry_after(&headers.collect::<HeaderMap>())
        };
        assert_eq!(wait(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
        assert_eq!(
            wait(&[("retry-after", "7"), ("retry-after-ms", "250")]),
            Some(Duration::from_millis(250))
        );
        let date = ("date", "Mon, 30 Nov 2026 12:00:00 GMT");
        assert_eq!(
            wait(&[date, ("retry-after", "Mon, 30 Nov 2026 12:00:09 GMT")]),
            Some(Duration::from_secs(9))
        );
        assert_eq!(
            wait(&[date, ("retry-after", "Mon, 30 Nov 2026 11:00:00 GMT")]),
            Some(Duration::ZERO)
        );
        assert_eq!(wait(&[("retry-after", "Mon, 30 Nov 2026 12:00:09 GMT")]), None);
        assert_eq!(wait(&[("retry-after", "-1")]), None);
        assert_eq!(wait(&[]), None);
    }
}
