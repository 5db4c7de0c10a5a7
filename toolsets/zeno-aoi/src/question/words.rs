//! Words that mean something beside a place: units, kinds, peoples, and what is no name at all.

use std::{collections::HashSet, sync::LazyLock};

use crate::{Source, request::Subregion};

/// A word for units, as it was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Units {
    /// Units of a named kind.
    Of(Subregion),
    /// Whatever lies directly below.
    Below,
}

/// Phrases for units, longest first where one contains another: folded words, what they mean, whether they are plural.
const UNITS: &[(&str, Units, bool)] = &[
    ("key biodiversity areas", Units::Of(Subregion::Kba), true),
    ("key biodiversity area", Units::Of(Subregion::Kba), false),
    ("biodiversity areas", Units::Of(Subregion::Kba), true),
    ("kbas", Units::Of(Subregion::Kba), true),
    ("kba", Units::Of(Subregion::Kba), false),
    ("protected areas", Units::Of(Subregion::Wdpa), true),
    ("protected area", Units::Of(Subregion::Wdpa), false),
    ("areas protegidas", Units::Of(Subregion::Wdpa), true),
    ("aires protegees", Units::Of(Subregion::Wdpa), true),
    ("national parks", Units::Of(Subregion::Wdpa), true),
    ("nature reserves", Units::Of(Subregion::Wdpa), true),
    ("parks", Units::Of(Subregion::Wdpa), true),
    ("reserves", Units::Of(Subregion::Wdpa), true),
    (
        "indigenous and community lands",
        Units::Of(Subregion::Landmark),
        true,
    ),
    ("indigenous territories", Units::Of(Subregion::Landmark), true),
    ("indigenous lands", Units::Of(Subregion::Landmark), true),
    ("indigenous communities", Units::Of(Subregion::Landmark), true),
    ("indigenous areas", Units::Of(Subregion::Landmark), true),
    ("terras indigenas", Units::Of(Subregion::Landmark), true),
    ("territorios indigenas", Units::Of(Subregion::Landmark), true),
    ("sub regions", Units::Below, true),
    ("sub region", Units::Below, false),
    ("subregions", Units::Below, true),
    ("subregion", Units::Below, false),
    ("administrative areas", Units::Below, true),
    ("countries", Units::Of(Subregion::Country), true),
    ("country", Units::Of(Subregion::Country), false),
    ("nations", Units::Of(Subregion::Country), true),
    ("paises", Units::Of(Subregion::Country), true),
    ("pais", Units::Of(Subregion::Country), false),
    ("pays", Units::Of(Subregion::Country), true),
    ("lander", Units::Of(Subregion::Country), true),
    ("paesi", Units::Of(Subregion::Country), true),
    ("negara", Units::Of(Subregion::Country), true),
    ("states", Units::Of(Subregion::State), true),
    ("state", Units::Of(Subregion::State), false),
    ("provinces", Units::Of(Subregion::State), true),
    ("province", Units::Of(Subregion::State), false),
    ("regions", Units::Of(Subregion::State), true),
    ("region", Units::Of(Subregion::State), false),
    ("territories", Units::Of(Subregion::State), true),
    ("departments", Units::Of(Subregion::State), true),
    ("department", Units::Of(Subregion::State), false),
    ("governorates", Units::Of(Subregion::State), true),
    ("oblasts", Units::Of(Subregion::State), true),
    ("prefectures", Units::Of(Subregion::State), true),
    ("cantons", Units::Of(Subregion::State), true),
    ("communidad", Units::Of(Subregion::State), false),
    ("comunidad", Units::Of(Subregion::State), false),
    ("comunidades", Units::Of(Subregion::State), true),
    ("estados", Units::Of(Subregion::State), true),
    ("estado", Units::Of(Subregion::State), false),
    ("provincias", Units::Of(Subregion::State), true),
    ("provincia", Units::Of(Subregion::State), false),
    ("departamentos", Units::Of(Subregion::State), true),
    ("departamento", Units::Of(Subregion::State), false),
    ("regioes", Units::Of(Subregion::State), true),
    ("regiones", Units::Of(Subregion::State), true),
    ("etats", Units::Of(Subregion::State), true),
    ("bundeslander", Units::Of(Subregion::State), true),
    ("provinzen", Units::Of(Subregion::State), true),
    ("regioni", Units::Of(Subregion::State), true),
    ("provinsi", Units::Of(Subregion::State), true),
    ("districts", Units::Of(Subregion::District), true),
    ("district", Units::Of(Subregion::District), false),
    ("counties", Units::Of(Subregion::District), true),
    ("county", Units::Of(Subregion::District), false),
    ("distritos", Units::Of(Subregion::District), true),
    ("kabupaten", Units::Of(Subregion::District), true),
    ("municipalities", Units::Of(Subregion::Municipality), true),
    ("municipality", Units::Of(Subregion::Municipality), false),
    ("municipios", Units::Of(Subregion::Municipality), true),
    ("localities", Units::Of(Subregion::Locality), true),
    ("locality", Units::Of(Subregion::Locality), false),
    ("neighbourhoods", Units::Of(Subregion::Neighbourhood), true),
    ("neighborhoods", Units::Of(Subregion::Neighbourhood), true),
    ("neighbourhood", Units::Of(Subregion::Neighbourhood), false),
    ("neighborhood", Units::Of(Subregion::Neighbourhood), false),
];

/// The longest phrase for units at the beginning of folded words: its meaning, whether it is plural, its word count.
pub(super) fn units(words: &[&str]) -> Option<(Units, bool, usize)> {
    UNITS.iter().find_map(|(phrase, meaning, is_plural)| {
        let count = phrase.split(' ').count();
        let is_here = words.len() >= count && phrase.split(' ').eq(words.iter().take(count).copied());
        is_here.then_some((*meaning, *is_plural, count))
    })
}

/// Words after a name that say what kind of area it is.
const DESIGNATIONS: &[(&str, Source)] = &[
    ("key biodiversity area", Source::Kba),
    ("kba", Source::Kba),
    ("protected area", Source::Wdpa),
    ("area protegida", Source::Wdpa),
    ("national park", Source::Wdpa),
    ("parque nacional", Source::Wdpa),
    ("parc national", Source::Wdpa),
    ("national forest", Source::Wdpa),
    ("nature reserve", Source::Wdpa),
    ("biosphere reserve", Source::Wdpa),
    ("game reserve", Source::Wdpa),
    ("wildlife sanctuary", Source::Wdpa),
    ("reserve", Source::Wdpa),
    ("wdpa", Source::Wdpa),
    ("indigenous territory", Source::Landmark),
    ("indigenous land", Source::Landmark),
    ("indigenous reserve", Source::Landmark),
    ("people territory", Source::Landmark),
    ("terra indigena", Source::Landmark),
];

/// The designation at the end of folded words: the source it points to and its word count.
pub(super) fn designation(words: &[&str]) -> Option<(Source, usize)> {
    DESIGNATIONS.iter().find_map(|(phrase, source)| {
        let count = phrase.split(' ').count();
        let end = words.get(words.len().checked_sub(count)?..)?;
        phrase
            .split(' ')
            .eq(end.iter().copied())
            .then_some((*source, count))
    })
}

/// The designation at the beginning of folded words.
pub(super) fn designation_after(words: &[&str]) -> Option<(Source, usize)> {
    DESIGNATIONS.iter().find_map(|(phrase, source)| {
        let count = phrase.split(' ').count();
        let is_here = words.len() >= count && phrase.split(' ').eq(words.iter().take(count).copied());
        is_here.then_some((*source, count))
    })
}

/// What people of a country and its things are called.
const PEOPLES: &[(&str, &str)] = &[
    ("american", "USA"),
    ("angolan", "AGO"),
    ("argentine", "ARG"),
    ("argentinian", "ARG"),
    ("australian", "AUS"),
    ("bangladeshi", "BGD"),
    ("bolivian", "BOL"),
    ("brazilian", "BRA"),
    ("british", "GBR"),
    ("cambodian", "KHM"),
    ("cameroonian", "CMR"),
    ("canadian", "CAN"),
    ("chilean", "CHL"),
    ("chinese", "CHN"),
    ("colombian", "COL"),
    ("congolese", "COD"),
    ("cuban", "CUB"),
    ("dutch", "NLD"),
    ("ecuadorian", "ECU"),
    ("ethiopian", "ETH"),
    ("finnish", "FIN"),
    ("french", "FRA"),
    ("gabonese", "GAB"),
    ("german", "DEU"),
    ("ghanaian", "GHA"),
    ("greek", "GRC"),
    ("guatemalan", "GTM"),
    ("honduran", "HND"),
    ("indian", "IND"),
    ("indonesian", "IDN"),
    ("italian", "ITA"),
    ("ivorian", "CIV"),
    ("japanese", "JPN"),
    ("kenyan", "KEN"),
    ("liberian", "LBR"),
    ("malagasy", "MDG"),
    ("malaysian", "MYS"),
    ("mexican", "MEX"),
    ("mozambican", "MOZ"),
    ("nigerian", "NGA"),
    ("norwegian", "NOR"),
    ("paraguayan", "PRY"),
    ("peruvian", "PER"),
    ("philippine", "PHL"),
    ("polish", "POL"),
    ("portuguese", "PRT"),
    ("romanian", "ROU"),
    ("russian", "RUS"),
    ("senegalese", "SEN"),
    ("spanish", "ESP"),
    ("swedish", "SWE"),
    ("tanzanian", "TZA"),
    ("thai", "THA"),
    ("turkish", "TUR"),
    ("ugandan", "UGA"),
    ("ukrainian", "UKR"),
    ("venezuelan", "VEN"),
    ("vietnamese", "VNM"),
    ("zambian", "ZMB"),
];

/// The country that a folded word for a people belongs to.
pub(super) fn country_of_people(word: &str) -> Option<&'static str> {
    PEOPLES
        .iter()
        .find_map(|(people, iso3)| (*people == word).then_some(*iso3))
}

/// Words that lead to a place.
pub(super) fn leads_to_place(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "in",
        "of",
        "for",
        "across",
        "within",
        "inside",
        "from",
        "near",
        "around",
        "at",
        "throughout",
        "over",
        "to",
        "pick",
        "select",
        "show",
        "zoom",
        "em",
        "en",
        "no",
        "na",
        "nos",
        "nas",
        "do",
        "da",
        "dos",
        "de",
        "del",
        "dans",
        "au",
        "aux",
        "du",
        "des",
        "im",
        "von",
        "nel",
        "nella",
        "di",
        "della",
        "dalam",
        "kabupaten",
        "el",
        "la",
        "the",
        "les",
        "le",
        "los",
        "las",
        "al",
    ];
    WORDS.contains(&word)
}

/// Words between a place and what it lies in.
pub(super) fn is_within(gap: &str) -> bool {
    const GAPS: &[&str] = &[
        "in", "in the", "of", "of the", "em", "en", "no", "na", "do", "da", "de", "del", "dans", "im", "nel",
        "di", "within",
    ];
    GAPS.contains(&gap)
}

/// Words between two places that are compared or listed.
pub(super) fn is_list(gap: &str) -> bool {
    const GAPS: &[&str] = &[
        "and",
        "or",
        ", and",
        ", or",
        "vs",
        "vs.",
        "versus",
        "with",
        "to",
        "&",
        "/",
        "y",
        "o",
        "e",
        "ou",
        "et",
        "und",
        "oder",
        "dan",
        "compared to",
        "compared with",
        "than",
        ",",
        "and the",
        "or the",
        "vs the",
    ];
    GAPS.contains(&gap)
}

/// Small words inside of names.
pub(super) fn joins_names(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "de", "da", "do", "das", "dos", "del", "della", "di", "du", "des", "la", "le", "les", "las", "los",
        "et", "y", "of", "von", "van", "el", "al", "bin", "i",
    ];
    WORDS.contains(&word)
}

/// Words that are no name, whatever their first letter. A name that consists of them alone is only taken where what it lies in follows.
pub(super) fn is_no_name(word: &str) -> bool {
    NO_NAMES.contains(word) || word.chars().all(|letter| letter.is_ascii_digit())
}

/// A word a line: what questions are made of, what they are about, directions, months.
static NO_NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("no-names.txt").lines().collect());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold;

    #[test]
    fn the_words_that_are_no_names_are_folded_and_stand_there_once_in_order() {
        let words: Vec<&str> = include_str!("no-names.txt").lines().collect();
        let disorder = words.windows(2).find(|pair| pair[0] >= pair[1]);
        assert_eq!(disorder, None);
        assert!(words.iter().all(|word| fold(word) == *word));
    }

    #[test]
    fn the_longest_phrase_for_units_wins() {
        assert_eq!(
            units(&["protected", "areas", "in"]),
            Some((Units::Of(Subregion::Wdpa), true, 2))
        );
        assert_eq!(units(&["states"]), Some((Units::Of(Subregion::State), true, 1)));
        assert_eq!(units(&["area"]), None);
    }

    #[test]
    fn a_designation_is_read_from_the_end() {
        assert_eq!(
            designation(&["hwange", "national", "park"]),
            Some((Source::Wdpa, 2))
        );
        assert_eq!(designation(&["park"]), None);
    }
}
