//! Areas as they are expected and as they were picked.
//!
//! Ids of GADM are compared without their mark of a revision (`BRA.14_1` is `BRA.14`), which not every catalogue has, and
//! lists without regard to order and repetition.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    Catalogue, Verdict,
    chain::{Refusal, Reply, text},
};

/// Ids, in order, each once.
pub(crate) type Ids = BTreeSet<String>;

/// The name of the selection of all countries.
const WORLD: &str = "All countries in the world";

/// A list of so many areas is complete if most of it is there: catalogues differ by dependencies and reefs without people.
const LONG: usize = 10;

/// How many of a hundred areas of a long list have to be there, with none that is not expected; or the other way round,
/// because some lists leave out what has no figures.
const MOST: usize = 80;

/// More expected areas than this are the countries of the world.
const MANY: usize = 200;

/// What `pick_aoi` did.
#[derive(Debug)]
pub(crate) enum Picked {
    /// It selected areas.
    Areas { selection: Value, ids: Ids },
    /// It asks which of several is meant.
    Candidates(Ids),
    /// It selected nothing, and says why.
    Nothing(String),
}

impl Picked {
    pub(crate) fn of(reply: Reply) -> Result<Self, Refusal> {
        let mut result = reply?;
        if let Some(selection) = result.get_mut("aoi_selection").map(Value::take) {
            let ids = ids_of(selection["aois"].as_array());
            return Ok(Self::Areas { selection, ids });
        }
        if let Some(Value::Array(areas)) = result.get_mut("aoi_candidates").map(Value::take) {
            return Ok(Self::Candidates(ids_of(Some(&areas))));
        }
        Ok(Self::Nothing(text(&result, "message").to_owned()))
    }

    /// The selection, if there is one.
    pub(crate) fn selection(&self) -> Option<&Value> {
        match self {
            Self::Areas { selection, .. } => Some(selection),
            Self::Candidates(_) | Self::Nothing(_) => None,
        }
    }

    fn is_world(&self) -> bool {
        self.selection()
            .is_some_and(|selection| text(selection, "name") == WORLD)
    }

    /// Whether every selected area has a number of the catalogue's own instead of an id of its source.
    fn has_other_ids(&self) -> bool {
        self.selection()
            .is_some_and(|selection| all_of(selection, "naturalearth"))
    }
}

impl std::fmt::Display for Picked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Areas { selection, ids } => write!(f, "{} ({})", text(selection, "name"), listed(ids)),
            Self::Candidates(ids) => write!(f, "the question which of {} is meant", listed(ids)),
            Self::Nothing(message) => write!(f, "nothing: {message}"),
        }
    }
}

/// The areas that a row expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expected {
    /// Exactly these.
    Ids { ids: Ids, source: Option<String> },
    /// So many, all inside one area.
    Within { parent: String, count: usize },
    /// All countries.
    World,
    /// A question which of several countries' places is meant.
    Question { countries: usize },
    /// None: the question is about no place.
    None,
}

impl std::fmt::Display for Expected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ids { ids, .. } if ids.len() > MANY => write!(f, "all countries"),
            Self::Ids { ids, source } if ids.is_empty() => {
                write!(f, "an area of {}", source.as_deref().unwrap_or("any source"))
            }
            Self::Ids { ids, .. } => f.write_str(&listed(ids)),
            Self::Within { parent, count } => write!(f, "{count} areas in {parent}"),
            Self::World => write!(f, "all countries"),
            Self::Question { countries } => {
                write!(f, "places of this name in {countries} countries to choose from")
            }
            Self::None => write!(f, "no area"),
        }
    }
}

impl Expected {
    /// Areas by their ids and the source that the row names, in whatever case.
    pub(crate) fn ids<'a>(ids: impl IntoIterator<Item = &'a str>, source: Option<&str>) -> Self {
        Self::Ids {
            ids: ids.into_iter().map(|id| plain(id).to_owned()).collect(),
            source: source.map(str::to_lowercase),
        }
    }

    /// Whether what was picked is right, honestly refused, or wrong.
    pub(crate) fn compare(&self, picked: &Picked, catalogue: Catalogue) -> Verdict {
        if self.is_met_by(picked) {
            return Verdict::Passed;
        }
        let reason = match picked {
            Picked::Areas { .. } if picked.has_other_ids() => {
                format!("the catalogue knows {self} under ids of its own: {picked}")
            }
            Picked::Candidates(_) | Picked::Nothing(_) => {
                format!("the catalogue does not hold {self}, and gave {picked}")
            }
            Picked::Areas { .. } => return Verdict::failed(self, picked),
        };
        if self.is_held_by(catalogue) {
            Verdict::failed(self, picked)
        } else {
            Verdict::Refused { reason }
        }
    }

    fn is_met_by(&self, picked: &Picked) -> bool {
        match (self, picked) {
            (Self::Ids { ids, .. }, Picked::Areas { ids: found, .. }) if ids.len() > MANY => {
                picked.is_world() && ids.intersection(found).count() * 100 >= ids.len() * MOST
            }
            (Self::Ids { ids, .. }, Picked::Areas { ids: found, .. }) if ids.len() >= LONG => {
                is_most_of(found, ids) || is_most_of(ids, found)
            }
            // Some rows name the kind of area and no id.
            (Self::Ids { ids, source }, Picked::Areas { selection, .. }) if ids.is_empty() => {
                all_of(selection, source.as_deref().unwrap_or_default())
            }
            (Self::Ids { ids, .. }, Picked::Areas { ids: found, .. }) => ids == found,
            (Self::Within { parent, count }, Picked::Areas { ids, .. }) => {
                ids.len() == *count && ids.iter().all(|id| is_inside(id, parent))
            }
            (Self::World, Picked::Areas { .. }) => picked.is_world(),
            (Self::Question { countries }, Picked::Candidates(ids)) => {
                let found: BTreeSet<&str> = ids.iter().map(|id| country(id)).collect();
                found.len() >= *countries
            }
            (Self::None, Picked::Nothing(_)) => true,
            _ => false,
        }
    }

    /// Whether the catalogue can know the areas at all; a refusal of one that it can is a failure.
    fn is_held_by(&self, catalogue: Catalogue) -> bool {
        if catalogue == Catalogue::Database {
            return true;
        }
        match self {
            Self::Ids { ids, source } => {
                let is_administrative = source.as_deref().is_none_or(|source| source == "gadm");
                is_administrative && !ids.is_empty() && ids.iter().all(|id| is_first_level(id))
            }
            Self::Within { parent, .. } => !parent.contains('.') && is_first_level(parent),
            // Which places are meant the row does not say; small ones are the ones with namesakes.
            Self::Question { .. } => false,
            Self::World | Self::None => true,
        }
    }
}

/// Whether a list holds most of another one and nothing else.
fn is_most_of(some: &Ids, all: &Ids) -> bool {
    some.is_subset(all) && some.len() * 100 >= all.len() * MOST
}

/// Whether all areas of a selection are of one source.
fn all_of(selection: &Value, source: &str) -> bool {
    let aois = selection["aois"].as_array();
    aois.is_some_and(|aois| aois.iter().all(|aoi| text(aoi, "source") == source))
}

/// An id without GADM's mark of a revision.
pub(crate) fn plain(id: &str) -> &str {
    match id.trim().rsplit_once('_') {
        Some((plain, mark)) if mark.bytes().all(|byte| byte.is_ascii_digit()) => plain,
        _ => id.trim(),
    }
}

/// Whether an id is that of a country or of a first-level unit.
fn is_first_level(id: &str) -> bool {
    let mut parts = id.split('.');
    let country = parts.next().unwrap_or_default();
    country.len() == 3 && country.bytes().all(|byte| byte.is_ascii_uppercase()) && parts.count() <= 1
}

fn is_inside(id: &str, parent: &str) -> bool {
    id.strip_prefix(parent).is_some_and(|rest| rest.starts_with('.'))
}

fn country(id: &str) -> &str {
    id.split('.').next().unwrap_or(id)
}

fn ids_of(areas: Option<&Vec<Value>>) -> Ids {
    let areas = areas.into_iter().flatten();
    areas.map(|area| plain(text(area, "src_id")).to_owned()).collect()
}

/// The first of many ids, and how many more there are.
fn listed(ids: &Ids) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<&str> = ids.iter().take(SHOWN).map(String::as_str).collect();
    match ids.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn picked(source: &str, ids: &[&str]) -> Picked {
        let aois: Vec<Value> = ids
            .iter()
            .map(|id| json!({ "source": source, "src_id": id }))
            .collect();
        Picked::of(Ok(json!({ "aoi_selection": { "name": "x", "aois": aois } }))).unwrap()
    }

    fn nothing() -> Picked {
        Picked::of(Ok(json!({ "message": "Nothing is called so." }))).unwrap()
    }

    fn is_refused(expected: &Expected, picked: &Picked, catalogue: Catalogue) -> bool {
        matches!(expected.compare(picked, catalogue), Verdict::Refused { .. })
    }

    fn is_passed(expected: &Expected, picked: &Picked) -> bool {
        expected.compare(picked, Catalogue::Embedded) == Verdict::Passed
    }

    #[test]
    fn ids_are_compared_without_marks_order_and_repetition() {
        let expected = Expected::ids(["BRA.14_1", "BRA.4_2", "BRA.14_1"], Some("GADM"));
        assert!(is_passed(&expected, &picked("gadm", &["BRA.4", "BRA.14"])));
        assert!(!is_passed(&expected, &picked("gadm", &["BRA.4"])));
        assert!(!is_passed(
            &expected,
            &picked("gadm", &["BRA.4", "BRA.14", "BRA.5"])
        ));
    }

    #[test]
    fn a_long_list_may_lack_a_few_areas_and_hold_no_other() {
        let ids: Vec<String> = (1..=11).map(|unit| format!("AUS.{unit}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let expected = Expected::ids(ids.iter().copied(), Some("gadm"));
        assert!(is_passed(&expected, &picked("gadm", &ids[2..])));
        assert!(!is_passed(&expected, &picked("gadm", &ids[3..])));
        let mut other = ids[2..].to_vec();
        other.push("NZL.1");
        assert!(!is_passed(&expected, &picked("gadm", &other)));
    }

    #[test]
    fn a_refusal_counts_only_for_what_the_catalogue_cannot_hold() {
        for (expected, is_held) in [
            (Expected::ids(["BRA"], None), true),
            (Expected::ids(["BRA.14_1"], Some("gadm")), true),
            (Expected::ids(["GBR.1.83_1"], Some("gadm")), false),
            (Expected::ids(["BRA", "GBR.1.83_1"], Some("gadm")), false),
            (Expected::ids(["BRA79"], Some("Landmark")), false),
            (Expected::ids([], Some("wdpa")), false),
            (Expected::World, true),
        ] {
            let embedded = is_refused(&expected, &nothing(), Catalogue::Embedded);
            assert_eq!(embedded, !is_held, "{expected}");
            assert!(
                !is_refused(&expected, &nothing(), Catalogue::Database),
                "{expected}"
            );
        }
    }

    #[test]
    fn another_area_in_place_of_one_that_is_not_held_is_a_failure() {
        let expected = Expected::ids(["GBR.1.83_1"], Some("gadm"));
        assert!(!is_refused(
            &expected,
            &picked("gadm", &["GBR.1"]),
            Catalogue::Embedded
        ));
        // The same place under a number of the catalogue's own has no statistics, and nobody can compare the numbers.
        let own = picked("naturalearth", &["GBR-5675"]);
        assert!(is_refused(&expected, &own, Catalogue::Embedded));
        assert!(!is_refused(&expected, &own, Catalogue::Database));
    }

    #[test]
    fn places_of_several_countries_have_to_be_offered() {
        let offered = |ids: [&str; 2]| {
            let areas = ids.map(|id| json!({ "source": "gadm", "src_id": id }));
            Picked::of(Ok(json!({ "aoi_candidates": areas }))).unwrap()
        };
        let expected = Expected::Question { countries: 2 };
        assert!(is_passed(&expected, &offered(["AGO.17.11_1", "IND.26.26_1"])));
        assert!(!is_passed(&expected, &offered(["IND.1.1", "IND.26.26_1"])));
        assert!(is_passed(&Expected::None, &nothing()));
    }
}
