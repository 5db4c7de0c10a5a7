//! Tables of comma-separated values whose mistakes are named by file, row and column.

use std::str::FromStr;

use crate::EvalError;

/// A table that was read.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Row>,
}

/// One row, by the names of its columns.
#[derive(Debug)]
pub(crate) struct Row {
    file: String,
    /// Line of the file on which the row begins.
    line: u64,
    cells: Vec<(String, String)>,
}

impl Table {
    /// Reads a table; `file` is what its mistakes are reported under.
    pub(crate) fn read(file: &str, text: &str) -> Result<Self, EvalError> {
        let broken = |source| EvalError::Table {
            file: file.to_owned(),
            source,
        };
        let mut reader = csv::Reader::from_reader(text.trim_start_matches('\u{feff}').as_bytes());
        let names = reader.headers().map_err(broken)?;
        let columns: Vec<String> = names.iter().map(|name| name.trim().to_owned()).collect();
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(broken)?;
            let cells = record.iter().map(|cell| cell.trim().to_owned());
            rows.push(Row {
                file: file.to_owned(),
                line: record.position().map_or(0, csv::Position::line),
                cells: columns.iter().cloned().zip(cells).collect(),
            });
        }
        if rows.is_empty() {
            return Err(EvalError::Empty {
                file: file.to_owned(),
            });
        }
        Ok(Self { columns, rows })
    }
}

impl Row {
    /// The line of the row, which names it where it has no id.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// What stands in a column; the empty text if the table has no such column.
    pub(crate) fn text(&self, column: &str) -> &str {
        let found = self.cells.iter().find(|(name, _)| name == column);
        found.map_or("", |(_, cell)| cell.as_str())
    }

    /// What stands in a column, unless nothing does.
    pub(crate) fn some(&self, column: &str) -> Option<&str> {
        Some(self.text(column)).filter(|text| !text.is_empty())
    }

    /// What must stand in a column.
    pub(crate) fn required(&self, column: &str, wanted: &'static str) -> Result<&str, EvalError> {
        self.some(column).ok_or_else(|| self.wrong(column, wanted))
    }

    /// What must stand in a column, parsed.
    pub(crate) fn parse<T: FromStr>(&self, column: &str, wanted: &'static str) -> Result<T, EvalError> {
        let parsed = self.text(column).parse().ok();
        parsed.ok_or_else(|| self.wrong(column, wanted))
    }

    /// The parts of a cell that holds several values, separated by semicolons.
    pub(crate) fn list(&self, column: &str) -> Vec<String> {
        let parts = self.text(column).split(';').map(str::trim);
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }

    /// The parts of a cell, each parsed.
    pub(crate) fn parse_list<T: FromStr>(
        &self,
        column: &str,
        wanted: &'static str,
    ) -> Result<Vec<T>, EvalError> {
        let parse = |part: &String| part.parse().ok().ok_or_else(|| self.wrong(column, wanted));
        self.list(column).iter().map(parse).collect()
    }

    /// The error for a cell.
    pub(crate) fn wrong(&self, column: &str, wanted: &'static str) -> EvalError {
        EvalError::Cell {
            file: self.file.clone(),
            row: self.line,
            column: column.to_owned(),
            value: self.text(column).to_owned(),
            wanted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_cannot_be_read_is_named_by_file_row_and_column() {
        let table = Table::read("mine.csv", "question,id\n\"one,\ntwo\",4\nthree,many\n").unwrap();
        assert_eq!(table.rows[0].text("question"), "one,\ntwo");
        assert_eq!(table.rows[0].parse::<u32>("id", "dataset id").unwrap(), 4);
        let error = table.rows[1].parse::<u32>("id", "dataset id").unwrap_err();
        assert_eq!(
            error.to_string(),
            "mine.csv, row 4, column id: \"many\" is no dataset id"
        );
    }

    #[test]
    fn rows_of_another_length_and_tables_without_rows_are_refused() {
        let ragged = Table::read("mine.csv", "a,b\n1\n").unwrap_err();
        assert!(matches!(ragged, EvalError::Table { .. }), "{ragged}");
        let empty = Table::read("mine.csv", "a,b\n").unwrap_err();
        assert_eq!(empty.to_string(), "mine.csv: it has no rows");
    }

    #[test]
    fn a_mark_of_the_byte_order_is_no_part_of_the_first_column() {
        let table = Table::read("mine.csv", "\u{feff}a\n1\n").unwrap();
        assert_eq!(table.columns, ["a"]);
    }
}
