//! Names in a question: those the gazetteer knows, and those that only look like names.

use super::{
    token::{Token, can_join, joined},
    words,
};
use crate::{
    Source,
    catalogue::embedded::{Embedded, Record},
    world_part::WorldPart,
};

/// Words of the longest name that is looked for.
const MAX_WORDS: usize = 9;

/// A name in a question.
#[derive(Debug, Clone)]
pub(super) struct Mention<'a> {
    /// Positions of its first word and of the word after its last.
    pub(super) first: usize,
    pub(super) end: usize,
    /// The name as it is written, without a designation.
    pub(super) text: String,
    /// What the gazetteer knows under this name.
    pub(super) known: Vec<&'a Record>,
    /// The part of the world it names.
    pub(super) part: Option<&'static WorldPart>,
    /// The source its designation points to.
    pub(super) source: Option<Source>,
    /// How sure it is that this is a name at all.
    pub(super) is_sure: bool,
}

impl Mention<'_> {
    /// Whether it is a known name.
    pub(super) fn is_known(&self) -> bool {
        !self.known.is_empty() || self.part.is_some()
    }

    /// Whether it may be a country.
    pub(super) fn is_country(&self) -> bool {
        self.known.iter().any(|record| record.subtype.level() == Some(0))
    }

    /// Whether the gazetteer knows it as a country and as nothing else.
    pub(super) fn is_country_only(&self) -> bool {
        !self.known.is_empty() && self.known.iter().all(|record| record.subtype.level() == Some(0))
    }

    /// Whether it may lie in what another name means.
    pub(super) fn may_lie_in(&self, other: &Mention<'_>) -> bool {
        if self.known.is_empty() {
            return self.part.is_none();
        }
        // Whether a place is in a part of the world is seen when it is looked up.
        other.part.is_some()
            || self
                .known
                .iter()
                .any(|record| other.known.iter().any(|above| lies_in(record, above)))
    }
}

/// Whether one unit may lie in another: the other is a country or unit above it in the same country.
pub(super) fn lies_in(record: &Record, above: &Record) -> bool {
    let is_country = above.subtype.level() == Some(0);
    let is_above = above.subtype < record.subtype && above.iso3.is_some() && above.iso3 == record.iso3;
    is_above && (is_country || record.name.ends_with(&above.name))
}

/// The names of a question, in order.
pub(super) fn mentions<'a>(text: &str, tokens: &[Token], gazetteer: &'a Embedded) -> Vec<Mention<'a>> {
    let mut found: Vec<Mention<'a>> = Vec::new();
    let mut position = 0;
    while position < tokens.len() {
        let known = known_at(text, tokens, position, gazetteer);
        let looks = unknown_at(text, tokens, position, gazetteer);
        let mention = match (known, looks) {
            // A longer run of capitals is a name of its own: `Alto Rio Negro` is not `Rio Negro`.
            (Some(known), Some(looks)) if looks.end > known.end && !known.is_country() => Some(looks),
            (Some(known), _) => Some(known),
            (None, looks) => looks,
        };
        match mention {
            Some(mention) => {
                position = mention.end;
                found.push(mention);
            }
            None => position += 1,
        }
    }
    found
        .iter_mut()
        .for_each(|mention| designate(mention, text, tokens));
    expand_directions(&mut found, tokens, gazetteer);
    found
}

/// The longest known name that begins at a word.
fn known_at<'a>(text: &str, tokens: &[Token], first: usize, gazetteer: &'a Embedded) -> Option<Mention<'a>> {
    let longest = joinable(text, tokens, first);
    (1..=longest).rev().find_map(|count| {
        let words = tokens.get(first..first + count)?;
        let known: Vec<&Record> = gazetteer.named(&joined(words)).collect();
        let before = first.checked_sub(1).and_then(|before| tokens.get(before));
        let after = tokens.get(first + count);
        if let Some(part) = WorldPart::named(&joined(words)).filter(|_| known.is_empty()) {
            return Some(Mention {
                text: part.name.to_owned(),
                part: Some(part),
                ..mention(text, words, first, Vec::new())
            });
        }
        if known.is_empty() || !is_plausible(text, words, &known, before, after) {
            return people_at(words, gazetteer).map(|record| mention(text, words, first, vec![record]));
        }
        Some(mention(text, words, first, known))
    })
}

/// The country whose people a single word names.
fn people_at<'a>(words: &[Token], gazetteer: &'a Embedded) -> Option<&'a Record> {
    let [word] = words else {
        return None;
    };
    let iso3 = words::country_of_people(&word.folded)?;
    gazetteer.records().iter().find(|record| record.id == iso3)
}

/// How many words from `first` on can belong to one name.
fn joinable(text: &str, tokens: &[Token], first: usize) -> usize {
    let rest = tokens.get(first..).unwrap_or_default();
    let joined = rest.windows(2).take_while(|pair| match pair {
        [before, after] => can_join(text, before, after),
        _ => false,
    });
    (1 + joined.count()).min(MAX_WORDS).min(rest.len())
}

/// Whether words that are a known name are meant as one here.
fn is_plausible(
    text: &str,
    words: &[Token],
    known: &[&Record],
    before: Option<&Token>,
    after: Option<&Token>,
) -> bool {
    let Some((first, last)) = words.first().zip(words.last()) else {
        return false;
    };
    if first.is_caseless {
        // One letter of these scripts names too much.
        return words.len() > 1 || first.folded.chars().count() > 1;
    }
    let letters: usize = words.iter().map(|word| word.folded.chars().count()).sum();
    let is_country = known.iter().any(|record| record.subtype.level() == Some(0));
    if letters <= 3 {
        return words.iter().all(|word| word.is_upper) && is_country;
    }
    // `Para` begins Spanish and Portuguese questions more often than it is the state.
    let is_preposition = first.is_first && letters == 4 && first.folded == "para" && first.is_plain;
    if is_preposition || words.iter().all(is_no_name) {
        let gap = after.and_then(|after| text.get(last.end..after.start));
        return first.is_capital && gap.is_some_and(|gap| gap.trim_start().starts_with([',', '(']));
    }
    let is_led = before.is_some_and(|before| words::leads_to_place(&before.folded));
    first.is_capital || is_country || is_led
}

/// Whether a word is no name; one with accents is none of the words in the list.
fn is_no_name(word: &Token) -> bool {
    word.is_plain && words::is_no_name(&word.folded)
}

/// The longest run of capitalised words that begins at a word, if it looks like a name.
fn unknown_at<'a>(
    text: &str,
    tokens: &[Token],
    first: usize,
    gazetteer: &'a Embedded,
) -> Option<Mention<'a>> {
    let start = tokens.get(first)?;
    if !start.is_capital || is_no_name(start) && start.is_first {
        return None;
    }
    let rest = tokens.get(first..)?;
    let (mut end, mut position) = (1, 1);
    while let Some((before, token)) = rest.get(position - 1).zip(rest.get(position)) {
        let is_country_next =
            known_at(text, tokens, first + position, gazetteer).is_some_and(|next| next.is_country());
        if !can_join(text, before, token) || position >= MAX_WORDS || is_country_next {
            break;
        }
        if token.is_capital {
            end = position + 1;
        } else if !words::joins_names(&token.folded) {
            break;
        }
        position += 1;
    }
    let words = rest.get(..end)?;
    if words.iter().all(is_no_name) {
        return None;
    }
    let before = first.checked_sub(1).and_then(|before| tokens.get(before));
    let is_led = before.is_some_and(|before| words::leads_to_place(&before.folded));
    let mut mention = mention(text, words, first, Vec::new());
    mention.is_sure = is_led || (end > 1 && !start.is_first);
    Some(mention)
}

fn mention<'a>(text: &str, words: &[Token], first: usize, known: Vec<&'a Record>) -> Mention<'a> {
    let span = words.first().zip(words.last());
    let written = span.and_then(|(first, last)| text.get(first.start..last.end));
    let people = known
        .first()
        .filter(|_| words.len() == 1 && words::country_of_people(&joined(words)).is_some());
    Mention {
        first,
        end: first + words.len(),
        text: people
            .map_or(written.unwrap_or_default(), |country| &country.name)
            .to_owned(),
        known,
        part: None,
        source: None,
        is_sure: true,
    }
}

/// Takes the designation off a name, or the one that follows it, as a hint at its source.
fn designate(mention: &mut Mention<'_>, text: &str, tokens: &[Token]) {
    let own = tokens.get(mention.first..mention.end).unwrap_or_default();
    let folded: Vec<&str> = own.iter().map(|token| token.folded.as_str()).collect();
    if let Some((source, count)) = words::designation(&folded)
        && let Some(last) = own.len().checked_sub(count + 1).and_then(|last| own.get(last))
        && let Some(first) = own.first()
    {
        mention.source = Some(source);
        mention.known.clear();
        mention.text = text.get(first.start..last.end).unwrap_or_default().to_owned();
        return;
    }
    let following = tokens.get(mention.end..).unwrap_or_default();
    let folded: Vec<&str> = following
        .iter()
        .take(4)
        .map(|token| token.folded.as_str())
        .collect();
    // `Upper Stung Sen catchment KBA`: one word of the description may stand between.
    for skipped in 0..2 {
        let is_lower = following
            .iter()
            .take(skipped)
            .all(|token| !token.is_capital && !is_no_name(token));
        let is_joined = following
            .first()
            .zip(own.last())
            .is_some_and(|(after, before)| can_join(text, before, after));
        let found = folded.get(skipped..).and_then(words::designation_after);
        if let Some((source, _)) = found.filter(|_| is_lower && is_joined && mention.is_sure) {
            if !mention.is_country() {
                mention.source = Some(source);
                mention.known.clear();
            }
            return;
        }
    }
}

/// `North or South Dakota` names two states.
fn expand_directions<'a>(found: &mut Vec<Mention<'a>>, tokens: &[Token], gazetteer: &'a Embedded) {
    const DIRECTIONS: &[&str] = &[
        "north", "south", "east", "west", "northern", "southern", "eastern", "western", "central",
    ];
    let mut more = Vec::new();
    for mention in found.iter() {
        let (Some(own), Some(other)) = (tokens.get(mention.first), mention.first.checked_sub(2)) else {
            continue;
        };
        let (Some(direction), Some(between)) = (tokens.get(other), tokens.get(other + 1)) else {
            continue;
        };
        let is_pair = [own, direction]
            .iter()
            .all(|token| DIRECTIONS.contains(&token.folded.as_str()))
            && matches!(between.folded.as_str(), "or" | "and");
        let rest = tokens.get(mention.first + 1..mention.end).unwrap_or_default();
        if !is_pair || rest.is_empty() {
            continue;
        }
        let name = format!("{} {}", direction.folded, joined(rest));
        let known: Vec<&Record> = gazetteer.named(&name).collect();
        if let Some(record) = known.first() {
            more.push(Mention {
                first: other,
                end: other + 1,
                text: record.area().short_name().to_owned(),
                known,
                part: None,
                source: None,
                is_sure: true,
            });
        }
    }
    found.extend(more);
    found.sort_by_key(|mention| mention.first);
}
