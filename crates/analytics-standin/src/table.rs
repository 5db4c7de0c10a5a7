//! Results as the service writes them: one object of equally long lists.

use serde_json::{Map, Value};

/// A table that grows by rows and is written by columns.
#[derive(Debug)]
pub(crate) struct Table {
    names: Vec<&'static str>,
    columns: Vec<Vec<Value>>,
}

impl Table {
    pub(crate) fn new(names: &[&'static str]) -> Self {
        Self {
            names: names.to_vec(),
            columns: vec![Vec::new(); names.len()],
        }
    }

    /// Adds a row; cells stand in the order of the names.
    pub(crate) fn push<const N: usize>(&mut self, cells: [Value; N]) {
        debug_assert_eq!(N, self.names.len(), "a row has a cell for each column");
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell);
        }
    }

    /// Adds a row of as many cells as there are columns.
    pub(crate) fn push_all(&mut self, cells: Vec<Value>) {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.columns.first().is_none_or(Vec::is_empty)
    }

    /// The result object; columns without a single value are left out if they are named here.
    pub(crate) fn into_result(self, optional: &[&str]) -> Map<String, Value> {
        self.names
            .into_iter()
            .zip(self.columns)
            .filter(|(name, column)| !optional.contains(name) || column.iter().any(|cell| !cell.is_null()))
            .map(|(name, column)| (name.to_owned(), Value::Array(column)))
            .collect()
    }
}
