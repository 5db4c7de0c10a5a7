//! What happens to a tool's result: values go to session state, the model gets the message and a note with the keys.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{
    Artifact, Inputs, JsonObject, Receipts, Reply, StateKey, StoredValue, Tool, Warning, Write,
    entry::serialised_bytes, reply::parse_container, secret,
};

/// How a value is used, said at the end of every note. Reading and passing are told apart on purpose: with one sentence for
/// both, models write handles where the bare key belongs and the other way round.
const HOW_TO_USE: &str = "to read one, give its bare key to inspect_state; to pass one on, write @state:<key> as a whole \
    argument, and only where the parameter's schema accepts it";

/// What a note starts with; hosts and planners look for it.
const NOTE_START: &str = "[state updated: ";

/// The field under which a text is kept that is too long for the model.
const TEXT_FIELD: &str = "full_text";

/// Characters of such a text that the model still sees.
const TEXT_HEAD_CHARS: usize = 4000;

/// From which size on results are kept out of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaptureLimits {
    /// An undeclared field of this many bytes of JSON or more is captured; nothing means none is.
    pub field_bytes: Option<usize>,
    /// A text of more bytes than this is cut, and kept whole under a key.
    pub text_bytes: usize,
}

impl Default for CaptureLimits {
    /// 2048 bytes a field, 16 KiB of text.
    fn default() -> Self {
        Self {
            field_bytes: Some(2048),
            text_bytes: 16 * 1024,
        }
    }
}

/// A tool result, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Captured {
    /// What the model sees.
    pub text: String,
    /// Whether the call failed.
    pub is_error: bool,
    /// What stays beside the message.
    pub artifact: Artifact,
    /// What goes to session state; [`State::apply`](crate::State::apply) it together with storing the artifact.
    pub writes: Vec<Write>,
    /// What a host should log.
    pub warnings: Vec<Warning>,
}

/// Takes a result apart.
///
/// `inputs` and `receipts` are those of the call, as [`resolve`](crate::resolve()) gave them. A failed call publishes nothing.
/// A result without structured fields keeps its text, cut if it is too long.
#[must_use]
pub fn capture(
    tool: &Tool,
    reply: Reply,
    inputs: &Inputs,
    receipts: &Receipts,
    limits: CaptureLimits,
) -> Captured {
    let mut taking = Taking {
        tool,
        inputs,
        limits,
        writes: Vec::new(),
        warnings: Vec::new(),
    };
    let mut artifact = Artifact {
        injected_state: receipts.clone(),
        ..Artifact::default()
    };
    let is_error = reply.is_error;
    let text = taking.text(reply, &mut artifact);
    let text = taking.cut(text, is_error, &mut artifact);
    let text = with_note(text, &artifact.published());
    Captured {
        text,
        is_error,
        artifact,
        writes: taking.writes,
        warnings: taking.warnings,
    }
}

/// The text with the note that names the written keys.
///
/// What a server wrote in the form of a note is written differently, so that every note is ours and true.
fn with_note(text: String, keys: &[&StateKey]) -> String {
    let text = if text.contains(NOTE_START) {
        text.replace(NOTE_START, "(state updated: ")
    } else {
        text
    };
    if keys.is_empty() {
        return text;
    }
    let names: Vec<&str> = keys.iter().map(|key| key.as_str()).collect();
    let note = format!("{NOTE_START}{} — {HOW_TO_USE}]", names.join(", "));
    if text.is_empty() {
        note
    } else {
        format!("{text}\n\n{note}")
    }
}

/// The work on one result.
struct Taking<'a> {
    tool: &'a Tool,
    inputs: &'a Inputs,
    limits: CaptureLimits,
    writes: Vec<Write>,
    warnings: Vec<Warning>,
}

impl Taking<'_> {
    /// Captures the fields and returns what the model sees of the rest.
    fn text(&mut self, mut reply: Reply, artifact: &mut Artifact) -> String {
        let Some(mut structured) = reply.structured.take().filter(|_| !reply.is_error) else {
            return self.content_text(&reply);
        };
        let removed = secret::strip_object(&mut structured);
        let has_lost_secrets = !removed.is_empty();
        self.warn_of_secrets(removed);
        let (kept, captured) = self.take_fields(structured);
        let text = match kept.get("message") {
            Some(Value::String(message)) => message.clone(),
            _ if captured.is_empty() && !has_lost_secrets => self.content_text(&reply),
            _ if kept.is_empty() && !captured.is_empty() => String::new(),
            _ => serde_json::to_string(&kept).expect("a JSON object serialises"),
        };
        artifact.structured_content = Some(kept);
        artifact.captured_state = captured;
        text
    }

    fn content_text(&mut self, reply: &Reply) -> String {
        let mut removed = Vec::new();
        let text = reply.text(&mut removed);
        self.warn_of_secrets(removed);
        text
    }

    fn warn_of_secrets(&mut self, removed: Vec<String>) {
        let (server, tool) = self.names();
        // A structured result is usually repeated in the text: one warning a path is enough.
        for path in removed.into_iter().collect::<BTreeSet<_>>() {
            let warning = Warning::SecretRemoved {
                server: server.clone(),
                tool: tool.clone(),
                path,
            };
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }

    /// Splits the fields into those that stay and those that were captured.
    fn take_fields(&mut self, structured: JsonObject) -> (JsonObject, BTreeMap<String, StateKey>) {
        let mut kept = JsonObject::new();
        let mut captured = BTreeMap::new();
        for (field, value) in structured {
            match self.key_for(&field, &value) {
                Some(key) => {
                    self.write(key.clone(), value);
                    captured.insert(field, key);
                }
                None => {
                    kept.insert(field, value);
                }
            }
        }
        (kept, captured)
    }

    /// The key under which a field is kept, if it is.
    fn key_for(&mut self, field: &str, value: &Value) -> Option<StateKey> {
        // A null says that there is no value; it must not hide an earlier one.
        if field == "message" || value.is_null() || !self.tool.connection().may_publish() {
            return None;
        }
        let declared = self.tool.produces().get(field).cloned();
        let key = declared.or_else(|| self.is_large(value).then(|| self.own_key(field)).flatten())?;
        let is_free = self.writes.iter().all(|write| write.key != key);
        is_free.then_some(key)
    }

    fn is_large(&self, value: &Value) -> bool {
        self.limits
            .field_bytes
            .is_some_and(|threshold| serialised_bytes(value) >= threshold)
    }

    fn own_key(&mut self, field: &str) -> Option<StateKey> {
        let (server, tool) = self.names();
        match StateKey::of_field(&server, &tool, field) {
            Ok(key) => Some(key),
            Err(error) => {
                self.warnings.push(Warning::InvalidKey {
                    server,
                    tool,
                    reason: error.to_string(),
                });
                None
            }
        }
    }

    fn write(&mut self, key: StateKey, value: Value) {
        self.writes.push(Write {
            key,
            value: StoredValue::new(value),
            tool: self.tool.name().to_owned(),
            inputs: self.inputs.clone(),
        });
    }

    /// Cuts a text that would fill the context, and keeps the whole under a key if the call may publish.
    fn cut(&mut self, text: String, is_error: bool, artifact: &mut Artifact) -> String {
        if text.len() <= self.limits.text_bytes {
            return text;
        }
        let (server, tool) = self.names();
        self.warnings.push(Warning::TextCut {
            server,
            tool,
            bytes: text.len(),
        });
        let total = text.chars().count();
        let head: String = text.chars().take(TEXT_HEAD_CHARS).collect();
        let shown = TEXT_HEAD_CHARS.min(total);
        let may_keep = !is_error && self.tool.connection().may_publish();
        artifact.captured_text = if may_keep { self.free_text_key() } else { None };
        let Some(key) = artifact.captured_text.clone() else {
            return format!(
                "{head}…\n\n[text cut: {shown} of {total} characters are shown, the rest was not kept]"
            );
        };
        let note = format!("[text cut: {shown} of {total} characters are shown, the whole is under {key}]");
        self.write(key, parse_container(&text).unwrap_or(Value::String(text)));
        format!("{head}…\n\n{note}")
    }

    /// A key for the text that no field of this result or of this tool has.
    fn free_text_key(&mut self) -> Option<StateKey> {
        let mut field = TEXT_FIELD.to_owned();
        loop {
            let key = self.own_key(&field)?;
            let is_declared = self.tool.produces().values().any(|produced| *produced == key);
            if !is_declared && self.writes.iter().all(|write| write.key != key) {
                return Some(key);
            }
            field.push('_');
        }
    }

    fn names(&self) -> (String, String) {
        (
            self.tool.connection().name().to_owned(),
            self.tool.name().to_owned(),
        )
    }
}
