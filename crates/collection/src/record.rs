//! One object as its sources, taken together, describe it.
//!
//! Values are kept exactly as recorded. Where sources disagree nothing is picked: the field is in conflict.

use serde::{Deserialize, Serialize};

/// A field merged from several sources.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state", content = "value")]
pub enum Merged<T> {
    /// No source records it.
    #[default]
    Missing,
    /// The sources that record it agree.
    Value(T),
    /// Two sources record different values.
    Conflict,
}

impl<T> Merged<T> {
    /// The agreed value.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Missing | Self::Conflict => None,
        }
    }

    /// Whether the sources disagree.
    pub const fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict)
    }
}

impl<T> From<Option<T>> for Merged<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Self::Value)
    }
}

/// Inclusive years; negative before the common era, as recorded (no correction for a year zero).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the two ends")]
pub struct Interval {
    pub begin: i32,
    pub end: i32,
}

/// The recorded date of an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ObjectDate {
    /// Nothing is recorded.
    #[default]
    Missing,
    /// An interval is recorded.
    Valid(Interval),
    /// Something is recorded that is no interval.
    Invalid,
    /// Two sources record different intervals.
    Conflict,
}

/// One artist of an object.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ArtistMention {
    /// The artist's name alone.
    pub name: String,
    /// What the artist did.
    pub role: Option<String>,
    /// The name with what qualifies it, such as "Workshop of".
    pub attribution: String,
}

/// Places, each level its own set: the members of two levels do not belong together pairwise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the recorded field of that name")]
pub struct Geography {
    pub kind: Vec<String>,
    pub city: Vec<String>,
    pub state: Vec<String>,
    pub county: Vec<String>,
    pub country: Vec<String>,
    pub region: Vec<String>,
    pub subregion: Vec<String>,
    pub locale: Vec<String>,
}

/// One object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the recorded field of that name")]
pub struct Record {
    pub object_id: u64,
    pub title: Merged<String>,
    pub department: Option<String>,
    pub object_name: Option<String>,
    pub culture: Option<String>,
    pub period: Option<String>,
    pub medium: Option<String>,
    pub classification: Vec<String>,
    pub tags: Vec<String>,
    /// In recorded order, without repeats; never an empty list as a value.
    pub artists: Merged<Vec<ArtistMention>>,
    pub object_date: ObjectDate,
    /// The date in words, for display and search; never turned into an interval.
    pub object_date_text: Option<String>,
    pub geography: Geography,
    pub is_public_domain: Merged<bool>,
    pub has_known_image: Merged<bool>,
    /// Names of what is unusual about the record, in code point order, without repeats.
    pub data_quality: Vec<String>,
}

impl Record {
    /// The artists; empty if none is recorded or the sources disagree.
    #[must_use]
    pub fn artist_mentions(&self) -> &[ArtistMention] {
        self.artists.value().map_or(&[], Vec::as_slice)
    }

    /// Everything recorded that is worth searching, one value a line; its normalised form is what
    /// [`Columns`](crate::Columns) store as metadata text.
    #[must_use]
    pub fn metadata_text(&self) -> String {
        let geography = &self.geography;
        let one = |value: Option<&String>| value.cloned().into_iter();
        let attributions = self
            .artist_mentions()
            .iter()
            .map(|mention| mention.attribution.clone());
        let values: Vec<String> = one(self.title.value())
            .chain(one(self.department.as_ref()))
            .chain(one(self.object_name.as_ref()))
            .chain(self.classification.iter().cloned())
            .chain(one(self.culture.as_ref()))
            .chain(one(self.medium.as_ref()))
            .chain(one(self.object_date_text.as_ref()))
            .chain(self.tags.iter().cloned())
            .chain(attributions)
            .chain(
                [
                    &geography.city,
                    &geography.state,
                    &geography.country,
                    &geography.region,
                ]
                .into_iter()
                .flatten()
                .cloned(),
            )
            .collect();
        values.join("\n")
    }

    /// Adds the name of something unusual, keeping order and uniqueness.
    pub fn flag(&mut self, name: &str) {
        if let Err(position) = self.data_quality.binary_search_by(|flag| flag.as_str().cmp(name)) {
            self.data_quality.insert(position, name.to_owned());
        }
    }
}
