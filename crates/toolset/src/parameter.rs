//! One parameter of a typed tool: its name, its text, its schema.

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Number, Value};

use crate::{
    JsonObject,
    schema::{ObjectSchema, append_description, describe_use},
};

/// What is added to the description of a parameter that takes published values only.
///
/// Clients that know handles enforce it; for the others it is advice to the model.
pub const NOT_AUTHORED_NOTE: &str = "Never write this value yourself: it must already exist as the result of an earlier tool call, and is passed on from there.";

/// A type that can be a parameter: it has a JSON Schema and can be read from JSON.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool parameter",
    label = "no JSON Schema, or cannot be read from JSON",
    note = "use a number, `bool`, `String`, `Vec<T>`, `Option<T>`, `JsonObject`, or a type with `#[derive(serde::Deserialize, JsonSchema)]`"
)]
pub trait ParameterType: DeserializeOwned + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> ParameterType for T {}

/// Where the schema of a parameter comes from.
#[derive(Debug)]
enum Schema {
    Derived(fn(&mut ObjectSchema) -> JsonObject),
    Written(JsonObject),
}

/// What a declared parameter asks of the tool beside its place in the schema.
pub(crate) struct Marks {
    pub(crate) name: &'static str,
    pub(crate) not_authored: bool,
    pub(crate) unchecked: bool,
}

/// One parameter of a typed tool.
#[derive(Debug)]
pub struct Parameter {
    name: &'static str,
    description: &'static str,
    schema: Schema,
    required: bool,
    not_authored: bool,
    unchecked: bool,
    keywords: Vec<(&'static str, Value)>,
}

impl Parameter {
    /// A parameter that every call must give.
    #[must_use]
    pub fn required<T: ParameterType>(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            description,
            schema: Schema::Derived(ObjectSchema::of::<T>),
            required: true,
            not_authored: false,
            unchecked: false,
            keywords: Vec::new(),
        }
    }

    /// A parameter that a call may leave out; `T` is the type without `Option`.
    #[must_use]
    pub fn optional<T: ParameterType>(name: &'static str, description: &'static str) -> Self {
        Self {
            required: false,
            ..Self::required::<T>(name, description)
        }
    }

    /// A parameter with the value it has when left out.
    ///
    /// A default that has no JSON form is reported by [`Toolset::check`](crate::Toolset::check) as a broken default.
    #[must_use]
    pub fn with_default<T: ParameterType + Serialize>(
        name: &'static str,
        description: &'static str,
        default: T,
    ) -> Self {
        Self::optional::<T>(name, description)
            .keyword("default", serde_json::to_value(default).unwrap_or(Value::Null))
    }

    /// The smallest number allowed.
    #[must_use]
    pub fn at_least(self, minimum: impl Into<Number>) -> Self {
        self.keyword("minimum", Value::Number(minimum.into()))
    }

    /// The largest number allowed.
    #[must_use]
    pub fn at_most(self, maximum: impl Into<Number>) -> Self {
        self.keyword("maximum", Value::Number(maximum.into()))
    }

    /// Adds a JSON Schema keyword of the property, over what its type says.
    #[must_use]
    pub fn keyword(mut self, keyword: &'static str, value: impl Into<Value>) -> Self {
        self.keywords.push((keyword, value.into()));
        self
    }

    /// Marks the value as one that no model may write: it comes from an earlier tool result.
    #[must_use]
    pub fn not_authored(mut self) -> Self {
        self.not_authored = true;
        self
    }

    /// Publishes a schema written by hand instead of the type's; references go to `#/$defs/` of the tool's schema.
    #[must_use]
    pub fn schema(mut self, schema: JsonObject) -> Self {
        self.schema = Schema::Written(schema);
        self
    }

    /// Leaves the check of the value to the tool, which has better words for what is wrong than a schema has.
    ///
    /// The value still has to be there if it is required, and a JSON text is still read where the schema asks
    /// for structure.
    #[must_use]
    pub fn unchecked(mut self) -> Self {
        self.unchecked = true;
        self
    }

    /// Adds the property to the schema.
    pub(crate) fn declare(self, object: &mut ObjectSchema) -> Marks {
        let mut schema = match self.schema {
            Schema::Derived(derive) => derive(object),
            Schema::Written(schema) => schema,
        };
        describe_use(&mut schema, self.description);
        if self.not_authored {
            append_description(&mut schema, NOT_AUTHORED_NOTE, " ");
        }
        schema.extend(
            self.keywords
                .into_iter()
                .map(|(keyword, value)| (keyword.to_owned(), value)),
        );
        object.property(self.name, schema, self.required);
        Marks {
            name: self.name,
            not_authored: self.not_authored,
            unchecked: self.unchecked,
        }
    }
}
