//! Values across the border: cells become Python values, a result becomes bounded JSON.

use monty_types::MontyObject;
use serde_json::{Map, Number, Value, value::RawValue};

use crate::Table;

/// Deepest nesting of a result.
const MAX_DEPTH: usize = 32;
/// Most values in a result, keys not counted.
const MAX_VALUES: usize = 500_000;

/// A table as a list of dictionaries; a short row has fewer keys.
pub(super) fn from_table(table: Table) -> MontyObject {
    let columns = table.columns;
    let rows = table.rows.into_iter().map(|row| {
        let pairs: Vec<_> = columns
            .iter()
            .zip(row)
            .map(|(column, cell)| (MontyObject::String(column.clone()), from_cell(cell)))
            .collect();
        MontyObject::dict(pairs)
    });
    MontyObject::List(rows.collect())
}

fn from_cell(cell: Value) -> MontyObject {
    match cell {
        Value::Null => MontyObject::None,
        Value::Bool(truth) => MontyObject::Bool(truth),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => MontyObject::Int(whole),
            (None, Some(float)) => MontyObject::Float(float),
            (None, None) => MontyObject::None,
        },
        Value::String(text) => MontyObject::String(text),
        nested @ (Value::Array(_) | Value::Object(_)) => MontyObject::String(nested.to_string()),
    }
}

/// A result as JSON text. Not-a-number and the infinities become null: JSON has no word for them.
pub(super) fn to_json(value: &MontyObject, limit: usize) -> Result<Box<RawValue>, String> {
    let mut room = MAX_VALUES;
    let value = json(value, MAX_DEPTH, &mut room)?;
    let text = value.to_string();
    if text.len() > limit {
        return Err(format!(
            "it has {} bytes as JSON, more than the {limit} allowed",
            text.len()
        ));
    }
    RawValue::from_string(text).map_err(|error| error.to_string())
}

fn json(value: &MontyObject, depth: usize, room: &mut usize) -> Result<Value, String> {
    let Some(deeper) = depth.checked_sub(1) else {
        return Err(format!("it is nested deeper than {MAX_DEPTH} levels"));
    };
    *room = room
        .checked_sub(1)
        .ok_or_else(|| format!("it holds more than {MAX_VALUES} values"))?;
    Ok(match value {
        MontyObject::None => Value::Null,
        MontyObject::Bool(truth) => Value::Bool(*truth),
        MontyObject::Int(whole) => Value::from(*whole),
        MontyObject::Float(float) => Number::from_f64(*float).map_or(Value::Null, Value::Number),
        MontyObject::String(text) | MontyObject::Path(text) => Value::from(text.as_str()),
        MontyObject::Date(_) | MontyObject::DateTime(_) | MontyObject::Time(_) => Value::from(iso(value)),
        MontyObject::List(items)
        | MontyObject::Tuple(items)
        | MontyObject::Set(items)
        | MontyObject::FrozenSet(items)
        | MontyObject::NamedTuple { values: items, .. } => items
            .iter()
            .map(|item| json(item, deeper, room))
            .collect::<Result<_, _>>()?,
        MontyObject::Dict(pairs) => {
            let mut object = Map::new();
            for (name, item) in pairs {
                object.insert(key(name)?, json(item, deeper, room)?);
            }
            Value::Object(object)
        }
        MontyObject::BigInt(_) => return Err("it holds an integer beyond 64 bits; use float(…)".to_owned()),
        other => {
            return Err(format!(
                "it holds {}; return dictionaries, lists, text, numbers and None",
                shortened(&other.to_string())
            ));
        }
    })
}

fn key(name: &MontyObject) -> Result<String, String> {
    match name {
        MontyObject::String(text) => Ok(text.clone()),
        MontyObject::None | MontyObject::Bool(_) | MontyObject::Int(_) | MontyObject::Float(_) => {
            Ok(name.to_string())
        }
        MontyObject::Date(_) | MontyObject::DateTime(_) => Ok(iso(name)),
        other => Err(format!(
            "a dictionary has the key {}; use text",
            shortened(&other.to_string())
        )),
    }
}

/// Dates in ISO 8601, as `isoformat` writes them.
fn iso(value: &MontyObject) -> String {
    match value {
        MontyObject::Date(date) => format!("{:04}-{:02}-{:02}", date.year, date.month, date.day),
        MontyObject::DateTime(moment) => format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
            moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second
        ),
        other => other.to_string(),
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}
