//! Declares a tool step by step: what `#[tool]` expands to, and how a tool is made at run time.

use std::{sync::Arc, time::Duration};

use futures::future::BoxFuture;
use serde_json::Value;

use crate::{
    Annotations, Context, Declaration, JsonObject, Limits, Parameter, Tool, ToolError, ToolReturn,
    schema::{Direction, ObjectSchema, data_keys},
};

/// A tool that is being declared.
#[derive(Debug)]
pub struct ToolBuilder {
    name: &'static str,
    title: Option<&'static str>,
    description: String,
    annotations: Annotations,
    limits: Limits,
    parameters: ObjectSchema,
    not_authored: Vec<String>,
    input_schema: Option<JsonObject>,
    output_schema: JsonObject,
}

impl ToolBuilder {
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name,
            title: None,
            description: String::new(),
            annotations: Annotations::default(),
            limits: Limits::default(),
            parameters: ObjectSchema::new(Direction::Input),
            not_authored: Vec::new(),
            input_schema: None,
            output_schema: JsonObject::new(),
        }
    }

    /// The name for people.
    #[must_use]
    pub fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
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
        self.not_authored
            .extend(parameter.declare(&mut self.parameters).map(str::to_owned));
        self
    }

    /// Takes the output schema of a return type.
    #[must_use]
    pub fn returns<R: ToolReturn>(self) -> Self {
        self.output_schema(R::output_schema())
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
        self.output_schema = schema;
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
        let input_schema = self.input_schema.unwrap_or_else(|| {
            let mut schema = self.parameters.finish(Some(self.name), "");
            schema.insert("additionalProperties".to_owned(), false.into());
            schema
        });
        let declaration = Declaration {
            name: self.name,
            title: self.title,
            description: self.description,
            annotations: self.annotations,
            produces: data_keys(&self.output_schema),
            input_schema: Arc::new(input_schema),
            output_schema: Arc::new(self.output_schema),
            not_authored: self.not_authored,
            limits: self.limits,
        };
        Tool::from_parts(declaration, handler)
    }
}
