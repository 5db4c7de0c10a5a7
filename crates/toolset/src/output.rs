//! The way out of a tool: only declared keys leave, and only if they keep the declared contract.

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::{Answer, Block, JsonObject, input::compile, problem::problems, shape::Shape};

/// The result of a successful call, checked against the output schema.
#[derive(Debug, Clone)]
pub struct Output {
    /// The declared keys and no others; null if the tool declares no output schema.
    pub structured: Value,
    /// `structured` as compact JSON, for clients that read text only; else the texts among the blocks.
    pub text: String,
    /// The blocks of a tool that declares no output schema.
    pub content: Vec<Block>,
}

impl Output {
    /// Bytes of the result, before any encoding.
    #[must_use]
    pub fn size(&self) -> usize {
        if self.structured.is_null() {
            self.content.iter().map(Block::size).sum()
        } else {
            self.text.len()
        }
    }

    pub(crate) fn of_blocks(content: Vec<Block>) -> Self {
        let texts: Vec<&str> = content
            .iter()
            .filter_map(|block| match block {
                Block::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        Self {
            structured: Value::Null,
            text: texts.join("\n"),
            content,
        }
    }
}

/// The output schema of a tool, if it has one.
#[derive(Debug)]
pub(crate) enum Promise {
    Structured(Contract),
    Content,
}

impl Promise {
    pub(crate) fn compile(schema: Option<&JsonObject>) -> Result<Self, String> {
        schema.map_or(Ok(Self::Content), |schema| {
            Contract::compile(schema).map(Self::Structured)
        })
    }

    /// Whether a structured `{error, detail}` conforms.
    pub(crate) fn admits_tool_error(&self) -> bool {
        matches!(self, Self::Structured(contract) if contract.admits_tool_error)
    }

    /// Checks an answer; the error says how it breaks the promise.
    pub(crate) fn keep(&self, answer: Answer) -> Result<Output, String> {
        match (self, answer) {
            (Self::Structured(contract), Answer::Structured(value)) => contract.conform(value),
            (Self::Content, Answer::Content(blocks)) => Ok(Output::of_blocks(blocks)),
            (Self::Structured(_), Answer::Content(_)) => {
                Err("the tool declares an output schema and returned blocks of content".to_owned())
            }
            (Self::Content, Answer::Structured(_)) => {
                Err("the tool declares no output schema and returned a structured value".to_owned())
            }
        }
    }
}

/// A compiled output schema.
#[derive(Debug)]
pub(crate) struct Contract {
    schema: Value,
    validator: Validator,
    shape: Shape,
    /// Whether a structured `{error, detail}` conforms.
    admits_tool_error: bool,
}

impl Contract {
    /// Compiles a schema; the error is the validator's sentence about it.
    fn compile(schema: &JsonObject) -> Result<Self, String> {
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
    fn conform(&self, mut structured: Value) -> Result<Output, String> {
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
        Ok(Output {
            structured,
            text,
            content: Vec::new(),
        })
    }
}
