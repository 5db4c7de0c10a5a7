//! What the model reads about an outcome.

use crate::{Area, catalogue::Candidate, pick::WORLD_SELECTION, wire::AoiSelection};

/// Names listed in full; with a thousand areas the rest is only counted.
const MAX_LISTED: usize = 30;

/// Areas of the same name that are listed beside the one that was chosen.
const MAX_NAMESAKES: usize = 5;

/// The text for selected areas: what was selected, how many, of which source and kind, then their names and what was
/// skipped.
pub(crate) fn selected(selection: &AoiSelection, notes: &[String]) -> String {
    let mut text = if selection.name == WORLD_SELECTION {
        format!(
            "Selected all countries in the world ({} areas).",
            selection.aois.len()
        )
    } else {
        listed(selection)
    };
    for note in notes {
        text.push('\n');
        text.push_str(note);
    }
    text
}

fn listed(selection: &AoiSelection) -> String {
    let count = selection.aois.len();
    let plural = if count == 1 { "area" } else { "areas" };
    let (source, subtype) = selection
        .aois
        .first()
        .map_or(("", ""), |aoi| (aoi.source.name(), aoi.subtype.name()));
    let mut text = format!(
        "Selected AOIs: {} ({count} {plural}, source {source}, {subtype}).",
        selection.name
    );
    for aoi in selection.aois.iter().take(MAX_LISTED) {
        text.push_str("\n- ");
        text.push_str(&aoi.name);
    }
    if count > MAX_LISTED {
        text.push_str(&format!("\nand {} more", count - MAX_LISTED));
    }
    text
}

/// Names in one line, the rest of a long list only counted.
pub(crate) fn shortened(names: &[String]) -> String {
    let listed: Vec<&str> = names.iter().take(MAX_LISTED).map(String::as_str).collect();
    match names.len().saturating_sub(MAX_LISTED) {
        0 => listed.join("; "),
        more => format!("{}; and {more} more", listed.join("; ")),
    }
}

/// The question to the user when several areas are meant.
pub(crate) fn ambiguous(asked: &str, candidates: &[Area]) -> String {
    let mut text = format!(
        "There are several places called {asked:?}, so nothing was selected. Ask the user which one is meant, then call \
         pick_aoi again with that line:"
    );
    for candidate in candidates {
        text.push('\n');
        text.push_str(&candidate_line(candidate));
    }
    text.push_str(
        "\nIf it is none of them, ask for the country or region it lies in, or call pick_aoi again with the name and, each \
         in a line of its own, \"not\" before every line above.",
    );
    text
}

/// That other areas have the name of a chosen one as well.
pub(crate) fn namesakes(asked: &str, others: &[Candidate]) -> String {
    let lines: Vec<String> = others
        .iter()
        .take(MAX_NAMESAKES)
        .map(|other| candidate_line(&other.area))
        .collect();
    let more = match others.len().saturating_sub(MAX_NAMESAKES) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!(
        "Also called {asked:?}: {}{more}. To take one of them, call pick_aoi with its line.",
        lines.join("; ")
    )
}

/// A candidate as it is listed, and as it can be answered.
pub(crate) fn candidate_line(area: &Area) -> String {
    let iso3 = area.iso3.as_deref().unwrap_or("-");
    format!("{} - ({}) [{iso3}]", area.name, area.subtype)
}
