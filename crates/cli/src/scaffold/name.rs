//! Names that a toolset can have.

use std::fmt;

use crate::exit::CliError;

/// Longest name: a deployment is called `mcp-<name>`, and Kubernetes takes 63 characters.
const MAX_BYTES: usize = 59;

/// Names that stand for something else: routes of a server, deployments, parts of a workspace.
const RESERVED: [&str; 15] = [
    "app",
    "chat",
    "docs",
    "health",
    "healthz",
    "index",
    "index-aws",
    "mcp",
    "metrics",
    "openapi",
    "periplus",
    "readyz",
    "redoc",
    "server",
    "toolsets",
];

/// A kebab-case name that nothing else has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name(String);

impl Name {
    /// Checks a name.
    ///
    /// # Errors
    /// It is not kebab case, too long or reserved.
    pub(crate) fn parse(text: &str) -> Result<Self, CliError> {
        let is_word = |word: &str| {
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        };
        let refuse = |why: &str| {
            Err(CliError::usage(format!(
                "{text:?} cannot be the name of a toolset: {why}"
            )))
        };
        if !text.split('-').all(is_word) || !text.starts_with(|c: char| c.is_ascii_lowercase()) {
            return refuse("use lower-case letters, digits and single hyphens, beginning with a letter");
        }
        if text.len() > MAX_BYTES {
            return refuse("it is longer than 59 characters");
        }
        if RESERVED.contains(&text) {
            return refuse("the name is reserved");
        }
        Ok(Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The name for people: `land-cover` is `Land cover`.
    pub(crate) fn title(&self) -> String {
        let spaced = self.0.replace('-', " ");
        let mut letters = spaced.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters).collect()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kebab_case_and_nothing_else() {
        for good in ["words", "land-cover", "b2", "stac-explorer-2"] {
            assert_eq!(Name::parse(good).unwrap().as_str(), good);
        }
        for bad in [
            "", "-", "a-", "-a", "a--b", "A", "a_b", "a b", "a/b", "../a", "é", "2d", "index", "health",
            "a.b",
        ] {
            assert!(Name::parse(bad).is_err(), "{bad:?}");
        }
        assert!(Name::parse(&"a".repeat(60)).is_err());
        assert_eq!(Name::parse("land-cover").unwrap().title(), "Land cover");
    }
}
