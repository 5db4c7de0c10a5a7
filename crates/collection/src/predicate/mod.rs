//! Conditions over records: a typed tree, parsed strictly, evaluated on whole columns.

mod evaluate;
mod field;
mod parse;
mod states;
mod substring;

use std::collections::BTreeMap;

use serde_json::{Value, json};

pub use self::evaluate::Evaluation;
pub(crate) use self::field::operator_names;
pub use self::field::{Field, FlagField, Operator, TextField};

/// Nodes on the longest path of a tree; a lone condition has depth 1.
pub const MAX_DEPTH: usize = 5;
/// Conditions in a tree.
pub const MAX_LEAVES: usize = 50;
/// Children of one `all` or `any`.
pub const MAX_CHILDREN: usize = 20;
/// Values of one `one_of`.
pub const MAX_VALUES: usize = 50;
/// Unicode scalar values of one string.
pub const MAX_STRING: usize = 500;
/// The furthest year from zero, in both directions, that a condition may name.
pub const MAX_YEAR: i32 = 10_000;

/// A condition over one record, judged true, false, unknown or in conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Predicate {
    /// Every child holds.
    All(Vec<Self>),
    /// Some child holds.
    Any(Vec<Self>),
    /// The child does not hold.
    Not(Box<Self>),
    /// A test of a string field.
    Text(TextField, TextTest),
    /// The flag has this value.
    Flag(FlagField, bool),
    /// A test of the recorded interval of years.
    Date(DateTest, Years),
    /// Nothing is recorded in the field.
    Missing(Field),
}

/// A test of recorded strings; one matching value is enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextTest {
    /// Exactly this value.
    Eq(String),
    /// Exactly one of these values: sorted by code points, without repeats.
    OneOf(Vec<String>),
    /// Contains this text, both normalised. Kept as written.
    Contains(String),
}

/// How a recorded interval relates to the one asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateTest {
    /// They share at least one year.
    Overlaps,
    /// The recorded one lies wholly inside.
    ContainedWithin,
}

/// An inclusive interval of years, `begin <= end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Years {
    /// First year.
    pub begin: i32,
    /// Last year.
    pub end: i32,
}

impl Predicate {
    /// Reads a predicate from its JSON form.
    ///
    /// # Errors
    /// `INVALID_PREDICATE`, `PREDICATE_LIMIT` or `UNSUPPORTED_FIELD`, each with a JSON pointer to the place.
    pub fn parse(value: &Value) -> Result<Self, crate::Error> {
        parse::parse(value)
    }

    /// The normalised JSON form: what a receipt holds and what [`Predicate::parse`] reads back unchanged.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let children = |children: &[Self]| children.iter().map(Self::to_value).collect::<Vec<_>>();
        match self {
            Self::All(items) => json!({ "all": children(items) }),
            Self::Any(items) => json!({ "any": children(items) }),
            Self::Not(item) => json!({ "not": item.to_value() }),
            Self::Text(field, test) => {
                let (operator, value) = match test {
                    TextTest::Eq(value) => (Operator::Eq, json!(value)),
                    TextTest::OneOf(values) => (Operator::OneOf, json!(values)),
                    TextTest::Contains(value) => (Operator::ContainsNormalized, json!(value)),
                };
                leaf(Field::Text(*field), operator, Some(value))
            }
            Self::Flag(field, value) => leaf(Field::Flag(*field), Operator::Eq, Some(json!(value))),
            Self::Date(test, years) => {
                let value = json!({ "begin": years.begin, "end": years.end });
                leaf(Field::ObjectDate, test.operator(), Some(value))
            }
            Self::Missing(field) => leaf(*field, Operator::IsMissing, None),
        }
    }
}

fn leaf(field: Field, operator: Operator, value: Option<Value>) -> Value {
    let mut members = json!({ "field": field.name(), "op": operator.name() });
    if let Some(value) = value {
        members["value"] = value;
    }
    members
}

impl DateTest {
    const fn operator(self) -> Operator {
        match self {
            Self::Overlaps => Operator::Overlaps,
            Self::ContainedWithin => Operator::ContainedWithin,
        }
    }
}

/// The limits of predicates, by the names capabilities give them.
#[must_use]
pub fn limits() -> BTreeMap<&'static str, i64> {
    let count = |limit: usize| i64::try_from(limit).unwrap_or(i64::MAX);
    BTreeMap::from([
        ("maxDepth", count(MAX_DEPTH)),
        ("maxLeaves", count(MAX_LEAVES)),
        ("maxChildren", count(MAX_CHILDREN)),
        ("maxValues", count(MAX_VALUES)),
        ("maxStringLength", count(MAX_STRING)),
        ("minYear", i64::from(-MAX_YEAR)),
        ("maxYear", i64::from(MAX_YEAR)),
    ])
}
