//! The bag of words of every record, and its inverse.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{ColumnsError, Lists, StringColumn, Strings, TermIndex};
use crate::{StringField, text};

/// How often a word counts for each time it occurs in a field.
///
/// [`StringField::Attribution`] counts every mention, though the column holds each attribution once.
pub const LEXICAL_WEIGHTS: [(StringField, u16); 12] = [
    (StringField::Title, 3),
    (StringField::Department, 1),
    (StringField::ObjectName, 2),
    (StringField::Classification, 2),
    (StringField::Culture, 2),
    (StringField::Medium, 1),
    (StringField::Tags, 2),
    (StringField::Attribution, 2),
    (StringField::GeographyCity, 1),
    (StringField::GeographyState, 1),
    (StringField::GeographyCountry, 1),
    (StringField::GeographyRegion, 1),
];

/// How often a word of the date text counts.
pub const OBJECT_DATE_WEIGHT: u16 = 1;

/// Values tokenized at a time: bounds the terms held as text before they are interned.
const CHUNK: usize = 16 * 1024;

/// A column whose values are words of the record.
#[derive(Debug)]
pub(super) struct TextPart<'a> {
    pub(super) column: &'a StringColumn,
    weight: u16,
}

impl<'a> TextPart<'a> {
    /// Every part, in the order of the metadata text.
    pub(super) fn all(
        strings: &'a [StringColumn],
        mentions: &'a StringColumn,
        date_texts: &'a StringColumn,
    ) -> Vec<Self> {
        let mut parts = Vec::with_capacity(LEXICAL_WEIGHTS.len() + 1);
        for (field, weight) in LEXICAL_WEIGHTS {
            let column = match field {
                StringField::Attribution => mentions,
                _ => &strings[field as usize],
            };
            if field == StringField::Tags {
                parts.push(Self {
                    column: date_texts,
                    weight: OBJECT_DATE_WEIGHT,
                });
            }
            parts.push(Self { column, weight });
        }
        parts
    }
}

/// Which rows hold which terms, and how often.
pub(super) fn index(row_count: usize, parts: &[TextPart<'_>]) -> Result<TermIndex, ColumnsError> {
    let (terms, terms_of) = dictionary(parts)?;
    let bags = Bags { parts, terms_of };
    let row_count = u32::try_from(row_count).map_err(|_overflow| ColumnsError::TooLarge)?;

    let mut offsets = vec![0_u32; terms.len() + 1];
    let mut lengths = vec![0_u32; row_count as usize];
    bags.for_each(row_count, |row, term, frequency| {
        offsets[term as usize + 1] += 1;
        lengths[row as usize] += u32::from(frequency);
    });
    let mut total: u32 = 0;
    for offset in &mut offsets {
        total = total.checked_add(*offset).ok_or(ColumnsError::TooLarge)?;
        *offset = total;
    }

    let mut next = offsets.clone();
    let mut items = vec![0; total as usize];
    let mut frequencies = vec![0; total as usize];
    bags.for_each(row_count, |row, term, frequency| {
        let position = &mut next[term as usize];
        items[*position as usize] = row;
        frequencies[*position as usize] = frequency;
        *position += 1;
    });
    Ok(TermIndex {
        terms,
        rows_of: Lists { offsets, items },
        frequencies,
        lengths,
    })
}

/// The sorted terms, and for every part the terms of each of its values.
fn dictionary(parts: &[TextPart<'_>]) -> Result<(Strings, Vec<Lists>), ColumnsError> {
    let mut interned: HashMap<String, u32> = HashMap::new();
    let mut terms_of = Vec::with_capacity(parts.len());
    for part in parts {
        let values = &part.column.values;
        let ids: Vec<u32> = (0_u32..).take(values.len()).collect();
        let mut lists = Lists::default();
        for chunk in ids.chunks(CHUNK) {
            let tokens: Vec<Vec<String>> = chunk.par_iter().map(|&id| text::tokens(values.get(id))).collect();
            for terms in tokens {
                let mut list = Vec::with_capacity(terms.len());
                for term in terms {
                    let next = u32::try_from(interned.len()).map_err(|_overflow| ColumnsError::TooLarge)?;
                    list.push(*interned.entry(term).or_insert(next));
                }
                lists.push(list)?;
            }
        }
        terms_of.push(lists);
    }

    let mut entries: Vec<(String, u32)> = interned.into_iter().collect();
    entries.par_sort_unstable();
    let mut new_ids = vec![0_u32; entries.len()];
    let mut terms = Strings::default();
    for (new_id, (term, id)) in (0_u32..).zip(&entries) {
        terms.push(term)?;
        new_ids[*id as usize] = new_id;
    }
    for lists in &mut terms_of {
        for id in &mut lists.items {
            *id = new_ids[*id as usize];
        }
    }
    Ok((terms, terms_of))
}

struct Bags<'a> {
    parts: &'a [TextPart<'a>],
    /// Parallel to `parts`.
    terms_of: Vec<Lists>,
}

impl Bags<'_> {
    /// Visits the terms of every row, rows and terms ascending, with their weighted frequency.
    fn for_each(&self, row_count: u32, mut visit: impl FnMut(u32, u32, u16)) {
        let mut bag: Vec<(u32, u16)> = Vec::new();
        for row in 0..row_count {
            bag.clear();
            for (part, terms_of) in self.parts.iter().zip(&self.terms_of) {
                for &value in part.column.values_of.get(row) {
                    bag.extend(terms_of.get(value).iter().map(|&term| (term, part.weight)));
                }
            }
            bag.sort_unstable_by_key(|(term, _weight)| *term);
            for same_term in bag.chunk_by(|left, right| left.0 == right.0) {
                let frequency = same_term
                    .iter()
                    .fold(0_u16, |sum, (_term, weight)| sum.saturating_add(*weight));
                visit(row, same_term[0].0, frequency);
            }
        }
    }
}
