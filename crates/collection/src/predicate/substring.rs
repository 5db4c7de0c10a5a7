//! Substring search over many strings at once.
//!
//! The strings lie in one buffer with a line feed after each, so one pass over the buffer searches them all
//! and no match can span two. After a match the search goes on with the next string.

use fixedbitset::FixedBitSet;
use memchr::memmem::Finder;
use rayon::prelude::*;

use crate::{Budget, Error, Strings, bits};

/// Words of the result one task fills: 16,384 strings, between two looks at the budget.
const CHUNK_WORDS: usize = 256;

/// The strings that contain `needle`, which must hold no line feed.
pub(super) fn containing(texts: &Strings, needle: &str, budget: &Budget<'_>) -> Result<FixedBitSet, Error> {
    let finder = Finder::new(needle);
    let mut words = vec![0; bits::set_words(texts.len())];
    words
        .par_chunks_mut(CHUNK_WORDS)
        .enumerate()
        .try_for_each(|(chunk, words)| {
            budget.check()?;
            let first = chunk * CHUNK_WORDS * bits::WORD;
            search(texts, first, &finder, words);
            Ok(())
        })?;
    Ok(bits::from_words(texts.len(), words))
}

/// Searches as many strings as `words` has bits, beginning with string `first`.
fn search(texts: &Strings, first: usize, finder: &Finder<'_>, words: &mut [usize]) {
    let last = texts.len().min(first + words.len() * bits::WORD);
    let Some(offsets) = texts.offsets.get(first..=last) else {
        return;
    };
    let limit = offsets.last().map_or(0, |&end| end as usize);
    let (mut index, mut at) = (0, offsets[0] as usize);
    while let Some(found) = texts.bytes.get(at..limit).and_then(|rest| finder.find(rest)) {
        index = holder(offsets, index, at + found);
        words[index / bits::WORD] |= 1 << (index % bits::WORD);
        index += 1;
        at = offsets[index] as usize;
    }
}

/// The index of the string that holds byte `position`, not before `from`.
///
/// Matches come in ascending order and often close together, so the search widens in doubling steps.
fn holder(offsets: &[u32], from: usize, position: usize) -> usize {
    let is_before = |&offset: &u32| offset as usize <= position;
    let mut step = 1;
    while offsets.get(from + step).is_some_and(is_before) {
        step *= 2;
    }
    let start = from + step / 2;
    let end = offsets.len().min(from + step);
    start + offsets[start..end].partition_point(is_before) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(texts: &[String]) -> Strings {
        let mut strings = Strings {
            offsets: vec![0],
            bytes: Vec::new(),
        };
        for text in texts {
            strings.bytes.extend_from_slice(text.as_bytes());
            strings.bytes.push(b'\n');
            strings.offsets.push(u32::try_from(strings.bytes.len()).unwrap());
        }
        strings
    }

    #[test]
    fn every_string_with_the_text_is_found_once() {
        let texts: Vec<_> = (0..40_000)
            .map(|number| format!("item {number} of {}", number % 97))
            .collect();
        let stored = strings(&texts);
        for needle in ["7", "item", "39999 of", "of 12", "no such", "m 1638"] {
            let expected: Vec<_> = (0..texts.len())
                .filter(|&index| texts[index].contains(needle))
                .collect();
            let found = containing(&stored, needle, &Budget::UNLIMITED).unwrap();
            assert_eq!(found.ones().collect::<Vec<_>>(), expected, "{needle}");
        }
    }

    #[test]
    fn a_match_never_spans_two_strings() {
        let stored = strings(&["ab".to_owned(), String::new(), "ba".to_owned()]);
        let found = containing(&stored, "bb", &Budget::UNLIMITED).unwrap();
        assert!(found.is_clear());
    }

    #[test]
    fn an_ended_budget_stops_the_search() {
        let stored = strings(&["ab".to_owned()]);
        let stopped = containing(&stored, "a", &Budget::until(&|| true));
        assert!(matches!(stopped, Err(Error::Stopped)));
    }
}
