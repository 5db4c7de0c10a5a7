//! Which rows have nothing recorded, by field.
//!
//! Derived once when a catalogue is opened: every condition needs it, and reading half a million list
//! lengths per condition would cost more than the rest of the condition.

use fixedbitset::FixedBitSet;

use crate::{
    BoolColumn, Columns, Lists, StringField, Strings, bits,
    predicate::{Field, FlagField, TextField},
};

/// Rows without a recorded value; rows in conflict are not among them.
#[derive(Debug, Clone)]
pub(crate) struct Missing {
    /// By [`StringField`] as index.
    strings: Vec<FixedBitSet>,
    metadata_text: FixedBitSet,
    is_public_domain: FixedBitSet,
    has_known_image: FixedBitSet,
    object_date: FixedBitSet,
}

impl Missing {
    /// Reads the columns once.
    pub(crate) fn of(columns: &Columns) -> Self {
        let rows = columns.len();
        let date = &columns.object_date;
        Self {
            strings: StringField::ALL.map(|field| empty_lists(columns, field)).into(),
            metadata_text: empty_texts(rows, &columns.metadata_text),
            is_public_domain: unrecorded(rows, &columns.is_public_domain),
            has_known_image: unrecorded(rows, &columns.has_known_image),
            object_date: bits::in_none(rows, [&date.valid, &date.invalid, &date.conflict]),
        }
    }

    /// The rows without a recorded value of that field.
    pub(crate) fn rows(&self, field: Field) -> &FixedBitSet {
        match field {
            Field::Text(TextField::Column(field)) => &self.strings[field as usize],
            Field::Text(TextField::MetadataText) => &self.metadata_text,
            Field::Flag(FlagField::IsPublicDomain) => &self.is_public_domain,
            Field::Flag(FlagField::HasKnownImage) => &self.has_known_image,
            Field::ObjectDate => &self.object_date,
        }
    }
}

fn empty_lists(columns: &Columns, field: StringField) -> FixedBitSet {
    let column = columns.string(field);
    let Lists { offsets, .. } = &column.values_of;
    let mut missing = with_gap(columns.len(), offsets, 0);
    missing.difference_with(&column.conflict);
    missing
}

/// A stored string carries its line feed, so an empty one is one byte long.
fn empty_texts(rows: usize, texts: &Strings) -> FixedBitSet {
    with_gap(rows, &texts.offsets, 1)
}

/// The rows whose two offsets differ by exactly `gap`.
fn with_gap(rows: usize, offsets: &[u32], gap: u32) -> FixedBitSet {
    let mut words = vec![0; bits::set_words(rows)];
    for (row, pair) in offsets.windows(2).take(rows).enumerate() {
        let is_empty = usize::from(pair[1].wrapping_sub(pair[0]) == gap);
        words[row / bits::WORD] |= is_empty << (row % bits::WORD);
    }
    bits::from_words(rows, words)
}

fn unrecorded(rows: usize, column: &BoolColumn) -> FixedBitSet {
    bits::in_none(rows, [&column.yes, &column.no, &column.conflict])
}
