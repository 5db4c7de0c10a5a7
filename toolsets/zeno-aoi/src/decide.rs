//! Which candidate a place means: one, none, or several that only the user can tell apart.

use unicode_normalization::UnicodeNormalization;

use crate::{
    Place,
    catalogue::{Candidate, Likeness, embedded::Embedded},
    fold,
};

/// One typing mistake is forgiven for so many letters. Anything beyond mistakes is another name: `Southeast Asia` is no
/// district that is called South-East.
const LETTERS_PER_MISTAKE: usize = 5;

/// A park and a province of one name are both meant if their likeness differs by no more than this.
const ACROSS_SOURCES: f64 = 0.05;

/// What a place means.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// One candidate, and the namesakes that gave way to it.
    One(Candidate, Vec<Candidate>),
    /// Several, of which the user must choose.
    Ambiguous(Vec<Candidate>),
    /// None; the names of what came nearest.
    None(Vec<String>),
}

/// Chooses among candidates. Those outside of what the place is said to lie in never count.
#[must_use]
pub fn choose(place: &Place, candidates: &[Candidate], gazetteer: &Embedded) -> Choice {
    let admitted: Vec<&Candidate> = candidates
        .iter()
        .filter(|candidate| place.admits(&candidate.area, gazetteer))
        .collect();
    let mut namesakes = namesakes(place, &admitted);
    if namesakes.is_empty() {
        return nearest(place, &admitted, candidates, gazetteer);
    }
    keep_kind(place, &mut namesakes);
    namesakes.sort_by_key(|candidate| candidate.area.level().unwrap_or(u8::MAX));
    let Some((first, others)) = namesakes.split_first() else {
        return Choice::None(Vec::new());
    };
    if others.iter().any(|other| rivals(first, other, place)) {
        let mut listed: Vec<Candidate> = namesakes.into_iter().cloned().collect();
        crate::catalogue::sort(&mut listed);
        return Choice::Ambiguous(listed);
    }
    Choice::One((*first).clone(), others.iter().copied().cloned().collect())
}

/// Candidates that are called exactly what was asked: by their own name, else by a variant. Accents that were typed count,
/// accents that were not typed do not.
fn namesakes<'a>(place: &Place, admitted: &[&'a Candidate]) -> Vec<&'a Candidate> {
    for likeness in [Likeness::Own, Likeness::Variant] {
        let found: Vec<&Candidate> = admitted
            .iter()
            .filter(|candidate| candidate.likeness == likeness)
            .copied()
            .collect();
        let spelled: Vec<&Candidate> = found
            .iter()
            .filter(|candidate| is_spelled(&place.name, candidate.area.short_name()))
            .copied()
            .collect();
        let has_accents = fold(&place.name) != place.name.to_lowercase();
        if has_accents && !spelled.is_empty() {
            return spelled;
        }
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

fn is_spelled(asked: &str, name: &str) -> bool {
    let plain = |text: &str| text.nfc().flat_map(char::to_lowercase).collect::<String>();
    plain(asked) == plain(name)
}

/// The one name that differs by typing mistakes only, if no other does with as few.
fn nearest(place: &Place, admitted: &[&Candidate], all: &[Candidate], gazetteer: &Embedded) -> Choice {
    let asked = fold(&place.name);
    let allowed = asked.chars().count() / LETTERS_PER_MISTAKE;
    let mut mistaken: Vec<(usize, &Candidate)> = admitted
        .iter()
        .map(|candidate| {
            (
                strsim::osa_distance(&asked, &fold(candidate.area.short_name())),
                *candidate,
            )
        })
        .filter(|(mistakes, _)| *mistakes <= allowed)
        .collect();
    mistaken.sort_by_key(|(mistakes, _)| *mistakes);
    match mistaken.as_slice() {
        [(_, only)] => Choice::One((*only).clone(), Vec::new()),
        [(fewest, first), (next, _), ..] if fewest < next => Choice::One((*first).clone(), Vec::new()),
        _ => {
            let is_ruled_out = |candidate: &&Candidate| {
                let mut excluded = place.excluded.iter();
                excluded.any(|other| other.covers(&candidate.area, gazetteer))
            };
            let named = all.iter().filter(|candidate| !is_ruled_out(candidate));
            let names = named.map(|candidate| candidate.area.name.clone());
            Choice::None(names.take(3).collect())
        }
    }
}

/// If the request names the kind of unit, namesakes of other kinds give way.
fn keep_kind(place: &Place, namesakes: &mut Vec<&Candidate>) {
    let Some(kind) = place.kind.as_deref() else {
        return;
    };
    let is_kind = |candidate: &&Candidate| {
        let known = candidate.area.kind.as_deref().map(fold);
        known.is_some_and(|known| known.split(' ').any(|word| word == kind))
    };
    if namesakes.iter().any(is_kind) {
        namesakes.retain(is_kind);
    }
}

/// Whether two namesakes are equally likely meant; the first is not deeper than the second.
fn rivals(first: &Candidate, other: &Candidate, place: &Place) -> bool {
    if first.area.source.is_administrative() != other.area.source.is_administrative() {
        return place.source.is_none() && (first.similarity - other.similarity).abs() <= ACROSS_SOURCES;
    }
    let (Some(level), Some(other_level)) = (first.area.level(), other.area.level()) else {
        return true;
    };
    if first.area.iso3 == other.area.iso3 {
        // A unit inside its namesake is what a request for the larger one would also find.
        return level == other_level;
    }
    // A country is not doubted because of a district or village elsewhere; everything else is.
    level > 0 || other_level <= 1
}

#[cfg(test)]
mod tests;
