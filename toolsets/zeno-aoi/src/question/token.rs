//! The words of a question, each with where it stands.

use crate::fold::{self, fold};

/// A word of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// Where it begins and ends, in bytes.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Its folded form.
    pub(super) folded: String,
    /// Whether it is written without accents.
    pub(super) is_plain: bool,
    /// Whether its first letter is a capital.
    pub(super) is_capital: bool,
    /// Whether it is written in capitals throughout.
    pub(super) is_upper: bool,
    /// Whether its script has no capitals at all.
    pub(super) is_caseless: bool,
    /// Whether a sentence begins with it.
    pub(super) is_first: bool,
}

/// The words of a text; every letter of a script without spaces is a word of its own.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut letters = text.char_indices().peekable();
    let mut is_first = true;
    while let Some((start, letter)) = letters.next() {
        if !letter.is_alphanumeric() {
            is_first |= matches!(
                letter,
                '.' | '!' | '?' | '¿' | '¡' | ':' | ';' | '\n' | '。' | '？'
            );
            continue;
        }
        let mut end = start + letter.len_utf8();
        if !fold::is_unspaced(letter) {
            while let Some((at, next)) = letters.peek().copied() {
                if !is_inside(next, text.get(at + next.len_utf8()..)) || fold::is_unspaced(next) {
                    break;
                }
                end = at + next.len_utf8();
                letters.next();
            }
        }
        let word = text.get(start..end).unwrap_or_default();
        let word = word
            .strip_suffix("'s")
            .or(word.strip_suffix("’s"))
            .unwrap_or(word);
        tokens.push(token(word, start, is_first));
        is_first = false;
    }
    // A period after a short word is an abbreviation more often than an end.
    for position in 1..tokens.len() {
        let is_abbreviated = tokens.get(position - 1).is_some_and(|before| {
            let gap = tokens
                .get(position)
                .and_then(|token| text.get(before.end..token.start));
            before.is_capital && before.end - before.start <= 3 && gap.is_some_and(|gap| gap.starts_with('.'))
        });
        if let Some(token) = tokens.get_mut(position) {
            token.is_first &= !is_abbreviated;
        }
    }
    tokens
}

fn token(word: &str, start: usize, is_first: bool) -> Token {
    let first = word.chars().next();
    let folded = fold(word);
    Token {
        start,
        end: start + word.len(),
        is_plain: folded == word.to_lowercase(),
        folded,
        is_capital: first.is_some_and(char::is_uppercase),
        is_upper: word.chars().all(|letter| !letter.is_lowercase()) && first.is_some_and(char::is_uppercase),
        is_caseless: first
            .is_some_and(|first| !first.is_uppercase() && !first.is_lowercase() && !first.is_numeric()),
        is_first,
    }
}

/// Whether a letter goes on with a word: an apostrophe does if a letter follows it.
fn is_inside(letter: char, rest: Option<&str>) -> bool {
    letter.is_alphanumeric()
        || unicode_normalization::char::is_combining_mark(letter)
        || (matches!(letter, '\'' | '’')
            && rest.is_some_and(|rest| rest.chars().next().is_some_and(char::is_alphabetic)))
}

/// Whether two neighbouring words can belong to one name.
pub(super) fn can_join(text: &str, before: &Token, after: &Token) -> bool {
    let gap = text.get(before.end..after.start).unwrap_or_default();
    matches!(gap, "" | " " | "-" | "–" | "/" | "." | " - " | "'" | "’")
        || (gap == ". " && before.end - before.start <= 3)
}

/// The folded name that words make together.
pub(super) fn joined(tokens: &[Token]) -> String {
    let mut name = String::new();
    for (token, before) in tokens
        .iter()
        .zip(std::iter::once(None).chain(tokens.iter().map(Some)))
    {
        let is_glued =
            before.is_some_and(|before| ends_unspaced(&before.folded) && ends_unspaced(&token.folded));
        if before.is_some() && !is_glued {
            name.push(' ');
        }
        name.push_str(&token.folded);
    }
    name
}

fn ends_unspaced(word: &str) -> bool {
    word.chars().next_back().is_some_and(fold::is_unspaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> Vec<String> {
        tokens(text).into_iter().map(|token| token.folded).collect()
    }

    #[test]
    fn words_lose_their_possessive_and_keep_their_apostrophes() {
        assert_eq!(
            folded("Brazil's loss in Côte d'Ivoire"),
            ["brazil", "loss", "in", "cote", "divoire"]
        );
    }

    #[test]
    fn letters_of_scripts_without_spaces_stand_alone_and_join_again() {
        let words = tokens("ブラジルの");
        assert_eq!(words.len(), 5);
        assert_eq!(joined(&words[..4]), "ブラジル");
        assert_eq!(joined(&tokens("New South Wales")), "new south wales");
    }

    #[test]
    fn sentences_begin_after_marks_but_not_after_abbreviations() {
        let firsts: Vec<bool> = tokens("Is it so? Rep. of U.S. States")
            .iter()
            .map(|token| token.is_first)
            .collect();
        assert_eq!(firsts, [true, false, false, true, false, false, false, false]);
    }
}
