//! The chain from a request to areas: search, choose, expand, check.

use futures::future::try_join_all;

use crate::{
    Area, Place, Source, Subtype,
    catalogue::{AreaCatalogue, Candidate, CatalogueError, Likeness, embedded::Embedded},
    decide::{Choice, choose},
    message,
    model::Reader,
    request::{Request, Subregion, is_world},
    wire::{AoiSelection, AreaRecord},
};

/// The name of the selection of all countries. Clients compare it letter by letter.
pub const WORLD_SELECTION: &str = "All countries in the world";

/// What became of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Areas were selected.
    Selected {
        /// The areas.
        selection: AoiSelection,
        /// What was skipped or replaced on the way, each in a sentence.
        notes: Vec<String>,
    },
    /// The user must choose.
    Ambiguous {
        /// What was asked for.
        asked: String,
        /// The choices.
        candidates: Vec<Area>,
    },
    /// Nothing was selected; the text says why and what to do.
    Nothing(String),
}

/// Where areas are looked up, and the names that are known besides.
#[derive(Debug, Clone, Copy)]
pub struct Lookup<'a> {
    /// Where areas are looked up.
    pub catalogue: &'a dyn AreaCatalogue,
    /// Names of countries and first-level units in many languages.
    pub gazetteer: &'a Embedded,
    /// A model that may choose among near names.
    pub reader: Option<&'a Reader>,
}

/// Runs the chain.
///
/// # Errors
/// The catalogue cannot be asked.
pub async fn pick(lookup: Lookup<'_>, request: &Request) -> Result<Outcome, CatalogueError> {
    if request.is_global || request.places.iter().any(|place| is_world(&place.text())) {
        return world(lookup, request.subregion).await;
    }
    if request.places.is_empty() {
        return Ok(Outcome::Nothing(NO_PLACE.to_owned()));
    }
    let found = try_join_all(request.places.iter().map(|place| candidates(lookup, place))).await?;
    let mut chosen: Vec<Candidate> = Vec::new();
    let mut notes = Vec::new();
    for (place, candidates) in request.places.iter().zip(&found) {
        match choice(lookup, place, candidates).await {
            Choice::One(candidate) if chosen.iter().any(|known| is_same(known, &candidate)) => {}
            Choice::One(candidate) => {
                if candidate.likeness == Likeness::Near {
                    notes.push(format!(
                        "{:?} was taken to mean {}.",
                        place.text(),
                        candidate.area.name
                    ));
                }
                chosen.push(candidate);
            }
            Choice::Ambiguous(candidates) => {
                return Ok(Outcome::Ambiguous {
                    asked: place.text(),
                    candidates: candidates.into_iter().map(|candidate| candidate.area).collect(),
                });
            }
            Choice::None(near) => notes.push(not_found(&place.text(), &near)),
        }
    }
    settle(lookup, request.subregion, &chosen, notes).await
}

/// The rules choose; where they find names that are only near, a model may.
async fn choice(lookup: Lookup<'_>, place: &Place, candidates: &[Candidate]) -> Choice {
    let by_rules = choose(place, candidates, lookup.gazetteer);
    match (&by_rules, lookup.reader) {
        (Choice::None(_), Some(reader)) if !candidates.is_empty() => {
            let chosen = reader.choose(place, candidates, lookup.gazetteer).await;
            chosen.map_or(by_rules, Choice::One)
        }
        _ => by_rules,
    }
}

/// Candidates for a place: of the kind the request says, else of any kind.
async fn candidates(lookup: Lookup<'_>, place: &Place) -> Result<Vec<Candidate>, CatalogueError> {
    let wanted: Vec<Source> = place.source.into_iter().collect();
    let found = lookup.catalogue.search(place, &wanted).await?;
    let is_held = match place.source {
        Some(source) => lookup.catalogue.sources().await?.contains(&source),
        None => true,
    };
    // A park that the catalogue cannot know must not become the province of the same name.
    if found.is_empty() && !wanted.is_empty() && is_held {
        return lookup.catalogue.search(place, &[]).await;
    }
    Ok(found)
}

fn is_same(one: &Candidate, other: &Candidate) -> bool {
    (one.area.source, &one.area.id) == (other.area.source, &other.area.id)
}

/// All countries; the only units of the world that can be compared.
async fn world(lookup: Lookup<'_>, subregion: Option<Subregion>) -> Result<Outcome, CatalogueError> {
    if !matches!(subregion, None | Some(Subregion::Country)) {
        let text = "Worldwide questions can only compare countries. Ask for countries, or name a country to compare \
                    the units inside it. Nothing was selected.";
        return Ok(Outcome::Nothing(text.to_owned()));
    }
    let countries = lookup.catalogue.countries().await?;
    if countries.is_empty() {
        return Ok(Outcome::Nothing("The catalogue holds no countries.".to_owned()));
    }
    let name = lookup.catalogue.name();
    let aois = countries.iter().map(|area| AreaRecord::unit(area, name));
    Ok(Outcome::Selected {
        selection: AoiSelection {
            name: WORLD_SELECTION.to_owned(),
            aois: aois.collect(),
        },
        notes: Vec::new(),
    })
}

/// From chosen areas to a selection: their units if units are asked for, within the limits.
async fn settle(
    lookup: Lookup<'_>,
    subregion: Option<Subregion>,
    chosen: &[Candidate],
    mut notes: Vec<String>,
) -> Result<Outcome, CatalogueError> {
    if chosen.is_empty() {
        let mut text = notes.join(" ");
        text.push_str(" Try a broader name, add the country it lies in, or phrase it otherwise.");
        return Ok(Outcome::Nothing(with_note(text, lookup.catalogue.note())));
    }
    let catalogue = lookup.catalogue.name();
    let names: Vec<&str> = chosen
        .iter()
        .map(|candidate| candidate.area.name.as_str())
        .collect();
    let wanted = match subregion {
        Some(wanted) if have_units(lookup, chosen, wanted.subtype()).await? => Some(wanted),
        _ => None,
    };
    let (name, aois) = match wanted {
        None => {
            let aois = chosen
                .iter()
                .map(|candidate| AreaRecord::picked(candidate, catalogue));
            (names.join(" & "), aois.collect::<Vec<_>>())
        }
        Some(wanted) => {
            let Expanded { areas, word } = expand(lookup, chosen, wanted, &mut notes).await?;
            let name = format!("{} {} in {}", areas.len(), word.plural(), names.join(" & "));
            let aois = areas.iter().map(|area| AreaRecord::unit(area, catalogue));
            (name, aois.collect())
        }
    };
    if let Some(refusal) = refusal(lookup, &aois, wanted, &names) {
        let parts = notes.into_iter().chain([refusal]).collect::<Vec<_>>();
        return Ok(Outcome::Nothing(parts.join(" ")));
    }
    Ok(Outcome::Selected {
        selection: AoiSelection { name, aois },
        notes,
    })
}

/// Whether units of this kind can be looked for inside the chosen areas: a state has no states, a region beside the
/// administrative tree may have.
async fn have_units(
    lookup: Lookup<'_>,
    chosen: &[Candidate],
    wanted: Subtype,
) -> Result<bool, CatalogueError> {
    for candidate in chosen {
        let levels = candidate.area.level().zip(wanted.level());
        let has_units = match levels {
            Some((level, wanted_level)) if level > wanted_level => false,
            Some((level, wanted_level)) if level == wanted_level => {
                !lookup.catalogue.within(&candidate.area, wanted).await?.is_empty()
            }
            _ => true,
        };
        if has_units {
            return Ok(true);
        }
    }
    Ok(false)
}

struct Expanded {
    areas: Vec<Area>,
    word: Subregion,
}

/// The units of every chosen area.
async fn expand(
    lookup: Lookup<'_>,
    chosen: &[Candidate],
    wanted: Subregion,
    notes: &mut Vec<String>,
) -> Result<Expanded, CatalogueError> {
    let mut areas: Vec<Area> = Vec::new();
    let mut word = wanted;
    for candidate in chosen {
        let parent = &candidate.area;
        let (subtype, units) = units(lookup.catalogue, parent, wanted.subtype()).await?;
        if subtype != wanted.subtype() && !units.is_empty() {
            word = Subregion::of(subtype);
            notes.push(format!(
                "{} has no {} here; its {} are used instead.",
                parent.name,
                wanted.plural().to_lowercase(),
                word.plural().to_lowercase()
            ));
        }
        let (units, left_out) = of_one_source(units);
        if !left_out.is_empty() {
            notes.push(format!(
                "Left out, because no GADM id is known for them: {}.",
                message::shortened(&left_out)
            ));
        }
        areas.extend(units);
    }
    let mut seen = std::collections::HashSet::new();
    areas.retain(|area| seen.insert((area.source, area.id.clone())));
    Ok(Expanded { areas, word })
}

/// Units of a subtype, or of the next existing level: deeper ones first, then any that is still inside the parent.
async fn units(
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
    let others = (level + 1..=5).chain((parent_level + 1..level).rev());
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

/// Why a list of areas cannot be analysed; `None` if it can.
fn refusal(
    lookup: Lookup<'_>,
    aois: &[AreaRecord],
    wanted: Option<Subregion>,
    names: &[&str],
) -> Option<String> {
    let Some(first) = aois.first() else {
        let units = wanted.map_or("areas", Subregion::plural).to_lowercase();
        let text = format!(
            "No matching areas were found for your request: the catalogue has no {units} in {}. Try a broader place or \
             another kind of unit.",
            names.join(" & ")
        );
        return Some(with_note(text, lookup.catalogue.note()));
    };
    if let Some(other) = aois.iter().find(|aoi| aoi.source != first.source) {
        return Some(format!(
            "Nothing was selected: {} is numbered by {} and {} by {}, and one request for statistics takes one kind of id. \
             Pick and analyse them one after the other.",
            first.name, first.source, other.name, other.source
        ));
    }
    let limit = first.source.limit();
    (aois.len() > limit).then(|| {
        format!(
            "Nothing was selected: these are {} areas, and at most {limit} of source {} can be analysed at once (1000 of \
             gadm, 50 of any other). Narrow the place or ask for larger units.",
            aois.len(),
            first.source
        )
    })
}

const NO_PLACE: &str = "No place was found in the request, so nothing was selected. Name a country, state, district or \
                        protected area, or ask for all countries of the world.";

fn not_found(asked: &str, near: &[String]) -> String {
    match near {
        [] => format!("Nothing in the catalogue is called {asked:?}."),
        near => format!(
            "Nothing in the catalogue is called {asked:?}; the nearest are {}.",
            near.join("; ")
        ),
    }
}

fn with_note(mut text: String, note: &str) -> String {
    if !note.is_empty() {
        text.push(' ');
        text.push_str(note);
    }
    text
}
