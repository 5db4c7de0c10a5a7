//! The catalogue in memory, column by column: what predicates, facets and rankers read.
//!
//! A *row* is the position of a record in ascending object id order. Strings are dictionary-encoded; a
//! dictionary is sorted by normalised value, then by recorded value, so that its order is the facet order.

pub(crate) mod blob;
mod builder;
mod terms;

use fixedbitset::FixedBitSet;

use crate::StringField;

pub use blob::BlobError;
pub use builder::{ColumnsBuilder, ColumnsError};
pub use terms::{LEXICAL_WEIGHTS, OBJECT_DATE_WEIGHT};

/// Position of a record in ascending object id order.
pub type Row = u32;
/// Position of a value in its column's dictionary.
pub type ValueId = u32;

/// The whole catalogue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns {
    /// Object ids, ascending.
    pub ids: Vec<u64>,
    /// By [`StringField`] as index.
    pub strings: Vec<StringColumn>,
    /// Normalised metadata text of every row.
    pub metadata_text: Strings,
    /// Recorded dates.
    pub object_date: DateColumn,
    /// Whether the object is in the public domain.
    pub is_public_domain: BoolColumn,
    /// Whether an image is known to exist.
    pub has_known_image: BoolColumn,
    /// Weighted words of every record, for lexical ranking.
    pub terms: TermIndex,
    /// Rows whose title, artists, date or rights disagree between sources, by what disagrees.
    pub conflicts: Conflicts,
}

/// Many strings in one buffer: string `i` is `bytes[offsets[i]..offsets[i + 1]]` without the closing line feed.
///
/// Every string is followed by one line feed, so that one substring pass over the buffer cannot match
/// across two strings (a normalised value never holds a line feed).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Strings {
    /// One more than there are strings.
    pub offsets: Vec<u32>,
    /// UTF-8.
    pub bytes: Vec<u8>,
}

/// Lists of numbers, one list a key: list `i` is `items[offsets[i]..offsets[i + 1]]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lists {
    /// One more than there are lists.
    pub offsets: Vec<u32>,
    /// All lists, one after another.
    pub items: Vec<u32>,
}

/// A dictionary-encoded column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StringColumn {
    /// Distinct recorded values, sorted by normalised value, then by code points.
    pub values: Strings,
    /// The normalised form of each value, in the same order.
    pub norms: Strings,
    /// Values of a row, in recorded order; empty means missing (or conflicting).
    pub values_of: Lists,
    /// Rows of a value, ascending.
    pub rows_of: Lists,
    /// Rows whose value is in conflict between sources; they have no values.
    pub conflict: FixedBitSet,
}

/// A column of booleans: a row is in exactly one of the four sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BoolColumn {
    /// Recorded true.
    pub yes: FixedBitSet,
    /// Recorded false.
    pub no: FixedBitSet,
    /// In conflict between sources.
    pub conflict: FixedBitSet,
}

/// A column of inclusive year intervals.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DateColumn {
    /// First year of a row; [`DateColumn::NONE`] unless valid.
    pub begin: Vec<i32>,
    /// Last year of a row; [`DateColumn::NONE`] unless valid.
    pub end: Vec<i32>,
    /// Rows with a valid interval.
    pub valid: FixedBitSet,
    /// Rows where something is recorded that is no interval.
    pub invalid: FixedBitSet,
    /// Rows in conflict between sources.
    pub conflict: FixedBitSet,
}

impl DateColumn {
    /// What `begin` and `end` hold without a valid interval.
    pub const NONE: i32 = i32::MIN;
}

/// Words and where they occur.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TermIndex {
    /// Distinct terms in code point order.
    pub terms: Strings,
    /// Rows of a term, ascending.
    pub rows_of: Lists,
    /// Weighted frequency of the term in the row, parallel to `rows_of.items`.
    pub frequencies: Vec<u16>,
    /// Sum of all weighted frequencies of a row.
    pub lengths: Vec<u32>,
}

/// Rows in conflict, by field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the field of that name")]
pub struct Conflicts {
    pub title: FixedBitSet,
    pub artists: FixedBitSet,
    pub date: FixedBitSet,
    pub rights: FixedBitSet,
    pub image: FixedBitSet,
}

impl Strings {
    /// Appends a string.
    ///
    /// # Errors
    /// The buffer would pass 4 GiB.
    fn push(&mut self, string: &str) -> Result<(), ColumnsError> {
        self.bytes.extend_from_slice(string.as_bytes());
        self.bytes.push(b'\n');
        push_offset(&mut self.offsets, self.bytes.len())
    }
    /// How many strings there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The string at `index`; empty if there is none.
    #[must_use]
    pub fn get(&self, index: u32) -> &str {
        let index = index as usize;
        let (Some(&start), Some(&end)) = (self.offsets.get(index), self.offsets.get(index + 1)) else {
            return "";
        };
        let end = (end as usize).saturating_sub(1);
        self.bytes
            .get(start as usize..end)
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or_default()
    }
}

/// Appends the end of the item just added; the first call also adds the start.
fn push_offset(offsets: &mut Vec<u32>, end: usize) -> Result<(), ColumnsError> {
    if offsets.is_empty() {
        offsets.push(0);
    }
    offsets.push(u32::try_from(end).map_err(|_overflow| ColumnsError::TooLarge)?);
    Ok(())
}

impl Lists {
    /// Appends a list.
    ///
    /// # Errors
    /// There would be more than 2³² items.
    fn push(&mut self, items: impl IntoIterator<Item = u32>) -> Result<(), ColumnsError> {
        self.items.extend(items);
        push_offset(&mut self.offsets, self.items.len())
    }

    /// The keys of every item: the same pairs, seen from the other side.
    fn inverted(&self, item_count: usize) -> Self {
        let mut offsets = vec![0_u32; item_count + 1];
        for &item in &self.items {
            offsets[item as usize + 1] += 1;
        }
        for index in 1..offsets.len() {
            offsets[index] += offsets[index - 1];
        }
        let mut next = offsets.clone();
        let mut items = vec![0; self.items.len()];
        for (key, window) in (0_u32..).zip(self.offsets.windows(2)) {
            for &item in &self.items[window[0] as usize..window[1] as usize] {
                let position = &mut next[item as usize];
                items[*position as usize] = key;
                *position += 1;
            }
        }
        Self { offsets, items }
    }
    /// The list of `key`; empty if there is none.
    #[must_use]
    pub fn get(&self, key: u32) -> &[u32] {
        let key = key as usize;
        let (Some(&start), Some(&end)) = (self.offsets.get(key), self.offsets.get(key + 1)) else {
            return &[];
        };
        self.items.get(start as usize..end as usize).unwrap_or_default()
    }

    /// How many lists there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Conflicts {
    /// The conflicts that the columns hold.
    fn of(columns: &Columns) -> Self {
        Self {
            title: columns.string(StringField::Title).conflict.clone(),
            artists: columns.string(StringField::ArtistName).conflict.clone(),
            date: columns.object_date.conflict.clone(),
            rights: columns.is_public_domain.conflict.clone(),
            image: columns.has_known_image.conflict.clone(),
        }
    }
}

impl Columns {
    /// How many records there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether the catalogue is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The column of a string field.
    #[must_use]
    pub fn string(&self, field: StringField) -> &StringColumn {
        &self.strings[field as usize]
    }

    /// The row of an object id.
    #[must_use]
    pub fn row(&self, object_id: u64) -> Option<Row> {
        self.ids
            .binary_search(&object_id)
            .ok()
            .and_then(|row| Row::try_from(row).ok())
    }
}
