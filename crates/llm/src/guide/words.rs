//! Words of questions and declarations, made comparable.

/// Words that say nothing about what is wanted.
const STOP_WORDS: &[&str] = &[
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "between", "by", "can", "could", "did",
    "do", "does", "for", "from", "give", "has", "have", "how", "i", "in", "is", "it", "its", "let", "many",
    "me", "much", "my", "of", "on", "or", "our", "please", "show", "since", "tell", "than", "that", "the",
    "their", "them", "there", "these", "this", "those", "to", "until", "use", "want", "was", "we", "were",
    "what", "when", "where", "which", "who", "will", "with", "would", "you", "your",
];

/// Words of one text that are looked at; beyond this a text is an essay and no question or description.
const MAX_WORDS: usize = 200;

/// A word as it stands in a text and in the form it is compared in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) stem: String,
    /// Where the word begins in the text, in bytes.
    pub(super) start: usize,
}

impl Word<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(super) fn has_content(&self) -> bool {
        has_content(&self.stem)
    }
}

pub(super) fn has_content(stem: &str) -> bool {
    STOP_WORDS.binary_search(&stem).is_err()
}

/// The words of a text: runs of letters and digits, with apostrophes and hyphens inside.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = None;
    for (position, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let inside = c.is_alphanumeric() || (start.is_some() && matches!(c, '\'' | '’' | '-'));
        match (start, inside) {
            (None, true) => start = Some(position),
            (Some(from), false) => {
                let word = text[from..position].trim_end_matches(['\'', '’', '-']);
                words.push(Word {
                    text: word,
                    stem: stem(word),
                    start: from,
                });
                start = None;
                if words.len() == MAX_WORDS {
                    break;
                }
            }
            _ => {}
        }
    }
    words
}

/// The stems of a text that say something, in order; `_` separates words too, as in names.
pub(super) fn stems(text: &str) -> Vec<String> {
    let text = split_camel(&text.replace(['_', '-'], " "));
    words(&text)
        .into_iter()
        .filter(Word::has_content)
        .map(|word| word.stem)
        .collect()
}

/// `pageSize` as `page Size`.
fn split_camel(text: &str) -> String {
    let mut split = String::with_capacity(text.len());
    let mut previous_is_lower = false;
    for c in text.chars() {
        if previous_is_lower && c.is_uppercase() {
            split.push(' ');
        }
        previous_is_lower = c.is_lowercase();
        split.push(c);
    }
    split
}

/// A crude common form: lower case, without the endings that English puts on nouns and verbs. Both sides are treated
/// alike, so it only has to be consistent.
fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    if !has_content(&word) {
        return word;
    }
    let word = word.trim_end_matches("'s").trim_end_matches("’s");
    let singular = without_ending(word, &[("ies", "y"), ("sses", "ss"), ("es", "e"), ("s", "")]);
    let base = without_ending(&singular, &[("ing", ""), ("ed", "")]);
    if base.chars().count() > 3 {
        base.trim_end_matches('e').to_owned()
    } else {
        base
    }
}

/// The word with the first of these endings that it has replaced, unless too little would be left of it.
fn without_ending(word: &str, endings: &[(&str, &str)]) -> String {
    let found = endings
        .iter()
        .find_map(|(ending, replacement)| Some((*ending, word.strip_suffix(ending)?, replacement)));
    match found {
        // The `s` of "loss", "status" and "basis" is no ending.
        Some(("s", base, _)) if base.ends_with(['s', 'u', 'i']) => word.to_owned(),
        Some((_, base, replacement)) if base.chars().count() >= 3 => format!("{base}{replacement}"),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn words_keep_their_place_in_the_text() {
        let text = "São Paulo's 1-ha plots, please!";
        let found = words(text);
        assert_eq!(
            found.iter().map(|word| word.text).collect::<Vec<_>>(),
            ["São", "Paulo's", "1-ha", "plots", "please"]
        );
        assert!(
            found
                .iter()
                .all(|word| &text[word.start..word.end()] == word.text)
        );
    }

    #[test]
    fn forms_of_a_word_compare_equal() {
        for forms in [
            &["collection", "collections", "Collection"][..],
            &["paint", "painted", "painting", "paintings"],
            &["study", "studies"],
            &["rate", "rates", "rated"],
            &["glass", "glasses"],
            &["place", "places"],
        ] {
            let stems: Vec<_> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.iter().all(|other| *other == stems[0]), "{stems:?}");
        }
        assert_ne!(stem("loss"), stem("lo"));
        assert_eq!(stem("status"), "status");
    }

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(stems("pick_dataset"), ["pick", "dataset"]);
        assert_eq!(stems("pageSize"), ["pag", "siz"]);
        assert_eq!(stems("stac-explorer__show_map"), ["stac", "explorer", "map"]);
    }
}
