//! The words of single fields, and how far two records share them.
//!
//! Words are looked up by dictionary value, not by record: a few ten thousand media stand for half a million
//! records. They are derived when first needed, once.

use std::{collections::HashMap, sync::OnceLock};

use rayon::prelude::*;

use super::bm25::inverse_document_frequency;
use crate::{Columns, Lists, Row, StringColumn, StringField, text::tokens};

/// The fields whose words are compared; a record has at most one value of each.
const FIELDS: [StringField; 4] = [
    StringField::Medium,
    StringField::ObjectName,
    StringField::Culture,
    StringField::Period,
];

/// The words of each of these fields.
#[derive(Debug, Default)]
pub(crate) struct FieldTerms {
    vocabularies: [OnceLock<Vocabulary>; FIELDS.len()],
}

/// The words of one field.
#[derive(Debug)]
pub(super) struct Vocabulary {
    /// In code point order.
    words: Vec<String>,
    /// How much each word tells.
    weights: Vec<f64>,
    /// The words of each dictionary value, ascending, without repeats.
    words_of_value: Lists,
}

impl FieldTerms {
    /// Derives all of them.
    pub(crate) fn derive_all(&self, columns: &Columns) {
        for field in FIELDS {
            self.of(columns, field);
        }
    }

    /// The words of a field, which must be one of those compared.
    pub(super) fn of(&self, columns: &Columns, field: StringField) -> &Vocabulary {
        let position = FIELDS
            .iter()
            .position(|&known| known == field)
            .expect("only these fields are compared");
        self.vocabularies[position].get_or_init(|| Vocabulary::of(columns.string(field), columns.len()))
    }
}

impl Vocabulary {
    fn of(column: &StringColumn, record_count: usize) -> Self {
        let words_of_value: Vec<Vec<String>> = (0..column.value_count())
            .into_par_iter()
            .map(|value| words_in(column.norms.get(value)))
            .collect();
        let mut words: Vec<String> = words_of_value.iter().flatten().cloned().collect();
        words.par_sort_unstable();
        words.dedup();

        let ids: HashMap<&str, u32> = words.iter().map(String::as_str).zip(0..).collect();
        let mut lists = Lists {
            offsets: vec![0],
            items: Vec::new(),
        };
        let mut document_frequencies = vec![0; words.len()];
        for (value, own) in (0..).zip(&words_of_value) {
            for word in own {
                let id = ids[word.as_str()];
                document_frequencies[id as usize] += column.rows_of.get(value).len();
                lists.items.push(id);
            }
            lists
                .offsets
                .push(u32::try_from(lists.items.len()).unwrap_or(u32::MAX));
        }
        let weight = |frequency| inverse_document_frequency(record_count, frequency);
        let weights = document_frequencies.into_iter().map(weight).collect();
        Self {
            words,
            weights,
            words_of_value: lists,
        }
    }

    /// The words of a record's value, ascending.
    pub(super) fn words_of(&self, column: &StringColumn, row: Row) -> &[u32] {
        column
            .values_of
            .get(row)
            .first()
            .map_or(&[], |&value| self.words_of_value.get(value))
    }

    /// The weight of the words in both sets as a share of the weight of the words in either, 0 to 1.
    ///
    /// Both sums run through the words in one order, so equal sets give exactly 1.
    pub(super) fn overlap<'a>(&self, mut left: &'a [u32], mut right: &'a [u32]) -> f64 {
        let (mut shared, mut all) = (0.0, 0.0);
        while let Some(&word) = left.first().into_iter().chain(right.first()).min() {
            let weight = self.weights[word as usize];
            let is_shared = left.first() == right.first();
            all += weight;
            if is_shared {
                shared += weight;
            }
            for words in [&mut left, &mut right] {
                *words = words.strip_prefix(&[word]).unwrap_or(words);
            }
        }
        if all > 0.0 { shared / all } else { 0.0 }
    }

    /// The words in both sets, those that tell most first.
    pub(super) fn shared(&self, left: &[u32], right: &[u32]) -> Vec<&str> {
        let mut shared: Vec<u32> = left.iter().copied().filter(|word| right.contains(word)).collect();
        let weight = |word: &u32| self.weights[*word as usize];
        shared.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
        shared
            .into_iter()
            .map(|word| self.words[word as usize].as_str())
            .collect()
    }
}

fn words_in(text: &str) -> Vec<String> {
    let mut words = tokens(text);
    words.sort_unstable();
    words.dedup();
    words
}
