//! The root of an upstream API, as an operator writes it, and the addresses below it.

use std::{fmt, str::FromStr};

use url::Url;

/// The root URL of an API: http or https, without credentials, query or fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint(Url);

/// Why a text is no root URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// No URL at all.
    #[error("{0}; write the whole URL, such as https://stac.example.org/v1")]
    Url(String),
    /// Another protocol.
    #[error("the scheme is {0:?}; use https, or http on a network you trust")]
    Scheme(String),
    /// Parts that would be sent with every request, or lost.
    #[error("a root has no user name, password, query or fragment; remove it")]
    Extra,
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text.trim()).map_err(|error| EndpointError::Url(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(EndpointError::Scheme(url.scheme().to_owned()));
        }
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        if has_credentials || url.query().is_some() || url.fragment().is_some() {
            return Err(EndpointError::Extra);
        }
        Ok(Self(url))
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Endpoint {
    /// Scheme, host and port.
    #[must_use]
    pub fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    /// Whether a URL is served by the same scheme, host and port.
    pub(crate) fn serves(&self, url: &Url) -> bool {
        url.origin() == self.0.origin()
    }

    /// The address below the root with these path segments, each percent-encoded as one.
    ///
    /// `.` and `..` are no segments: URLs resolve them away, so [`is_segment`] comes before this.
    pub(crate) fn at(&self, segments: &[&str]) -> Url {
        let mut url = self.0.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }
}

/// Whether a text from outside can be one path segment: it is there, printable, and no step through the tree.
pub(crate) fn is_segment(text: &str) -> bool {
    !text.trim().is_empty() && text != "." && text != ".." && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(text: &str) -> Endpoint {
        text.parse().unwrap()
    }

    #[test]
    fn a_segment_stays_one_whatever_it_holds() {
        let root = endpoint("https://stac.example.org/v1/");
        for (id, path) in [
            ("naip", "/v1/collections/naip"),
            ("a/b", "/v1/collections/a%2Fb"),
            ("../admin", "/v1/collections/..%2Fadmin"),
            ("%2e%2e", "/v1/collections/%252e%252e"),
            ("a\\b", "/v1/collections/a%5Cb"),
            ("a?b#c", "/v1/collections/a%3Fb%23c"),
            ("é x", "/v1/collections/%C3%A9%20x"),
        ] {
            assert_eq!(root.at(&["collections", id]).path(), path);
        }
    }

    #[test]
    fn steps_and_control_characters_are_no_segments() {
        for text in ["", "  ", ".", "..", "a\nb", "a\tb", "\0"] {
            assert!(!is_segment(text), "{text:?}");
        }
        for text in ["naip", "a/b", "...", "a b"] {
            assert!(is_segment(text), "{text:?}");
        }
    }

    #[test]
    fn a_final_slash_makes_no_difference() {
        for root in ["http://h/stac", "http://h/stac/"] {
            assert_eq!(
                endpoint(root).at(&["collections"]).as_str(),
                "http://h/stac/collections"
            );
        }
        assert_eq!(endpoint("http://h").at(&["x"]).as_str(), "http://h/x");
    }

    #[test]
    fn what_is_no_root_is_refused_with_a_reason() {
        for (text, reason) in [
            ("stac.example.org", "whole URL"),
            ("file:///etc/passwd", "scheme"),
            ("https://me:secret@h/", "user name"),
            ("https://h/?token=1", "query"),
            ("https://h/#x", "fragment"),
        ] {
            let error = text.parse::<Endpoint>().unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
