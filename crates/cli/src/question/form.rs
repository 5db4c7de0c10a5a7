//! The form that a tool asks its user to fill, a line for each field.

use periplus_runtime::client::Question;
use periplus_state::JsonObject;
use serde_json::Value;

use crate::{exit::CliError, printer};

/// One field.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    about: String,
    kind: Kind,
    choices: Vec<String>,
    default: Option<Value>,
    is_required: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Integer,
    Number,
    Truth,
    /// Several of the choices.
    List,
}

/// The fields of a question; `None` if it is no form for the user.
pub(crate) fn fields(question: &Question) -> Option<Vec<Field>> {
    if question.method != "elicitation/create" {
        return None;
    }
    let schema = question.schema()?;
    let properties = schema.get("properties")?.as_object()?;
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|required| required.iter().any(|entry| entry == name));
    Some(
        properties
            .iter()
            .map(|(name, schema)| Field::of(name, schema, is_required(name)))
            .collect(),
    )
}

/// Fills a form, a line for each field; a line that does not fit is told and asked for again.
///
/// `None` if `read` comes back without a line: the person would rather not say.
///
/// # Errors
/// `read` fails.
pub(crate) fn fill(
    form: &[Field],
    mut read: impl FnMut(&str) -> Result<Option<String>, CliError>,
) -> Result<Option<JsonObject>, CliError> {
    if form.is_empty() {
        // Nothing is to be filled in, but to be agreed to.
        return Ok(read("(Enter agrees) ")?.map(|_| JsonObject::new()));
    }
    let mut content = JsonObject::new();
    for field in form {
        let value = loop {
            let Some(line) = read(&field.prompt())? else {
                return Ok(None);
            };
            match field.read(&line) {
                Ok(value) => break value,
                Err(problem) => printer::note(&problem),
            }
        };
        content.extend(value.map(|value| (field.name.clone(), value)));
    }
    Ok(Some(content))
}

impl Field {
    fn of(name: &str, schema: &Value, is_required: bool) -> Self {
        let text = |key: &str| schema.get(key).and_then(Value::as_str);
        let kind = match text("type") {
            Some("integer") => Kind::Integer,
            Some("number") => Kind::Number,
            Some("boolean") => Kind::Truth,
            Some("array") => Kind::List,
            _ => Kind::Text,
        };
        let choices = match kind {
            Kind::List => schema.get("items").map(choices),
            _ => Some(choices(schema)),
        };
        Self {
            name: name.to_owned(),
            about: text("description")
                .or(text("title"))
                .unwrap_or_default()
                .to_owned(),
            kind,
            choices: choices.unwrap_or_default(),
            default: schema.get("default").cloned(),
            is_required,
        }
    }

    /// What the person reads before the answer: `color, Your favourite color (red, blue) [red]`.
    fn prompt(&self) -> String {
        self.about() + ": "
    }

    /// Its name, what it is for, what it takes, and its default.
    pub(crate) fn about(&self) -> String {
        let mut text = self.name.clone();
        if !self.about.is_empty() {
            text += &format!(", {}", self.about.trim_end_matches('.'));
        }
        match self.kind {
            Kind::Truth => text += " (yes, no)",
            Kind::List => text += &format!(" (some of {}, separated by commas)", self.choices.join(", ")),
            _ if !self.choices.is_empty() => text += &format!(" ({})", self.choices.join(", ")),
            _ => {}
        }
        match &self.default {
            Some(Value::String(default)) => text += &format!(" [{default}]"),
            Some(default) => text += &format!(" [{default}]"),
            None => {}
        }
        text
    }

    /// The value of a line; nothing for an empty line where the field may be left out.
    ///
    /// # Errors
    /// Says what the field takes.
    pub(crate) fn read(&self, line: &str) -> Result<Option<Value>, String> {
        let line = line.trim();
        if line.is_empty() {
            return match &self.default {
                Some(default) => Ok(Some(default.clone())),
                None if self.is_required => Err(format!("{} is needed", self.name)),
                None => Ok(None),
            };
        }
        let value = match self.kind {
            Kind::Text => self.choice(line)?.into(),
            Kind::Integer => line
                .parse::<i64>()
                .map_err(|_error| format!("{} is a whole number", self.name))?
                .into(),
            Kind::Number => line
                .parse::<f64>()
                .map_err(|_error| format!("{} is a number", self.name))?
                .into(),
            Kind::Truth => truth(line)
                .ok_or_else(|| format!("{} is yes or no", self.name))?
                .into(),
            Kind::List => {
                let items = line.split(',').map(|item| self.choice(item.trim()));
                items.collect::<Result<Vec<&str>, String>>()?.into()
            }
        };
        Ok(Some(value))
    }

    fn choice<'a>(&self, text: &'a str) -> Result<&'a str, String> {
        if self.choices.is_empty() || self.choices.iter().any(|choice| choice == text) {
            Ok(text)
        } else {
            Err(format!("{} is one of {}", self.name, self.choices.join(", ")))
        }
    }
}

/// The texts that a schema lists, with or without titles.
fn choices(schema: &Value) -> Vec<String> {
    let plain = schema.get("enum").and_then(Value::as_array);
    let titled = schema
        .get("oneOf")
        .or(schema.get("anyOf"))
        .and_then(Value::as_array);
    let plain = plain.into_iter().flatten().filter_map(Value::as_str);
    let titled = titled
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.get("const")?.as_str());
    plain.chain(titled).map(str::to_owned).collect()
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "y" | "yes" | "true" => Some(true),
        "n" | "no" | "false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form() -> Vec<Field> {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "description": "Your name." },
                "color": { "type": "string", "oneOf": [{ "const": "red", "title": "Red" }, { "const": "blue" }], "default": "red" },
                "age": { "type": "integer" },
                "ok": { "type": "boolean", "title": "Yes", "default": false },
                "areas": { "type": "array", "items": { "enum": ["north", "south"] } },
            },
            "required": ["name"],
        });
        let question = Question {
            method: "elicitation/create".to_owned(),
            params: json!({ "message": "Who?", "requestedSchema": schema }),
        };
        fields(&question).unwrap()
    }

    #[test]
    fn a_field_is_asked_with_what_it_takes() {
        let prompts: Vec<String> = form().iter().map(Field::prompt).collect();
        assert_eq!(
            prompts,
            [
                "name, Your name: ",
                "color (red, blue) [red]: ",
                "age: ",
                "ok, Yes (yes, no) [false]: ",
                "areas (some of north, south, separated by commas): ",
            ]
        );
    }

    #[test]
    fn a_form_is_filled_line_by_line_until_each_fits() {
        let filled = |lines: &[Option<&str>]| {
            let mut lines = lines.iter();
            let read = |_: &str| Ok(lines.next().copied().flatten().map(str::to_owned));
            fill(&form(), read).unwrap()
        };
        let lines = ["", "Ada", "green", "blue", "", "", "north"].map(Some);
        let expected = json!({ "name": "Ada", "color": "blue", "ok": false, "areas": ["north"] });
        assert_eq!(filled(&lines).map(Value::Object), Some(expected));
        assert_eq!(
            filled(&[Some("Ada"), None]),
            None,
            "the end of the input declines"
        );
    }

    #[test]
    fn a_form_without_fields_is_still_agreed_to_by_a_person() {
        assert_eq!(
            fill(&[], |_| Ok(Some(String::new()))).unwrap(),
            Some(JsonObject::new())
        );
        assert_eq!(fill(&[], |_| Ok(None)).unwrap(), None);
    }

    #[test]
    fn a_line_is_read_as_the_field_wants_it() {
        let read = |index: usize, line: &str| form()[index].read(line);
        for (index, line, expected) in [
            (0, " Ada ", Some(json!("Ada"))),
            (1, "", Some(json!("red"))),
            (1, "blue", Some(json!("blue"))),
            (2, "7", Some(json!(7))),
            (2, "", None),
            (3, "YES", Some(json!(true))),
            (4, "north, south", Some(json!(["north", "south"]))),
        ] {
            assert_eq!(read(index, line), Ok(expected), "{line:?}");
        }
        for (index, line) in [
            (0, ""),
            (1, "green"),
            (2, "seven"),
            (3, "perhaps"),
            (4, "north, west"),
        ] {
            assert!(read(index, line).is_err(), "{line:?}");
        }
    }

    #[test]
    fn only_a_form_for_the_user_is_asked() {
        for (method, params) in [
            ("sampling/createMessage", json!({})),
            (
                "elicitation/create",
                json!({ "mode": "url", "url": "https://example.org" }),
            ),
        ] {
            let method = method.to_owned();
            assert!(fields(&Question { method, params }).is_none());
        }
    }
}
