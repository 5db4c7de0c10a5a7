//! What an area is: who numbers it, what kind of unit it is, and where it lies.

use std::fmt;

use periplus_toolset::{JsonSchema, schemars};
use serde::{Deserialize, Serialize};

use crate::Bounds;

/// Who gave an area its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Administrative units of GADM.
    Gadm,
    /// Key biodiversity areas.
    Kba,
    /// Protected areas of the world database.
    Wdpa,
    /// Indigenous and community lands.
    Landmark,
    /// Administrative units of Natural Earth that have no GADM id.
    NaturalEarth,
}

impl Source {
    /// Every source, in the order in which equal candidates are listed.
    pub const ALL: [Self; 5] = [
        Self::Gadm,
        Self::Kba,
        Self::Wdpa,
        Self::Landmark,
        Self::NaturalEarth,
    ];

    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gadm => "gadm",
            Self::Kba => "kba",
            Self::Wdpa => "wdpa",
            Self::Landmark => "landmark",
            Self::NaturalEarth => "naturalearth",
        }
    }

    /// Reads a name or one of its aliases, in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        match text.as_str() {
            "protectedareas" | "protected_areas" | "protected-areas" => Some(Self::Wdpa),
            _ => Self::ALL.into_iter().find(|source| source.name() == text),
        }
    }

    /// The column of the catalogue that holds its ids; records of expanded areas repeat the id under this name.
    #[must_use]
    pub fn id_column(self) -> &'static str {
        match self {
            Self::Gadm => "gadm_id",
            Self::Kba => "sitrecid",
            Self::Wdpa => "wdpa_pid",
            Self::Landmark => "landmark_id",
            Self::NaturalEarth => "naturalearth_id",
        }
    }

    /// The most areas that one request for statistics may name. Shapes are sent as a whole, so fewer of them fit.
    #[must_use]
    pub fn limit(self) -> usize {
        match self {
            Self::Gadm => 1000,
            Self::Kba | Self::Wdpa | Self::Landmark | Self::NaturalEarth => 50,
        }
    }

    /// Whether its areas are administrative units.
    #[must_use]
    pub fn is_administrative(self) -> bool {
        matches!(self, Self::Gadm | Self::NaturalEarth)
    }

    /// What its areas are called in a message.
    #[must_use]
    pub fn areas(self) -> &'static str {
        match self {
            Self::Gadm | Self::NaturalEarth => "administrative areas",
            Self::Kba => "key biodiversity areas",
            Self::Wdpa => "protected areas",
            Self::Landmark => "indigenous and community lands",
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What kind of unit an area is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Subtype {
    /// A country.
    Country,
    /// A first-level unit, whatever the country calls it.
    StateProvince,
    /// A second-level unit.
    DistrictCounty,
    /// A third-level unit.
    Municipality,
    /// A fourth-level unit.
    Locality,
    /// A fifth-level unit.
    Neighbourhood,
    /// A site that matters for the persistence of biodiversity.
    KeyBiodiversityArea,
    /// A park, reserve or other protected area.
    ProtectedArea,
    /// Land of an indigenous people or a local community.
    IndigenousAndCommunityLand,
}

impl Subtype {
    const LEVELS: [Self; 6] = [
        Self::Country,
        Self::StateProvince,
        Self::DistrictCounty,
        Self::Municipality,
        Self::Locality,
        Self::Neighbourhood,
    ];

    const ALL: [Self; 9] = [
        Self::Country,
        Self::StateProvince,
        Self::DistrictCounty,
        Self::Municipality,
        Self::Locality,
        Self::Neighbourhood,
        Self::KeyBiodiversityArea,
        Self::ProtectedArea,
        Self::IndigenousAndCommunityLand,
    ];

    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Country => "country",
            Self::StateProvince => "state-province",
            Self::DistrictCounty => "district-county",
            Self::Municipality => "municipality",
            Self::Locality => "locality",
            Self::Neighbourhood => "neighbourhood",
            Self::KeyBiodiversityArea => "key-biodiversity-area",
            Self::ProtectedArea => "protected-area",
            Self::IndigenousAndCommunityLand => "indigenous-and-community-land",
        }
    }

    /// Reads the name on the wire.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|subtype| subtype.name() == text)
    }

    /// How deep an administrative unit is, 0 for a country; `None` for everything else.
    #[must_use]
    pub fn level(self) -> Option<u8> {
        Self::LEVELS
            .into_iter()
            .zip(0..)
            .find_map(|(subtype, level)| (subtype == self).then_some(level))
    }

    /// The administrative units of a level, 0 for countries.
    #[must_use]
    pub fn of_level(level: u8) -> Option<Self> {
        Self::LEVELS.get(usize::from(level)).copied()
    }
}

impl fmt::Display for Subtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An area of a catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct Area {
    /// Who gave it its id.
    pub source: Source,
    /// Its id there; unique within the source.
    pub id: String,
    /// Its own name, then the names of what it lies in: `Puri, Odisha, India`.
    pub name: String,
    /// What kind of unit it is.
    pub subtype: Subtype,
    /// What the country calls such a unit, where the catalogue knows it: `Federal District`.
    pub kind: Option<String>,
    /// The box around it.
    pub bounds: Bounds,
    /// ISO 3166-1 alpha-3 code of its country (`XKO` for Kosovo), where it has one.
    pub iso3: Option<String>,
    /// Its area on the ellipsoid, where the catalogue knows it.
    pub area_km2: Option<f64>,
}

impl Area {
    /// Its own name, without what it lies in.
    #[must_use]
    pub fn short_name(&self) -> &str {
        self.name.split(',').next().unwrap_or_default().trim()
    }

    /// The names of what it lies in, from the inside out.
    pub fn parents(&self) -> impl Iterator<Item = &str> {
        self.name.split(',').skip(1).map(str::trim)
    }

    /// How deep it is in the administrative tree, 0 for a country; `None` for everything else.
    #[must_use]
    pub fn level(&self) -> Option<u8> {
        self.subtype.level()
    }
}

/// A GADM id without the revision mark at its end: `BRA.14_1` is `BRA.14`.
#[must_use]
pub(crate) fn without_revision(id: &str) -> &str {
    match id.rsplit_once('_') {
        Some((rest, mark)) if !mark.is_empty() && mark.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => id,
    }
}

/// Whether a GADM id belongs to a country with a code of three letters. Disputed areas (`Z01`) have none, and no
/// statistics are published for them.
#[must_use]
pub(crate) fn is_standard_gadm_id(id: &str) -> bool {
    id.len() >= 3 && id.bytes().take(3).all(|byte| byte.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_aliases_of_sources_are_read_in_any_case() {
        for source in Source::ALL {
            assert_eq!(Source::parse(&source.name().to_uppercase()), Some(source));
        }
        assert_eq!(Source::parse(" Protected-Areas "), Some(Source::Wdpa));
        assert_eq!(Source::parse("custom"), None);
    }

    #[test]
    fn subtypes_and_levels_correspond() {
        for level in 0..=5 {
            assert_eq!(Subtype::of_level(level).unwrap().level(), Some(level));
        }
        assert_eq!(Subtype::of_level(6), None);
        assert_eq!(Subtype::ProtectedArea.level(), None);
        for subtype in Subtype::ALL {
            assert_eq!(Subtype::parse(subtype.name()), Some(subtype));
        }
    }

    #[test]
    fn only_a_revision_mark_is_taken_off_an_id() {
        for (id, expected) in [
            ("BRA.14_1", "BRA.14"),
            ("BRA", "BRA"),
            ("IND.26.26_12", "IND.26.26"),
            ("BRA_x", "BRA_x"),
            ("BRA_", "BRA_"),
        ] {
            assert_eq!(without_revision(id), expected);
        }
        assert!(is_standard_gadm_id("XKO.1_1") && is_standard_gadm_id("BRA"));
        assert!(!is_standard_gadm_id("Z01.1_1") && !is_standard_gadm_id("BR"));
    }
}
