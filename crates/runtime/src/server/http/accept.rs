//! What the client can read, judged leniently: real clients send `*/*`, one of the two types, or nothing.

use http::{HeaderMap, StatusCode, header};

use super::RpcError;

/// The response forms that a client accepts; at least one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) struct Accepts {
    pub(in crate::server) json: bool,
    pub(in crate::server) events: bool,
}

/// Reads `Accept`.
///
/// # Errors
/// 406 if the client reads neither JSON nor an event stream, 415 if its own body is declared as something else, or encoded.
pub(super) fn negotiate(headers: &HeaderMap) -> Result<Accepts, RpcError> {
    let accepts = Accepts {
        json: accepts_type(headers, "application", "json"),
        events: accepts_type(headers, "text", "event-stream"),
    };
    if !accepts.json && !accepts.events {
        return Err(RpcError::refused(
            StatusCode::NOT_ACCEPTABLE,
            "Accept must allow application/json or text/event-stream",
        ));
    }
    let content_type = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("application/json") {
        return Err(RpcError::refused(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "Content-Type must be application/json",
        ));
    }
    if is_encoded(headers) {
        return Err(RpcError::refused(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "an encoded body is not decoded: send it as it is",
        ));
    }
    Ok(accepts)
}

/// Whether a body is compressed, by itself or for the way; chunks are no encoding.
fn is_encoded(headers: &HeaderMap) -> bool {
    [
        (header::CONTENT_ENCODING, "identity"),
        (header::TRANSFER_ENCODING, "chunked"),
    ]
    .iter()
    .flat_map(|(name, plain)| headers.get_all(name).iter().map(move |value| (value, plain)))
    .any(|(value, plain)| !value.as_bytes().eq_ignore_ascii_case(plain.as_bytes()))
}

/// Whether a browser asks: HTML is named, JSON is not.
pub(in crate::server) fn prefers_html(headers: &HeaderMap) -> bool {
    ranges(headers).any(|range| range.names("text", "html") && range.is_wanted())
        && !ranges(headers).any(|range| range.names("application", "json"))
}

fn accepts_type(headers: &HeaderMap, kind: &str, subtype: &str) -> bool {
    if !headers.contains_key(header::ACCEPT) {
        return true;
    }
    // The most specific range decides: `application/json;q=0, */*` refuses JSON.
    let levels = [(kind, subtype), (kind, "*"), ("*", "*")];
    levels
        .iter()
        .find_map(|(kind, subtype)| ranges(headers).find(|range| range.names(kind, subtype)))
        .is_some_and(|range| range.is_wanted())
}

/// One media range with its parameters.
#[derive(Clone, Copy)]
struct Range<'a> {
    essence: &'a str,
    parameters: &'a str,
}

impl Range<'_> {
    fn names(self, kind: &str, subtype: &str) -> bool {
        self.essence
            .split_once('/')
            .is_some_and(|(k, s)| k.eq_ignore_ascii_case(kind) && s.eq_ignore_ascii_case(subtype))
    }

    /// Only a weight of zero excludes a range; a malformed weight is ignored.
    fn is_wanted(self) -> bool {
        let weight = self
            .parameters
            .split(';')
            .filter_map(|parameter| parameter.trim().split_once('='));
        !weight
            .filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"))
            .any(|(_, value)| value.trim().parse::<f32>().is_ok_and(|weight| weight == 0.0))
    }
}

fn ranges(headers: &HeaderMap) -> impl Iterator<Item = Range<'_>> {
    headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| {
            value.split(',').map(|range| {
                let (essence, parameters) = range.split_once(';').unwrap_or((range, ""));
                Range {
                    essence: essence.trim(),
                    parameters,
                }
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(value: Option<&str>) -> Option<(bool, bool)> {
        let mut headers = HeaderMap::new();
        headers.insert(
            header::CONTENT_TYPE,
            "application/json; charset=utf-8".parse().unwrap(),
        );
        if let Some(value) = value {
            headers.insert(header::ACCEPT, value.parse().unwrap());
        }
        negotiate(&headers)
            .ok()
            .map(|accepts| (accepts.json, accepts.events))
    }

    #[test]
    fn an_accept_header_is_read_leniently() {
        for (value, expected) in [
            (None, Some((true, true))),
            (Some("*/*"), Some((true, true))),
            (Some("application/json, text/event-stream"), Some((true, true))),
            (Some("application/*"), Some((true, false))),
            (Some("Application/JSON"), Some((true, false))),
            (Some("text/event-stream"), Some((false, true))),
            (Some("application/json;q=0, */*;q=0.5"), Some((false, true))),
            (Some("application/json;q=oops"), Some((true, false))),
            (Some("text/html"), None),
            (Some("application/json;q=0"), None),
            (Some(""), None),
        ] {
            assert_eq!(accepts(value), expected, "{value:?}");
        }
    }
}
