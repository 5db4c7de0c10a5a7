//! The comparisons that `metadata_rule_v1` adds up.
//!
//! Each is made for one anchor that has the data, and gives 0 for a candidate without it.

use super::{FieldTerms, terms::Vocabulary};
use crate::{Columns, DateColumn, Row, StringColumn, StringField, text::norm};

/// Words a sentence names.
const MAX_NAMED: usize = 5;
/// Years between two dates from which on they have nothing to do with each other.
const FAR_APART: f64 = 100.0;

/// A comparison of candidates with one anchor.
pub(super) trait Comparison: Sync {
    /// How much is shared, 0 to 1; 0 also when the candidate has no data.
    fn value(&self, candidate: Row) -> f64;

    /// What is shared, for a candidate with a value above 0.
    fn why(&self, candidate: Row) -> String;
}

/// Words of a field, weighted by how much they tell.
pub(super) struct TermOverlap<'a> {
    vocabulary: &'a Vocabulary,
    column: &'a StringColumn,
    words: &'a [u32],
    what: &'static str,
}

impl<'a> TermOverlap<'a> {
    pub(super) fn new(
        columns: &'a Columns,
        terms: &'a FieldTerms,
        field: StringField,
        what: &'static str,
        anchor: Row,
    ) -> Option<Self> {
        let (vocabulary, column) = (terms.of(columns, field), columns.string(field));
        let words = vocabulary.words_of(column, anchor);
        (!words.is_empty()).then_some(Self {
            vocabulary,
            column,
            words,
            what,
        })
    }
}

impl Comparison for TermOverlap<'_> {
    fn value(&self, candidate: Row) -> f64 {
        self.vocabulary
            .overlap(self.words, self.vocabulary.words_of(self.column, candidate))
    }

    fn why(&self, candidate: Row) -> String {
        let mut shared = self
            .vocabulary
            .shared(self.words, self.vocabulary.words_of(self.column, candidate));
        shared.truncate(MAX_NAMED);
        format!("Shared {} terms: {}", self.what, shared.join(", "))
    }
}

/// How far two classifications, read as paths, go together.
pub(super) struct ClassificationPath<'a> {
    column: &'a StringColumn,
    /// The anchor's paths, step by step: normalised and as recorded.
    paths: Vec<Vec<(String, &'a str)>>,
}

impl<'a> ClassificationPath<'a> {
    pub(super) fn new(columns: &'a Columns, anchor: Row) -> Option<Self> {
        let column = columns.string(StringField::Classification);
        let path = |&value| {
            steps(column.values.get(value))
                .map(|step| (norm(step), step))
                .collect()
        };
        let paths: Vec<Vec<_>> = column.values_of.get(anchor).iter().map(path).collect();
        paths
            .iter()
            .any(|path| !path.is_empty())
            .then_some(Self { column, paths })
    }

    /// The best share of common steps, with the anchor's path and how many of its steps are common.
    fn best(&self, candidate: Row) -> Option<(f64, &[(String, &'a str)])> {
        let mut best: Option<(f64, &[_])> = None;
        for &value in self.column.values_of.get(candidate) {
            let theirs = self.column.norms.get(value);
            for path in &self.paths {
                let common = path
                    .iter()
                    .zip(steps(theirs))
                    .take_while(|((own, _), other)| own == other)
                    .count();
                let longer = path.len().max(steps(theirs).count());
                let share = common as f64 / longer.max(1) as f64;
                if common > 0 && best.is_none_or(|(other, _)| share > other) {
                    best = Some((share, &path[..common]));
                }
            }
        }
        best
    }
}

impl Comparison for ClassificationPath<'_> {
    fn value(&self, candidate: Row) -> f64 {
        self.best(candidate).map_or(0.0, |(share, _)| share)
    }

    fn why(&self, candidate: Row) -> String {
        let common = self.best(candidate).map_or(&[][..], |(_, common)| common);
        let names: Vec<_> = common.iter().map(|(_, recorded)| *recorded).collect();
        format!("Same classification path: {}", names.join(" › "))
    }
}

/// The steps of a classification such as `Chordophone-Zither-struck-piano`.
fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.split(['-', '/'])
        .map(str::trim)
        .filter(|step| !step.is_empty())
}

/// How close two recorded intervals of years are.
pub(super) struct DateProximity<'a> {
    dates: &'a DateColumn,
    begin: i64,
    end: i64,
}

impl<'a> DateProximity<'a> {
    pub(super) fn new(columns: &'a Columns, anchor: Row) -> Option<Self> {
        let dates = &columns.object_date;
        let (begin, end) = interval(dates, anchor)?;
        Some(Self { dates, begin, end })
    }

    /// Years that both intervals have; negative is the gap between them.
    fn years_in_common(&self, (begin, end): (i64, i64)) -> i64 {
        let distance = self.end.min(end) - self.begin.max(begin);
        if distance >= 0 { distance + 1 } else { distance }
    }
}

impl Comparison for DateProximity<'_> {
    fn value(&self, candidate: Row) -> f64 {
        let Some(other) = interval(self.dates, candidate) else {
            return 0.0;
        };
        let common = self.years_in_common(other) as f64;
        if common > 0.0 {
            let spanned = self.end.max(other.1) - self.begin.min(other.0) + 1;
            0.5 + 0.5 * (common / spanned as f64)
        } else {
            (0.5 * (1.0 + common / FAR_APART)).max(0.0)
        }
    }

    fn why(&self, candidate: Row) -> String {
        let Some(other) = interval(self.dates, candidate) else {
            return String::new();
        };
        let common = self.years_in_common(other);
        if common > 0 {
            format!(
                "Recorded dates overlap: {} and {}",
                years((self.begin, self.end)),
                years(other)
            )
        } else {
            format!("Recorded dates are {} years apart", common.unsigned_abs())
        }
    }
}

fn interval(dates: &DateColumn, row: Row) -> Option<(i64, i64)> {
    let position = row as usize;
    let is_valid = dates.valid.contains(position);
    let (begin, end) = (dates.begin.get(position)?, dates.end.get(position)?);
    is_valid.then_some(((*begin).into(), (*end).into()))
}

/// An interval as recorded; years before the first are negative.
fn years((begin, end): (i64, i64)) -> String {
    if begin == end {
        begin.to_string()
    } else {
        format!("{begin} to {end}")
    }
}

/// The narrowest geographic level on which two records name the same place.
pub(super) struct GeographyLevel<'a> {
    /// The levels for which the anchor has values, narrowest first.
    levels: Vec<Level<'a>>,
}

struct Level<'a> {
    name: &'static str,
    value: f64,
    column: &'a StringColumn,
    places: &'a [u32],
}

impl<'a> GeographyLevel<'a> {
    const LEVELS: [(StringField, &'static str, f64); 7] = [
        (StringField::GeographyCity, "city", 1.0),
        (StringField::GeographyLocale, "locale", 0.9),
        (StringField::GeographySubregion, "subregion", 0.8),
        (StringField::GeographyRegion, "region", 0.7),
        (StringField::GeographyState, "state", 0.6),
        (StringField::GeographyCounty, "county", 0.6),
        (StringField::GeographyCountry, "country", 0.5),
    ];

    pub(super) fn new(columns: &'a Columns, anchor: Row) -> Option<Self> {
        let level = |(field, name, value)| {
            let column = columns.string(field);
            let places = column.values_of.get(anchor);
            (!places.is_empty()).then_some(Level {
                name,
                value,
                column,
                places,
            })
        };
        let levels: Vec<_> = Self::LEVELS.into_iter().filter_map(level).collect();
        (!levels.is_empty()).then_some(Self { levels })
    }

    fn best(&self, candidate: Row) -> Option<(&Level<'a>, u32)> {
        self.levels.iter().find_map(|level| {
            let place = first_shared(level.column, level.places, candidate)?;
            Some((level, place))
        })
    }
}

impl Comparison for GeographyLevel<'_> {
    fn value(&self, candidate: Row) -> f64 {
        self.best(candidate).map_or(0.0, |(level, _)| level.value)
    }

    fn why(&self, candidate: Row) -> String {
        self.best(candidate).map_or_else(String::new, |(level, place)| {
            format!("Same recorded {}: {}", level.name, level.column.values.get(place))
        })
    }
}

/// Whether the same artist is recorded, by normalised name.
pub(super) struct SharedArtist<'a> {
    column: &'a StringColumn,
    names: Vec<u32>,
}

impl<'a> SharedArtist<'a> {
    pub(super) fn new(columns: &'a Columns, anchor: Row) -> Option<Self> {
        let column = columns.string(StringField::ArtistName);
        let names = column.values_of.get(anchor).iter().copied();
        let names: Vec<_> = names.filter(|&name| !is_nobody(column.norms.get(name))).collect();
        (!names.is_empty()).then_some(Self { column, names })
    }
}

impl Comparison for SharedArtist<'_> {
    fn value(&self, candidate: Row) -> f64 {
        if first_shared(self.column, &self.names, candidate).is_some() {
            1.0
        } else {
            0.0
        }
    }

    fn why(&self, candidate: Row) -> String {
        first_shared(self.column, &self.names, candidate).map_or_else(String::new, |name| {
            format!("Same recorded artist: {}", self.column.values.get(name))
        })
    }
}

/// Whether a normalised name says only that the artist is not known.
fn is_nobody(name: &str) -> bool {
    let name = name.strip_suffix(" artist").unwrap_or(name);
    matches!(name, "unknown" | "anonymous" | "unidentified")
}

/// The first of the anchor's values that the candidate has too, compared normalised.
fn first_shared(column: &StringColumn, values: &[u32], candidate: Row) -> Option<u32> {
    let theirs = column.values_of.get(candidate);
    let is_shared = |value: u32| {
        theirs
            .iter()
            .any(|&other| other == value || column.norms.get(other) == column.norms.get(value))
    };
    values.iter().copied().find(|&value| is_shared(value))
}
