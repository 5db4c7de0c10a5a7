//! Whether the numbers of a program come from the rows, and from which.
//!
//! A number is recomputed where it can be: the sum, mean, smallest, largest, share or count of the rows that have the
//! labels of its own row. What cannot be recomputed has to move when the program is run again on moved measures; a
//! number that stands still was written by the model, and the program is refused.

use std::collections::BTreeSet;

use periplus_interpreter::statistics;
use serde_json::Value;

use super::{
    super::{
        facts::Stated,
        frame::{Figure, Frame, Selection},
        sketch::{Cell, Sketch},
    },
    label,
    output::{ChartInsight, Output},
};

/// Furthest that a number may be from what is recomputed: programs round.
const MAX_ERROR: f64 = 1e-3;
/// Least that a number has to move.
const LEAST_MOVE: f64 = 1e-6;

/// Whether a column of the source holds measures: numbers with a unit.
pub(super) fn is_measure(column: &str) -> bool {
    periplus_chart::unit(column).is_some()
}

/// The charts with where each number comes from, and the findings.
///
/// # Errors
/// What the program has to change.
pub(super) fn verify(
    output: Output,
    shadow: Option<&Output>,
    frame: &Frame,
) -> Result<(Vec<Sketch>, Vec<Stated>), String> {
    let mut sketches = Vec::new();
    for (index, chart) in output.charts.iter().enumerate() {
        let moved = shadow.and_then(|shadow| shadow.charts.get(index));
        let sketch = sketch(chart, moved, frame)?;
        sketches.push(sketch);
    }
    let mut findings = Vec::new();
    for finding in output.findings {
        let moved = shadow.map(|shadow| {
            let same = shadow.findings.iter().find(|other| other.label == finding.label);
            same.map(|other| other.value)
        });
        let figure = figure(finding.value, &frame.all(), moved).ok_or_else(|| {
            format!(
                "the finding {:?} is {} whatever the rows are; compute it from the rows",
                finding.label, finding.value
            )
        })?;
        findings.push(Stated {
            label: finding.label,
            unit: finding.unit,
            figure,
        });
    }
    Ok((sketches, findings))
}

fn sketch(chart: &ChartInsight, moved: Option<&ChartInsight>, frame: &Frame) -> Result<Sketch, String> {
    let columns = columns(chart);
    check_fields(chart, &columns)?;
    let mut sketch = Sketch::new(chart.chart_type, chart.title.trim())
        .x(&chart.x_axis)
        .y(&chart.y_axis)
        .color(&chart.color_field)
        .stack(&chart.stack_field)
        .group(&chart.group_field);
    sketch.series.clone_from(&chart.series_fields);
    let reader = Reader {
        chart,
        moved,
        frame,
        measures: columns
            .iter()
            .copied()
            .filter(|column| holds_numbers(chart, column, frame))
            .collect(),
        columns,
    };
    for index in 0..chart.rows.len() {
        sketch.row(reader.row(index)?);
    }
    Ok(sketch)
}

/// The columns of all rows, in the order in which they first occur.
fn columns(chart: &ChartInsight) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    chart
        .rows
        .iter()
        .flat_map(|row| row.keys())
        .map(String::as_str)
        .filter(|column| seen.insert(*column))
        .collect()
}

fn check_fields(chart: &ChartInsight, columns: &[&str]) -> Result<(), String> {
    if chart.title.trim().is_empty() {
        return Err("a chart has no title".to_owned());
    }
    for column in columns {
        check_column(column, &chart.title)?;
    }
    let splits = [&chart.color_field, &chart.stack_field, &chart.group_field];
    match splits.into_iter().find(|field| is_measure(field)) {
        Some(field) => Err(format!(
            "{:?}: group by names, classes or times, not by the measure `{field}`",
            chart.title
        )),
        None => Ok(()),
    }
}

/// Reads the rows of one chart beside those of the source and of the other run.
struct Reader<'a> {
    chart: &'a ChartInsight,
    moved: Option<&'a ChartInsight>,
    frame: &'a Frame,
    columns: Vec<&'a str>,
    /// The columns that hold figures; the others are labels.
    measures: Vec<&'a str>,
}

impl Reader<'_> {
    fn row(&self, index: usize) -> Result<Vec<(String, Cell)>, String> {
        const NULL: &Value = &Value::Null;
        let cell = |column: &str| {
            self.chart
                .rows
                .get(index)
                .and_then(|row| row.get(column))
                .unwrap_or(NULL)
        };
        let labels: Vec<(&str, &Value)> = self
            .columns
            .iter()
            .filter(|column| !self.measures.contains(column))
            .map(|column| (*column, cell(column)))
            .collect();
        check_times(&labels, self.frame, &self.chart.title)?;
        let selection = matching(self.frame, &labels);
        let twin = self.moved.map(|moved| twin(moved, &labels));
        let read = |column: &str| {
            if !self.measures.contains(&column) {
                return Ok(Cell::Label(cell(column).clone()));
            }
            let Some(number) = cell(column).as_f64() else {
                return Ok(Cell::Figure(None));
            };
            let moved = twin.map(|twin| twin.and_then(|row| row.get(column)?.as_f64()));
            selection
                .as_ref()
                .and_then(|rows| recomputed(number, rows, self.frame))
                .or_else(|| figure_by_moving(number, &self.frame.all(), moved))
                .map(|figure| Cell::Figure(Some(figure)))
                .ok_or_else(|| {
                    format!(
                        "row {} of {:?}: `{column}` is {number} whatever the rows are; compute it from the rows",
                        index + 1,
                        self.chart.title
                    )
                })
        };
        self.columns
            .iter()
            .map(|column| Ok(((*column).to_owned(), read(column)?)))
            .collect()
    }
}

fn check_column(column: &str, title: &str) -> Result<(), String> {
    let is_plain = !column.is_empty()
        && column
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if !is_plain {
        return Err(format!(
            "{title:?}: the column {column:?} needs a name of letters, digits and _"
        ));
    }
    if column == "value" {
        return Err(format!(
            "{title:?}: call the column by its measure with its unit, not `value`"
        ));
    }
    Ok(())
}

/// Whether a column of a chart holds figures: numbers that are no years or classes of the source.
fn holds_numbers(chart: &ChartInsight, column: &str, frame: &Frame) -> bool {
    let numbers = chart
        .rows
        .iter()
        .any(|row| row.get(column).is_some_and(Value::is_number));
    let is_label = periplus_chart::is_time(column) || (frame.has(column) && !is_measure(column));
    numbers && !is_label
}

/// A year that the source does not have is invented.
fn check_times(labels: &[(&str, &Value)], frame: &Frame, title: &str) -> Result<(), String> {
    for (column, value) in labels {
        if !frame.has(column) || !value.is_number() {
            continue;
        }
        let known = frame.all().distinct(column);
        if !known.contains(&label(value)) {
            return Err(format!(
                "{title:?}: `{column}` {} is not in the rows",
                label(value)
            ));
        }
    }
    Ok(())
}

/// The rows of the source that have these labels; none if a label is no value of the source.
fn matching<'a>(frame: &'a Frame, labels: &[(&str, &Value)]) -> Option<Selection<'a>> {
    let mut rows = frame.all();
    for (column, value) in labels
        .iter()
        .filter(|(column, _)| !periplus_chart::is_hidden(column))
    {
        let text = label(value);
        let of_source = if frame.has(column) {
            rows.with(column, &text)
        } else if *column == "month" {
            let date = frame.columns().iter().find(|column| column.ends_with("_date"))?;
            rows.filter(|frame, row| frame.text(row, date).starts_with(&text))
        } else {
            // A label of the program's own, such as a class it merged.
            return None;
        };
        if of_source.is_empty() {
            return None;
        }
        rows = of_source;
    }
    Some(rows)
}

/// The row with the same labels in the other run.
fn twin<'a>(moved: &'a ChartInsight, labels: &[(&str, &Value)]) -> Option<&'a periplus_chart::Row> {
    moved.rows.iter().find(|row| {
        labels
            .iter()
            .all(|(column, value)| row.get(*column).unwrap_or(&Value::Null) == *value)
    })
}

fn figure(value: f64, rows: &Selection<'_>, moved: Option<Option<f64>>) -> Option<Figure> {
    recomputed(value, rows, rows.frame()).or_else(|| figure_by_moving(value, rows, moved))
}

/// The number as a statistic of these rows, if it is one.
fn recomputed(number: f64, rows: &Selection<'_>, frame: &Frame) -> Option<Figure> {
    let found = |value: f64, expression: String| {
        agrees(value, number).then(|| Figure {
            value: number,
            expression,
            rows: rows.rows().to_vec(),
        })
    };
    if let Some(count) = found(rows.rows().len() as f64, "count(rows)".to_owned()) {
        return Some(count);
    }
    let measures: Vec<&String> = frame
        .columns()
        .iter()
        .filter(|column| is_measure(column))
        .collect();
    measures.iter().find_map(|measure| {
        let values: Vec<f64> = rows
            .rows()
            .iter()
            .filter_map(|row| frame.number(*row, measure))
            .collect();
        let (first, rest) = values.split_first()?;
        let total = statistics::sum(&values);
        if rest.is_empty()
            && let Some(one) = found(*first, (*measure).clone())
        {
            return Some(one);
        }
        let whole = frame.all().sum(measure).map(|figure| figure.value);
        let share = whole.and_then(|whole| statistics::pct(total, whole));
        [
            (Some(total), "sum"),
            (statistics::mean(&values), "mean"),
            (values.iter().copied().reduce(f64::max), "max"),
            (values.iter().copied().reduce(f64::min), "min"),
            (statistics::median(&values), "median"),
        ]
        .into_iter()
        .find_map(|(value, name)| found(value?, format!("{name}({measure})")))
        .or_else(|| {
            found(
                share?,
                format!("100 * sum({measure}) / sum({measure} of all rows)"),
            )
        })
    })
}

/// The number as the program's own, if it moved with the rows. Where the other run has no such number, the rows decided.
fn figure_by_moving(number: f64, rows: &Selection<'_>, moved: Option<Option<f64>>) -> Option<Figure> {
    let still = match moved {
        // Without a second run nothing is known, and what is not known is not published.
        None => true,
        Some(None) => false,
        Some(Some(other)) => (other - number).abs() <= LEAST_MOVE * number.abs().max(f64::MIN_POSITIVE),
    };
    // Zero and a hundred percent are often the same whatever the rows are.
    let is_trivial = number == 0.0 || number == 100.0;
    (!still || is_trivial).then(|| Figure {
        value: number,
        expression: "program".to_owned(),
        rows: rows.rows().to_vec(),
    })
}

/// Whether a shown number is a computed one, or its rounding.
fn agrees(computed: f64, shown: f64) -> bool {
    let error = (computed - shown).abs();
    if error <= 1e-9 * computed.abs() {
        return true;
    }
    let text = shown.to_string();
    let decimals = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let half = 0.5 * 10f64.powi(-(i32::try_from(decimals).unwrap_or(i32::MAX)));
    error <= half * (1.0 + 1e-9) && error <= MAX_ERROR * computed.abs()
}

#[cfg(test)]
mod tests;
