//! A chart in the making: cells that still know what they were computed from.

use periplus_chart::{Kind, Row};
use serde_json::{Number, Value};

use super::frame::{Figure, Selection, text_of};

/// A chart whose numbers are figures.
#[derive(Debug, Clone)]
pub(crate) struct Sketch {
    pub(crate) title: String,
    pub(crate) kind: Kind,
    pub(crate) x: String,
    pub(crate) y: String,
    pub(crate) color: String,
    pub(crate) stack: String,
    pub(crate) group: String,
    pub(crate) series: Vec<String>,
    pub(crate) rows: Vec<Vec<(String, Cell)>>,
}

/// One cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    /// What the row is about: a name, a class, a year.
    Label(Value),
    /// What was measured or computed; none where there is no value.
    Figure(Option<Figure>),
}

impl Cell {
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Label(label) => label.clone(),
            // Not-a-number and the infinities have no JSON and are no values.
            Self::Figure(figure) => figure
                .as_ref()
                .and_then(|figure| Number::from_f64(figure.value))
                .map_or(Value::Null, Value::Number),
        }
    }
}

impl Sketch {
    pub(crate) fn new(kind: Kind, title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            kind,
            x: String::new(),
            y: String::new(),
            color: String::new(),
            stack: String::new(),
            group: String::new(),
            series: Vec::new(),
            rows: Vec::new(),
        }
    }

    pub(crate) fn x(mut self, column: &str) -> Self {
        column.clone_into(&mut self.x);
        self
    }

    pub(crate) fn y(mut self, column: &str) -> Self {
        column.clone_into(&mut self.y);
        self
    }

    pub(crate) fn color(mut self, column: &str) -> Self {
        column.clone_into(&mut self.color);
        self
    }

    pub(crate) fn stack(mut self, column: &str) -> Self {
        column.clone_into(&mut self.stack);
        self
    }

    pub(crate) fn group(mut self, column: &str) -> Self {
        column.clone_into(&mut self.group);
        self
    }

    pub(crate) fn series(mut self, columns: &[&str]) -> Self {
        self.series = columns.iter().map(|column| (*column).to_owned()).collect();
        self
    }

    pub(crate) fn row(&mut self, cells: Vec<(String, Cell)>) {
        self.rows.push(cells);
    }

    /// One row for every group: its keys, then the sums of the measures.
    pub(crate) fn sums(
        mut self,
        groups: &[(Vec<Value>, Selection<'_>)],
        keys: &[&str],
        measures: &[&str],
    ) -> Self {
        for (key, rows) in groups {
            let labels = keys
                .iter()
                .zip(key)
                .map(|(column, value)| ((*column).to_owned(), Cell::Label(value.clone())));
            let figures = measures
                .iter()
                .map(|measure| ((*measure).to_owned(), Cell::Figure(rows.sum(measure))));
            self.rows.push(labels.chain(figures).collect());
        }
        self
    }

    /// Orders the rows by a measure, largest first; rows without it come last.
    pub(crate) fn largest_first(mut self, measure: &str) -> Self {
        self.rows.sort_by(|a, b| {
            let size = |row: &[(String, Cell)]| figure(row, measure).map(|figure| figure.value);
            match (size(a), size(b)) {
                (Some(a), Some(b)) => b.total_cmp(&a),
                (a, b) => b.is_some().cmp(&a.is_some()),
            }
        });
        self
    }

    /// Joins all rows after the `most` - 1 largest into one that is called Other.
    pub(crate) fn with_rest_joined(mut self, label: &str, measure: &str, most: usize) -> Self {
        self = self.largest_first(measure);
        if self.rows.len() <= most {
            return self;
        }
        let rest = self.rows.split_off(most - 1);
        let parts: Vec<&Figure> = rest.iter().filter_map(|row| figure(row, measure)).collect();
        let values: Vec<f64> = parts.iter().map(|part| part.value).collect();
        let total = Figure::derived(
            periplus_interpreter::statistics::sum(&values),
            format!("sum({measure})"),
            &parts,
        );
        self.rows.push(vec![
            (label.to_owned(), Cell::Label(Value::from("Other"))),
            (measure.to_owned(), Cell::Figure(Some(total))),
        ]);
        self
    }

    /// The rows as a chart has them.
    pub(crate) fn data(&self) -> Vec<Row> {
        self.rows
            .iter()
            .map(|row| {
                row.iter()
                    .map(|(column, cell)| (column.clone(), cell.to_json()))
                    .collect()
            })
            .collect()
    }

    /// Labels of x with the figures of a measure, in the order of the rows.
    pub(crate) fn items(&self, measure: &str) -> Vec<(String, Figure)> {
        self.rows
            .iter()
            .filter_map(|row| {
                let label = row.iter().find(|(column, _)| *column == self.x)?;
                Some((text_of(&label.1.to_json()), figure(row, measure)?.clone()))
            })
            .collect()
    }
}

/// The figure of a column in a row.
pub(crate) fn figure<'a>(row: &'a [(String, Cell)], column: &str) -> Option<&'a Figure> {
    row.iter().find_map(|(name, cell)| match cell {
        Cell::Figure(figure) if name == column => figure.as_ref(),
        _ => None,
    })
}
