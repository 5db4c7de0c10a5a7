//! A user's credential headers, and which connections may see them.

use std::{collections::BTreeMap, fmt};

use ::http::{HeaderMap, HeaderName, HeaderValue, header};

use super::ClientError;

/// Headers that the transport owns.
const RESERVED: [&str; 10] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
];

/// Which credential headers a connection declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeclaredHeaders {
    /// Nothing is known, so the user who named this server decides: everything given is sent.
    Unknown,
    /// Only these names, lower case.
    Only(Vec<String>),
}

/// Credential headers by lower-case name. The values never print.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Credentials(BTreeMap<String, HeaderValue>);

impl Credentials {
    /// Checks and keeps headers; a later value replaces an earlier one of the same name.
    ///
    /// # Errors
    /// [`ClientError::Header`] for a name or value that HTTP does not allow, or a name the transport owns.
    pub fn new<N, V>(headers: impl IntoIterator<Item = (N, V)>) -> Result<Self, ClientError>
    where
        N: AsRef<str>,
        V: AsRef<str>,
    {
        let mut kept = BTreeMap::new();
        for (name, value) in headers {
            let (name, value) = checked(name.as_ref(), value.as_ref())?;
            kept.insert(name, value);
        }
        Ok(Self(kept))
    }

    /// The headers that a connection may see. `Authorization` is declared by challenge: a server that answered 401 asked for it.
    pub(super) fn for_connection(&self, declared: &DeclaredHeaders, challenged: bool) -> HeaderMap {
        self.0
            .iter()
            .filter(|(name, _)| match declared {
                DeclaredHeaders::Unknown => true,
                DeclaredHeaders::Only(names) => {
                    names.iter().any(|declared| declared == *name)
                        || (challenged && name.as_str() == header::AUTHORIZATION.as_str())
                }
            })
            .filter_map(|(name, value)| Some((HeaderName::try_from(name).ok()?, value.clone())))
            .collect()
    }
}

fn checked(name: &str, value: &str) -> Result<(String, HeaderValue), ClientError> {
    let refuse = |reason| ClientError::Header {
        name: name.to_owned(),
        reason,
    };
    let lower = name.to_ascii_lowercase();
    if HeaderName::try_from(&lower).is_err() {
        return Err(refuse("it is not a header name"));
    }
    if RESERVED.contains(&lower.as_str()) || lower.starts_with("mcp-param-") {
        return Err(refuse("it belongs to the transport"));
    }
    // The parser's error is dropped on purpose: it could quote the secret.
    let Ok(mut value) = HeaderValue::from_str(value) else {
        return Err(refuse("its value holds characters that HTTP does not allow"));
    };
    value.set_sensitive(true);
    Ok((lower, value))
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(declared: &DeclaredHeaders, challenged: bool) -> Vec<String> {
        let given = [
            ("X-Demo-Token", "s3"),
            ("X-Other", "o"),
            ("Authorization", "Bearer b"),
        ];
        let headers = Credentials::new(given)
            .unwrap()
            .for_connection(declared, challenged);
        let mut names: Vec<_> = headers.keys().map(|name| name.as_str().to_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn only_declared_headers_reach_a_connection() {
        let declared = DeclaredHeaders::Only(vec!["x-demo-token".to_owned()]);
        assert_eq!(sent(&declared, false), ["x-demo-token"]);
        assert_eq!(sent(&DeclaredHeaders::Only(vec![]), false), Vec::<String>::new());
    }

    #[test]
    fn authorization_is_sent_to_a_server_that_asked_for_it() {
        assert_eq!(sent(&DeclaredHeaders::Only(vec![]), true), ["authorization"]);
    }

    #[test]
    fn without_a_declaration_everything_given_is_sent() {
        assert_eq!(
            sent(&DeclaredHeaders::Unknown, false),
            ["authorization", "x-demo-token", "x-other"]
        );
    }

    #[test]
    fn transport_headers_and_broken_values_are_refused_without_quoting_the_value() {
        for (name, value) in [
            ("Host", "a"),
            ("Mcp-Method", "a"),
            ("mcp-param-x", "a"),
            ("a b", "c"),
            ("x", "se\ncret"),
        ] {
            let error = Credentials::new([(name, value)]).unwrap_err();
            assert!(!error.to_string().contains("se\ncret"), "{error}");
        }
    }

    #[test]
    fn debug_shows_names_only() {
        let credentials = Credentials::new([("x-demo-token", "s3cret")]).unwrap();
        assert_eq!(format!("{credentials:?}"), r#"{"x-demo-token"}"#);
    }
}
