//! `lexical_bm25_v1`: Okapi BM25 over one weighted bag of words a record.
//!
//! Document frequencies and the average length are those of the whole snapshot, so a score does not depend
//! on the selection. Terms are summed in code point order, so it does not depend on the query's order either.

use serde_json::{Value, json};

use super::{Component, Explanation, Ranker, Scored};
use crate::{Budget, Columns, Error, Row, StringField, TermIndex, text::tokens};

/// How soon repeats of a term stop adding to the score.
const K1: f64 = 1.2;
/// How much long records are held back.
const B: f64 = 0.75;
/// Terms of an anchor object that are used: those that tell most.
const MAX_ANCHOR_TERMS: usize = 32;
/// Terms an explanation lists.
const MAX_COMPONENTS: usize = 10;
/// Terms a sentence names.
const MAX_NAMED: usize = 5;
/// The fields an anchor object's terms are taken from.
const ANCHOR_FIELDS: [StringField; 5] = [
    StringField::Title,
    StringField::Tags,
    StringField::ObjectName,
    StringField::Classification,
    StringField::Culture,
];

/// A query against the term index.
pub(super) struct Bm25<'a> {
    index: &'a TermIndex,
    average_length: f64,
    terms: Vec<Term>,
    /// How the sentence of an explanation begins.
    lead: &'static str,
}

/// A term of the query that occurs in the snapshot.
struct Term {
    text: String,
    id: u32,
    idf: f64,
}

/// The constants of the method.
pub(super) fn rules() -> Value {
    json!({ "k1": K1, "b": B, "maxAnchorTerms": MAX_ANCHOR_TERMS })
}

/// How much a term tells, from the number of records and of those that have it.
pub(super) fn inverse_document_frequency(record_count: usize, document_frequency: usize) -> f64 {
    let (all, having) = (record_count as f64, document_frequency as f64);
    ((all - having + 0.5) / (having + 0.5)).ln_1p()
}

impl<'a> Bm25<'a> {
    /// A query for the words of a text.
    pub(super) fn from_topic(columns: &'a Columns, text: &str) -> Result<Self, Error> {
        let words = tokens(text);
        if words.is_empty() {
            return Err(Error::AnchorNotSearchable);
        }
        Ok(Self::new(columns, words, "Matched terms"))
    }

    /// A query for what is characteristic of an object; nothing if nothing is recorded to compare.
    pub(super) fn from_object(columns: &'a Columns, anchor: Row) -> Option<Self> {
        let words = ANCHOR_FIELDS.iter().flat_map(|&field| {
            let column = columns.string(field);
            column
                .values_of
                .get(anchor)
                .iter()
                .flat_map(|&value| tokens(column.values.get(value)))
        });
        let mut query = Self::new(columns, words.collect(), "Shared terms");
        query.terms.sort_by(|left, right| right.idf.total_cmp(&left.idf));
        query.terms.truncate(MAX_ANCHOR_TERMS);
        query.terms.sort_by_key(|term| term.id);
        (!query.terms.is_empty()).then_some(query)
    }

    fn new(columns: &'a Columns, mut words: Vec<String>, lead: &'static str) -> Self {
        words.sort_unstable();
        words.dedup();
        let index = &columns.terms;
        let known = words.into_iter().filter_map(|text| {
            let id = find(index, &text)?;
            let idf = inverse_document_frequency(columns.len(), index.rows_of.get(id).len());
            Some(Term { text, id, idf })
        });
        let total: u64 = index.lengths.iter().map(|&length| u64::from(length)).sum();
        let average_length = total as f64 / columns.len().max(1) as f64;
        Self {
            index,
            average_length,
            terms: known.collect(),
            lead,
        }
    }

    /// What `frequency` occurrences of a term add to the score of a record.
    fn contribution(&self, term: &Term, frequency: u16, row: Row) -> f64 {
        let length = self.index.lengths.get(row as usize).copied().unwrap_or(0);
        let frequency = f64::from(frequency);
        let damping = K1 * (1.0 - B + B * f64::from(length) / self.average_length);
        term.idf * frequency * (K1 + 1.0) / (frequency + damping)
    }

    /// The rows of a term and its frequency in each.
    fn postings(&self, term: &Term) -> (&'a [Row], &'a [u16]) {
        let offsets = &self.index.rows_of.offsets;
        let start = offsets.get(term.id as usize).map_or(0, |&start| start as usize);
        let rows = self.index.rows_of.get(term.id);
        (
            rows,
            self.index
                .frequencies
                .get(start..start + rows.len())
                .unwrap_or_default(),
        )
    }
}

impl Ranker for Bm25<'_> {
    fn score(&self, candidates: &[Row], budget: &Budget<'_>) -> Result<Vec<Scored>, Error> {
        let mut scores = vec![0.0; candidates.len()];
        for term in &self.terms {
            budget.check()?;
            let (rows, frequencies) = self.postings(term);
            intersect(candidates, rows, |candidate, posting| {
                if let Some(&frequency) = frequencies.get(posting) {
                    scores[candidate] += self.contribution(term, frequency, candidates[candidate]);
                }
            });
        }
        let scored = candidates.iter().zip(scores).filter(|&(_, score)| score > 0.0);
        Ok(scored.map(|(&row, score)| Scored { row, score }).collect())
    }

    fn explain(&self, candidate: Row) -> Explanation {
        let mut found: Vec<_> = self
            .terms
            .iter()
            .filter_map(|term| {
                let (rows, frequencies) = self.postings(term);
                let frequency = *frequencies.get(rows.binary_search(&candidate).ok()?)?;
                Some((term, frequency, self.contribution(term, frequency, candidate)))
            })
            .collect();
        found.sort_by(|left, right| right.2.total_cmp(&left.2));
        let named: Vec<_> = found
            .iter()
            .take(MAX_NAMED)
            .map(|(term, ..)| term.text.as_str())
            .collect();
        let component = |&(term, frequency, contribution): &(&Term, u16, f64)| Component {
            component: format!("term:{}", term.text),
            value: f64::from(frequency),
            weight: term.idf,
            contribution,
        };
        Explanation {
            why_related: vec![format!("{}: {}", self.lead, named.join(", "))],
            components: found.iter().take(MAX_COMPONENTS).map(component).collect(),
        }
    }
}

/// The position of a term in the index.
fn find(index: &TermIndex, text: &str) -> Option<u32> {
    let mut range = 0..u32::try_from(index.terms.len()).unwrap_or(u32::MAX);
    while range.start < range.end {
        let middle = range.start.midpoint(range.end);
        match index.terms.get(middle).cmp(text) {
            std::cmp::Ordering::Equal => return Some(middle),
            std::cmp::Ordering::Less => range.start = middle + 1,
            std::cmp::Ordering::Greater => range.end = middle,
        }
    }
    None
}

/// Calls `both` with the positions of every row that two ascending lists share.
///
/// Either list may be a thousand times the longer, so whichever is behind leaps.
fn intersect(left: &[Row], right: &[Row], mut both: impl FnMut(usize, usize)) {
    let (mut at, mut other) = (0, 0);
    while let (Some(&row), Some(&other_row)) = (left.get(at), right.get(other)) {
        match row.cmp(&other_row) {
            std::cmp::Ordering::Equal => {
                both(at, other);
                (at, other) = (at + 1, other + 1);
            }
            std::cmp::Ordering::Less => at = leap(left, at, other_row),
            std::cmp::Ordering::Greater => other = leap(right, other, row),
        }
    }
}

/// The first position from `from` on that is not before `row`, found in doubling steps.
fn leap(rows: &[Row], from: usize, row: Row) -> usize {
    let mut step = 1;
    while rows.get(from + step).is_some_and(|&other| other < row) {
        step *= 2;
    }
    let start = from + step / 2;
    let end = rows.len().min(from + step);
    start + rows[start..end].partition_point(|&other| other < row)
}
