//! What a typed tool returns, and the output schema it declares thereby.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::{
    Block, Content, JsonObject, Refusal, ToolError,
    schema::{Direction, ObjectSchema, admit_tool_error, describe_use},
};

/// A structured result: an object with a required text `message` and declared data keys.
///
/// Write it with `#[derive(ToolResult)]`, which asks for `message: String` and a doc comment on every field.
/// `Option<T>` fields are left out when they are `None`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool result",
    label = "not a tool result",
    note = "return a struct with `#[derive(ToolResult)]` and a field `message: String`"
)]
pub trait ToolResult: Sized {
    /// Declares the keys of the result.
    fn declare(schema: &mut ResultSchema);

    /// The result as JSON.
    ///
    /// # Errors
    /// A field that has no JSON form, such as a map with keys that are not text.
    fn into_object(self) -> Result<JsonObject, serde_json::Error>;
}

/// What a tool answers.
#[derive(Debug, Clone)]
pub enum Answer {
    /// A structured value, to be checked against the output schema.
    Structured(Value),
    /// Blocks of content, of a tool without an output schema.
    Content(Vec<Block>),
}

impl From<Value> for Answer {
    fn from(value: Value) -> Self {
        Self::Structured(value)
    }
}

/// What a tool function may return: a [`ToolResult`], or a `Result` of one and [`ToolError`]; [`Content`] likewise.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "not a tool result",
    note = "return a struct with `#[derive(ToolResult)]`, or `Result<ThatStruct, ToolError>`"
)]
pub trait ToolReturn {
    /// The output schema, if the result is structured.
    #[doc(hidden)]
    fn output_schema() -> Option<JsonObject>;

    /// The answer, or why there is none.
    #[doc(hidden)]
    fn into_answer(self) -> Result<Answer, ToolError>;
}

impl<T: ToolResult> ToolReturn for T {
    fn output_schema() -> Option<JsonObject> {
        let mut schema = ResultSchema {
            object: ObjectSchema::new(Direction::Output),
            description: "",
        };
        T::declare(&mut schema);
        Some(schema.object.finish(None, schema.description))
    }

    fn into_answer(self) -> Result<Answer, ToolError> {
        self.into_object()
            .map(|object| Answer::Structured(Value::Object(object)))
            .map_err(ToolError::internal)
    }
}

#[diagnostic::do_not_recommend]
impl<T: ToolResult> ToolReturn for Result<T, ToolError> {
    fn output_schema() -> Option<JsonObject> {
        let mut schema = T::output_schema();
        schema.iter_mut().for_each(admit_tool_error);
        schema
    }

    fn into_answer(self) -> Result<Answer, ToolError> {
        self?.into_answer()
    }
}

#[diagnostic::do_not_recommend]
impl<T: ToolResult> ToolReturn for Result<T, Refusal> {
    fn output_schema() -> Option<JsonObject> {
        T::output_schema()
    }

    fn into_answer(self) -> Result<Answer, ToolError> {
        self?.into_answer()
    }
}

impl ToolReturn for Content {
    fn output_schema() -> Option<JsonObject> {
        None
    }

    fn into_answer(self) -> Result<Answer, ToolError> {
        Ok(Answer::Content(self.0))
    }
}

#[diagnostic::do_not_recommend]
impl ToolReturn for Result<Content, ToolError> {
    fn output_schema() -> Option<JsonObject> {
        None
    }

    fn into_answer(self) -> Result<Answer, ToolError> {
        self?.into_answer()
    }
}

/// A type that can be a field of a result: it has a JSON Schema and can be written as JSON.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a tool result",
    label = "no JSON Schema, or cannot be written as JSON",
    note = "use a number, `bool`, `String`, `Vec<T>`, `Option<T>`, `JsonObject`, or a type with `#[derive(serde::Serialize, JsonSchema)]`"
)]
pub trait FieldType: Serialize + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> FieldType for T {}

/// Collects the keys of a [`ToolResult`].
#[derive(Debug)]
pub struct ResultSchema {
    object: ObjectSchema,
    description: &'static str,
}

impl ResultSchema {
    /// What the result is, as a whole.
    pub fn describe(&mut self, description: &'static str) {
        self.description = description;
    }

    /// Declares a key that is always there.
    pub fn required<T: FieldType>(&mut self, name: &'static str, description: &'static str) {
        self.field::<T>(name, description, true);
    }

    /// Declares a key that may be left out; `T` is the type without `Option`.
    pub fn optional<T: FieldType>(&mut self, name: &'static str, description: &'static str) {
        self.field::<T>(name, description, false);
    }

    fn field<T: FieldType>(&mut self, name: &'static str, description: &'static str, required: bool) {
        let mut schema = self.object.of::<T>();
        describe_use(&mut schema, description);
        self.object.property(name, schema, required);
    }
}

/// Writes one field of a result.
///
/// # Errors
/// The value has no JSON form.
#[doc(hidden)]
pub fn insert<T: FieldType>(
    object: &mut JsonObject,
    name: &'static str,
    value: &T,
) -> Result<(), serde_json::Error> {
    object.insert(name.to_owned(), serde_json::to_value(value)?);
    Ok(())
}
