//! The way out of a tool: only declared keys leave, and only if they keep the declared contract.

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::{JsonObject, input::compile, problem::problems, shape::Shape};

/// The result of a successful call, checked against the output schema.
#[derive(Debug, Clone)]
pub struct Output {
    /// The declared keys and no others.
    pub structured: Value,
    /// `structured` as compact JSON, for clients that read text only.
    pub text: String,
}

/// A compiled output schema.
#[derive(Debug)]
pub(crate) struct Contract {
    schema: Value,
    validator: Validator,
    shape: Shape,
    /// Whether a structured `{error, detail}` conforms.
    pub(crate) admits_tool_error: bool,
}

impl Contract {
    /// Compiles a schema; the error is the validator's sentence about it.
    pub(crate) fn compile(schema: &JsonObject) -> Result<Self, String> {
        let schema = Value::Object(schema.clone());
        let validator = compile(&schema)?;
        let shape = Shape::of_schema(&schema, &schema);
        let admits_tool_error = validator.is_valid(&json!({ "error": "kind", "detail": "what happened" }));
        Ok(Self {
            schema,
            validator,
            shape,
            admits_tool_error,
        })
    }

    /// Drops undeclared keys and checks the rest; the error says which paths break the contract.
    pub(crate) fn conform(&self, mut structured: Value) -> Result<Output, String> {
        self.shape.conform_output(&mut structured);
        if !self.validator.is_valid(&structured) {
            let texts: Vec<String> = problems(&self.validator, &self.schema, &structured)
                .into_iter()
                .map(|problem| format!("{}: {}", problem.pointer, problem.message))
                .collect();
            return Err(format!(
                "the result breaks the declared output schema: {}",
                texts.join("; ")
            ));
        }
        let text = structured.to_string();
        Ok(Output { structured, text })
    }
}
