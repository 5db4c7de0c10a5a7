//! The rows that were pulled, and sums over them that remember where they came from.

use std::collections::BTreeSet;

use periplus_interpreter::statistics;
use serde_json::Value;

use crate::{analytics::Table, statistics::Statistics};

/// The column with the names of areas.
pub(crate) const NAME: &str = "name";

/// Columns for machines, and the parts of an administrative id, which look like measures and are none.
const DROPPED: [&str; 5] = ["aoi_id", "aoi_type", "country", "region", "subregion"];

/// Rows by column. A row keeps the number it has in the pulled data, counted from 0 through all sources.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Frame {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

/// A number, and what it was computed from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    pub(crate) value: f64,
    /// What was executed.
    pub(crate) expression: String,
    /// The rows it was executed on, ascending.
    pub(crate) rows: Vec<usize>,
}

impl Figure {
    /// A figure of other figures.
    pub(crate) fn derived(value: f64, expression: impl Into<String>, from: &[&Self]) -> Self {
        let rows: BTreeSet<usize> = from.iter().flat_map(|figure| &figure.rows).copied().collect();
        Self {
            value,
            expression: expression.into(),
            rows: rows.into_iter().collect(),
        }
    }
}

impl Frame {
    /// The rows of several records under each other, every area by its name.
    pub(crate) fn new(parts: &[(&Statistics, &Table)]) -> Self {
        let names: Vec<String> = parts
            .iter()
            .flat_map(|(_, table)| table.names())
            .filter(|name| !DROPPED.contains(&name.as_str()))
            .collect();
        let mut columns = vec![NAME.to_owned()];
        for name in names {
            if !columns.contains(&name) {
                columns.push(name);
            }
        }
        let mut rows = Vec::new();
        for (index, (record, table)) in parts.iter().enumerate() {
            for row in 0..table.row_count() {
                let cell = |column: &String| {
                    table
                        .column(column)
                        .and_then(|values| values.get(row))
                        .cloned()
                        .unwrap_or_default()
                };
                let mut cells: Vec<Value> = columns.iter().skip(1).map(cell).collect();
                cells.insert(0, area_name(parts, index, record, &cell(&"aoi_id".to_owned())));
                rows.push(cells);
            }
        }
        Self { columns, rows }
    }

    pub(crate) fn columns(&self) -> &[String] {
        &self.columns
    }

    pub(crate) fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|known| known == column)
    }

    pub(crate) fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// A cell; null where there is no such row or column.
    pub(crate) fn value(&self, row: usize, column: &str) -> &Value {
        const NULL: &Value = &Value::Null;
        let index = self.columns.iter().position(|known| known == column);
        index
            .and_then(|index| self.rows.get(row)?.get(index))
            .unwrap_or(NULL)
    }

    pub(crate) fn number(&self, row: usize, column: &str) -> Option<f64> {
        self.value(row, column).as_f64()
    }

    /// A cell as people name it.
    pub(crate) fn text(&self, row: usize, column: &str) -> String {
        text_of(self.value(row, column))
    }

    /// All rows.
    pub(crate) fn all(&self) -> Selection<'_> {
        Selection {
            frame: self,
            rows: (0..self.rows.len()).collect(),
        }
    }

    /// The cells by row, without columns of text that is the same in every row: they say nothing, and the name of the
    /// area stays.
    pub(crate) fn informative_columns(&self) -> Vec<&str> {
        let says_nothing = |column: &String| {
            let first = self.value(0, column);
            column != NAME
                && self.rows.len() > 1
                && first.is_string()
                && !periplus_chart::is_time(column)
                && (1..self.rows.len()).all(|row| self.value(row, column) == first)
        };
        self.columns
            .iter()
            .filter(|column| !says_nothing(column))
            .map(String::as_str)
            .collect()
    }
}

/// The name of an area; told apart by the record's parameters where several records hold the same one.
fn area_name(parts: &[(&Statistics, &Table)], index: usize, record: &Statistics, id: &Value) -> Value {
    let id = text_of(id);
    let name = record.aoi_id_to_name.get(&id).unwrap_or(&id);
    let shared = parts.iter().enumerate().any(|(other, (record, _))| {
        other != index && record.aoi_id_to_name.values().any(|known| known == name)
    });
    if shared {
        Value::from(format!("{name} ({})", distinction(record)))
    } else {
        Value::from(name.as_str())
    }
}

/// What tells a record from another one of the same areas.
fn distinction(record: &Statistics) -> String {
    let mut words: Vec<String> = record
        .context_layer
        .iter()
        .map(|layer| layer.replace('_', " "))
        .collect();
    if let Some(canopy) = record.provenance.canopy_cover {
        words.push(format!("canopy {canopy} %"));
    }
    words.push(format!("{} to {}", record.start_date, record.end_date));
    words.join(", ")
}

pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::Null => "no value".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Some rows of a frame.
#[derive(Debug, Clone)]
pub(crate) struct Selection<'a> {
    frame: &'a Frame,
    rows: Vec<usize>,
}

impl<'a> Selection<'a> {
    pub(crate) fn frame(&self) -> &'a Frame {
        self.frame
    }

    pub(crate) fn rows(&self) -> &[usize] {
        &self.rows
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn filter(&self, keep: impl Fn(&'a Frame, usize) -> bool) -> Self {
        Self {
            frame: self.frame,
            rows: self
                .rows
                .iter()
                .copied()
                .filter(|row| keep(self.frame, *row))
                .collect(),
        }
    }

    /// The rows with this text in a column.
    pub(crate) fn with(&self, column: &str, text: &str) -> Self {
        self.filter(|frame, row| frame.text(row, column) == text)
    }

    /// The rows where a measure is there and not zero: a zero row says nothing in a chart.
    pub(crate) fn not_zero(&self, measure: &str) -> Self {
        self.filter(|frame, row| frame.number(row, measure).is_some_and(|value| value != 0.0))
    }

    /// The values of a column, each once, in their order: numbers by size, text by letter.
    pub(crate) fn distinct(&self, column: &str) -> Vec<String> {
        self.groups(&[column])
            .into_iter()
            .map(|(key, _)| text_of(&key[0]))
            .collect()
    }

    /// The rows by the values of some columns, ordered by these values.
    pub(crate) fn groups(&self, keys: &[&str]) -> Vec<(Vec<Value>, Self)> {
        self.groups_by(|frame, row| keys.iter().map(|key| frame.value(row, key).clone()).collect())
    }

    /// The rows by a key that is computed for each, ordered by it.
    pub(crate) fn groups_by(&self, key: impl Fn(&'a Frame, usize) -> Vec<Value>) -> Vec<(Vec<Value>, Self)> {
        let mut groups: Vec<(Vec<Value>, Vec<usize>)> = Vec::new();
        let mut known = std::collections::HashMap::new();
        for row in &self.rows {
            let key = key(self.frame, *row);
            let index = *known
                .entry(Value::from(key.clone()).to_string())
                .or_insert_with(|| {
                    groups.push((key, Vec::new()));
                    groups.len() - 1
                });
            groups[index].1.push(*row);
        }
        groups.sort_by(|a, b| compare(&a.0, &b.0));
        groups
            .into_iter()
            .map(|(key, rows)| {
                let selection = Self {
                    frame: self.frame,
                    rows,
                };
                (key, selection)
            })
            .collect()
    }

    /// The sum of a measure; none if no row has it, because what is missing is not zero.
    pub(crate) fn sum(&self, measure: &str) -> Option<Figure> {
        let (rows, values): (Vec<usize>, Vec<f64>) = self
            .rows
            .iter()
            .filter_map(|row| Some((*row, self.frame.number(*row, measure)?)))
            .unzip();
        let (first, rest) = values.split_first()?;
        Some(Figure {
            value: if rest.is_empty() {
                *first
            } else {
                statistics::sum(&values)
            },
            expression: if rest.is_empty() {
                measure.to_owned()
            } else {
                format!("sum({measure})")
            },
            rows,
        })
    }
}

fn compare(a: &[Value], b: &[Value]) -> std::cmp::Ordering {
    let one = |a: &Value, b: &Value| match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => text_of(a).cmp(&text_of(b)),
    };
    let order = a.iter().zip(b).map(|(a, b)| one(a, b));
    order.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
}
