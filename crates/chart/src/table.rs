//! A chart's rows as CSV.

use serde_json::Value;

use crate::Chart;

impl Chart {
    /// The rows with a header line, RFC 4180, numbers as they are. Columns for machines are left out.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let columns: Vec<&str> = self.columns().collect();
        let mut text = line(columns.iter().map(|column| (*column).to_owned()));
        for row in &self.data {
            text.push_str(&line(columns.iter().map(|column| match row.get(*column) {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(cell)) => plain(cell),
                Some(other) => other.to_string(),
            })));
        }
        text
    }
}

/// Text that a spreadsheet would run as a formula is marked as text.
fn plain(cell: &str) -> String {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{cell}")
    } else {
        cell.to_owned()
    }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells
        .map(|cell| {
            if cell.contains([',', '"', '\n', '\r']) {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell
            }
        })
        .collect();
    format!("{}\r\n", cells.join(","))
}
