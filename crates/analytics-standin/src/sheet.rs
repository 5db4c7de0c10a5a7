//! Tables that are compiled in, read by the rows that are wanted.
//!
//! Every line of these files is one row, and its first cell is a plain code: lines are found by it and parsed only then.

use std::{collections::HashMap, sync::OnceLock};

use csv::{ReaderBuilder, StringRecord};

/// A compiled-in CSV file with a header.
#[derive(Debug)]
pub(crate) struct Sheet {
    pub(crate) text: &'static str,
    /// Lines by their first cell; made when the sheet is first looked into.
    lines: OnceLock<HashMap<&'static str, Vec<&'static str>>>,
}

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
    pub(crate) const fn new(text: &'static str) -> Self {
        Self {
            text,
            lines: OnceLock::new(),
        }
    }

    /// The rows whose line begins with these whole cells, such as `BRA` or `BRA,BRA.14`.
    pub(crate) fn rows(&self, cells: &str) -> Rows {
        let found = self.lines().get(first_cell(cells)).map(Vec::as_slice);
        let begins = |line: &&str| {
            line.strip_prefix(cells)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(','))
        };
        self.parse(found.unwrap_or_default().iter().copied().filter(begins))
    }

    /// Every row.
    pub(crate) fn all(&self) -> Rows {
        self.parse(self.text.lines().skip(1))
    }

    fn lines(&self) -> &HashMap<&'static str, Vec<&'static str>> {
        self.lines.get_or_init(|| {
            let mut lines: HashMap<_, Vec<_>> = HashMap::new();
            for line in self.text.lines().skip(1) {
                lines.entry(first_cell(line)).or_default().push(line);
            }
            lines
        })
    }

    fn parse(&self, lines: impl Iterator<Item = &'static str>) -> Rows {
        let mut text = self.text.lines().next().unwrap_or_default().to_owned();
        for line in lines {
            text.push('\n');
            text.push_str(line);
        }
        let mut reader = ReaderBuilder::new().from_reader(text.as_bytes());
        let header = reader.headers().cloned().expect("a header in memory can be read");
        let records = reader
            .records()
            .map(|record| record.expect("every line has a cell for each column"));
        Rows {
            header,
            records: records.collect(),
        }
    }
}

fn first_cell(line: &str) -> &str {
    line.split(',').next().unwrap_or_default()
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

    static SHEET: Sheet = Sheet::new(
        "iso,aoi_id,name,loss_2001_ha,loss_2002_ha\nBRA,BRA.1,\"Acre, the\",1.5,\nBRA,BRA.14,Par,,2\nBRB,,x,,\n",
    );

    #[test]
    fn rows_are_found_by_their_first_whole_cells() {
        assert_eq!(SHEET.rows("BRA").iter().count(), 2);
        assert_eq!(SHEET.rows("BR").iter().count(), 0);
        let rows = SHEET.rows("BRA,BRA.1");
        let row = rows.iter().next().unwrap();
        assert_eq!(rows.iter().count(), 1);
        assert_eq!(row.text("name"), Some("Acre, the"));
        assert_eq!(
            (row.number("loss_2001_ha"), row.number("loss_2002_ha")),
            (Some(1.5), None)
        );
        assert_eq!(row.number("loss_2003_ha"), None);
        assert_eq!(rows.years("loss_", "_ha"), [2001, 2002]);
        assert_eq!(SHEET.all().iter().count(), 3);
        assert!(SHEET.rows("XXX").if_any().is_none());
    }
}
