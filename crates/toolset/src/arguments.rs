//! Checked arguments on their way into Rust types.

use serde_json::Value;

use crate::{JsonObject, Problem, ProblemKind, ToolError, parameter::ParameterType, problem::pointer_to};

/// Hands out the arguments of one call, and remembers every one that its type refuses.
#[derive(Debug)]
pub struct Arguments {
    values: JsonObject,
    problems: Vec<Problem>,
}

impl Arguments {
    /// Starts with arguments that passed the input schema.
    #[must_use]
    pub fn new(values: JsonObject) -> Self {
        Self {
            values,
            problems: Vec::new(),
        }
    }

    /// The argument as its type; `None` is a problem that [`Arguments::refusal`] reports.
    ///
    /// Types can be narrower than their schemas: a `u8`, a date, a checked identifier.
    pub fn take<T: ParameterType>(&mut self, name: &str) -> Option<T> {
        let value = self.values.get_mut(name).map_or(Value::Null, Value::take);
        serde_json::from_value(value)
            .map_err(|error| {
                self.problems.push(Problem {
                    pointer: pointer_to("", name),
                    message: error.to_string(),
                    kind: ProblemKind::Invalid,
                });
            })
            .ok()
    }

    /// The argument as its type, absent or null as `None`.
    ///
    /// The outer `None` is a problem, as with [`Arguments::take`].
    pub fn take_optional<T: ParameterType>(&mut self, name: &str) -> Option<Option<T>> {
        match self.values.get(name) {
            None | Some(Value::Null) => Some(None),
            Some(_) => self.take(name).map(Some),
        }
    }

    /// Why the call is refused: every problem at once.
    #[must_use]
    pub fn refusal(self) -> ToolError {
        ToolError::Arguments(self.problems)
    }
}
