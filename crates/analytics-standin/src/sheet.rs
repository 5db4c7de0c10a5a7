//! Tables that are compiled in, read by the rows that are wanted.
//!
//! Every line of these files is one row, and its first cell is a plain code: lines are chosen before they are parsed.

use csv::{ReaderBuilder, StringRecord};

/// A compiled-in CSV file with a header.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sheet(pub(crate) &'static str);

/// Some rows of a sheet.
#[derive(Debug)]
pub(crate) struct Rows {
    header: StringRecord,
    records: Vec<StringRecord>,
}

/// One row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    header: &'a StringRecord,
    record: &'a StringRecord,
}

impl Sheet {
    /// The rows whose first cell is wanted.
    pub(crate) fn rows(self, is_wanted: impl Fn(&str) -> bool) -> Rows {
        let mut lines = self.0.lines();
        let header = parse(lines.next().unwrap_or_default());
        let first = |line: &str| line.split(',').next().is_some_and(&is_wanted);
        Rows {
            header,
            records: lines.filter(|line| first(line)).map(parse).collect(),
        }
    }

    /// Every row.
    pub(crate) fn all(self) -> Rows {
        self.rows(|_| true)
    }
}

fn parse(line: &str) -> StringRecord {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .from_reader(line.as_bytes());
    let mut record = StringRecord::new();
    reader
        .read_record(&mut record)
        .expect("a line of text in memory is a record");
    record
}

impl Rows {
    pub(crate) fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        self.records.iter().map(|record| Row {
            header: &self.header,
            record,
        })
    }

    /// The rows, unless there are none.
    pub(crate) fn if_any(self) -> Option<Self> {
        (!self.records.is_empty()).then_some(self)
    }

    /// The numbered columns of the header: prefix, year, suffix.
    pub(crate) fn years(&self, prefix: &str, suffix: &str) -> Vec<i32> {
        let year = |name: &str| name.strip_prefix(prefix)?.strip_suffix(suffix)?.parse().ok();
        self.header.iter().filter_map(year).collect()
    }
}

impl<'a> Row<'a> {
    /// The text of a cell; `None` if it is empty or the sheet has no such column.
    pub(crate) fn text(self, column: &str) -> Option<&'a str> {
        let index = self.header.iter().position(|name| name == column)?;
        self.record.get(index).filter(|cell| !cell.is_empty())
    }

    /// The number of a cell.
    pub(crate) fn number(self, column: &str) -> Option<f64> {
        self.text(column)?.parse().ok()
    }

    /// The whole number of a cell.
    pub(crate) fn integer(self, column: &str) -> Option<i32> {
        self.text(column)?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHEET: Sheet =
        Sheet("aoi_id,name,loss_2001_ha,loss_2002_ha\nBRA,\"Bra, zil\",1.5,\nBRA.1,Acre,,2\n");

    #[test]
    fn rows_are_chosen_by_their_first_cell() {
        let rows = SHEET.rows(|id| id == "BRA");
        let row = rows.iter().next().unwrap();
        assert_eq!(rows.iter().count(), 1);
        assert_eq!(row.text("name"), Some("Bra, zil"));
        assert_eq!(row.number("loss_2001_ha"), Some(1.5));
        assert_eq!(row.number("loss_2002_ha"), None);
        assert_eq!(row.number("loss_2003_ha"), None);
        assert_eq!(rows.years("loss_", "_ha"), [2001, 2002]);
    }
}
