//! Continents and what they are divided into: no areas with an id and a shape of their own, but the countries in them.

use std::{collections::BTreeSet, sync::LazyLock};

use crate::fold;

/// Each with the continents and regions of the data that it consists of, and its other names.
const TABLE: &str = include_str!("world-parts.csv");

static PARTS: LazyLock<Vec<WorldPart>> =
    LazyLock::new(|| TABLE.lines().skip(1).filter_map(WorldPart::parse).collect());

/// A part of the world that stands for its countries.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WorldPart {
    /// What it is called in messages.
    pub(crate) name: &'static str,
    regions: Vec<&'static str>,
    folded_names: BTreeSet<String>,
}

impl WorldPart {
    fn parse(line: &'static str) -> Option<Self> {
        let mut fields = line.splitn(3, ',');
        let (name, regions, others) = (fields.next()?, fields.next()?, fields.next()?);
        let names = std::iter::once(name).chain(others.split('|'));
        // Two languages may differ in an accent only.
        let folded_names: BTreeSet<String> = names.map(fold).collect();
        Some(Self {
            name,
            regions: regions.split('|').collect(),
            folded_names,
        })
    }

    /// The part with this folded name.
    pub(crate) fn named(folded: &str) -> Option<&'static Self> {
        PARTS.iter().find(|part| part.folded_names.contains(folded))
    }

    /// Whether a country of this continent, or of this region of it, lies here.
    pub(crate) fn has(&self, continent: Option<&str>, region: Option<&str>) -> bool {
        [continent, region]
            .into_iter()
            .flatten()
            .any(|of| self.regions.contains(&of))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::catalogue::embedded::Embedded;

    #[test]
    fn parts_are_known_in_other_languages_and_by_what_their_people_are_called() {
        for (text, expected) in [
            ("Africa", "Africa"),
            ("Südamerika", "South America"),
            ("South-East Asia", "Southeast Asia"),
            ("European", "Europe"),
        ] {
            assert_eq!(
                WorldPart::named(&fold(text)).map(|part| part.name),
                Some(expected)
            );
        }
        assert_eq!(WorldPart::named("brazil"), None);
    }

    #[test]
    fn no_name_has_two_meanings_and_no_part_is_empty() {
        let gazetteer = Embedded::shipped();
        let mut names = HashSet::new();
        for part in PARTS.iter() {
            assert!(gazetteer.countries_of(part).count() > 0, "{}", part.name);
            for name in &part.folded_names {
                assert!(names.insert(name), "{name} is there twice");
                assert_eq!(gazetteer.named(name).next().map(|record| &record.name), None);
            }
        }
    }
}
