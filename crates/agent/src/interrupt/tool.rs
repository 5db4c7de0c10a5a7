//! The `interrupt` tool, with which a model lets the person choose.

use std::{collections::BTreeSet, ops::RangeInclusive};

use periplus_llm::ToolDefinition;
use periplus_state::JsonObject;
use serde_json::{Value, json};

use super::{AnswerStatus, INPUT_REQUIRED, Interrupt, InterruptAnswer};
use crate::id::random_id;

/// Name of the tool.
pub const INTERRUPT: &str = "interrupt";

/// Its earlier name, which is still understood.
pub const INTERRUPT_ALIAS: &str = "ask_user";

/// What the system prompt says of questions.
pub const QUESTION_PROMPT: &str = "\
## Questions to the person

If your reply would ask the person to choose between things you can name, call `interrupt` with the question and the \
options instead of writing them, and write no text beside the call. Its result is what the person chose.";

/// Longest question, label or value, in characters: they are shown as one line each.
const MAX_CHARS: usize = 500;

/// What the model reads if the person declined.
const NOT_ANSWERED: &str =
    "The user did not answer. Go on without a choice, or say what you would need to know.";

/// The tool as the model sees it.
pub(crate) fn definition(options: &RangeInclusive<usize>) -> ToolDefinition {
    let description = "Ask the person to choose, and wait for the answer. Use it whenever going on depends on a choice \
        that only they can make.";
    let option = json!({
        "type": "object",
        "properties": {
            "value": { "type": "string", "description": "What you get back if it is chosen." },
            "label": { "type": "string", "description": "What the person reads." },
        },
        "required": ["value", "label"],
    });
    let parameters = json!({
        "type": "object",
        "properties": {
            "question": { "type": "string", "description": "The question, in one sentence." },
            "options": {
                "type": "array", "items": option, "minItems": options.start(), "maxItems": options.end(),
                "description": "What there is to choose from; every value and every label once.",
            },
            "multiple": { "type": "boolean", "default": false, "description": "Whether several may be chosen." },
        },
        "required": ["question", "options"],
    });
    ToolDefinition::new(INTERRUPT, description, parameters)
}

/// A question that a client can draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    text: String,
    options: Vec<Choice>,
    multiple: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Choice {
    value: String,
    label: String,
}

impl Question {
    /// Reads the arguments of a call; the error is the call's result.
    pub(crate) fn read(arguments: &JsonObject, allowed: &RangeInclusive<usize>) -> Result<Self, String> {
        let text = text(arguments.get("question"))
            .ok_or("The question was not asked: `question` must be a text.")?;
        let listed = arguments.get("options").and_then(Value::as_array);
        let options: Option<Vec<Choice>> = listed.into_iter().flatten().map(Choice::read).collect();
        let options = options.ok_or(
            "The question was not asked: each of `options` is an object with a `value` and a `label`, both texts.",
        )?;
        if !allowed.contains(&options.len()) {
            return Err(format!(
                "The question was not asked: it needs {} to {} options and has {}.",
                allowed.start(),
                allowed.end(),
                options.len()
            ));
        }
        let is_distinct = |part: fn(&Choice) -> &str| {
            options.iter().map(part).collect::<BTreeSet<_>>().len() == options.len()
        };
        if !is_distinct(|choice| &choice.value) || !is_distinct(|choice| &choice.label) {
            return Err(
                "The question was not asked: two options have the same value or the same label.".to_owned(),
            );
        }
        let multiple = arguments
            .get("multiple")
            .and_then(Value::as_bool)
            .unwrap_or(false);
        Ok(Self {
            text,
            options,
            multiple,
        })
    }

    /// The interrupt that asks it.
    pub(crate) fn interrupt(&self, call_id: &str) -> Interrupt {
        let options: Vec<Value> = self
            .options
            .iter()
            .map(|choice| json!({ "const": choice.value, "title": choice.label }))
            .collect();
        let choice = if self.multiple {
            json!({ "type": "array", "items": { "anyOf": options }, "minItems": 1, "uniqueItems": true })
        } else {
            json!({ "type": "string", "oneOf": options })
        };
        Interrupt {
            id: random_id(),
            reason: INPUT_REQUIRED.to_owned(),
            message: self.text.clone(),
            tool_call_id: call_id.to_owned(),
            response_schema: json!({
                "type": "object", "properties": { "choice": choice }, "required": ["choice"],
            }),
        }
    }

    /// The question that an interrupt asks, read back from its schema.
    fn of(interrupt: &Interrupt) -> Option<Self> {
        let choice = interrupt.response_schema.get("properties")?.get("choice")?;
        let multiple = choice.get("type")?.as_str()? == "array";
        let options = if multiple {
            choice.get("items")?.get("anyOf")?
        } else {
            choice.get("oneOf")?
        };
        let part = |option: &Value, name: &str| Some(option.get(name)?.as_str()?.to_owned());
        let options: Option<Vec<Choice>> = options
            .as_array()?
            .iter()
            .map(|option| {
                Some(Choice {
                    value: part(option, "const")?,
                    label: part(option, "title")?,
                })
            })
            .collect();
        Some(Self {
            text: interrupt.message.clone(),
            options: options?,
            multiple,
        })
    }

    /// What the model reads of an answer; the error says why the answer cannot be one.
    pub(crate) fn result(interrupt: &Interrupt, answer: &InterruptAnswer) -> Result<String, String> {
        if answer.status == AnswerStatus::Cancelled {
            return Ok(NOT_ANSWERED.to_owned());
        }
        let question =
            Self::of(interrupt).ok_or("the question is not one that can be answered by choosing")?;
        let chosen = question.chosen(answer)?;
        let spoken: Vec<String> = chosen
            .iter()
            .map(|choice| format!("{} (value: {})", choice.label, choice.value))
            .collect();
        Ok(format!("User chose: {}", spoken.join(", ")))
    }

    fn chosen(&self, answer: &InterruptAnswer) -> Result<Vec<&Choice>, String> {
        let payload = answer.payload.as_ref().and_then(|payload| payload.get("choice"));
        let values: Vec<&str> = match payload {
            Some(Value::String(value)) => vec![value],
            Some(Value::Array(values)) if self.multiple => values.iter().filter_map(Value::as_str).collect(),
            _ if self.multiple => return Err("`choice` must be a list of values of the options".to_owned()),
            _ => return Err("`choice` must be the value of one of the options".to_owned()),
        };
        if values.is_empty() {
            return Err("`choice` must hold at least one value".to_owned());
        }
        let find = |value: &&str| {
            let found = self.options.iter().find(|choice| choice.value == *value);
            found.ok_or_else(|| format!("{value:?} is not one of the options"))
        };
        let chosen: Vec<&Choice> = values.iter().map(find).collect::<Result<_, _>>()?;
        if values.iter().collect::<BTreeSet<_>>().len() < values.len() {
            return Err("`choice` names an option twice".to_owned());
        }
        Ok(chosen)
    }
}

impl Choice {
    fn read(option: &Value) -> Option<Self> {
        let value = text(option.get("value"))?;
        let label = text(option.get("label"))?;
        Some(Self { value, label })
    }
}

/// A text that says something and fits a line.
fn text(value: Option<&Value>) -> Option<String> {
    let text = value?.as_str()?.trim();
    (!text.is_empty() && text.chars().nth(MAX_CHARS).is_none()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(value: &Value) -> JsonObject {
        value.as_object().cloned().unwrap()
    }

    fn asked(multiple: bool) -> Interrupt {
        let options = json!([{"value": "a", "label": "Georgia, US"}, {"value": "b", "label": "Georgia"}]);
        let arguments =
            arguments(&json!({"question": "Which one?", "options": options, "multiple": multiple}));
        Question::read(&arguments, &(2..=10)).unwrap().interrupt("c9")
    }

    fn answer(payload: &Value) -> InterruptAnswer {
        InterruptAnswer {
            interrupt_id: "i".to_owned(),
            status: AnswerStatus::Resolved,
            payload: Some(payload.clone()),
        }
    }

    #[test]
    fn a_question_becomes_an_interrupt_with_the_schema_of_its_answer() {
        let interrupt = asked(false);
        assert_eq!(interrupt.reason, "input_required");
        assert_eq!(interrupt.tool_call_id, "c9");
        assert_eq!(
            interrupt.response_schema,
            json!({"type": "object", "properties": {"choice": {"type": "string", "oneOf": [
                {"const": "a", "title": "Georgia, US"}, {"const": "b", "title": "Georgia"}]}}, "required": ["choice"]})
        );
        let choice = &asked(true).response_schema["properties"]["choice"];
        assert_eq!(
            (&choice["minItems"], &choice["uniqueItems"]),
            (&json!(1), &json!(true))
        );
    }

    #[test]
    fn a_choice_reads_as_label_and_value() {
        assert_eq!(
            Question::result(&asked(false), &answer(&json!({"choice": "a"}))).unwrap(),
            "User chose: Georgia, US (value: a)"
        );
        assert_eq!(
            Question::result(&asked(true), &answer(&json!({"choice": ["b", "a"]}))).unwrap(),
            "User chose: Georgia (value: b), Georgia, US (value: a)"
        );
        let declined = InterruptAnswer {
            status: AnswerStatus::Cancelled,
            ..answer(&json!({}))
        };
        let text = Question::result(&asked(false), &declined).unwrap();
        assert!(text.contains("did not answer"), "{text}");
    }

    #[test]
    fn an_answer_that_was_no_option_is_refused() {
        for (multiple, payload) in [
            (false, json!({"choice": "c"})),
            (false, json!({"choice": ["a"]})),
            (false, json!({})),
            (false, json!(null)),
            (true, json!({"choice": []})),
            (true, json!({"choice": ["a", "a"]})),
            (true, json!({"choice": 3})),
        ] {
            assert!(
                Question::result(&asked(multiple), &answer(&payload)).is_err(),
                "{payload}"
            );
        }
    }

    #[test]
    fn a_question_that_no_client_could_draw_is_answered_with_a_sentence() {
        let option = |value: &str, label: &str| json!({"value": value, "label": label});
        for bad in [
            json!({}),
            json!({"question": "", "options": [option("a", "A"), option("b", "B")]}),
            json!({"question": "q", "options": [option("a", "A")]}),
            json!({"question": "q", "options": [option("a", "A"), option("a", "B")]}),
            json!({"question": "q", "options": [option("a", "A"), option("b", "A")]}),
            json!({"question": "q", "options": [option("a", "A"), option("b", " ")]}),
            json!({"question": "q", "options": ["a", "b"]}),
            json!({"question": "q", "options": "a, b"}),
            json!({"question": "q".repeat(501), "options": [option("a", "A"), option("b", "B")]}),
        ] {
            let text = Question::read(&arguments(&bad), &(2..=10)).unwrap_err();
            assert!(text.starts_with("The question was not asked"), "{bad}: {text}");
        }
    }
}
