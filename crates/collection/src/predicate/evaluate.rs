//! Evaluation of a predicate on whole columns: every node is two bit sets, every step a pass over words.

use fixedbitset::FixedBitSet;

use super::{
    DateTest, Field, FlagField, Predicate, TextField, TextTest, Years, states::States, substring::containing,
};
use crate::{
    Budget, Catalogue, Columns, DateColumn, Error, Row, StringColumn, bits, missing::Missing, text::norm,
};

/// The rows of a catalogue by their state under a predicate; the others are false.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    /// Rows for which it holds.
    pub matched: FixedBitSet,
    /// Rows that cannot be judged, because a value is missing or no interval.
    pub unknown: FixedBitSet,
    /// Rows that cannot be judged, because sources disagree.
    pub conflict: FixedBitSet,
}

impl Predicate {
    /// Judges every row.
    pub(crate) fn evaluate(
        &self,
        catalogue: &dyn Catalogue,
        missing: &Missing,
        budget: &Budget<'_>,
    ) -> Result<Evaluation, Error> {
        let columns = catalogue.columns();
        let evaluator = Evaluator {
            catalogue,
            columns,
            missing,
            budget,
        };
        let states = evaluator.states(self)?;
        let [matched, unknown, conflict] = states.split();
        Ok(Evaluation {
            matched,
            unknown,
            conflict,
        })
    }
}

struct Evaluator<'a> {
    catalogue: &'a dyn Catalogue,
    columns: &'a Columns,
    missing: &'a Missing,
    budget: &'a Budget<'a>,
}

impl Evaluator<'_> {
    fn states(&self, predicate: &Predicate) -> Result<States, Error> {
        self.budget.check()?;
        match predicate {
            Predicate::All(children) => self.fold(children, States::and),
            Predicate::Any(children) => self.fold(children, States::or),
            Predicate::Not(child) => Ok(self.states(child)?.negate()),
            Predicate::Text(field, test) => {
                let matched = match field {
                    TextField::Column(field) => self.matching_values(self.columns.string(*field), test)?,
                    TextField::MetadataText => self.matching_texts(test)?,
                };
                Ok(self.judged(Field::Text(*field), matched))
            }
            Predicate::Flag(field, value) => {
                let column = match field {
                    FlagField::IsPublicDomain => &self.columns.is_public_domain,
                    FlagField::HasKnownImage => &self.columns.has_known_image,
                };
                let matched = if *value { &column.yes } else { &column.no };
                Ok(self.judged(Field::Flag(*field), matched.clone()))
            }
            Predicate::Date(test, years) => Ok(self.dated(*test, *years)),
            Predicate::Missing(field) => {
                let none = FixedBitSet::with_capacity(self.columns.len());
                let missing = self.missing.rows(*field).clone();
                Ok(States::new(
                    missing,
                    &none,
                    self.conflict(*field).unwrap_or(&none),
                ))
            }
        }
    }

    fn fold(&self, children: &[Predicate], combine: fn(&mut States, &States)) -> Result<States, Error> {
        let (first, rest) = children
            .split_first()
            .expect("a parsed predicate has 1 to 20 children");
        let mut states = self.states(first)?;
        for child in rest {
            combine(&mut states, &self.states(child)?);
        }
        Ok(states)
    }

    /// The states of a comparison: a missing value is unknown.
    fn judged(&self, field: Field, matched: FixedBitSet) -> States {
        let none = FixedBitSet::new();
        States::new(
            matched,
            self.missing.rows(field),
            self.conflict(field).unwrap_or(&none),
        )
    }

    fn conflict(&self, field: Field) -> Option<&FixedBitSet> {
        match field {
            Field::Text(TextField::Column(field)) => Some(&self.columns.string(field).conflict),
            Field::Text(TextField::MetadataText) => None,
            Field::Flag(FlagField::IsPublicDomain) => Some(&self.columns.is_public_domain.conflict),
            Field::Flag(FlagField::HasKnownImage) => Some(&self.columns.has_known_image.conflict),
            Field::ObjectDate => Some(&self.columns.object_date.conflict),
        }
    }

    /// The rows with a matching value: the dictionary is searched, not the rows.
    fn matching_values(&self, column: &StringColumn, test: &TextTest) -> Result<FixedBitSet, Error> {
        let mut rows = FixedBitSet::with_capacity(self.columns.len());
        let mut add = |value| bits::insert_rows(&mut rows, column.rows_of.get(value));
        match test {
            TextTest::Eq(value) => column.find(value).into_iter().for_each(add),
            TextTest::OneOf(values) => values.iter().filter_map(|value| column.find(value)).for_each(add),
            TextTest::Contains(text) => {
                for value in bits::rows_from(&containing(&column.norms, &norm(text), self.budget)?, 0) {
                    add(value);
                }
            }
        }
        Ok(rows)
    }

    /// The rows whose whole metadata text matches.
    fn matching_texts(&self, test: &TextTest) -> Result<FixedBitSet, Error> {
        match test {
            TextTest::Contains(text) => self.texts_containing(&norm(text)),
            TextTest::Eq(text) => self.texts_equal_to(text),
            TextTest::OneOf(texts) => {
                let mut rows = FixedBitSet::with_capacity(self.columns.len());
                for text in texts {
                    rows.union_with(&self.texts_equal_to(text)?);
                }
                Ok(rows)
            }
        }
    }

    /// The rows with exactly this metadata text.
    ///
    /// Only its normalised form is in the columns, so the few rows where that is equal are read from the
    /// store.
    fn texts_equal_to(&self, text: &str) -> Result<FixedBitSet, Error> {
        let folded = norm(text);
        let mut rows = FixedBitSet::with_capacity(self.columns.len());
        if folded.is_empty() {
            return Ok(rows);
        }
        for row in bits::rows_from(&self.texts_containing(&folded)?, 0) {
            if self.columns.metadata_text.get(row) == folded && self.recorded_text(row)? == text {
                rows.insert(row as usize);
            }
        }
        Ok(rows)
    }

    fn recorded_text(&self, row: Row) -> Result<String, Error> {
        self.budget.check()?;
        let object = self.catalogue.object(self.columns.ids[row as usize])?;
        Ok(object
            .map(|object| object.record.metadata_text())
            .unwrap_or_default())
    }

    fn texts_containing(&self, text: &str) -> Result<FixedBitSet, Error> {
        containing(&self.columns.metadata_text, text, self.budget)
    }

    /// The states of a date test: a recorded text that is no interval is unknown too.
    fn dated(&self, test: DateTest, years: Years) -> States {
        let column = &self.columns.object_date;
        let rows = self.columns.len();
        let matched = match test {
            DateTest::Overlaps => select_dates(rows, column, |begin, end| {
                (begin <= years.end) & (end >= years.begin) & (end != DateColumn::NONE)
            }),
            DateTest::ContainedWithin => select_dates(rows, column, |begin, end| {
                (begin >= years.begin) & (end <= years.end)
            }),
        };
        let mut unknown = self.missing.rows(Field::ObjectDate).clone();
        unknown.union_with(&column.invalid);
        States::new(matched, &unknown, &column.conflict)
    }
}

/// The rows whose interval passes `test`, which must refuse [`DateColumn::NONE`].
///
/// The test has no branches and its results go into an array of bytes first, so the compiler turns the
/// comparisons into vector instructions; one multiplication then packs eight bytes into eight bits.
fn select_dates(rows: usize, column: &DateColumn, test: impl Fn(i32, i32) -> bool) -> FixedBitSet {
    let intervals = column.begin.chunks(bits::WORD).zip(column.end.chunks(bits::WORD));
    let words = intervals.map(|(begin, end)| {
        let mut passed = [0_u8; bits::WORD];
        for ((passed, &begin), &end) in passed.iter_mut().zip(begin).zip(end) {
            *passed = u8::from(test(begin, end));
        }
        pack(&passed)
    });
    bits::from_words(rows, words.collect())
}

/// A word with bit `i` set where byte `i` is 1; the bytes are 0 or 1.
fn pack(bytes: &[u8; bits::WORD]) -> usize {
    /// Moves the low bit of byte `i` to bit `56 + i`.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (eights, _) = bytes.as_chunks::<8>();
    eights.iter().rev().fold(0, |word, eight| {
        let gathered = u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56;
        (word << 8) | gathered as usize
    })
}
