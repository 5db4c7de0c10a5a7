//! What a question asks for, read without a model.
//!
//! Names come from the gazetteer (countries and first-level units in many languages) and from how words are written;
//! what stands between two names says whether one lies in the other or both are compared.

mod mention;
mod narrow;
mod token;
mod words;

use self::{
    mention::{Mention, mentions},
    token::{Token, tokens},
    words::Units,
};
use crate::{
    Place, Source, Subtype,
    catalogue::embedded::Embedded,
    fold,
    request::{MAX_PLACES, Request, Subregion, is_world},
};

/// Reads a question.
#[must_use]
pub fn read(question: &str, gazetteer: &Embedded) -> Request {
    let Listed {
        chosen,
        mut excluded,
        rest,
    } = Listed::in_lines(question);
    if let Some(place) = chosen {
        return Request {
            places: vec![place],
            ..Request::default()
        };
    }
    if is_world(&rest) {
        return Request {
            is_global: true,
            ..Request::default()
        };
    }
    let tokens = tokens(&rest);
    let mentions = certain(mentions(&rest, &tokens, gazetteer));
    let units = units(&tokens, &mentions);
    let drafts = compose(&rest, &tokens, mentions);
    let (left_out, mut drafts): (Vec<Draft<'_>>, Vec<Draft<'_>>) =
        drafts.into_iter().partition(|draft| draft.is_left_out);
    distribute(&mut drafts);
    let of_left_out = level_of_left_out(&left_out, &drafts);
    excluded.extend(left_out.into_iter().map(|draft| place(draft, None)));
    excluded.truncate(MAX_PLACES);
    let mut request = finish(drafts, &units, says_global(&tokens));
    request.initial = narrow::initial(&tokens).map(str::to_owned);
    request.excluded = excluded;
    // What is left of a country without a state is its other states.
    request.subregion = request.subregion.or(of_left_out);
    request
}

/// Candidates that were answered as they were listed, each in a line: one that is meant, or those that are not.
struct Listed {
    chosen: Option<Place>,
    excluded: Vec<Place>,
    /// The other lines.
    rest: String,
}

impl Listed {
    fn in_lines(text: &str) -> Self {
        let mut listed = Self {
            chosen: None,
            excluded: Vec::new(),
            rest: String::new(),
        };
        for line in text.lines() {
            let negated = line.trim_start().strip_prefix("not ");
            let place = Place::parse(negated.unwrap_or(line));
            if place.iso3.is_none() {
                listed.rest.push_str(line);
                listed.rest.push('\n');
            } else if negated.is_some() {
                listed.excluded.push(place);
            } else {
                listed.chosen = listed.chosen.or(Some(place));
            }
        }
        listed
    }
}

/// Names that are surely ones, or all if none is.
fn certain(mentions: Vec<Mention<'_>>) -> Vec<Mention<'_>> {
    if !mentions.iter().any(|mention| mention.is_sure) {
        return mentions;
    }
    let keep: Vec<bool> = (0..mentions.len())
        .map(|position| {
            let beside = [position.checked_sub(1), Some(position + 1)];
            let touches = beside
                .into_iter()
                .flatten()
                .filter_map(|beside| mentions.get(beside));
            mentions.get(position).is_some_and(|mention| {
                mention.is_sure
                    || touches.into_iter().any(|other| {
                        other.is_sure
                            && (other.first.abs_diff(mention.end) <= 1
                                || mention.first.abs_diff(other.end) <= 1)
                    })
            })
        })
        .collect();
    let kept = mentions.into_iter().zip(keep).filter(|(_, keep)| *keep);
    kept.map(|(mention, _)| mention).collect()
}

/// A place while it is put together.
struct Draft<'a> {
    own: Mention<'a>,
    parents: Vec<Mention<'a>>,
    /// Whether it is compared with the place before it.
    is_listed: bool,
    /// Whether it is named to be left out.
    is_left_out: bool,
}

/// Joins names to the names of what they lie in.
fn compose<'a>(text: &str, tokens: &[Token], mentions: Vec<Mention<'a>>) -> Vec<Draft<'a>> {
    let mut drafts: Vec<Draft<'a>> = Vec::new();
    for mention in mentions {
        let is_left_out = narrow::is_left_out(tokens.get(..mention.first).unwrap_or_default());
        let Some(draft) = drafts.last_mut() else {
            drafts.push(Draft {
                own: mention,
                parents: Vec::new(),
                is_listed: false,
                is_left_out,
            });
            continue;
        };
        let last = draft.parents.last().unwrap_or(&draft.own);
        let gap = gap(text, tokens, last, &mention);
        if is_parent(&gap, last, &mention) {
            draft.parents.push(mention);
        } else {
            let is_listed = words::is_list(gap.trim());
            // `except Acre and Pará`: what is listed with something left out is left out as well.
            let is_left_out = is_left_out
                || (is_listed
                    && draft.is_left_out
                    && (draft.own.is_country_only() || !mention.is_country_only()));
            drafts.push(Draft {
                own: mention,
                parents: Vec::new(),
                is_listed,
                is_left_out,
            });
        }
    }
    drafts
}

/// The lower-case text between two names.
fn gap(text: &str, tokens: &[Token], before: &Mention<'_>, after: &Mention<'_>) -> String {
    let start = before.end.checked_sub(1).and_then(|last| tokens.get(last));
    let end = tokens.get(after.first);
    let between = start
        .zip(end)
        .and_then(|(start, end)| text.get(start.end..end.start));
    let between = between.unwrap_or_default().to_lowercase();
    // A designation is no part of what connects the names.
    let folded = fold(&between);
    let words: Vec<&str> = folded.split(' ').collect();
    match words::designation_after(&words) {
        Some((_, count)) => words.get(count..).unwrap_or_default().join(" "),
        None => between.trim().to_owned(),
    }
}

/// Whether a name after another is that of what the other lies in.
fn is_parent(gap: &str, before: &Mention<'_>, after: &Mention<'_>) -> bool {
    let connects = match gap {
        "" => after.is_known() && (!before.is_known() || after.is_country()),
        "," => after.is_known() || !before.is_known(),
        "(" | ", (" => after.is_known(),
        _ => words::is_within(gap) && after.is_known(),
    };
    connects && before.may_lie_in(after)
}

/// Gives places the parent that was named for all of them: `in Senegal: Fatick or Ziguinchor`.
fn distribute(drafts: &mut Vec<Draft<'_>>) {
    let whole = drafts.iter().position(|draft| {
        draft.parents.is_empty() && draft.own.is_known() && has_listed_units(draft, drafts)
    });
    let Some(whole) = whole else {
        return;
    };
    let parent = drafts.remove(whole).own;
    for draft in drafts.iter_mut() {
        if draft.parents.is_empty() && draft.own.may_lie_in(&parent) {
            draft.parents.push(parent.clone());
        }
    }
}

/// Whether all other places may lie in this one, and none is compared with it.
fn has_listed_units(whole: &Draft<'_>, drafts: &[Draft<'_>]) -> bool {
    let mut others = drafts
        .iter()
        .filter(|draft| draft.own.first != whole.own.first)
        .peekable();
    let is_compared = whole.is_listed
        || drafts
            .iter()
            .skip_while(|draft| draft.own.first != whole.own.first)
            .nth(1)
            .is_some_and(|next| next.is_listed);
    others.peek().is_some()
        && !is_compared
        && others.all(|other| {
            let may_be_unit = whole.own.part.is_some() || !other.own.is_country_only();
            other.parents.is_empty() && may_be_unit && other.own.may_lie_in(&whole.own)
        })
}

/// The word for units that a question compares, and the kind of unit it names otherwise.
struct Asked {
    units: Option<Units>,
    kind: Option<Subregion>,
}

/// Units count if there are several of them, or if the question asks which of them.
fn units(tokens: &[Token], mentions: &[Mention<'_>]) -> Asked {
    let mut asked = Asked {
        units: None,
        kind: None,
    };
    let mut position = 0;
    while position < tokens.len() {
        let is_named = mentions
            .iter()
            .any(|mention| (mention.first..mention.end).contains(&position));
        let words: Vec<&str> = tokens
            .iter()
            .skip(position)
            .take(5)
            .map(|token| token.folded.as_str())
            .collect();
        let Some((meaning, is_plural, count)) = words::units(&words).filter(|_| !is_named) else {
            position += 1;
            continue;
        };
        let before = tokens.iter().take(position).rev().take(3);
        let is_each = before.into_iter().any(|token| is_distributive(&token.folded));
        if asked.units.is_none() && (is_plural || is_each) {
            asked.units = Some(meaning);
        } else if let (None, Units::Of(kind)) = (asked.kind, meaning) {
            asked.kind = Some(kind);
        }
        position += count;
    }
    asked
}

fn is_distributive(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "which", "what", "each", "every", "per", "by", "que", "qual", "cual", "quel", "quelle", "welche",
        "welcher", "welches", "quale",
    ];
    WORDS.contains(&word)
}

/// Whether the question says that it is about the whole world.
fn says_global(tokens: &[Token]) -> bool {
    let words: Vec<&str> = tokens.iter().map(|token| token.folded.as_str()).collect();
    let follows = |position: usize, before: &[&str]| {
        position
            .checked_sub(1)
            .and_then(|before| words.get(before))
            .is_some_and(|word| before.contains(word))
    };
    words.iter().enumerate().any(|(position, word)| match *word {
        "globally" | "worldwide" | "mundialmente" | "weltweit" => true,
        "world" | "globe" | "planet" | "mundo" | "monde" => follows(
            position,
            &["the", "whole", "entire", "o", "el", "le", "au", "do", "no"],
        ),
        "welt" => follows(position, &["der", "die"]),
        _ => false,
    })
}

/// Puts the parts together.
fn finish(drafts: Vec<Draft<'_>>, asked: &Asked, says_global: bool) -> Request {
    let level = shared_level(&drafts);
    let word = match asked.units {
        Some(Units::Of(word)) => Some(word),
        // What is directly below a country is a state, below a state a district.
        Some(Units::Below) => level
            .and_then(|level| Subtype::of_level(level + 1))
            .map(Subregion::of),
        None => None,
    };
    // Which of these states: the states are named, not to be looked for.
    let is_named =
        drafts.len() > 1 && word.and_then(|word| word.subtype().level()) <= level && level.is_some();
    let kind = if is_named { word } else { asked.kind };
    let subregion = word.filter(|_| !is_named);
    let is_global = drafts.is_empty() && (says_global || subregion == Some(Subregion::Country));
    let mut places: Vec<Place> = Vec::new();
    for draft in drafts {
        let place = place(draft, kind);
        if !places.contains(&place) && places.len() < MAX_PLACES {
            places.push(place);
        }
    }
    Request {
        places,
        subregion,
        is_global,
        ..Request::default()
    }
}

/// The units that are left of a place if part of it is left out.
fn level_of_left_out(left_out: &[Draft<'_>], drafts: &[Draft<'_>]) -> Option<Subregion> {
    let wholes = || drafts.iter().flat_map(|draft| &draft.own.known);
    let mut parts = left_out.iter().flat_map(|draft| &draft.own.known);
    let part = parts.find(|part| wholes().any(|whole| mention::lies_in(part, whole)))?;
    Some(Subregion::of(part.subtype))
}

/// The level that all places may have.
fn shared_level(drafts: &[Draft<'_>]) -> Option<u8> {
    let mut levels = drafts.iter().map(|draft| {
        let known = draft.own.known.iter().filter(|record| {
            draft.parents.is_empty()
                || draft
                    .parents
                    .iter()
                    .any(|parent| parent.known.iter().any(|above| above.iso3 == record.iso3))
        });
        known.filter_map(|record| record.subtype.level()).min()
    });
    let first = levels.next()??;
    levels.all(|level| level == Some(first)).then_some(first)
}

fn place(draft: Draft<'_>, kind: Option<Subregion>) -> Place {
    let kind = kind.filter(|kind| kind.subtype().level().is_some_and(|level| level > 0));
    Place {
        name: draft.own.text,
        parents: draft.parents.into_iter().map(|parent| parent.text).collect(),
        source: draft.own.source.or(kind.map(|_| Source::Gadm)),
        kind: kind.map(|kind| kind.name().to_owned()),
        ..Place::default()
    }
}

#[cfg(test)]
mod tests;
