//! Why nothing is selected, in words that say what to do instead.

use crate::{Place, request::Subregion, wire::AreaRecord};

pub(super) const NO_PLACE: &str = "No place was found in the request, so nothing was selected. Name a country, state, \
                                   district or protected area, or ask for all countries of the world.";

pub(super) const WORLD_HAS_COUNTRIES: &str = "Worldwide questions can only compare countries. Ask for countries, or name \
                                              a country to compare the units inside it. Nothing was selected.";

pub(super) const NO_COUNTRIES: &str = "Nothing was selected: the catalogue holds no such countries.";

/// A place that is not there, with what comes nearest.
pub(super) fn not_found(place: &Place, near: &[String]) -> String {
    let asked = place.text();
    let nothing = if place.excluded.is_empty() {
        "Nothing"
    } else {
        "Nothing else"
    };
    match near {
        [] => format!("{nothing} in the catalogue is called {asked:?}."),
        near => format!(
            "{nothing} in the catalogue is called {asked:?}; the nearest are {}.",
            near.join("; ")
        ),
    }
}

/// None of the places is there.
pub(super) fn nothing_found(notes: &[String], note: &str) -> String {
    let mut text = notes.join(" ");
    text.push_str(" Try a broader name, add the country it lies in, or phrase it otherwise.");
    with_note(text, note)
}

/// Why a list of areas cannot be analysed; `None` if it can.
pub(super) fn of(aois: &[AreaRecord], wanted: Option<Subregion>, within: &str, note: &str) -> Option<String> {
    let Some(first) = aois.first() else {
        let units = wanted.map_or("areas", Subregion::plural).to_lowercase();
        let text = format!(
            "No matching areas were found for your request: the catalogue has no {units} in {within}. Try a broader place \
             or another kind of unit."
        );
        return Some(with_note(text, note));
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

fn with_note(mut text: String, note: &str) -> String {
    if !note.is_empty() {
        text.push(' ');
        text.push_str(note);
    }
    text
}
