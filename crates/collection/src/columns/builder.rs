//! From records to columns.
//!
//! Every distinct value is normalised and tokenized once, whatever the number of records that hold it, and
//! the texts and bags of records are put together from the results. That is exact because joining commutes
//! with normalising (see [`text::norm`]) and bags are sums.

use std::collections::HashMap;

use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use thiserror::Error;

use super::terms::{self, TextPart};
use super::{BoolColumn, Columns, Conflicts, DateColumn, Lists, StringColumn, Strings};
use crate::{Merged, ObjectDate, Record, StringField, text};

/// Why records do not fit into columns.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnsError {
    /// Two records have the same object id.
    #[error("object id {0} occurs in two records")]
    DuplicateId(u64),
    /// A column passes what its 32-bit offsets can address.
    #[error("a column would hold more than 4 GiB of text or 4 billion values: split the catalogue")]
    TooLarge,
}

/// Collects records, in any order, into [`Columns`].
#[derive(Debug)]
pub struct ColumnsBuilder {
    ids: Vec<u64>,
    strings: Vec<ValuesBuilder>,
    /// Attributions mention by mention: a person mentioned in two roles counts twice in ranking.
    mentions: ValuesBuilder,
    date_texts: ValuesBuilder,
    dates: Vec<ObjectDate>,
    is_public_domain: Vec<Merged<bool>>,
    has_known_image: Vec<Merged<bool>>,
}

impl Default for ColumnsBuilder {
    fn default() -> Self {
        Self {
            ids: Vec::new(),
            strings: StringField::ALL.map(|_field| ValuesBuilder::default()).into(),
            mentions: ValuesBuilder {
                keeps_repeats: true,
                ..ValuesBuilder::default()
            },
            date_texts: ValuesBuilder::default(),
            dates: Vec::new(),
            is_public_domain: Vec::new(),
            has_known_image: Vec::new(),
        }
    }
}

impl ColumnsBuilder {
    /// A builder without records.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a record.
    ///
    /// # Errors
    /// A column is full.
    pub fn push(&mut self, record: &Record) -> Result<(), ColumnsError> {
        self.ids.push(record.object_id);
        for (field, column) in StringField::ALL.into_iter().zip(&mut self.strings) {
            column.push(values(record, field))?;
        }
        let mentions = record
            .artist_mentions()
            .iter()
            .map(|mention| mention.attribution.as_str());
        self.mentions.push(Some(mentions.collect()))?;
        self.date_texts
            .push(Some(record.object_date_text.as_deref().into_iter().collect()))?;
        self.dates.push(record.object_date);
        self.is_public_domain.push(record.is_public_domain.clone());
        self.has_known_image.push(record.has_known_image.clone());
        Ok(())
    }

    /// Sorts by object id and derives everything that queries read.
    ///
    /// # Errors
    /// Two records share an id, or a column is full.
    pub fn finish(self) -> Result<Columns, ColumnsError> {
        let order = self.row_order()?;
        let ids = order.iter().map(|&index| self.ids[index as usize]).collect();
        let mut columns: Vec<StringColumn> = self
            .strings
            .into_par_iter()
            .chain([self.mentions, self.date_texts])
            .map(|values| values.finish(&order))
            .collect::<Result<_, _>>()?;
        let date_texts = columns.pop().unwrap_or_default();
        let mentions = columns.pop().unwrap_or_default();
        let parts = TextPart::all(&columns, &mentions, &date_texts);
        let (metadata_text, terms) = rayon::join(
            || metadata_text(order.len(), &parts),
            || terms::index(order.len(), &parts),
        );
        let (metadata_text, terms) = (metadata_text?, terms?);
        let object_date = date_column(&self.dates, &order);
        let is_public_domain = bool_column(&self.is_public_domain, &order);
        let has_known_image = bool_column(&self.has_known_image, &order);
        let mut columns = Columns {
            ids,
            strings: columns,
            metadata_text,
            object_date,
            is_public_domain,
            has_known_image,
            terms,
            conflicts: Conflicts::default(),
        };
        columns.conflicts = Conflicts::of(&columns);
        Ok(columns)
    }

    /// Position of the record of every row.
    fn row_order(&self) -> Result<Vec<u32>, ColumnsError> {
        let count = u32::try_from(self.ids.len()).map_err(|_overflow| ColumnsError::TooLarge)?;
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_unstable_by_key(|&index| self.ids[index as usize]);
        for pair in order.windows(2) {
            let id = self.ids[pair[0] as usize];
            if id == self.ids[pair[1] as usize] {
                return Err(ColumnsError::DuplicateId(id));
            }
        }
        Ok(order)
    }
}

/// The recorded values of a field; nothing if the sources disagree.
fn values(record: &Record, field: StringField) -> Option<Vec<&str>> {
    fn one(value: Option<&String>) -> Vec<&str> {
        value.map(String::as_str).into_iter().collect()
    }
    fn all(values: &[String]) -> Vec<&str> {
        values.iter().map(String::as_str).collect()
    }
    let geography = &record.geography;
    let artists = record.artist_mentions().iter();
    Some(match field {
        StringField::Title if record.title.is_conflict() => return None,
        StringField::ArtistName | StringField::ArtistRole | StringField::Attribution
            if record.artists.is_conflict() =>
        {
            return None;
        }
        StringField::Title => one(record.title.value()),
        StringField::Department => one(record.department.as_ref()),
        StringField::ObjectName => one(record.object_name.as_ref()),
        StringField::Culture => one(record.culture.as_ref()),
        StringField::Medium => one(record.medium.as_ref()),
        StringField::Period => one(record.period.as_ref()),
        StringField::Classification => all(&record.classification),
        StringField::Tags => all(&record.tags),
        StringField::DataQuality => all(&record.data_quality),
        StringField::ArtistName => artists.map(|mention| mention.name.as_str()).collect(),
        StringField::ArtistRole => artists.filter_map(|mention| mention.role.as_deref()).collect(),
        StringField::Attribution => artists.map(|mention| mention.attribution.as_str()).collect(),
        StringField::GeographyType => all(&geography.kind),
        StringField::GeographyCity => all(&geography.city),
        StringField::GeographyState => all(&geography.state),
        StringField::GeographyCounty => all(&geography.county),
        StringField::GeographyCountry => all(&geography.country),
        StringField::GeographyRegion => all(&geography.region),
        StringField::GeographySubregion => all(&geography.subregion),
        StringField::GeographyLocale => all(&geography.locale),
    })
}

/// The values of one field, interned as records arrive.
#[derive(Debug, Default)]
struct ValuesBuilder {
    /// Distinct values by order of arrival.
    interned: HashMap<Box<str>, u32>,
    /// Values of each record pushed.
    lists: Lists,
    /// Records pushed whose sources disagree.
    conflicts: Vec<u32>,
    /// Scratch space of one record.
    list: Vec<u32>,
    keeps_repeats: bool,
}

impl ValuesBuilder {
    fn push(&mut self, values: Option<Vec<&str>>) -> Result<(), ColumnsError> {
        if values.is_none() {
            self.conflicts
                .push(u32::try_from(self.lists.len()).map_err(|_overflow| ColumnsError::TooLarge)?);
        }
        self.list.clear();
        for value in values.unwrap_or_default() {
            let id = self.intern(value)?;
            if self.keeps_repeats || !self.list.contains(&id) {
                self.list.push(id);
            }
        }
        self.lists.push(self.list.iter().copied())
    }

    fn intern(&mut self, value: &str) -> Result<u32, ColumnsError> {
        if let Some(&id) = self.interned.get(value) {
            return Ok(id);
        }
        let id = u32::try_from(self.interned.len()).map_err(|_overflow| ColumnsError::TooLarge)?;
        self.interned.insert(value.into(), id);
        Ok(id)
    }

    /// The column, with rows in `order`.
    fn finish(self, order: &[u32]) -> Result<StringColumn, ColumnsError> {
        let mut entries: Vec<(String, Box<str>, u32)> = self
            .interned
            .into_par_iter()
            .map(|(value, id)| (text::norm(&value), value, id))
            .collect();
        entries.par_sort_unstable();
        let mut column = StringColumn::default();
        let mut new_ids = vec![0_u32; entries.len()];
        for (new_id, (norm, value, id)) in (0_u32..).zip(&entries) {
            column.values.push(value)?;
            column.norms.push(norm)?;
            new_ids[*id as usize] = new_id;
        }
        drop(entries);
        for &index in order {
            column
                .values_of
                .push(self.lists.get(index).iter().map(|&id| new_ids[id as usize]))?;
        }
        column.rows_of = column.values_of.inverted(new_ids.len());
        let mut is_conflict = FixedBitSet::with_capacity(order.len());
        is_conflict.extend(self.conflicts.iter().map(|&index| index as usize));
        column.conflict = rows_where(order, |index| is_conflict.contains(index));
        Ok(column)
    }
}

/// Rows whose record, by position of arrival, satisfies the condition.
fn rows_where(order: &[u32], condition: impl Fn(usize) -> bool) -> FixedBitSet {
    let mut rows = FixedBitSet::with_capacity(order.len());
    rows.extend(
        order
            .iter()
            .enumerate()
            .filter(|(_row, index)| condition(**index as usize))
            .map(|(row, _)| row),
    );
    rows
}

fn bool_column(values: &[Merged<bool>], order: &[u32]) -> BoolColumn {
    let rows = |wanted: Merged<bool>| rows_where(order, |index| values[index] == wanted);
    BoolColumn {
        yes: rows(Merged::Value(true)),
        no: rows(Merged::Value(false)),
        conflict: rows(Merged::Conflict),
    }
}

fn date_column(dates: &[ObjectDate], order: &[u32]) -> DateColumn {
    let interval = |index: u32| match dates[index as usize] {
        ObjectDate::Valid(interval) => Some(interval),
        ObjectDate::Missing | ObjectDate::Invalid | ObjectDate::Conflict => None,
    };
    DateColumn {
        begin: order
            .iter()
            .map(|&index| interval(index).map_or(DateColumn::NONE, |i| i.begin))
            .collect(),
        end: order
            .iter()
            .map(|&index| interval(index).map_or(DateColumn::NONE, |i| i.end))
            .collect(),
        valid: rows_where(order, |index| matches!(dates[index], ObjectDate::Valid(_))),
        invalid: rows_where(order, |index| dates[index] == ObjectDate::Invalid),
        conflict: rows_where(order, |index| dates[index] == ObjectDate::Conflict),
    }
}

/// The normalised metadata text of every row: the norms of its values in the order of the parts.
fn metadata_text(row_count: usize, parts: &[TextPart<'_>]) -> Result<Strings, ColumnsError> {
    let mut texts = Strings::default();
    let mut text = String::new();
    for row in 0..u32::try_from(row_count).map_err(|_overflow| ColumnsError::TooLarge)? {
        text.clear();
        for part in parts {
            for &value in part.column.values_of.get(row) {
                let norm = part.column.norms.get(value);
                if !text.is_empty() && !norm.is_empty() {
                    text.push(' ');
                }
                text.push_str(norm);
            }
        }
        texts.push(&text)?;
    }
    Ok(texts)
}
