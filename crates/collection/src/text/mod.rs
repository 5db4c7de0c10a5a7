//! How recorded text is cleaned, compared and split into terms.
//!
//! Everything that compares text goes through [`norm`], queries and values alike, so that a letter with a
//! mark equals the letter without one. The results depend on the Unicode version compiled in, which is why
//! it is part of the rule versions ([`UNICODE_VERSION`]).

mod terms;

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization as _, char::canonical_combining_class};

pub use terms::{TOKENIZER, tokens};

/// Version of the Unicode data behind [`norm`] and [`tokens`].
pub const UNICODE_VERSION: (u8, u8, u8) = unicode_normalization::UNICODE_VERSION;

/// The value without edge white space and with line feeds for all line ends; nothing for a blank value.
///
/// A value of only `|` (the separator of lists) and white space is blank too.
#[must_use]
pub fn clean(value: &str) -> Option<Cow<'_, str>> {
    let trimmed = value.trim();
    if trimmed.chars().all(|c| c == '|' || c.is_whitespace()) {
        return None;
    }
    Some(unify_line_ends(trimmed))
}

/// The value with CRLF and lone CR turned into LF.
#[must_use]
pub fn unify_line_ends(value: &str) -> Cow<'_, str> {
    if value.contains('\r') {
        Cow::Owned(value.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(value)
    }
}

/// The value with every run of white space turned into one space and none at the edges.
#[must_use]
pub fn collapse_whitespace(value: &str) -> String {
    let mut collapsed = String::with_capacity(value.len());
    for word in value.split_whitespace() {
        if !collapsed.is_empty() {
            collapsed.push(' ');
        }
        collapsed.push_str(word);
    }
    collapsed
}

/// The form in which texts are compared: compatibility characters, case and combining marks folded away,
/// white space collapsed.
///
/// `norm` of texts joined by white space is their non-empty `norm`s joined by one space; the stored
/// metadata text relies on it.
#[must_use]
pub fn norm(value: &str) -> String {
    if value.is_ascii() {
        let mut folded = collapse_whitespace(value);
        folded.make_ascii_lowercase();
        return folded;
    }
    let decomposed: String = value.nfkd().collect();
    let unmarked: String = caseless::default_case_fold_str(&decomposed)
        .nfkd()
        .filter(|c| canonical_combining_class(*c) == 0)
        .collect();
    collapse_whitespace(&unmarked)
}

#[cfg(test)]
mod tests;
