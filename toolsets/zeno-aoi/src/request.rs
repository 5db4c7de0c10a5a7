//! What a question asks for: places, and whether the units inside them are to be compared.

use periplus_toolset::{JsonSchema, schemars};
use serde::{Deserialize, Serialize};

use crate::{Area, Place, Subtype, catalogue::embedded::Embedded, fold};

/// The most places of one request; a comparison of more is a question about the units of something.
pub const MAX_PLACES: usize = 20;

/// What a question asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// The places, each once, in the order of the question.
    pub places: Vec<Place>,
    /// The units to compare within each place.
    pub subregion: Option<Subregion>,
    /// Whether the question is about the whole world.
    pub is_global: bool,
    /// What the names of the units begin with, folded.
    pub initial: Option<String>,
    /// What is left out: candidates that are not meant, units that are not wanted.
    pub excluded: Vec<Place>,
}

impl Request {
    /// Whether a unit is wanted.
    pub(crate) fn keeps(&self, unit: &Area, gazetteer: &Embedded) -> bool {
        let begins = |initial: &String| fold(unit.short_name()).starts_with(initial.as_str());
        self.initial.as_ref().is_none_or(begins)
            && !self.excluded.iter().any(|place| place.covers(unit, gazetteer))
    }

    /// What the name of a list of units says about those that are not in it; empty if all of them are.
    pub(crate) fn narrowed(&self) -> String {
        let mut text = String::new();
        if let Some(initial) = &self.initial {
            let (first, rest) = initial.split_at(initial.chars().next().map_or(0, char::len_utf8));
            text.push_str(&format!(", beginning with {}{rest}", first.to_uppercase()));
        }
        // Candidates that were listed and are not meant are namesakes of the place, no units of it.
        let units = self.excluded.iter().filter(|place| place.subtype.is_none());
        let names: Vec<&str> = units.map(|place| place.name.as_str()).collect();
        if !names.is_empty() {
            text.push_str(&format!(", without {}", names.join(" & ")));
        }
        text
    }
}

/// A word for the units to be compared within a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Subregion {
    /// Countries.
    Country,
    /// First-level units.
    State,
    /// Second-level units.
    District,
    /// Third-level units.
    Municipality,
    /// Fourth-level units.
    Locality,
    /// Fifth-level units.
    Neighbourhood,
    /// Key biodiversity areas.
    Kba,
    /// Protected areas.
    Wdpa,
    /// Indigenous and community lands.
    Landmark,
}

impl Subregion {
    /// The kind of area that is meant.
    #[must_use]
    pub fn subtype(self) -> Subtype {
        match self {
            Self::Country => Subtype::Country,
            Self::State => Subtype::StateProvince,
            Self::District => Subtype::DistrictCounty,
            Self::Municipality => Subtype::Municipality,
            Self::Locality => Subtype::Locality,
            Self::Neighbourhood => Subtype::Neighbourhood,
            Self::Kba => Subtype::KeyBiodiversityArea,
            Self::Wdpa => Subtype::ProtectedArea,
            Self::Landmark => Subtype::IndigenousAndCommunityLand,
        }
    }

    /// The word for areas of a subtype.
    #[must_use]
    pub fn of(subtype: Subtype) -> Self {
        match subtype {
            Subtype::Country => Self::Country,
            Subtype::StateProvince => Self::State,
            Subtype::DistrictCounty => Self::District,
            Subtype::Municipality => Self::Municipality,
            Subtype::Locality => Self::Locality,
            Subtype::Neighbourhood => Self::Neighbourhood,
            Subtype::KeyBiodiversityArea => Self::Kba,
            Subtype::ProtectedArea => Self::Wdpa,
            Subtype::IndigenousAndCommunityLand => Self::Landmark,
        }
    }

    /// The word in the names of selections. Clients read it, so it stays the same for one area.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Self::Country => "Countries",
            Self::State => "States",
            Self::District => "Districts",
            Self::Municipality => "Municipalities",
            Self::Locality => "Localities",
            Self::Neighbourhood => "Neighbourhoods",
            Self::Kba => "Kbas",
            Self::Wdpa => "Wdpas",
            Self::Landmark => "Landmarks",
        }
    }

    /// The word as a request uses it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Country => "country",
            Self::State => "state",
            Self::District => "district",
            Self::Municipality => "municipality",
            Self::Locality => "locality",
            Self::Neighbourhood => "neighbourhood",
            Self::Kba => "kba",
            Self::Wdpa => "wdpa",
            Self::Landmark => "landmark",
        }
    }
}

/// Whether a place is the whole world. Only the whole text counts: `Disney World` is a place.
#[must_use]
pub fn is_world(text: &str) -> bool {
    const NAMES: &[&str] = &[
        "global",
        "globally",
        "global world",
        "world",
        "the world",
        "whole world",
        "the whole world",
        "entire world",
        "worldwide",
        "earth",
        "the earth",
        "planet earth",
        "globe",
        "the globe",
        "all countries",
        "every country",
    ];
    let folded = fold(text);
    NAMES.contains(&folded.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Matching parts of words once let a theme park select every country.
    #[test]
    fn only_the_whole_text_is_the_world() {
        for text in [
            "Global",
            "global world",
            "the World",
            "Worldwide",
            "all countries",
        ] {
            assert!(is_world(text), "{text}");
        }
        for text in ["Disney World", "Earth, Texas", "Worldend", "Global Forest", ""] {
            assert!(!is_world(text), "{text}");
        }
    }

    #[test]
    fn words_and_subtypes_correspond() {
        for word in [Subregion::Country, Subregion::District, Subregion::Landmark] {
            assert_eq!(Subregion::of(word.subtype()), word);
        }
        assert_eq!(Subregion::Municipality.plural(), "Municipalities");
    }
}
