//! Receipts and cursors as text: self-contained, deterministic, checked in full when they come back.
//!
//! A token is `<kind>1.<payload>.<digest>`: canonical JSON, deflated, in URL-safe base64, and the first 16
//! bytes of a digest over kind, snapshot and JSON. Without a key the digest guards against damage; with one
//! it is an HMAC and guards against forgery. Nothing is trusted because of it: whoever opens a token parses
//! its content as strictly as a caller's argument. No time and no random number goes in, so equal queries
//! get equal tokens from every replica.

use std::io::{Read as _, Write as _};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use flate2::{Compression, bufread::DeflateDecoder, write::DeflateEncoder};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::{Error, canonical_json};

/// Characters of the longest token that is issued or accepted.
pub const MAX_TOKEN_LENGTH: usize = 8_192;
/// Bytes of the longest payload once inflated; more is a bomb, not a predicate.
const MAX_PAYLOAD_BYTES: u64 = 65_536;
/// Nesting of the deepest payload.
const MAX_PAYLOAD_DEPTH: usize = 16;
/// Bytes of the digest that a token carries.
const DIGEST_BYTES: usize = 16;
/// Version of the token form.
const VERSION: u64 = 1;
/// Part of the token form: another level would give other bytes for the same query.
const DEFLATE_LEVEL: Compression = Compression::new(6);

/// What a token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Selection,
    SelectCursor,
    FacetCursor,
    RankCursor,
}

/// The content of one kind of token.
pub(crate) trait Payload: Serialize + DeserializeOwned {
    const KIND: Kind;
}

/// Issues and opens the tokens of one snapshot under one set of query rules.
pub(crate) struct Seal {
    context: String,
    snapshot: String,
    query_version: String,
    key: Option<Box<[u8]>>,
}

impl Kind {
    const ALL: [Self; 4] = [
        Self::Selection,
        Self::SelectCursor,
        Self::FacetCursor,
        Self::RankCursor,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Selection => "sel",
            Self::SelectCursor => "selc",
            Self::FacetCursor => "facc",
            Self::RankCursor => "rnkc",
        }
    }

    /// How messages call it.
    const fn title(self) -> &'static str {
        match self {
            Self::Selection => "selection receipt",
            Self::SelectCursor => "cursor of a selection",
            Self::FacetCursor => "cursor of facets",
            Self::RankCursor => "cursor of a ranking",
        }
    }

    const fn noun(self) -> &'static str {
        match self {
            Self::Selection => "selection receipt",
            Self::SelectCursor | Self::FacetCursor | Self::RankCursor => "cursor",
        }
    }

    pub(crate) fn invalid(self, problem: impl Into<String>) -> Error {
        match self {
            Self::Selection => Error::InvalidReceipt(problem.into()),
            Self::SelectCursor | Self::FacetCursor | Self::RankCursor => Error::InvalidCursor(problem.into()),
        }
    }

    const fn stale(self, of: &'static str) -> Error {
        match self {
            Self::Selection => Error::StaleReceipt(of),
            Self::SelectCursor | Self::FacetCursor | Self::RankCursor => Error::StaleCursor(of),
        }
    }
}

impl Seal {
    /// A seal for one snapshot; `collection` keeps the tokens of different products apart.
    pub(crate) fn new(collection: &str, snapshot: &str, query_version: &str, key: Option<&[u8]>) -> Self {
        Self {
            context: format!("{collection}-token/{VERSION}"),
            snapshot: snapshot.to_owned(),
            query_version: query_version.to_owned(),
            key: key.map(Into::into),
        }
    }

    /// The token that holds `payload`.
    pub(crate) fn issue<P: Payload>(&self, payload: &P) -> Result<String, Error> {
        let Ok(Value::Object(mut members)) = serde_json::to_value(payload) else {
            unreachable!("payloads are structs of strings, numbers and JSON values");
        };
        members.insert("v".into(), VERSION.into());
        members.insert("s".into(), self.snapshot.as_str().into());
        members.insert("q".into(), self.query_version.as_str().into());
        let json = canonical_json(&Value::Object(members));
        let body = URL_SAFE_NO_PAD.encode(deflate(json.as_bytes()));
        let digest = URL_SAFE_NO_PAD.encode(self.digest(P::KIND, &self.snapshot, &json));
        let token = format!("{}{VERSION}.{body}.{digest}", P::KIND.name());
        if token.len() > MAX_TOKEN_LENGTH {
            let what = P::KIND.noun();
            return Err(Error::ReceiptTooLarge {
                what,
                length: token.len(),
                max: MAX_TOKEN_LENGTH,
            });
        }
        Ok(token)
    }

    /// The payload of a token; it is well-formed, of this snapshot and of these rules.
    ///
    /// A valid cursor of another operation is a mismatch; everything else that is wrong is told apart as
    /// damaged, stale, or a cursor where a receipt belongs.
    pub(crate) fn open<P: Payload>(&self, token: &str) -> Result<P, Error> {
        let expected = P::KIND;
        let (kind, body, digest) = split(token, expected)?;
        let json = inflate(&body).map_err(|problem| expected.invalid(problem))?;
        let mut members = parse(&json).map_err(|problem| expected.invalid(problem))?;
        let header = (members.remove("v"), members.remove("s"), members.remove("q"));
        let (Some(version), Some(Value::String(snapshot)), Some(Value::String(query_version))) = header
        else {
            return Err(expected.invalid("its header is incomplete"));
        };
        let is_intact = self.digest(kind, &snapshot, &json).ct_eq(digest.as_slice());
        if version != VERSION || !bool::from(is_intact) {
            return Err(expected.invalid("its digest does not match its content"));
        }
        if snapshot != self.snapshot {
            return Err(expected.stale("snapshot"));
        }
        if query_version != self.query_version {
            return Err(expected.stale("query version"));
        }
        if kind != expected {
            return Err(Error::CursorMismatch("operation"));
        }
        serde_json::from_value(Value::Object(members))
            .map_err(|_mismatch| expected.invalid("its content is not that of such a token"))
    }

    fn digest(&self, kind: Kind, snapshot: &str, json: &str) -> [u8; DIGEST_BYTES] {
        let message = [&self.context, "\n", kind.name(), "\n", snapshot, "\n", json].concat();
        let full: [u8; 32] = match &self.key {
            None => Sha256::digest(message).into(),
            Some(key) => {
                let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("an HMAC key has any length");
                mac.update(message.as_bytes());
                mac.finalize().into_bytes().into()
            }
        };
        let (&digest, _) = full.split_first_chunk().expect("a digest has 32 bytes");
        digest
    }
}

impl std::fmt::Debug for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seal")
            .field("snapshot", &self.snapshot)
            .field("query_version", &self.query_version)
            .field("keyed", &self.key.is_some())
            .finish_non_exhaustive()
    }
}

/// The first 16 hexadecimal digits of a token's SHA-256: how cursors name their receipt.
pub(crate) fn fingerprint(token: &str) -> String {
    hex::encode(&Sha256::digest(token)[..8])
}

/// Kind, deflated payload and digest of a token.
fn split(token: &str, expected: Kind) -> Result<(Kind, Vec<u8>, Vec<u8>), Error> {
    if token.len() > MAX_TOKEN_LENGTH {
        return Err(expected.invalid(format!("it is longer than {MAX_TOKEN_LENGTH} characters")));
    }
    let malformed = || expected.invalid("it does not have the form of one");
    let (head, rest) = token.split_once('.').ok_or_else(malformed)?;
    let (body, digest) = rest.split_once('.').ok_or_else(malformed)?;
    let is_kind = |kind: &Kind| head.strip_prefix(kind.name()) == Some("1");
    let kind = Kind::ALL.into_iter().find(is_kind).ok_or_else(malformed)?;
    if kind.noun() != expected.noun() {
        return Err(expected.invalid(format!("it is a {}, not a {}", kind.title(), expected.title())));
    }
    let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_detail| malformed());
    Ok((kind, decode(body)?, decode(digest)?))
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), DEFLATE_LEVEL);
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .expect("writing to memory cannot fail")
}

fn inflate(body: &[u8]) -> Result<String, &'static str> {
    let mut decoder = DeflateDecoder::new(body).take(MAX_PAYLOAD_BYTES + 1);
    let mut bytes = Vec::new();
    let length = decoder
        .read_to_end(&mut bytes)
        .map_err(|_detail| "its payload is damaged")?;
    if length as u64 > MAX_PAYLOAD_BYTES {
        return Err("its payload is too large");
    }
    if !decoder.into_inner().into_inner().is_empty() {
        return Err("its payload is damaged");
    }
    String::from_utf8(bytes).map_err(|_detail| "its payload is damaged")
}

/// The members of a payload, which must be canonical: no member twice, no other spelling of the same.
fn parse(json: &str) -> Result<Map<String, Value>, &'static str> {
    let value: Value = serde_json::from_str(json).map_err(|_detail| "its payload is damaged")?;
    if depth(&value) > MAX_PAYLOAD_DEPTH {
        return Err("its payload is nested too deeply");
    }
    if canonical_json(&value) != json {
        return Err("its payload is not in canonical form");
    }
    match value {
        Value::Object(members) => Ok(members),
        _ => Err("its payload is damaged"),
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

#[cfg(test)]
mod tests;
