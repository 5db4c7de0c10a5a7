//! From a CSV row to a record.

use std::borrow::Cow;

use periplus_collection::{Geography, Merged, Record, text};
use thiserror::Error;

use super::columns::{Column, Header};
use super::quality::{self, FlagSet};
use super::{artists, dates};
use crate::CsvRecord;

/// Why a row is no record.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowError {
    /// Another number of cells than the header has.
    #[error("record {number} at byte {byte_offset} has {found} cells, the header has {expected}")]
    Shape {
        /// 1 is the first record after the header.
        number: u64,
        /// Where the record starts.
        byte_offset: u64,
        /// Cells of the record.
        found: usize,
        /// Cells of the header.
        expected: usize,
    },
    /// The object id is not a positive whole number of at most ten digits.
    #[error(
        "record {number} at byte {byte_offset} has the object id {cell:?}: expected a positive whole number"
    )]
    ObjectId {
        /// 1 is the first record after the header.
        number: u64,
        /// Where the record starts.
        byte_offset: u64,
        /// The cell, shortened.
        cell: String,
    },
}

/// A row with the header that names its cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    header: &'a Header,
    cells: &'a CsvRecord,
}

impl<'a> Row<'a> {
    pub(super) fn cell(self, column: Column) -> &'a str {
        self.header.cell(self.cells, column)
    }

    pub(super) fn cells(self) -> impl Iterator<Item = &'a str> {
        self.cells.cells()
    }

    fn text(self, column: Column) -> Option<String> {
        text::clean(self.cell(column)).map(Cow::into_owned)
    }

    fn set(self, column: Column) -> Vec<String> {
        set(self.cell(column))
    }
}

/// The record of a CSV row.
///
/// # Errors
/// The row has the wrong number of cells or no valid object id.
pub fn record(header: &Header, cells: &CsvRecord) -> Result<Record, RowError> {
    let (number, byte_offset) = (cells.number, cells.byte_offset);
    if cells.len() != header.width() {
        return Err(RowError::Shape {
            number,
            byte_offset,
            found: cells.len(),
            expected: header.width(),
        });
    }
    let row = Row { header, cells };
    let object_id = object_id(row.cell(Column::ObjectId)).ok_or_else(|| RowError::ObjectId {
        number,
        byte_offset,
        cell: row.cell(Column::ObjectId).chars().take(40).collect(),
    })?;

    let mut flags = FlagSet::default();
    let object_date_text = row.text(Column::ObjectDate);
    let object_date = dates::object_date(
        row.cell(Column::ObjectBeginDate),
        row.cell(Column::ObjectEndDate),
        object_date_text.as_deref(),
        &mut flags,
    );
    let artists = artists::mentions(row, &mut flags);
    let is_public_domain = rights(row, &mut flags);
    quality::flag_cells(row, object_id, &mut flags);
    let mut record = Record {
        object_id,
        title: row.text(Column::Title).into(),
        department: row.text(Column::Department),
        object_name: row.text(Column::ObjectName),
        culture: row.text(Column::Culture),
        period: row.text(Column::Period),
        medium: row.text(Column::Medium),
        classification: row.set(Column::Classification),
        tags: row.set(Column::Tags),
        artists: if artists.is_empty() {
            Merged::Missing
        } else {
            Merged::Value(artists)
        },
        object_date,
        object_date_text,
        geography: Geography {
            kind: row.set(Column::GeographyType),
            city: row.set(Column::City),
            state: row.set(Column::State),
            county: row.set(Column::County),
            country: row.set(Column::Country),
            region: row.set(Column::Region),
            subregion: row.set(Column::Subregion),
            locale: row.set(Column::Locale),
        },
        is_public_domain,
        has_known_image: Merged::Missing,
        data_quality: flags.into_names(),
    };
    flag_missing(&mut record);
    Ok(record)
}

/// Flags for what a record lacks once its sources are merged.
pub(super) fn flag_missing(record: &mut Record) {
    let conditions = [
        (record.title == Merged::Missing, "title_missing"),
        (
            record.title.value().is_some_and(|title| title.contains('|')),
            "title_multilingual",
        ),
        (record.artists == Merged::Missing, "artist_missing"),
        (record.culture.is_none(), "culture_missing"),
        (record.medium.is_none(), "medium_missing"),
        (record.classification.is_empty(), "classification_missing"),
        (record.tags.is_empty(), "tags_missing"),
    ];
    for (condition, name) in conditions {
        if condition {
            record.flag(name);
        }
    }
}

/// Members of a `|` list: trimmed, without blanks and repeats.
pub(super) fn set(cell: &str) -> Vec<String> {
    let mut members: Vec<String> = Vec::new();
    for member in cell.split('|').filter_map(text::clean) {
        if !members.iter().any(|known| *known == member) {
            members.push(member.into_owned());
        }
    }
    members
}

fn object_id(cell: &str) -> Option<u64> {
    let digits = cell.trim();
    let is_id = (1..=10).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !digits.starts_with('0');
    if is_id { digits.parse().ok() } else { None }
}

fn rights(row: Row<'_>, flags: &mut FlagSet) -> Merged<bool> {
    let cell = row.cell(Column::IsPublicDomain).trim();
    if cell.eq_ignore_ascii_case("true") {
        if text::clean(row.cell(Column::RightsAndReproduction)).is_some() {
            flags.insert("rights_text_on_public_domain");
        }
        Merged::Value(true)
    } else if cell.eq_ignore_ascii_case("false") {
        Merged::Value(false)
    } else {
        flags.insert("rights_unparsed");
        Merged::Missing
    }
}
