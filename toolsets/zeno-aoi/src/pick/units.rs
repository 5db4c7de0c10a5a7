//! The units inside of what was chosen.

use std::collections::HashSet;

use super::Lookup;
use crate::{
    Area, Source, Subtype,
    catalogue::{AreaCatalogue, CatalogueError},
    message,
    request::{Request, Subregion},
};

/// The deepest level of the administrative tree.
const DEEPEST: u8 = 5;

/// Whether units of this kind can be looked for inside the chosen areas: a state has no states, a region beside the
/// administrative tree may have.
pub(super) async fn may_be_in(
    lookup: Lookup<'_>,
    parents: &[&Area],
    wanted: Subtype,
) -> Result<bool, CatalogueError> {
    for parent in parents {
        let has_units = match parent.level().zip(wanted.level()) {
            Some((level, wanted_level)) if level > wanted_level => false,
            // No country lies in a country.
            Some((0, 0)) => false,
            Some((level, wanted_level)) if level == wanted_level => {
                !lookup.catalogue.within(parent, wanted).await?.is_empty()
            }
            _ => true,
        };
        if has_units {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(super) struct Expanded {
    pub(super) areas: Vec<Area>,
    pub(super) word: Subregion,
}

/// The units of every chosen area that the request keeps.
pub(super) async fn expand(
    lookup: Lookup<'_>,
    parents: &[&Area],
    wanted: Subregion,
    request: &Request,
    notes: &mut Vec<String>,
) -> Result<Expanded, CatalogueError> {
    let mut areas: Vec<Area> = Vec::new();
    let mut word = wanted;
    for parent in parents {
        let (subtype, mut units) = next_level(lookup.catalogue, parent, wanted.subtype()).await?;
        if subtype != wanted.subtype() && !units.is_empty() {
            word = Subregion::of(subtype);
            notes.push(format!(
                "{} has no {} here; its {} are used instead.",
                parent.name,
                wanted.plural().to_lowercase(),
                word.plural().to_lowercase()
            ));
        }
        units.retain(|unit| request.keeps(unit, lookup.gazetteer));
        let (units, left_out) = of_one_source(units);
        if !left_out.is_empty() {
            notes.push(format!(
                "Left out, because no GADM id is known for them: {}.",
                message::shortened(&left_out)
            ));
        }
        areas.extend(units);
    }
    let mut seen = HashSet::new();
    areas.retain(|area| seen.insert((area.source, area.id.clone())));
    Ok(Expanded { areas, word })
}

/// Units of a subtype, or of the next existing level: deeper ones first, then any that is still inside the parent.
async fn next_level(
    catalogue: &dyn AreaCatalogue,
    parent: &Area,
    wanted: Subtype,
) -> Result<(Subtype, Vec<Area>), CatalogueError> {
    let found = catalogue.within(parent, wanted).await?;
    let (Some(level), Some(parent_level)) = (wanted.level(), parent.level()) else {
        return Ok((wanted, found));
    };
    if !found.is_empty() {
        return Ok((wanted, found));
    }
    let others = (level + 1..=DEEPEST).chain((parent_level + 1..level).rev());
    for subtype in others.filter_map(Subtype::of_level) {
        let found = catalogue.within(parent, subtype).await?;
        if !found.is_empty() {
            return Ok((subtype, found));
        }
    }
    Ok((wanted, Vec::new()))
}

/// The units of the source that has most of them, and the names of the others: one request for statistics takes one
/// kind of id.
fn of_one_source(units: Vec<Area>) -> (Vec<Area>, Vec<String>) {
    let coded = units.iter().filter(|area| area.source == Source::Gadm).count();
    if coded * 2 < units.len() || coded == units.len() {
        return (units, Vec::new());
    }
    let (kept, left_out): (Vec<Area>, Vec<Area>) =
        units.into_iter().partition(|area| area.source == Source::Gadm);
    (kept, left_out.into_iter().map(|area| area.name).collect())
}
