//! The chain from a request to areas: search, choose, expand, check.

mod refusal;
mod units;

use futures::future::try_join_all;

use self::units::Expanded;
use crate::{
    Area, Place, Source,
    catalogue::{AreaCatalogue, Candidate, CatalogueError, Likeness, Page, embedded::Embedded},
    decide::{Choice, choose},
    fold, geometry, message,
    model::Reader,
    request::{Request, Subregion, is_world},
    wire::{AoiSelection, AreaRecord},
    world_part::WorldPart,
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

/// What a place turned out to be.
enum Chosen {
    /// An area.
    Area(Candidate),
    /// The countries in a part of the world, which is no area of its own.
    Countries { of: &'static str, areas: Vec<Area> },
}

/// What a place may turn out to be.
enum Found {
    Candidates(Vec<Candidate>),
    Countries { of: &'static str, areas: Vec<Area> },
}

/// Runs the chain.
///
/// # Errors
/// The catalogue cannot be asked.
pub async fn pick(lookup: Lookup<'_>, request: &Request) -> Result<Outcome, CatalogueError> {
    if request.is_global || request.places.iter().any(|place| is_world(&place.text())) {
        return world(lookup, request).await;
    }
    if request.places.is_empty() {
        return Ok(Outcome::Nothing(refusal::NO_PLACE.to_owned()));
    }
    let places: Vec<Place> = request
        .places
        .iter()
        .map(|place| without(place, request))
        .collect();
    let found = try_join_all(places.iter().map(|place| find(lookup, place))).await?;
    let mut chosen: Vec<Chosen> = Vec::new();
    let mut notes = Vec::new();
    for (place, found) in places.iter().zip(found) {
        let candidates = match found {
            Found::Countries { of, areas } => {
                chosen.push(Chosen::Countries { of, areas });
                continue;
            }
            Found::Candidates(candidates) => candidates,
        };
        match choice(lookup, place, &candidates).await {
            Choice::One(candidate, _) if chosen.iter().any(|known| known.is(&candidate)) => {}
            Choice::One(candidate, namesakes) => {
                notes.extend(taken_note(place, &candidate, &namesakes));
                chosen.push(Chosen::Area(candidate));
            }
            Choice::Ambiguous(candidates) => {
                return Ok(Outcome::Ambiguous {
                    asked: place.text(),
                    candidates: candidates.into_iter().map(|candidate| candidate.area).collect(),
                });
            }
            Choice::None(near) => notes.push(refusal::not_found(place, &near)),
        }
    }
    settle(lookup, request, &chosen, notes).await
}

/// A place that is none of those that are left out.
fn without(place: &Place, request: &Request) -> Place {
    let mut place = place.clone();
    place.excluded.extend(request.excluded.iter().cloned());
    place
}

/// The rules choose; where they find names that are only near, a model may.
async fn choice(lookup: Lookup<'_>, place: &Place, candidates: &[Candidate]) -> Choice {
    let by_rules = choose(place, candidates, lookup.gazetteer);
    match (&by_rules, lookup.reader) {
        (Choice::None(_), Some(reader)) if !candidates.is_empty() => {
            let chosen = reader.choose(place, candidates, lookup.gazetteer).await;
            chosen.map_or(by_rules, |candidate| Choice::One(candidate, Vec::new()))
        }
        _ => by_rules,
    }
}

/// What was taken although it is not what was written, or although other areas have the name as well.
fn taken_note(place: &Place, candidate: &Candidate, namesakes: &[Candidate]) -> Option<String> {
    if candidate.likeness == Likeness::Near {
        return Some(format!(
            "{:?} was taken to mean {}.",
            place.text(),
            candidate.area.name
        ));
    }
    (!namesakes.is_empty()).then(|| message::namesakes(&place.text(), namesakes))
}

/// The countries of a part of the world; else candidates: of the kind the request says, else of any kind.
async fn find(lookup: Lookup<'_>, place: &Place) -> Result<Found, CatalogueError> {
    let may_be_countries = place.source.is_none_or(Source::is_administrative);
    if let Some(part) = WorldPart::named(&fold(&place.text())).filter(|_| may_be_countries) {
        let areas = countries(lookup, part, place).await?;
        return Ok(Found::Countries { of: part.name, areas });
    }
    let wanted: Vec<Source> = place.source.into_iter().collect();
    let found = lookup.catalogue.search(place, &wanted, Page::CANDIDATES).await?;
    let is_held = match place.source {
        Some(source) => lookup.catalogue.sources().await?.contains(&source),
        None => true,
    };
    // A park that the catalogue cannot know must not become the province of the same name.
    if found.is_empty() && !wanted.is_empty() && is_held {
        let found = lookup.catalogue.search(place, &[], Page::CANDIDATES).await?;
        return Ok(Found::Candidates(found));
    }
    Ok(Found::Candidates(found))
}

/// The countries of the catalogue that lie in a part of the world and are not left out.
async fn countries(lookup: Lookup<'_>, part: &WorldPart, place: &Place) -> Result<Vec<Area>, CatalogueError> {
    let known: Vec<Option<&str>> = lookup
        .gazetteer
        .countries_of(part)
        .map(|country| country.iso3.as_deref())
        .collect();
    let mut countries = lookup.catalogue.countries().await?;
    countries.retain(|country| {
        country.iso3.is_some()
            && known.contains(&country.iso3.as_deref())
            && place.admits(country, lookup.gazetteer)
    });
    Ok(countries)
}

impl Chosen {
    fn is(&self, candidate: &Candidate) -> bool {
        self.areas()
            .iter()
            .any(|area| (area.source, &area.id) == (candidate.area.source, &candidate.area.id))
    }

    fn areas(&self) -> &[Area] {
        match self {
            Self::Area(candidate) => std::slice::from_ref(&candidate.area),
            Self::Countries { areas, .. } => areas,
        }
    }

    /// What it is called as something that units lie in.
    fn name(&self) -> &str {
        match self {
            Self::Area(candidate) => &candidate.area.name,
            Self::Countries { of, .. } => of,
        }
    }

    /// What it is called as a selection.
    fn selection_name(&self, request: &Request) -> String {
        match self {
            Self::Area(candidate) => candidate.area.name.clone(),
            Self::Countries { of, areas } => {
                let plural = Subregion::Country.plural();
                format!("{} {plural} in {of}{}", areas.len(), request.narrowed())
            }
        }
    }

    fn records<'a>(&'a self, catalogue: &'a str) -> Vec<AreaRecord> {
        match self {
            Self::Area(candidate) => vec![AreaRecord::picked(candidate, catalogue)],
            Self::Countries { areas, .. } => {
                let units = areas.iter().map(|area| AreaRecord::unit(area, catalogue));
                units.collect()
            }
        }
    }
}

/// All countries; the only units of the world that can be compared.
async fn world(lookup: Lookup<'_>, request: &Request) -> Result<Outcome, CatalogueError> {
    if !matches!(request.subregion, None | Some(Subregion::Country)) {
        return Ok(Outcome::Nothing(refusal::WORLD_HAS_COUNTRIES.to_owned()));
    }
    let mut countries = lookup.catalogue.countries().await?;
    countries.retain(|country| request.keeps(country, lookup.gazetteer));
    if countries.is_empty() {
        return Ok(Outcome::Nothing(refusal::NO_COUNTRIES.to_owned()));
    }
    let catalogue = lookup.catalogue.name();
    let units = countries.iter().map(|area| AreaRecord::unit(area, catalogue));
    let narrowed = request.narrowed();
    let selection = if narrowed.is_empty() {
        AoiSelection {
            name: WORLD_SELECTION.to_owned(),
            // All of them are drawn from one document.
            aois: units.map(AreaRecord::without_shape).collect(),
            geometry_ref: Some(geometry::WORLD.to_owned()),
        }
    } else {
        AoiSelection {
            name: format!("{} Countries in the world{narrowed}", countries.len()),
            aois: units.collect(),
            geometry_ref: None,
        }
    };
    Ok(Outcome::Selected {
        selection,
        notes: Vec::new(),
    })
}

/// From chosen areas to a selection: their units if units are asked for, within the limits.
async fn settle(
    lookup: Lookup<'_>,
    request: &Request,
    chosen: &[Chosen],
    mut notes: Vec<String>,
) -> Result<Outcome, CatalogueError> {
    let note = lookup.catalogue.note();
    if chosen.is_empty() {
        return Ok(Outcome::Nothing(refusal::nothing_found(&notes, note)));
    }
    let catalogue = lookup.catalogue.name();
    let names: Vec<&str> = chosen.iter().map(Chosen::name).collect();
    let parents: Vec<&Area> = chosen.iter().flat_map(Chosen::areas).collect();
    let wanted = match request.subregion {
        Some(wanted) if units::may_be_in(lookup, &parents, wanted.subtype()).await? => Some(wanted),
        _ => None,
    };
    let (name, aois) = match wanted {
        None => {
            let names: Vec<String> = chosen
                .iter()
                .map(|chosen| chosen.selection_name(request))
                .collect();
            let aois: Vec<AreaRecord> = chosen
                .iter()
                .flat_map(|chosen| chosen.records(catalogue))
                .collect();
            (names.join(" & "), aois)
        }
        Some(wanted) => {
            let Expanded { areas, word } =
                units::expand(lookup, &parents, wanted, request, &mut notes).await?;
            let (count, plural) = (areas.len(), word.plural());
            let name = format!("{count} {plural} in {}{}", names.join(" & "), request.narrowed());
            let aois = areas.iter().map(|area| AreaRecord::unit(area, catalogue));
            (name, aois.collect())
        }
    };
    let within = format!("{}{}", names.join(" & "), request.narrowed());
    if let Some(refusal) = refusal::of(&aois, wanted, &within, note) {
        let parts = notes.into_iter().chain([refusal]).collect::<Vec<_>>();
        return Ok(Outcome::Nothing(parts.join(" ")));
    }
    Ok(Outcome::Selected {
        selection: AoiSelection {
            name,
            aois,
            geometry_ref: None,
        },
        notes,
    })
}
