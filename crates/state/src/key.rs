//! State keys, `<toolset>/<tool>/<field>`, and the handles `@state:<key>` that name them in arguments.

use std::{borrow::Borrow, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

/// What a handle starts with.
pub const HANDLE_PREFIX: &str = "@state:";

/// Longest key in bytes; keys are repeated in notes and listings, so a server must not choose their size.
const MAX_KEY_BYTES: usize = 256;

/// Why a text is no state key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// It is longer than a key may be.
    #[error("state key of {bytes} bytes is longer than {MAX_KEY_BYTES}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// It does not start with the name of a publisher.
    #[error("state key `{0}` is not of the form <toolset>/<tool>/<field>")]
    Form(String),
    /// It holds a character that would make a note or a listing ambiguous.
    #[error(
        "state key holds the character {0:?}; control characters, quotes, brackets, commas and @ are not allowed"
    )]
    Character(char),
}

/// The name of a value in session state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StateKey(Arc<str>);

impl StateKey {
    /// Reads a key.
    ///
    /// # Errors
    /// A key has at most 256 bytes, a publisher before its first slash, a name after it, and no character that would make
    /// a note ambiguous.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        if text.len() > MAX_KEY_BYTES {
            return Err(KeyError::TooLong { bytes: text.len() });
        }
        if let Some(character) = text.chars().find(|&c| is_ambiguous(c)) {
            return Err(KeyError::Character(character));
        }
        match text.split_once('/') {
            Some((publisher, rest)) if !publisher.is_empty() && !rest.is_empty() && text.trim() == text => {
                Ok(Self(text.into()))
            }
            _ => Err(KeyError::Form(text.to_owned())),
        }
    }

    /// The key of a field that a tool of a server returned.
    pub(crate) fn of_field(namespace: &str, tool: &str, field: &str) -> Result<Self, KeyError> {
        Self::parse(&format!("{namespace}/{tool}/{field}"))
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The handle that names this key in an argument.
    #[must_use]
    pub fn handle(&self) -> String {
        format!("{HANDLE_PREFIX}{}", self.0)
    }
}

pub(crate) fn is_ambiguous(character: char) -> bool {
    character.is_control() || matches!(character, ',' | '[' | ']' | '"' | '@')
}

impl Borrow<str> for StateKey {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for StateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for StateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl TryFrom<String> for StateKey {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Self, KeyError> {
        Self::parse(&text)
    }
}

impl From<StateKey> for String {
    fn from(key: StateKey) -> Self {
        key.0.as_ref().to_owned()
    }
}

/// The key that an argument names, if the argument is a handle and nothing else.
#[must_use]
pub fn handle_key(argument: &str) -> Option<&str> {
    argument.trim().strip_prefix(HANDLE_PREFIX).map(str::trim)
}

/// Whether a handle occurs anywhere in a text.
pub(crate) fn contains_handle(text: &str) -> bool {
    text.contains(HANDLE_PREFIX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_a_publisher_and_a_value() {
        for good in [
            "a/b/c",
            "zeno-aoi/pick_aoi/aoi_selection",
            "tool/field",
            "met/search/Größe in cm",
            "a/b/c/d.e",
        ] {
            assert_eq!(StateKey::parse(good).unwrap().as_str(), good);
        }
        for bad in [
            "",
            "a",
            "/b",
            "a/",
            " a/b",
            "a/b ",
            "a/b\n",
            "a/b,c",
            "a/b]",
            "a/@state:c",
            "a/\"b",
        ] {
            assert!(StateKey::parse(bad).is_err(), "{bad:?}");
        }
        assert_eq!(
            StateKey::parse(&"a/".repeat(200)),
            Err(KeyError::TooLong { bytes: 400 })
        );
    }

    #[test]
    fn a_handle_is_a_whole_argument() {
        assert_eq!(handle_key("@state:a/b/c"), Some("a/b/c"));
        assert_eq!(handle_key(" @state:a/b/c\n"), Some("a/b/c"));
        assert_eq!(handle_key("see @state:a/b/c"), None);
        assert_eq!(handle_key("a/b/c"), None);
    }
}
