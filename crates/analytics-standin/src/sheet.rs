//! Tables that are compiled in, read by the rows that are wanted.
//!
//! They are deflated; a table is inflated when it is first looked into. Every line of these files is one row, and its
//! first cell is a plain code: lines are found by it and parsed only then.

use std::{collections::HashMap, io::Read, ops::Range, sync::OnceLock};

use csv::{ReaderBuilder, StringRecord};
use flate2::read::DeflateDecoder;

/// A compiled-in, deflated CSV file with a header.
#[derive(Debug)]
pub(crate) struct Sheet {
    packed: &'static [u8],
    opened: OnceLock<Opened>,
}

/// The text of a sheet and where its lines are.
#[derive(Debug)]
struct Opened {
    text: String,
    /// Lines by their first cell.
    lines: HashMap<Box<str>, Vec<Range<usize>>>,
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

impl Opened {
    fn new(packed: &[u8]) -> Self {
        let mut text = String::new();
        DeflateDecoder::new(packed)
            .read_to_string(&mut text)
            .expect("the build script deflated this text");
        let mut lines: HashMap<_, Vec<_>> = HashMap::new();
        let mut end = 0;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let start = end;
            end += line.len();
            if number > 0 {
                let line = line.trim_end_matches(['\r', '\n']);
                let found = lines.entry(first_cell(line).into()).or_default();
                found.push(start..start + line.len());
            }
        }
        Self { text, lines }
    }
}

impl Sheet {
    /// A sheet of deflated text.
    pub(crate) const fn new(packed: &'static [u8]) -> Self {
        Self {
            packed,
            opened: OnceLock::new(),
        }
    }

    /// The rows whose line begins with these whole cells, such as `BRA` or `BRA,BRA.14`.
    pub(crate) fn rows(&self, cells: &str) -> Rows {
        let Opened { text, lines } = self.opened();
        let found = lines.get(first_cell(cells)).map(Vec::as_slice);
        let begins = |line: &&str| {
            line.strip_prefix(cells)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(','))
        };
        let found = found.unwrap_or_default().iter();
        self.parse(found.map(|range| &text[range.clone()]).filter(begins))
    }

    /// Every row.
    pub(crate) fn all(&self) -> Rows {
        self.parse(self.text().lines().skip(1))
    }

    /// The whole file.
    pub(crate) fn text(&self) -> &str {
        &self.opened().text
    }

    fn opened(&self) -> &Opened {
        self.opened.get_or_init(|| Opened::new(self.packed))
    }

    fn parse<'a>(&self, lines: impl Iterator<Item = &'a str>) -> Rows {
        let mut text = self.text().lines().next().unwrap_or_default().to_owned();
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
    use flate2::{Compression, read::DeflateEncoder};

    use super::*;

    const TEXT: &str = "iso,aoi_id,name,loss_2001_ha,loss_2002_ha
BRA,BRA.1,\"Acre, the\",1.5,
BRA,BRA.14,Par,,2
BRB,,x,,
";

    #[test]
    fn rows_are_found_by_their_first_whole_cells() {
        let mut packed = Vec::new();
        DeflateEncoder::new(TEXT.as_bytes(), Compression::fast())
            .read_to_end(&mut packed)
            .unwrap();
        let sheet = Sheet::new(packed.leak());
        assert_eq!(sheet.rows("BRA").iter().count(), 2);
        assert_eq!(sheet.rows("BR").iter().count(), 0);
        let rows = sheet.rows("BRA,BRA.1");
        let row = rows.iter().next().unwrap();
        assert_eq!(rows.iter().count(), 1);
        assert_eq!(row.text("name"), Some("Acre, the"));
        assert_eq!(
            (row.number("loss_2001_ha"), row.number("loss_2002_ha")),
            (Some(1.5), None)
        );
        assert_eq!(row.number("loss_2003_ha"), None);
        assert_eq!(rows.years("loss_", "_ha"), [2001, 2002]);
        assert_eq!(sheet.all().iter().count(), 3);
        assert!(sheet.rows("XXX").if_any().is_none());
    }
}
