//! From JSON to a predicate: nothing unknown is ignored, and every mistake names its place.

use serde_json::{Map, Value};

use super::{
    DateTest, Field, MAX_CHILDREN, MAX_DEPTH, MAX_LEAVES, MAX_STRING, MAX_VALUES, MAX_YEAR, Operator,
    Predicate, TextField, TextTest, Years, operator_names,
};
use crate::{Error, text::norm};

/// Reads a predicate; see [`Predicate::parse`].
pub(super) fn parse(value: &Value) -> Result<Predicate, Error> {
    Parser { leaves: 0 }.node(
        value,
        &Place {
            parent: None,
            name: Step::Root,
        },
        1,
    )
}

/// Where in the predicate something is; rendered as a JSON pointer only when an error needs it.
struct Place<'a> {
    parent: Option<&'a Self>,
    name: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Member(&'a str),
    Item(usize),
}

impl<'a> Place<'a> {
    const fn member(&'a self, name: &'a str) -> Self {
        Self {
            parent: Some(self),
            name: Step::Member(name),
        }
    }

    const fn item(&'a self, index: usize) -> Self {
        Self {
            parent: Some(self),
            name: Step::Item(index),
        }
    }

    fn pointer(&self) -> String {
        let mut pointer = self.parent.map_or_else(String::new, Place::pointer);
        match self.name {
            Step::Root => {}
            Step::Member(name) => {
                pointer.push('/');
                pointer.push_str(&shorten(name).replace('~', "~0").replace('/', "~1"));
            }
            Step::Item(index) => pointer.push_str(&format!("/{index}")),
        }
        pointer
    }

    fn invalid(&self, problem: impl Into<String>) -> Error {
        self.invalid_for(&[], problem)
    }

    fn invalid_for(&self, operators: &[Operator], problem: impl Into<String>) -> Error {
        Error::InvalidPredicate {
            pointer: self.pointer(),
            problem: problem.into(),
            operators: operator_names(operators),
        }
    }

    fn limit(&self, problem: String) -> Error {
        Error::PredicateLimit {
            pointer: self.pointer(),
            problem,
        }
    }
}

struct Parser {
    leaves: usize,
}

impl Parser {
    fn node(&mut self, value: &Value, place: &Place<'_>, depth: usize) -> Result<Predicate, Error> {
        let members = object(value, place)?;
        if depth > MAX_DEPTH {
            return Err(place.limit(format!("is nested more than {MAX_DEPTH} deep")));
        }
        let known = ["all", "any", "not", "field"]
            .into_iter()
            .find(|&name| members.contains_key(name));
        match known {
            Some(name @ ("all" | "any")) => {
                only(members, &[name], place)?;
                let children = self.children(&members[name], &place.member(name), depth)?;
                Ok(if name == "all" { Predicate::All(children) } else { Predicate::Any(children) })
            }
            Some("not") => {
                only(members, &["not"], place)?;
                let child = self.node(&members["not"], &place.member("not"), depth + 1)?;
                Ok(Predicate::Not(Box::new(child)))
            }
            Some(_) => {
                only(members, &["field", "op", "value"], place)?;
                self.leaves += 1;
                if self.leaves > MAX_LEAVES {
                    return Err(place.limit(format!("is one condition more than the {MAX_LEAVES} allowed")));
                }
                leaf(members, place)
            }
            None => Err(place.invalid(
                "is none of {\"all\": […]}, {\"any\": […]}, {\"not\": {…}} and {\"field\": …, \"op\": …, \"value\": …}",
            )),
        }
    }

    fn children(&mut self, value: &Value, place: &Place<'_>, depth: usize) -> Result<Vec<Predicate>, Error> {
        let Value::Array(items) = value else {
            return Err(place.invalid(format!("must be an array of predicates, not {}", kind(value))));
        };
        if items.is_empty() || items.len() > MAX_CHILDREN {
            return Err(place.limit(format!(
                "has {} children; 1 to {MAX_CHILDREN} are allowed",
                items.len()
            )));
        }
        items
            .iter()
            .enumerate()
            .map(|(index, item)| self.node(item, &place.item(index), depth + 1))
            .collect()
    }
}

fn leaf(members: &Map<String, Value>, place: &Place<'_>) -> Result<Predicate, Error> {
    let field = field(&members["field"], &place.member("field"))?;
    let operator = operator(members.get("op"), field, place)?;
    let value = match (operator, members.get("value")) {
        (Operator::IsMissing, None) => return Ok(Predicate::Missing(field)),
        (Operator::IsMissing, Some(_)) => {
            return Err(place
                .member("value")
                .invalid("must be left out: `is_missing` takes no value"));
        }
        (_, None) => {
            let problem = format!("has no `value`, which `{}` needs", operator.name());
            return Err(place.invalid_for(field.operators(), problem));
        }
        (_, Some(value)) => value,
    };
    let place = place.member("value");
    match field {
        Field::Text(field) => text(field, operator, value, &place),
        Field::Flag(field) => match value {
            Value::Bool(value) => Ok(Predicate::Flag(field, *value)),
            _ => Err(place.invalid(format!("must be true or false, not {}", kind(value)))),
        },
        Field::ObjectDate => {
            let test = if operator == Operator::Overlaps {
                DateTest::Overlaps
            } else {
                DateTest::ContainedWithin
            };
            Ok(Predicate::Date(test, years(value, &place)?))
        }
    }
}

fn field(value: &Value, place: &Place<'_>) -> Result<Field, Error> {
    let Value::String(name) = value else {
        return Err(place.invalid(format!("must be a field name, not {}", kind(value))));
    };
    Field::parse(name).ok_or_else(|| Error::UnsupportedField {
        field: shorten(name).into_owned(),
        purpose: "predicate",
        allowed: Field::all().map(Field::name).collect(),
    })
}

/// The operator, if it exists and fits the field.
fn operator(value: Option<&Value>, field: Field, place: &Place<'_>) -> Result<Operator, Error> {
    let known = field.operators();
    let expected = || {
        format!(
            "field `{}` takes {}",
            field.name(),
            operator_names(known).join(", ")
        )
    };
    match value {
        None => Err(place.invalid_for(known, format!("has no `op`; {}", expected()))),
        Some(Value::String(name)) => match Operator::parse(name) {
            Some(operator) if known.contains(&operator) => Ok(operator),
            _ => {
                let problem = format!("is `{}`; {}", shorten(name), expected());
                Err(place.member("op").invalid_for(known, problem))
            }
        },
        Some(other) => {
            let problem = format!("must be an operator name, not {}; {}", kind(other), expected());
            Err(place.member("op").invalid_for(known, problem))
        }
    }
}

fn text(field: TextField, operator: Operator, value: &Value, place: &Place<'_>) -> Result<Predicate, Error> {
    let test = match operator {
        Operator::OneOf => TextTest::OneOf(values(value, place)?),
        Operator::ContainsNormalized => {
            let value = string(value, place)?;
            if norm(value).is_empty() {
                return Err(place.invalid("is empty once normalised, so every text would contain it"));
            }
            TextTest::Contains(value.to_owned())
        }
        _ => TextTest::Eq(string(value, place)?.to_owned()),
    };
    Ok(Predicate::Text(field, test))
}

fn values(value: &Value, place: &Place<'_>) -> Result<Vec<String>, Error> {
    let Value::Array(items) = value else {
        return Err(place.invalid(format!("must be an array of strings, not {}", kind(value))));
    };
    if items.is_empty() || items.len() > MAX_VALUES {
        return Err(place.limit(format!(
            "has {} values; 1 to {MAX_VALUES} are allowed",
            items.len()
        )));
    }
    let mut values = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let place = place.item(index);
        let value = string(item, &place)?;
        if value.is_empty() {
            return Err(place.invalid("must not be empty; `is_missing` selects what is not recorded"));
        }
        values.push(value.to_owned());
    }
    values.sort_unstable();
    values.dedup();
    Ok(values)
}

fn string<'v>(value: &'v Value, place: &Place<'_>) -> Result<&'v str, Error> {
    let Value::String(value) = value else {
        return Err(place.invalid(format!("must be a string, not {}", kind(value))));
    };
    let length = value.chars().count();
    if length > MAX_STRING {
        return Err(place.limit(format!("has {length} characters; {MAX_STRING} are allowed")));
    }
    Ok(value)
}

fn years(value: &Value, place: &Place<'_>) -> Result<Years, Error> {
    let members = object(value, place)?;
    only(members, &["begin", "end"], place)?;
    let begin = year(members, "begin", place)?;
    let end = year(members, "end", place)?;
    if begin > end {
        return Err(place.invalid(format!("begins in {begin}, after it ends in {end}")));
    }
    Ok(Years { begin, end })
}

fn year(members: &Map<String, Value>, name: &'static str, place: &Place<'_>) -> Result<i32, Error> {
    let Some(value) = members.get(name) else {
        return Err(place.invalid(format!("has no `{name}`; give both years, inclusive")));
    };
    let year = value.as_i64().and_then(|year| i32::try_from(year).ok());
    year.filter(|year| (-MAX_YEAR..=MAX_YEAR).contains(year))
        .ok_or_else(|| {
            let problem = format!("must be a whole number from -{MAX_YEAR} to {MAX_YEAR}");
            place.member(name).invalid(problem)
        })
}

fn object<'v>(value: &'v Value, place: &Place<'_>) -> Result<&'v Map<String, Value>, Error> {
    value
        .as_object()
        .ok_or_else(|| place.invalid(format!("must be an object, not {}", kind(value))))
}

/// Refuses members beside the known ones, by name.
fn only(members: &Map<String, Value>, known: &[&str], place: &Place<'_>) -> Result<(), Error> {
    match members.keys().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => {
            let problem = format!("is not a known member here; allowed: {}", known.join(", "));
            Err(place.member(name).invalid(problem))
        }
    }
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A caller's text, short enough to repeat in a message.
fn shorten(text: &str) -> std::borrow::Cow<'_, str> {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]).into(),
    }
}
