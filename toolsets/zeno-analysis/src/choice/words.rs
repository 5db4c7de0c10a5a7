//! Questions as words, and phrases to look for in them.

use serde::Deserialize;
use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

/// Questions are sentences; more words than this are not looked at.
const MAX_WORDS: usize = 400;

/// The words of a question: lower case, without accents, letters and digits only.
#[derive(Debug)]
pub(crate) struct Words(Vec<String>);

impl Words {
    pub(crate) fn of(question: &str) -> Self {
        let folded: String = question
            .nfd()
            .filter(|letter| !is_combining_mark(*letter))
            .flat_map(char::to_lowercase)
            .collect();
        let words = folded.split(|letter: char| !letter.is_alphanumeric());
        Self(
            words
                .filter(|word| !word.is_empty())
                .take(MAX_WORDS)
                .map(str::to_owned)
                .collect(),
        )
    }

    /// The years that are named.
    pub(crate) fn years(&self) -> impl Iterator<Item = i32> {
        self.0
            .iter()
            .filter(|word| word.len() == 4 && (word.starts_with("19") || word.starts_with("20")))
            .filter_map(|word| word.parse().ok())
    }

    /// The words before the first of these phrases, if one of them occurs behind some.
    pub(crate) fn before(&self, phrases: &Phrases) -> Option<Self> {
        let behind = |at: &usize| phrases.0.iter().any(|phrase| begins_with(&self.0[*at..], phrase));
        let at = (1..self.0.len()).find(behind)?;
        Some(Self(self.0[..at].to_vec()))
    }

    /// Whether these words occur one after the other.
    pub(crate) fn contain(&self, other: &Self) -> bool {
        let length = other.0.len().max(1);
        self.0.windows(length).any(|window| window == other.0)
    }

    /// The words in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// Phrases of which one is enough, written `tree cover|forest*`; a star stands for any ending.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "String")]
pub(crate) struct Phrases(Vec<Vec<Word>>);

#[derive(Debug, Clone)]
struct Word {
    text: String,
    is_start: bool,
}

impl From<String> for Phrases {
    fn from(text: String) -> Self {
        Self::of(&text)
    }
}

impl Phrases {
    pub(crate) fn of(text: &str) -> Self {
        let word = |word: &str| Word {
            is_start: word.ends_with('*'),
            text: word.trim_end_matches('*').to_owned(),
        };
        Self(
            text.split('|')
                .map(|phrase| phrase.split_whitespace().map(word).collect::<Vec<_>>())
                .filter(|phrase| !phrase.is_empty())
                .collect(),
        )
    }

    /// The words of the first phrase that occurs.
    pub(crate) fn find(&self, words: &Words) -> Option<String> {
        self.0.iter().find_map(|phrase| {
            let mut windows = words.0.windows(phrase.len());
            Some(windows.find(|window| begins_with(window, phrase))?.join(" "))
        })
    }

    /// Whether one of the phrases occurs.
    pub(crate) fn occur_in(&self, words: &Words) -> bool {
        self.find(words).is_some()
    }
}

fn begins_with(words: &[String], phrase: &[Word]) -> bool {
    words.len() >= phrase.len()
        && phrase.iter().zip(words).all(|(wanted, word)| {
            if wanted.is_start {
                word.starts_with(&wanted.text)
            } else {
                *word == wanted.text
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_as_whole_words_without_accents_and_case() {
        let words = Words::of("How did Forêt-cover & deforestation change in São_Paulo?");
        for (phrases, expected) in [
            ("foret cover", Some("foret cover")),
            ("deforest*", Some("deforestation")),
            ("deforest", None),
            ("cover deforestation|x", Some("cover deforestation")),
            ("sao paulo", Some("sao paulo")),
            ("", None),
        ] {
            assert_eq!(
                Phrases::of(phrases).find(&words).as_deref(),
                expected,
                "{phrases}"
            );
        }
    }

    #[test]
    fn years_are_numbers_of_their_length_only() {
        let words = Words::of("from 2001 to 2024, 20 times, 20240 ha, the 1990s");
        assert_eq!(words.years().collect::<Vec<_>>(), [2001, 2024]);
    }

    #[test]
    fn a_phrase_parts_the_words_before_it() {
        let before = |question: &str| {
            let words = Words::of(question).before(&Phrases::of("and why|and what caus*"));
            words.map(|words| words.iter().collect::<Vec<_>>().join(" "))
        };
        assert_eq!(
            before("How much was lost, and why?").as_deref(),
            Some("how much was lost")
        );
        assert_eq!(before("Loss and what caused it").as_deref(), Some("loss"));
        assert_eq!(before("And why?"), None);
        assert_eq!(before("Loss and"), None);
    }
}
