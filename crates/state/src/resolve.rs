//! Before a call: handles become values, or the call is refused. No handle ever reaches a server.

use serde_json::Value;

use crate::{
    HANDLE_PREFIX, Inputs, JsonObject, NotAuthoredProblem, Origin, Receipt, Receipts, Refusal, State,
    StateKey, Tool, Unresolved, UnresolvedReason, handle_key, key::contains_handle, path,
};

/// A call that can be made.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The arguments to send.
    pub arguments: JsonObject,
    /// Where each argument came from.
    pub inputs: Inputs,
    /// What was put in from session state.
    pub receipts: Receipts,
}

/// Replaces the handles in the arguments that a model wrote.
///
/// # Errors
/// The [`Refusal`] is the result of the call: a not-authored parameter was written or left out, or a handle stands for
/// no value, stands inside a value, or names one that this server may not be given.
pub fn resolve(tool: &Tool, mut arguments: JsonObject, state: &State) -> Result<Resolved, Refusal> {
    // First, because only now can a value that the model wrote be told from one that is put in.
    check_not_authored(tool, &mut arguments, state)?;
    let receipts = substitute(tool, &mut arguments, state);
    let unresolved = remaining_handles(tool, &arguments, &receipts, state);
    if !unresolved.is_empty() {
        return Err(Refusal::unresolved(tool, unresolved, state));
    }
    let origin = |name: &String| match receipts.get(name) {
        Some(receipt) => Origin::Key(receipt.key.clone()),
        None => Origin::Model,
    };
    let inputs = arguments
        .keys()
        .map(|name| (name.clone(), origin(name)))
        .collect();
    Ok(Resolved {
        arguments,
        inputs,
        receipts,
    })
}

fn check_not_authored(tool: &Tool, arguments: &mut JsonObject, state: &State) -> Result<(), Refusal> {
    let mut problems = Vec::new();
    for name in tool.not_authored() {
        // Models write null for what they leave out.
        if arguments.get(name).is_some_and(Value::is_null) {
            arguments.shift_remove(name);
        }
        let parameter = name.to_owned();
        match arguments.get(name) {
            None if tool.requires(name) => problems.push(NotAuthoredProblem::Omitted { parameter }),
            None => {}
            Some(Value::String(text)) if handle_key(text).is_some() => {}
            Some(_) => problems.push(NotAuthoredProblem::Literal { parameter }),
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(Refusal::not_authored(tool, problems, state))
    }
}

/// Puts the values in and says which they were; a handle that stands for none is left where it is.
fn substitute(tool: &Tool, arguments: &mut JsonObject, state: &State) -> Receipts {
    let mut receipts = Receipts::new();
    for (name, argument) in arguments.iter_mut() {
        let Some(key) = argument.as_str().and_then(handle_key) else {
            continue;
        };
        let Ok(key) = StateKey::parse(key) else { continue };
        let Some(entry) = state.get(key.as_str()) else {
            continue;
        };
        if tool.connection().may_receive(key.as_str()) {
            *argument = entry.value.json().clone();
            receipts.insert(name.clone(), Receipt::of(&key, entry));
        }
    }
    receipts
}

fn remaining_handles(
    tool: &Tool,
    arguments: &JsonObject,
    receipts: &Receipts,
    state: &State,
) -> Vec<Unresolved> {
    let mut found = Vec::new();
    for (name, argument) in arguments {
        let mut at = String::new();
        path::within_field(&mut at, name, |at| {
            note_handle(name, at, &mut found);
            // A value that a tool published is data, even if it happens to read like a handle.
            if receipts.contains_key(name) {
                return;
            }
            match argument.as_str().and_then(handle_key) {
                Some(key) => found.push(Unresolved::new(at, key, whole_reason(tool, key, state))),
                None => walk(argument, at, &mut found),
            }
        });
    }
    found
}

/// Why a handle that is a whole argument was not replaced.
fn whole_reason(tool: &Tool, key: &str, state: &State) -> UnresolvedReason {
    if state.get(key).is_some() && !tool.connection().may_receive(key) {
        UnresolvedReason::NotPermitted
    } else {
        UnresolvedReason::NoSuchKey
    }
}

fn walk(value: &Value, at: &mut String, found: &mut Vec<Unresolved>) {
    match value {
        Value::String(text) => note_handle(text, at, found),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path::within_index(at, index, |at| walk(item, at, found));
            }
        }
        Value::Object(object) => {
            for (name, field) in object {
                path::within_field(at, name, |at| {
                    note_handle(name, at, found);
                    walk(field, at, found);
                });
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Notes the handle in a text that is only a part of an argument.
fn note_handle(text: &str, at: &str, found: &mut Vec<Unresolved>) {
    if !contains_handle(text) {
        return;
    }
    let after = text.split_once(HANDLE_PREFIX).map_or("", |(_, after)| after);
    let key = after
        .split(|c: char| c.is_whitespace() || matches!(c, '"' | ',' | '}' | ']'))
        .next()
        .unwrap_or_default();
    found.push(Unresolved::new(at, key, UnresolvedReason::NotWholeArgument));
}
