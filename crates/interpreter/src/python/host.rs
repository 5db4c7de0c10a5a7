//! The functions a program finds beside Python's own: the crate's statistics, called with Python values.

use std::{cmp::Ordering, collections::BTreeMap};

use monty_types::{ExcType, MontyException, MontyObject};

use crate::statistics;

/// Names of the functions every program can call.
pub const HOST_FUNCTIONS: [&str; 9] = [
    "mean",
    "median",
    "quantile",
    "stdev",
    "linreg",
    "group_sum",
    "top_n",
    "pct",
    "round_half_even",
];

type Called = Result<MontyObject, MontyException>;

/// The function of this name, if there is one.
pub(super) fn function(name: &str) -> Option<MontyObject> {
    HOST_FUNCTIONS.contains(&name).then(|| MontyObject::Function {
        name: name.to_owned(),
        docstring: None,
    })
}

/// Calls a function.
pub(super) fn call(name: &str, args: &[MontyObject], kwargs: &[(MontyObject, MontyObject)]) -> Called {
    let bind = |parameters| Bound::new(name, parameters, args, kwargs);
    match name {
        "mean" => of_values(&bind(&["values"])?, statistics::mean),
        "median" => of_values(&bind(&["values"])?, statistics::median),
        "stdev" => of_values(&bind(&["values"])?, statistics::stdev),
        "quantile" => {
            let bound = bind(&["values", "q"])?;
            let q = bound.number("q")?;
            of_values(&bound, |values| statistics::quantile(values, q))
        }
        "linreg" => linreg(&bind(&["xs", "ys"])?),
        "group_sum" => group_sum(&bind(&["rows", "keys", "value"])?),
        "top_n" => top_n(&bind(&["rows", "key", "n"])?),
        "pct" => {
            let bound = bind(&["part", "whole"])?;
            Ok(float(statistics::pct(
                bound.number("part")?,
                bound.number("whole")?,
            )))
        }
        "round_half_even" => {
            let bound = bind(&["value", "digits"])?;
            let digits = if bound.has("digits") {
                bound.number("digits")? as i32
            } else {
                0
            };
            Ok(MontyObject::Float(statistics::round_half_even(
                bound.number("value")?,
                digits,
            )))
        }
        _ => Err(error(ExcType::NameError, format!("name '{name}' is not defined"))),
    }
}

/// The arguments of one call, by parameter.
struct Bound<'a> {
    function: &'a str,
    values: Vec<(&'static str, Option<&'a MontyObject>)>,
}

impl<'a> Bound<'a> {
    fn new(
        function: &'a str,
        parameters: &'static [&'static str],
        args: &'a [MontyObject],
        kwargs: &'a [(MontyObject, MontyObject)],
    ) -> Result<Self, MontyException> {
        let mismatch = || {
            let signature = parameters.join(", ");
            error(ExcType::TypeError, format!("call it as {function}({signature})"))
        };
        if args.len() > parameters.len() {
            return Err(mismatch());
        }
        let mut values: Vec<_> = parameters
            .iter()
            .enumerate()
            .map(|(index, name)| (*name, args.get(index)))
            .collect();
        for (name, value) in kwargs {
            let name = name.to_string();
            let slot = values
                .iter_mut()
                .find(|(parameter, taken)| *parameter == name && taken.is_none())
                .ok_or_else(mismatch)?;
            slot.1 = Some(value);
        }
        Ok(Self { function, values })
    }

    fn has(&self, parameter: &str) -> bool {
        self.value(parameter).is_ok()
    }

    fn value(&self, parameter: &str) -> Result<&'a MontyObject, MontyException> {
        self.values
            .iter()
            .find(|(name, _)| *name == parameter)
            .and_then(|(_, value)| *value)
            .ok_or_else(|| self.wrong(parameter, "is missing"))
    }

    fn number(&self, parameter: &str) -> Result<f64, MontyException> {
        number(self.value(parameter)?).ok_or_else(|| self.wrong(parameter, "must be a number"))
    }

    fn list(&self, parameter: &str) -> Result<&'a [MontyObject], MontyException> {
        match self.value(parameter)? {
            MontyObject::List(items) | MontyObject::Tuple(items) | MontyObject::Set(items) => Ok(items),
            _ => Err(self.wrong(parameter, "must be a list; write list(…) around it")),
        }
    }

    /// The numbers of a list, without the missing ones.
    fn numbers(&self, parameter: &str) -> Result<Vec<f64>, MontyException> {
        self.list(parameter)?
            .iter()
            .filter(|item| !matches!(item, MontyObject::None))
            .map(|item| number(item).ok_or_else(|| self.wrong(parameter, "must hold numbers and None only")))
            .collect()
    }

    fn text(&self, parameter: &str) -> Result<&'a str, MontyException> {
        match self.value(parameter)? {
            MontyObject::String(text) => Ok(text),
            _ => Err(self.wrong(parameter, "must be the name of a key")),
        }
    }

    fn wrong(&self, parameter: &str, what: &str) -> MontyException {
        error(
            ExcType::TypeError,
            format!("{}: `{parameter}` {what}", self.function),
        )
    }
}

fn error(kind: ExcType, message: String) -> MontyException {
    MontyException::new(kind, Some(message))
}

fn number(value: &MontyObject) -> Option<f64> {
    match value {
        MontyObject::Int(whole) => Some(*whole as f64),
        MontyObject::Float(float) => Some(*float),
        _ => None,
    }
}

fn float(value: Option<f64>) -> MontyObject {
    value.map_or(MontyObject::None, MontyObject::Float)
}

fn of_values(bound: &Bound<'_>, statistic: impl Fn(&[f64]) -> Option<f64>) -> Called {
    statistic(&bound.numbers("values")?)
        .map(MontyObject::Float)
        .ok_or_else(|| {
            error(
                ExcType::ValueError,
                format!("{}: too few values, or a share outside 0 to 1", bound.function),
            )
        })
}

/// A line through the points that have both coordinates.
fn linreg(bound: &Bound<'_>) -> Called {
    let (xs, ys) = (bound.list("xs")?, bound.list("ys")?);
    if xs.len() != ys.len() {
        return Err(error(
            ExcType::ValueError,
            "linreg: xs and ys differ in length".to_owned(),
        ));
    }
    let points: Vec<(f64, f64)> = xs
        .iter()
        .zip(ys)
        .filter_map(|(x, y)| Some((number(x)?, number(y)?)))
        .collect();
    let (xs, ys): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
    let line = statistics::linreg(&xs, &ys).ok_or_else(|| {
        error(
            ExcType::ValueError,
            "linreg: needs two points with different x".to_owned(),
        )
    })?;
    Ok(dict([
        ("slope", line.slope),
        ("intercept", line.intercept),
        ("r2", line.r2),
    ]))
}

fn dict<const N: usize>(pairs: [(&str, f64); N]) -> MontyObject {
    let pairs: Vec<_> = pairs
        .into_iter()
        .map(|(name, value)| (MontyObject::String(name.to_owned()), MontyObject::Float(value)))
        .collect();
    MontyObject::dict(pairs)
}

/// A key of a group: ordered as people expect, numbers before text.
#[derive(Debug, Clone, PartialEq)]
enum Key {
    None,
    Number(f64),
    Text(String),
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = |key: &Self| match key {
            Self::None => 0,
            Self::Number(_) => 1,
            Self::Text(_) => 2,
        };
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            _ => rank(self).cmp(&rank(other)),
        }
    }
}

fn group_sum(bound: &Bound<'_>) -> Called {
    let keys: Vec<&str> = match bound.value("keys")? {
        MontyObject::String(key) => vec![key],
        MontyObject::List(names) | MontyObject::Tuple(names) => names
            .iter()
            .map(|name| match name {
                MontyObject::String(key) => Ok(key.as_str()),
                _ => Err(bound.wrong("keys", "must hold names of keys")),
            })
            .collect::<Result<_, _>>()?,
        _ => return Err(bound.wrong("keys", "must be a name or a list of names")),
    };
    let value = bound.text("value")?;
    let mut groups: BTreeMap<Vec<Key>, (Vec<MontyObject>, Vec<f64>)> = BTreeMap::new();
    for row in bound.list("rows")? {
        let cells: Vec<MontyObject> = keys
            .iter()
            .map(|key| field(bound, row, key).cloned())
            .collect::<Result<_, _>>()?;
        let group = groups
            .entry(cells.iter().map(key_of).collect())
            .or_insert_with(|| (cells, Vec::new()));
        match field(bound, row, value)? {
            MontyObject::None => {}
            cell => group
                .1
                .push(number(cell).ok_or_else(|| bound.wrong("value", "must name a key with numbers"))?),
        }
    }
    let rows = groups.into_values().map(|(cells, values)| {
        let total = (!values.is_empty()).then(|| statistics::sum(&values));
        let pairs: Vec<_> = keys
            .iter()
            .map(|key| MontyObject::String((*key).to_owned()))
            .zip(cells)
            .chain([(MontyObject::String(value.to_owned()), float(total))])
            .collect();
        MontyObject::dict(pairs)
    });
    Ok(MontyObject::List(rows.collect()))
}

/// Rows with the largest values of a key, largest first; rows without a value are left out.
fn top_n(bound: &Bound<'_>) -> Called {
    let key = bound.text("key")?;
    let count = bound.number("n")?.max(0.0) as usize;
    let mut rows: Vec<(f64, &MontyObject)> = Vec::new();
    for row in bound.list("rows")? {
        match field(bound, row, key)? {
            MontyObject::None => {}
            cell => rows.push((
                number(cell).ok_or_else(|| bound.wrong("key", "must name a key with numbers"))?,
                row,
            )),
        }
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(MontyObject::List(
        rows.into_iter().take(count).map(|(_, row)| row.clone()).collect(),
    ))
}

fn field<'a>(bound: &Bound<'_>, row: &'a MontyObject, name: &str) -> Result<&'a MontyObject, MontyException> {
    let MontyObject::Dict(pairs) = row else {
        return Err(bound.wrong("rows", "must be a list of dictionaries"));
    };
    pairs
        .iter()
        .find(|(key, _)| matches!(key, MontyObject::String(text) if text == name))
        .map(|(_, value)| value)
        .ok_or_else(|| {
            error(
                ExcType::KeyError,
                format!("{}: a row has no '{name}'", bound.function),
            )
        })
}

fn key_of(value: &MontyObject) -> Key {
    match value {
        MontyObject::None => Key::None,
        other => number(other).map_or_else(|| Key::Text(other.to_string()), Key::Number),
    }
}
