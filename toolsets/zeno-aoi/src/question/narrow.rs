//! Words that narrow what is meant: `except Acre`, `beginning with N`.

use super::token::Token;

/// Words that leave out the places after them.
const EXCLUSIONS: &[&str] = &[
    "except",
    "excepting",
    "excluding",
    "exclude",
    "without",
    "other than",
    "apart from",
    "not",
    "none of",
    "excepto",
    "salvo",
    "exceto",
    "sauf",
    "hors",
    "ausser",
    "kecuali",
];

/// Words that may stand between such a word and the place: `but not the one in India`.
const BEFORE_EXCLUDED: &[&str] = &["the", "one", "ones", "those", "in", "of", "for", "from"];

/// Words before a `not` that leaves nothing out: `whether or not Brazil`.
const BEFORE_NEGATION: &[&str] = &[
    "or", "did", "do", "does", "has", "have", "had", "is", "are", "was", "were", "why", "if", "whether",
];

/// Words before the first letters of the names that are asked for.
const INITIALS: &[&str] = &[
    "beginning with",
    "begin with",
    "begins with",
    "starting with",
    "start with",
    "starts with",
    "empiezan con",
    "empiezan por",
    "comecam com",
    "commencant par",
];

/// Words that may stand between them and the letters.
const BEFORE_LETTERS: &[&str] = &["the", "letter", "letters", "la", "letra", "lettre"];

/// More letters than this are a name rather than the beginning of one.
const MAX_LETTERS: usize = 3;

/// Whether the words before a place leave it out.
pub(super) fn is_left_out(before: &[Token]) -> bool {
    let words: Vec<&str> = before.iter().map(|token| token.folded.as_str()).collect();
    let fillers = words
        .iter()
        .rev()
        .take_while(|word| BEFORE_EXCLUDED.contains(*word))
        .count();
    // A filler may be the end of the phrase itself: `none of Acre, Pará`.
    (words.len() - fillers..=words.len()).any(|end| words.get(..end).is_some_and(ends_with_exclusion))
}

fn ends_with_exclusion(words: &[&str]) -> bool {
    EXCLUSIONS.iter().any(|phrase| {
        let Some(start) = words.len().checked_sub(phrase.split(' ').count()) else {
            return false;
        };
        let is_here = words
            .get(start..)
            .is_some_and(|end| phrase.split(' ').eq(end.iter().copied()));
        let before = start.checked_sub(1).and_then(|before| words.get(before));
        is_here && !(*phrase == "not" && before.is_some_and(|before| BEFORE_NEGATION.contains(before)))
    })
}

/// The folded letters that the names of units are asked to begin with.
pub(super) fn initial(tokens: &[Token]) -> Option<&str> {
    let words: Vec<&str> = tokens.iter().map(|token| token.folded.as_str()).collect();
    (0..words.len()).find_map(|position| letters(words.get(position..)?))
}

/// The letters, if a phrase that leads to them stands at the beginning.
fn letters<'a>(words: &[&'a str]) -> Option<&'a str> {
    let rest = INITIALS.iter().find_map(|phrase| {
        let (here, rest) = words.split_at_checked(phrase.split(' ').count())?;
        phrase.split(' ').eq(here.iter().copied()).then_some(rest)
    })?;
    let mut rest = rest
        .iter()
        .copied()
        .skip_while(|word| BEFORE_LETTERS.contains(word));
    let is_letters =
        |word: &&str| word.chars().count() <= MAX_LETTERS && word.chars().all(char::is_alphabetic);
    let first = rest.next().filter(is_letters)?;
    // `starting with an N` has an article, `starting with A` has none.
    match (first, rest.next().filter(|next| next.chars().count() == 1)) {
        ("a" | "an", Some(next)) => Some(next),
        _ => Some(first),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::token::tokens, *};

    #[test]
    fn a_place_is_left_out_by_the_words_before_it() {
        for before in [
            "all states except",
            "except for",
            "Puri, but not the one in",
            "not",
            "other than",
            "none of",
            "todos exceto",
        ] {
            assert!(is_left_out(&tokens(before)), "{before}");
        }
        for before in [
            "whether or not",
            "why did not",
            "the rest of",
            "in",
            "",
            "nothing in",
        ] {
            assert!(!is_left_out(&tokens(before)), "{before}");
        }
    }

    #[test]
    fn the_letters_that_names_begin_with_are_read() {
        for (text, expected) in [
            ("provinces+territories beginning with 'N' - which", Some("n")),
            ("states starting with the letter A", Some("a")),
            ("states starting with an N", Some("n")),
            ("states starting with New", Some("new")),
            ("the trend starting with 2015", None),
            ("countries, starting with Brazil", None),
            ("beginning with", None),
        ] {
            assert_eq!(initial(&tokens(text)), expected, "{text}");
        }
    }
}
