//! Which unit carries which GADM id: matched by country and name, one to one, never guessed.
//!
//! Names that a unit gives itself count before variants. Where GADM's first level is the regions, a region counts before a
//! unit that lies in it; elsewhere regions have no id. Whoever is matched is out of the way of the others. A few pairs are pinned, each with a
//! reason. What stays open is listed.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
    path::Path,
};

use serde::{Deserialize, Serialize};

use super::{ImportError, feature::Feature};
use crate::fold;

/// Pairs that names alone get wrong or leave open, each with the reason.
const PINS: &str = include_str!("pins.csv");

/// A GADM id with the name it belongs to.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Code {
    iso: String,
    aoi_id: String,
    subnational1: String,
}

/// A GADM id that no unit carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Miss {
    /// The id.
    pub id: String,
    /// The name of its unit.
    pub name: String,
    /// Why nothing was matched.
    pub reason: Reason,
    /// The units that came into question.
    pub units: Vec<String>,
}

/// Why an id was matched to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// No unit has the name.
    NoUnit,
    /// Several units have it, or several ids belong to the one that does.
    Tie,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoUnit => "no-unit",
            Self::Tie => "tie",
        })
    }
}

/// The matches.
#[derive(Debug)]
pub(super) struct Crosswalk {
    matched: HashMap<String, Matched>,
    pub(super) misses: Vec<Miss>,
}

/// What a unit is in GADM.
#[derive(Debug, Clone)]
pub(super) struct Matched {
    pub(super) id: String,
    pub(super) name: String,
}

/// The names of a unit that count.
type NamesOf = fn(&Unit) -> &HashSet<String>;

struct Unit {
    id: String,
    is_region: bool,
    /// The unit that is all of a region.
    only_member: Option<String>,
    own: HashSet<String>,
    all: HashSet<String>,
}

impl Crosswalk {
    pub(super) fn new<'a>(codes: &[Code], units: impl Iterator<Item = &'a Feature>) -> Self {
        let mut by_country: BTreeMap<&str, Vec<Unit>> = BTreeMap::new();
        for unit in units {
            if let Some(iso3) = unit.properties.iso3() {
                by_country.entry(iso3).or_default().push(Unit::new(unit));
            }
        }
        let mut codes_of: BTreeMap<&str, Vec<&Code>> = BTreeMap::new();
        for code in codes.iter().filter(|code| !code.aoi_id.is_empty()) {
            codes_of.entry(&code.iso).or_default().push(code);
        }
        let mut found = Self {
            matched: HashMap::new(),
            misses: Vec::new(),
        };
        for (iso, codes) in codes_of {
            found.match_country(codes, by_country.remove(iso).unwrap_or_default());
        }
        found
    }

    pub(super) fn of(&self, unit: &str) -> Option<&Matched> {
        self.matched.get(unit)
    }

    pub(super) fn coded_count(&self) -> usize {
        self.matched.len()
    }

    fn match_country(&mut self, mut codes: Vec<&Code>, mut units: Vec<Unit>) {
        if has_coded_regions(&codes, &units) {
            adopt_names(&mut units);
        } else {
            units.retain(|unit| !unit.is_region);
        }
        let pinned = pinned_matches(&codes, &units);
        self.take(pinned, &mut codes, &mut units);
        let tiers: [NamesOf; 2] = [|unit| &unit.own, |unit| &unit.all];
        for names in tiers {
            loop {
                let found = unique_matches(&codes, &units, names);
                if found.is_empty() {
                    break;
                }
                self.take(found, &mut codes, &mut units);
            }
        }
        self.misses
            .extend(codes.into_iter().map(|code| miss(code, &units)));
    }

    /// Keeps pairs and takes both sides out of the search.
    fn take(&mut self, pairs: Vec<(&Code, String)>, codes: &mut Vec<&Code>, units: &mut Vec<Unit>) {
        codes.retain(|code| !pairs.iter().any(|(paired, _)| paired.aoi_id == code.aoi_id));
        units.retain(|unit| !pairs.iter().any(|(_, paired)| *paired == unit.id));
        self.matched.extend(pairs.into_iter().map(|(code, unit)| {
            let matched = Matched {
                id: code.aoi_id.clone(),
                name: code.subnational1.clone(),
            };
            (unit, matched)
        }));
    }
}

impl Unit {
    fn new(feature: &Feature) -> Self {
        let properties = &feature.properties;
        let own: HashSet<String> = properties.own_names().iter().map(|name| fold(name)).collect();
        let others = properties.names.iter().map(|name| fold(name));
        let aliases = super::tree::aliases(&properties.id).map(fold);
        let all = others.chain(aliases).chain(own.iter().cloned());
        Self {
            id: properties.id.clone(),
            is_region: properties.grouping,
            only_member: match properties.members.as_slice() {
                [member] => Some(member.clone()),
                _ => None,
            },
            all: all.filter(|name| !name.is_empty()).collect(),
            own,
        }
    }
}

/// Whether the first level of GADM is the regions here: most of its names are names of regions.
fn has_coded_regions(codes: &[&Code], units: &[Unit]) -> bool {
    let of_regions = codes.iter().filter(|code| {
        let name = fold(&code.subnational1);
        units
            .iter()
            .any(|unit| unit.is_region && unit.all.contains(&name))
    });
    of_regions.count() * 2 > codes.len()
}

/// Gives regions of one unit the names of that unit: both are the same area, and the id belongs to the region.
fn adopt_names(units: &mut [Unit]) {
    let names: HashMap<String, HashSet<String>> = units
        .iter()
        .map(|unit| (unit.id.clone(), unit.all.clone()))
        .collect();
    for unit in units {
        let member = unit.only_member.as_ref().and_then(|member| names.get(member));
        unit.all.extend(member.into_iter().flatten().cloned());
    }
}

fn pinned_matches<'a>(codes: &[&'a Code], units: &[Unit]) -> Vec<(&'a Code, String)> {
    let pins = PINS.lines().skip(1).filter_map(|line| {
        let mut fields = line.splitn(3, ',');
        Some((fields.next()?, fields.next()?))
    });
    pins.filter_map(|(id, unit)| {
        let code = codes.iter().find(|code| code.aoi_id == id)?;
        let unit = units.iter().find(|known| known.id == unit)?;
        Some((*code, unit.id.clone()))
    })
    .collect()
}

/// Pairs in which the code has one unit and the unit one code.
fn unique_matches<'a>(codes: &[&'a Code], units: &[Unit], names: NamesOf) -> Vec<(&'a Code, String)> {
    let mut claims: BTreeMap<&str, Vec<&'a Code>> = BTreeMap::new();
    for code in codes {
        if let [unit] = in_question(code, units, names).as_slice() {
            claims.entry(&unit.id).or_default().push(code);
        }
    }
    claims
        .into_iter()
        .filter_map(|(unit, codes)| match codes.as_slice() {
            [code] => Some((*code, unit.to_owned())),
            _ => None,
        })
        .collect()
}

/// The units with the code's name; if a region is among them, only regions.
fn in_question<'a>(code: &Code, units: &'a [Unit], names: NamesOf) -> Vec<&'a Unit> {
    let name = fold(&code.subnational1);
    let mut found: Vec<&Unit> = units.iter().filter(|unit| names(unit).contains(&name)).collect();
    if found.iter().any(|unit| unit.is_region) {
        found.retain(|unit| unit.is_region);
    }
    found
}

fn miss(code: &Code, units: &[Unit]) -> Miss {
    let found = in_question(code, units, |unit| &unit.all);
    Miss {
        id: code.aoi_id.clone(),
        name: code.subnational1.clone(),
        reason: if found.is_empty() {
            Reason::NoUnit
        } else {
            Reason::Tie
        },
        units: found.into_iter().map(|unit| unit.id.clone()).collect(),
    }
}

pub(super) fn read_codes(path: &Path) -> Result<Vec<Code>, ImportError> {
    let broken = |source| ImportError::Codes {
        path: path.to_owned(),
        source,
    };
    csv::Reader::from_path(path)
        .map_err(broken)?
        .deserialize()
        .collect::<Result<_, _>>()
        .map_err(broken)
}

#[cfg(test)]
pub(super) fn code(iso: &str, id: &str, name: &str) -> Code {
    Code {
        iso: iso.to_owned(),
        aoi_id: id.to_owned(),
        subnational1: name.to_owned(),
    }
}
