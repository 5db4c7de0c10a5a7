//! The tokenizer behind lexical ranking.
//!
//! Words are folded to the singular very lightly; text written without spaces between words becomes
//! overlapping pairs of characters.

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization as _;

use super::norm;

/// Name and version of the tokenizer; it changes whenever any text could give other terms.
pub const TOKENIZER: &str = "tok/1";

const STOP_WORDS: [&str; 14] = [
    "a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with",
];

/// Plural endings that lose their last two letters.
const SIBILANT_PLURALS: [&str; 5] = ["sses", "shes", "ches", "xes", "zes"];

/// The terms of a text, in order, with repeats.
#[must_use]
pub fn tokens(text: &str) -> Vec<String> {
    let folded = norm(text);
    let composed = if folded.is_ascii() {
        folded
    } else {
        folded.nfc().collect()
    };
    let mut terms = Vec::new();
    let mut rest = composed.as_str();
    while let Some(kind) = rest.chars().next().map(Kind::of) {
        let end = rest.find(|c| Kind::of(c) != kind).unwrap_or(rest.len());
        let (run, tail) = rest.split_at(end);
        match kind {
            Kind::Word if STOP_WORDS.contains(&run) => {}
            Kind::Word => terms.push(singular(run)),
            Kind::Unspaced => push_pairs(run, &mut terms),
            Kind::Separator => {}
        }
        rest = tail;
    }
    terms
}

/// What a character is to the tokenizer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Letters and numbers of scripts that separate words.
    Word,
    /// Han, Hiragana and Katakana, whole blocks with their punctuation.
    Unspaced,
    Separator,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            '\0'..='\x7f' if c.is_ascii_alphanumeric() => Self::Word,
            '\0'..='\x7f' => Self::Separator,
            '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' => Self::Unspaced,
            _ if is_letter_or_number(c) => Self::Word,
            _ => Self::Separator,
        }
    }
}

fn is_letter_or_number(c: char) -> bool {
    matches!(
        get_general_category(c),
        GeneralCategory::UppercaseLetter
            | GeneralCategory::LowercaseLetter
            | GeneralCategory::TitlecaseLetter
            | GeneralCategory::ModifierLetter
            | GeneralCategory::OtherLetter
            | GeneralCategory::DecimalNumber
            | GeneralCategory::LetterNumber
            | GeneralCategory::OtherNumber
    )
}

/// Overlapping pairs of characters; a single character stays as it is.
fn push_pairs(run: &str, terms: &mut Vec<String>) {
    let mut characters = run.chars().peekable();
    let mut is_first = true;
    while let Some(character) = characters.next() {
        match characters.peek() {
            Some(next) => terms.push([character, *next].iter().collect()),
            None if is_first => terms.push(character.to_string()),
            None => {}
        }
        is_first = false;
    }
}

/// Folds an English plural; words that are not plain letters, or shorter than four, stay.
fn singular(word: &str) -> String {
    if word.len() <= 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let is_after = |suffix: &str, letters: &str| {
        word.strip_suffix(suffix)
            .is_some_and(|stem| stem.ends_with(|c| letters.contains(c)))
    };
    let drop = if word.len() > 4 && word.ends_with("ies") && !is_after("ies", "ea") {
        return format!("{}y", &word[..word.len() - 3]);
    } else if SIBILANT_PLURALS.iter().any(|ending| word.ends_with(ending)) {
        2
    } else if word.ends_with('s') && !is_after("s", "usi") {
        1
    } else {
        0
    };
    word[..word.len() - drop].to_owned()
}
