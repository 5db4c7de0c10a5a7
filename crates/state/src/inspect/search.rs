//! Matching a pattern that a model wrote, in bounded time.
//!
//! A linear engine is not enough: linear in eight megabytes times a large pattern is minutes. A lazily built automaton is fast
//! for nearly every pattern and says when it is not; only then, and only for a limited amount of text, the general engine runs.

use std::ops::Range;

use regex_automata::{
    Input, MatchErrorKind,
    hybrid::{
        dfa,
        regex::{Cache, Regex as LazyRegex},
    },
    nfa::thompson,
    util::syntax,
};

/// Longest pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 1000;

/// Most memory that a compiled pattern may take, in bytes.
const MAX_PATTERN_MEMORY: usize = 1 << 20;

/// How often the automaton may be thrown away before it has to pay for itself.
const MAX_CACHE_CLEARS: usize = 3;

/// Text that each state of the automaton then has to serve, in bytes.
const MIN_BYTES_PER_STATE: usize = 64;

/// Most text that the general engine searches, in bytes; its worst case is some ten microseconds a byte.
const MAX_SLOW_BYTES: usize = 256 * 1024;

/// The pattern is too costly for the text; there may be further matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooCostly;

/// A compiled pattern; case does not matter.
pub(super) struct Search {
    fast: LazyRegex,
    cache: Cache,
    has_given_up: bool,
    slow: regex::Regex,
    slow_bytes_left: usize,
}

impl Search {
    /// Compiles a regular expression; nothing comes back if it is none, or too large.
    pub(super) fn new(pattern: &str) -> Option<Self> {
        if pattern.len() > MAX_PATTERN_BYTES {
            return None;
        }
        let automaton = dfa::Config::new()
            // Bytes beyond ASCII make a word boundary undecidable here; then the general engine decides.
            .unicode_word_boundary(true)
            .skip_cache_capacity_check(true)
            .cache_capacity(MAX_PATTERN_MEMORY)
            .minimum_cache_clear_count(Some(MAX_CACHE_CLEARS))
            .minimum_bytes_per_state(Some(MIN_BYTES_PER_STATE));
        let fast = LazyRegex::builder()
            .syntax(syntax::Config::new().case_insensitive(true))
            .thompson(thompson::Config::new().nfa_size_limit(Some(MAX_PATTERN_MEMORY)))
            .dfa(automaton)
            .build(pattern)
            .ok()?;
        let slow = regex::RegexBuilder::new(pattern)
            .case_insensitive(true)
            .size_limit(MAX_PATTERN_MEMORY)
            .build()
            .ok()?;
        Some(Self {
            cache: fast.create_cache(),
            fast,
            has_given_up: false,
            slow,
            slow_bytes_left: MAX_SLOW_BYTES,
        })
    }

    /// The first match in a text.
    pub(super) fn find(&mut self, text: &str) -> Result<Option<Range<usize>>, TooCostly> {
        if !self.has_given_up {
            match self.fast.try_search(&mut self.cache, &Input::new(text)) {
                Ok(found) => return Ok(found.map(|found| found.range())),
                // Its cache is of no use after this.
                Err(error) => self.has_given_up = matches!(error.kind(), MatchErrorKind::GaveUp { .. }),
            }
        }
        self.slow_bytes_left = self.slow_bytes_left.checked_sub(text.len()).ok_or(TooCostly)?;
        Ok(self.slow.find(text).map(|found| found.range()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(pattern: &str, text: &str) -> Option<Range<usize>> {
        Search::new(pattern).unwrap().find(text).unwrap()
    }

    #[test]
    fn word_boundaries_hold_in_any_script() {
        assert_eq!(find(r"\bétat\b", "un État, donc"), Some(3..8));
        assert_eq!(find(r"\btat\b", "un État, donc"), None);
        assert_eq!(find(r"\bera5\b", "era5-land"), Some(0..4));
        assert_eq!(find(r"\pL+\s\d", "Größe 3"), Some(0..9));
    }

    #[test]
    fn a_pattern_that_would_take_minutes_is_given_up() {
        let mut random = 1u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            if random >> 63 == 0 { 'a' } else { 'b' }
        };
        let text: String = (0..300_000).map(|_| next()).collect();
        assert_eq!(
            Search::new("[ab]*a[ab]{60}c").unwrap().find(&text),
            Err(TooCostly)
        );
        assert_eq!(
            Search::new("b(?:ab)*c").unwrap().find(&text),
            Ok(None),
            "what is cheap is searched in full"
        );
    }

    #[test]
    fn what_is_too_large_is_no_pattern() {
        assert!(Search::new("(a{1000}){1000}").is_none());
        assert!(Search::new(&"a".repeat(1001)).is_none());
        assert!(Search::new("a[").is_none());
    }
}
