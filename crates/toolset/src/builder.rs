//! Declares a tool step by step: what `#[tool]` expands to, and how a tool is made at run time.

use std::{borrow::Cow, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use serde_json::Value;

use crate::{
    Annotations, Answer, Context, Declaration, JsonObject, Limits, Parameter, TaskSupport, Tool, ToolError,
    ToolReturn,
    schema::{Direction, ObjectSchema, data_keys},
};

/// A tool that is being declared.
#[derive(Debug)]
pub struct ToolBuilder {
    name: Cow<'static, str>,
    title: Option<Cow<'static, str>>,
    description: String,
    annotations: Annotations,
    limits: Limits,
    parameters: ObjectSchema,
    not_authored: Vec<String>,
    unchecked: Vec<String>,
    input_schema: Option<JsonObject>,
    output_schema: Option<JsonObject>,
    task: Option<TaskSupport>,
}

impl ToolBuilder {
    pub(crate) fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: String::new(),
            annotations: Annotations::default(),
            limits: Limits::default(),
            parameters: ObjectSchema::new(Direction::Input),
            not_authored: Vec::new(),
            unchecked: Vec::new(),
            input_schema: None,
            output_schema: None,
            task: None,
        }
    }

    /// The name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<Cow<'static, str>>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// What the tool does, for the model.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Hints for hosts.
    #[must_use]
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// Longest run of one call.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.limits.timeout = timeout;
        self
    }

    /// Largest serialised result.
    #[must_use]
    pub fn max_result_bytes(mut self, bytes: usize) -> Self {
        self.limits.max_result_bytes = bytes;
        self
    }

    /// The concurrency class that calls share.
    #[must_use]
    pub fn concurrency(mut self, class: &'static str) -> Self {
        self.limits.concurrency = Some(class);
        self
    }

    /// Adds a typed parameter.
    #[must_use]
    pub fn parameter(mut self, parameter: Parameter) -> Self {
        let marks = parameter.declare(&mut self.parameters);
        if marks.not_authored {
            self.not_authored.push(marks.name.to_owned());
        }
        if marks.unchecked {
            self.unchecked.push(marks.name.to_owned());
        }
        self
    }

    /// Takes the output schema of a return type.
    #[must_use]
    pub fn returns<R: ToolReturn>(self) -> Self {
        let output_schema = R::output_schema();
        Self {
            output_schema,
            ..self
        }
    }

    /// An input schema written by hand, served as it is; typed parameters are ignored then.
    #[must_use]
    pub fn input_schema(mut self, schema: JsonObject) -> Self {
        self.input_schema = Some(schema);
        self
    }

    /// An output schema written by hand, served as it is.
    #[must_use]
    pub fn output_schema(mut self, schema: JsonObject) -> Self {
        self.output_schema = Some(schema);
        self
    }

    /// Lets calls become tasks, for clients that know them; the tool says when ([`Context::detach`]).
    #[must_use]
    pub fn task(mut self, support: TaskSupport) -> Self {
        self.task = Some(support);
        self
    }

    /// Marks a parameter of a hand-written input schema as one that no model may write.
    #[must_use]
    pub fn not_authored(mut self, parameter: &str) -> Self {
        self.not_authored.push(parameter.to_owned());
        self
    }

    /// The finished tool; the handler gets arguments that conform to the input schema.
    #[must_use]
    pub fn handler<H>(self, handler: H) -> Tool
    where
        H: for<'a> Fn(JsonObject, &'a Context) -> BoxFuture<'a, Result<Value, ToolError>>
            + Send
            + Sync
            + 'static,
    {
        // Such a handler promises a structured result; one without a schema is reported when the toolset is checked.
        let output_schema = Some(self.output_schema.unwrap_or_default());
        Self {
            output_schema,
            ..self
        }
        .answers(move |arguments, cx| {
            let answer = handler(arguments, cx);
            Box::pin(async { answer.await.map(Answer::Structured) })
        })
    }

    /// The finished tool, whose handler may also answer with blocks of content.
    #[must_use]
    pub fn answers<H>(self, handler: H) -> Tool
    where
        H: for<'a> Fn(JsonObject, &'a Context) -> BoxFuture<'a, Result<Answer, ToolError>>
            + Send
            + Sync
            + 'static,
    {
        let input_schema = self.input_schema.unwrap_or_else(|| {
            let mut schema = self.parameters.finish(Some(&self.name), "");
            schema.insert("additionalProperties".to_owned(), false.into());
            schema
        });
        let declaration = Declaration {
            name: self.name,
            title: self.title,
            description: self.description,
            annotations: self.annotations,
            produces: self.output_schema.as_ref().map(data_keys).unwrap_or_default(),
            input_schema: Arc::new(input_schema),
            output_schema: self.output_schema.map(Arc::new),
            not_authored: self.not_authored,
            unchecked: self.unchecked,
            limits: self.limits,
            task: self.task,
        };
        Tool::from_parts(declaration, handler)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Failure, Refusal, ResultSchema, ToolResult, Toolset};

    #[derive(Debug)]
    struct Echo(Value);

    impl ToolResult for Echo {
        fn declare(schema: &mut ResultSchema) {
            schema.required::<String>("message", "What came in.");
        }

        fn into_object(self) -> Result<JsonObject, serde_json::Error> {
            Ok(JsonObject::from_iter([(
                "message".to_owned(),
                self.0.to_string().into(),
            )]))
        }
    }

    fn condition_schema() -> JsonObject {
        let schema = json!({
            "type": "object",
            "required": ["op"],
            "properties": { "op": { "enum": ["eq"] }, "not": { "$ref": "#/$defs/condition" } },
            "$defs": { "condition": { "type": "object" } },
        });
        schema.as_object().cloned().unwrap_or_default()
    }

    fn tool() -> Tool {
        Tool::builder("filter")
            .description("Filters.")
            .parameter(
                Parameter::required::<Value>("condition", "What to keep.")
                    .schema(condition_schema())
                    .unchecked(),
            )
            .returns::<Result<Echo, Refusal>>()
            .answers(|mut arguments, _| {
                Box::pin(async move {
                    let condition = arguments.remove("condition").unwrap_or_default();
                    if condition["op"] == "refuse" {
                        return Err(Refusal::new(json!({ "code": "NO" })).into());
                    }
                    ToolReturn::into_answer(Echo(condition))
                })
            })
    }

    async fn call(arguments: Value) -> Result<Value, Failure> {
        let cx = Toolset::new("t").context().build();
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        tool()
            .call(arguments, &cx)
            .await
            .map(|output| output.structured["message"].clone())
    }

    #[test]
    fn a_hand_written_schema_is_published_with_its_definitions_at_the_root() {
        let schema = Value::Object((*tool().declaration().input_schema).clone());
        assert_eq!(
            schema["properties"]["condition"]["properties"]["op"],
            json!({ "enum": ["eq"] })
        );
        assert_eq!(schema["$defs"], json!({ "condition": { "type": "object" } }));
        assert_eq!(schema["properties"]["condition"]["description"], "What to keep.");
    }

    #[tokio::test]
    async fn an_unchecked_value_reaches_the_tool_as_it_came_but_must_be_there() {
        assert_eq!(
            call(json!({ "condition": { "op": "other" } })).await.unwrap(),
            r#"{"op":"other"}"#
        );
        assert_eq!(
            call(json!({ "condition": "{\"op\":1}" })).await.unwrap(),
            r#"{"op":1}"#
        );
        assert!(matches!(call(json!({})).await, Err(Failure::Arguments(_))));
    }

    #[tokio::test]
    async fn a_refusal_is_an_error_body_and_not_part_of_the_output_schema() {
        let refused = call(json!({ "condition": { "op": "refuse" } })).await;
        assert!(matches!(refused, Err(Failure::IsError(body)) if body == json!({ "code": "NO" })));
        let schema = tool().declaration().output_schema.clone().unwrap();
        assert!(!schema.contains_key("anyOf"));
    }
}
