//! Questions that a tool of a server asks: a form to fill, whose content goes back with the same call.

use periplus_llm::ToolCall;
use periplus_runtime::client::Question;
use periplus_state::JsonObject;
use serde_json::Value;

use super::{AnswerStatus, Asked, Asker, INPUT_REQUIRED, Interrupt, InterruptAnswer};
use crate::id::random_id;

/// The method that asks a person.
const ELICITATION: &str = "elicitation/create";

/// Longest question, in characters.
const MAX_MESSAGE_CHARS: usize = 2000;

impl Asked {
    /// The question of a tool, if it is one for a person and can be shown as a form.
    pub(crate) fn by_tool(
        call: &ToolCall,
        key: &str,
        question: &Question,
        state: Option<&str>,
    ) -> Option<Self> {
        let schema = question.schema().filter(|schema| schema.is_object())?;
        if question.method != ELICITATION {
            return None;
        }
        let interrupt = Interrupt {
            id: random_id(),
            reason: INPUT_REQUIRED.to_owned(),
            message: question.message()?.chars().take(MAX_MESSAGE_CHARS).collect(),
            tool_call_id: call.id.clone(),
            response_schema: schema.clone(),
        };
        let asker = Asker::Tool {
            request: key.to_owned(),
            state: state.map(str::to_owned),
        };
        Some(Self { interrupt, asker })
    }
}

/// What goes back to the server; the error says why the answer cannot be one.
pub(crate) fn response(interrupt: &Interrupt, answer: &InterruptAnswer) -> Result<Value, String> {
    if answer.status == AnswerStatus::Cancelled {
        return Ok(Question::decline());
    }
    let content = match &answer.payload {
        Some(Value::Object(content)) => content.clone(),
        _ => return Err("its payload must be an object with the fields of the form".to_owned()),
    };
    check(&content, &interrupt.response_schema)?;
    Ok(Question::accept(content))
}

/// Finds what a person forgot or mistyped; the server checks the rest.
fn check(content: &JsonObject, schema: &Value) -> Result<(), String> {
    let required = schema.get("required").and_then(Value::as_array);
    let missing = required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .find(|name| !content.contains_key(*name));
    if let Some(name) = missing {
        return Err(format!("`{name}` is missing"));
    }
    for (name, value) in content {
        let kind = schema
            .get("properties")
            .and_then(|properties| properties.get(name)?.get("type"));
        if let Some(kind) = kind.and_then(Value::as_str).filter(|kind| !is_of(value, kind)) {
            return Err(format!("`{name}` is no {kind}"));
        }
    }
    Ok(())
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn question(method: &str) -> Question {
        let params = json!({ "message": "How far?", "requestedSchema": {
            "type": "object", "properties": { "km": { "type": "integer" } }, "required": ["km"] } });
        Question {
            method: method.to_owned(),
            params,
        }
    }

    fn asked() -> Asked {
        let call = ToolCall::new("c1", "t", JsonObject::new());
        Asked::by_tool(&call, "distance", &question(ELICITATION), Some("sealed")).unwrap()
    }

    #[test]
    fn a_form_becomes_an_interrupt_and_only_a_person_is_asked() {
        let asked = asked();
        assert_eq!(
            (
                asked.interrupt.message.as_str(),
                asked.interrupt.tool_call_id.as_str()
            ),
            ("How far?", "c1")
        );
        assert_eq!(asked.interrupt.response_schema["required"], json!(["km"]));
        let call = ToolCall::new("c1", "t", JsonObject::new());
        assert!(Asked::by_tool(&call, "k", &question("sampling/createMessage"), None).is_none());
        assert!(
            Asked::by_tool(
                &call,
                "k",
                &Question {
                    params: json!({}),
                    ..question(ELICITATION)
                },
                None
            )
            .is_none()
        );
    }

    #[test]
    fn the_content_goes_back_and_a_mistake_is_named() {
        let answer = |status, payload| InterruptAnswer {
            interrupt_id: "i".to_owned(),
            status,
            payload,
        };
        let interrupt = asked().interrupt;
        let filled = answer(AnswerStatus::Resolved, Some(json!({ "km": 3 })));
        assert_eq!(
            response(&interrupt, &filled),
            Ok(json!({ "action": "accept", "content": { "km": 3 } }))
        );
        let declined = answer(AnswerStatus::Cancelled, None);
        assert_eq!(
            response(&interrupt, &declined),
            Ok(json!({ "action": "decline" }))
        );
        for (payload, problem) in [
            (None, "must be an object"),
            (Some(json!({})), "`km` is missing"),
            (Some(json!({ "km": "3" })), "`km` is no integer"),
        ] {
            let error = response(&interrupt, &answer(AnswerStatus::Resolved, payload)).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }
}
