//! A question to the person, as numbered options or as fields to fill in.

use periplus_agent::{AnswerStatus, Interrupt, InterruptAnswer};
use serde_json::{Map, Value, json};

/// A question, and the fields that its answer has.
#[derive(Debug)]
pub(crate) struct Form {
    id: String,
    message: String,
    pub(crate) fields: Vec<Field>,
}

/// One field of an answer.
#[derive(Debug)]
pub(crate) struct Field {
    name: String,
    about: String,
    /// What there is to choose from, by value and label; nothing for a free answer.
    options: Vec<(Value, String)>,
    is_multiple: bool,
    is_text: bool,
}

impl Form {
    pub(crate) fn of(interrupt: &Interrupt) -> Self {
        let properties = interrupt
            .response_schema
            .get("properties")
            .and_then(Value::as_object);
        let fields = properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| Field::of(name, schema))
            .collect();
        Self {
            id: interrupt.id.clone(),
            message: interrupt.message.clone(),
            fields,
        }
    }

    /// The question as it is shown.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// The answer made of the values of all fields.
    pub(crate) fn answer(&self, values: Vec<Value>) -> InterruptAnswer {
        let payload: Map<String, Value> = self
            .fields
            .iter()
            .map(|field| field.name.clone())
            .zip(values)
            .collect();
        InterruptAnswer {
            interrupt_id: self.id.clone(),
            status: AnswerStatus::Resolved,
            payload: Some(Value::Object(payload)),
        }
    }

    /// The answer of a person who does not want to answer.
    pub(crate) fn declined(&self) -> InterruptAnswer {
        InterruptAnswer {
            interrupt_id: self.id.clone(),
            status: AnswerStatus::Cancelled,
            payload: None,
        }
    }
}

impl Field {
    fn of(name: &str, schema: &Value) -> Self {
        let is_multiple = schema.get("type").and_then(Value::as_str) == Some("array");
        let items = if is_multiple {
            schema.get("items").unwrap_or(schema)
        } else {
            schema
        };
        let titled = ["oneOf", "anyOf"]
            .into_iter()
            .find_map(|word| items.get(word)?.as_array());
        let titled = titled.into_iter().flatten().filter_map(|option| {
            let value = option.get("const")?.clone();
            let label = option
                .get("title")
                .and_then(Value::as_str)
                .map_or_else(|| plain(&value), str::to_owned);
            Some((value, label))
        });
        let listed = items.get("enum").and_then(Value::as_array);
        let listed = listed
            .into_iter()
            .flatten()
            .map(|value| (value.clone(), plain(value)));
        let about = ["title", "description"]
            .into_iter()
            .find_map(|word| schema.get(word)?.as_str())
            .unwrap_or(name);
        Self {
            name: name.to_owned(),
            about: about.to_owned(),
            options: titled.chain(listed).collect(),
            is_multiple,
            is_text: schema.get("type").and_then(Value::as_str) == Some("string"),
        }
    }

    /// What is shown above the line to fill in.
    pub(crate) fn lines(&self) -> Vec<String> {
        if self.options.is_empty() {
            return vec![format!("  {}", self.about)];
        }
        self.options
            .iter()
            .enumerate()
            .map(|(index, (_, label))| format!("  {}. {label}", index + 1))
            .collect()
    }

    /// What can be typed.
    pub(crate) fn hint(&self) -> String {
        let numbers = format!("1 to {}", self.options.len());
        match (self.options.is_empty(), self.is_multiple) {
            (true, _) => "a value (none declines)".to_owned(),
            (false, false) => format!("a number from {numbers} (none declines)"),
            (false, true) => format!("numbers from {numbers}, such as 1, 3 (none declines)"),
        }
    }

    /// The value that a line gives the field; `None` declines, the error says what can be typed.
    pub(crate) fn read(&self, line: &str) -> Result<Option<Value>, String> {
        let line = line.trim();
        if line.is_empty() {
            return Ok(None);
        }
        if self.options.is_empty() {
            let parsed = serde_json::from_str(line).ok().filter(|_| !self.is_text);
            return Ok(Some(parsed.unwrap_or_else(|| line.into())));
        }
        let values: Result<Vec<Value>, String> = line
            .split(',')
            .map(|part| {
                let number: Option<usize> = part.trim().trim_end_matches('.').parse().ok();
                let chosen = number.and_then(|number| self.options.get(number.checked_sub(1)?));
                chosen.map(|(value, _)| value.clone()).ok_or_else(|| self.hint())
            })
            .collect();
        let mut values = values?;
        match (self.is_multiple, values.len()) {
            (true, _) => {
                let mut distinct: Vec<Value> = Vec::new();
                values.retain(|value| {
                    let is_new = !distinct.contains(value);
                    distinct.extend(is_new.then(|| value.clone()));
                    is_new
                });
                Ok(Some(json!(values)))
            }
            (false, 1) => Ok(values.pop()),
            (false, _) => Err(self.hint()),
        }
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(choice: &Value) -> Form {
        let interrupt: Interrupt = serde_json::from_value(json!({
            "id": "i", "reason": "input_required", "message": "Which?", "toolCallId": "c",
            "responseSchema": { "type": "object", "properties": { "choice": choice }, "required": ["choice"] },
        }))
        .unwrap();
        Form::of(&interrupt)
    }

    #[test]
    fn options_are_chosen_by_number() {
        let options = json!([{ "const": "a", "title": "First" }, { "const": "b", "title": "Second" }, { "const": "c", "title": "Third" }]);
        let one = form(&json!({ "type": "string", "oneOf": options }));
        let field = &one.fields[0];
        assert_eq!(field.lines(), ["  1. First", "  2. Second", "  3. Third"]);
        assert_eq!(field.read(" 2 "), Ok(Some(json!("b"))));
        assert_eq!(field.read(""), Ok(None));
        for bad in ["0", "4", "a", "1, 2", "-1"] {
            assert!(field.read(bad).unwrap_err().contains("1 to 3"), "{bad}");
        }
        let many = form(&json!({ "type": "array", "items": { "anyOf": options }, "minItems": 1 }));
        assert_eq!(many.fields[0].read("1, 3, 1"), Ok(Some(json!(["a", "c"]))));
        assert_eq!(
            many.answer(vec![json!(["a"])]).payload,
            Some(json!({"choice": ["a"]}))
        );
        assert_eq!(many.declined().status, AnswerStatus::Cancelled);
    }

    #[test]
    fn a_free_answer_is_text_where_text_is_wanted_and_json_elsewhere() {
        assert_eq!(
            form(&json!({ "type": "string" })).fields[0].read("12"),
            Ok(Some(json!("12")))
        );
        assert_eq!(
            form(&json!({ "type": "integer" })).fields[0].read("12"),
            Ok(Some(json!(12)))
        );
        assert_eq!(
            form(&json!({ "type": "string", "enum": ["x", "y"] })).fields[0].read("2"),
            Ok(Some(json!("y")))
        );
    }
}
