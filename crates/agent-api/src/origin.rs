//! Origins of web pages that may call the API.

use std::{fmt, str::FromStr};

use http::HeaderValue;
use url::Url;

/// The origin of web pages, such as `https://chat.example.org`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(HeaderValue);

/// Why a text is no origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OriginError {
    /// Pages send the credentials of whoever looks at them, so none may come from anywhere.
    #[error("every page of the web could act for its visitors: list the origins one by one")]
    Wildcard,
    /// It is something else than a scheme, a host and a port.
    #[error("an origin is a scheme and a host, such as https://chat.example.org or http://localhost:5173")]
    Malformed,
}

impl Origin {
    pub(crate) fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl FromStr for Origin {
    type Err = OriginError;

    /// Reads an origin as people write it; a slash at its end is theirs, browsers send none.
    fn from_str(text: &str) -> Result<Self, OriginError> {
        if text.contains('*') {
            return Err(OriginError::Wildcard);
        }
        let url = Url::parse(text).map_err(|_malformed| OriginError::Malformed)?;
        let is_origin = matches!(url.scheme(), "http" | "https")
            && url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        if !is_origin {
            return Err(OriginError::Malformed);
        }
        HeaderValue::try_from(url.origin().ascii_serialization())
            .map(Self)
            .map_err(|_malformed| OriginError::Malformed)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.to_str().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_what_a_browser_sends_whatever_people_add() {
        for (text, expected) in [
            ("https://chat.example.org", "https://chat.example.org"),
            ("https://Chat.Example.org/", "https://chat.example.org"),
            ("https://chat.example.org:443", "https://chat.example.org"),
            ("http://localhost:5173", "http://localhost:5173"),
            ("http://[::1]:80", "http://[::1]"),
        ] {
            assert_eq!(text.parse::<Origin>().unwrap().to_string(), expected);
        }
        for text in ["*", "https://*.example.org", "null*"] {
            assert_eq!(text.parse::<Origin>(), Err(OriginError::Wildcard), "{text}");
        }
        for text in [
            "",
            "null",
            "chat.example.org",
            "https://chat.example.org/path",
            "https://u:p@chat.example.org",
            "https://chat.example.org?x",
            "file:///page.html",
            "https://",
        ] {
            assert_eq!(text.parse::<Origin>(), Err(OriginError::Malformed), "{text}");
        }
    }
}
