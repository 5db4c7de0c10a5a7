//! The state that a client carries between the rounds of a call: earlier answers, sealed by the server.
//!
//! A seal is bound to the toolset, the tool, its arguments and the caller's credentials, and it expires. Whoever holds
//! the key can open it, so with one key on all replicas any of them answers the next round. It hides nothing: what is
//! inside, the client has said itself.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{HeaderMap, header};
use periplus_toolset::Answers;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::protocol::RpcError;

/// How long a person may take to answer.
const LIFETIME: Duration = Duration::from_secs(60 * 60);
/// Largest state; answers to forms are small.
const MAX_BYTES: usize = 64 * 1024;
/// Told apart from whatever else the key may sign.
const PURPOSE: &[u8] = b"request-state/1\0";

/// Seals and opens states.
pub(super) struct Seal(Hmac<Sha256>);

/// What a state belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Binding([u8; 32]);

#[derive(Serialize, Deserialize)]
struct State {
    /// Seconds since the epoch.
    until: u64,
    answers: Answers,
}

impl Seal {
    pub(super) fn new(key: &[u8]) -> Self {
        Self(Hmac::new_from_slice(key).expect("the key of an HMAC may have any length"))
    }

    /// With a key that nobody knows, for as long as the process runs.
    pub(super) fn random() -> Self {
        let halves = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()];
        Self::new(&halves.map(uuid::Uuid::into_bytes).concat())
    }

    /// The state for the next round.
    ///
    /// # Errors
    /// If the answers are larger than a state may be.
    pub(super) fn close(
        &self,
        binding: Binding,
        answers: Answers,
        now: SystemTime,
    ) -> Result<String, RpcError> {
        let until = seconds(now + LIFETIME);
        let state = serde_json::to_vec(&State { until, answers }).expect("answers are JSON values");
        if state.len() > MAX_BYTES {
            return Err(RpcError::invalid_params(format!(
                "the answers have more than {MAX_BYTES} bytes together"
            )));
        }
        let tag = self.tag(binding, &state).finalize().into_bytes();
        Ok(format!(
            "{}.{}",
            URL_SAFE_NO_PAD.encode(state),
            URL_SAFE_NO_PAD.encode(tag)
        ))
    }

    /// The answers in a state.
    ///
    /// # Errors
    /// If it was not sealed here for this very call, or has expired.
    pub(super) fn open(&self, binding: Binding, state: &str, now: SystemTime) -> Result<Answers, RpcError> {
        let broken = || {
            RpcError::invalid_params(
                "`requestState` does not belong to this call with these arguments by this caller, or has expired; \
                 call again without it",
            )
        };
        let (state, tag) = state.split_once('.').ok_or_else(broken)?;
        let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).map_err(|_undecodable| broken());
        let (state, tag) = (decode(state)?, decode(tag)?);
        // The comparison takes the same time wherever the tags differ.
        self.tag(binding, &state)
            .verify_slice(&tag)
            .map_err(|_forged| broken())?;
        let state: State = serde_json::from_slice(&state).map_err(|_unreadable| broken())?;
        if seconds(now) > state.until {
            return Err(broken());
        }
        Ok(state.answers)
    }

    fn tag(&self, binding: Binding, state: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        mac.update(PURPOSE);
        mac.update(&binding.0);
        mac.update(state);
        mac
    }
}

impl Binding {
    /// Of a call, whose arguments, as JSON text, count without the order of their keys.
    pub(super) fn of(toolset: &str, name: &str, arguments: &str, caller: &[u8; 32]) -> Self {
        let mut digest = Sha256::new();
        for part in [toolset, name] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        digest.update(caller);
        let mut arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
        arguments.sort_all_objects();
        digest.update(arguments.to_string());
        Self(digest.finalize().into())
    }
}

/// A digest of who calls, by the credentials they send.
pub(super) fn caller(declared: &[String], headers: &HeaderMap) -> [u8; 32] {
    let mut digest = Sha256::new();
    let names = declared.iter().map(String::as_str);
    for name in names.chain([header::AUTHORIZATION.as_str()]) {
        let value = headers
            .get(name)
            .map(http::HeaderValue::as_bytes)
            .unwrap_or_default();
        digest.update((value.len() as u64).to_le_bytes());
        digest.update(value);
    }
    digest.finalize().into()
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ARGUMENTS: &str = r#"{"a": 1, "b": {"c": 2, "d": 3}}"#;

    fn answers() -> Answers {
        Answers::from([("who".to_owned(), json!({ "action": "accept" }))])
    }

    fn binding() -> Binding {
        Binding::of("t", "tool", ARGUMENTS, &[0; 32])
    }

    #[test]
    fn a_state_opens_for_the_call_it_was_sealed_for() {
        let (seal, now) = (Seal::new(b"key"), SystemTime::now());
        let state = seal.close(binding(), answers(), now).unwrap();
        assert_eq!(seal.open(binding(), &state, now).unwrap(), answers());
        let reordered = r#"{"b":{"d":3,"c":2},"a":1}"#;
        let reordered = Binding::of("t", "tool", reordered, &[0; 32]);
        assert!(
            seal.open(reordered, &state, now).is_ok(),
            "the order of keys means nothing"
        );
        assert!(
            Seal::new(b"key").open(binding(), &state, now).is_ok(),
            "another replica opens it"
        );
    }

    #[test]
    fn a_state_does_not_open_for_anything_else() {
        let (seal, now) = (Seal::new(b"key"), SystemTime::now());
        let state = seal.close(binding(), answers(), now).unwrap();
        for other in [
            Binding::of("t", "tool", r#"{"a": 2}"#, &[0; 32]),
            Binding::of("t", "other", ARGUMENTS, &[0; 32]),
            Binding::of("u", "tool", ARGUMENTS, &[0; 32]),
            Binding::of("t", "tool", ARGUMENTS, &[1; 32]),
            Binding::of("tt", "ool", ARGUMENTS, &[0; 32]),
        ] {
            assert!(seal.open(other, &state, now).is_err());
        }
        for forged in [
            String::new(),
            format!("{state}x"),
            format!("x{state}"),
            state.replace('.', ""),
            state.split('.').next().unwrap().to_owned() + ".",
        ] {
            assert!(seal.open(binding(), &forged, now).is_err(), "{forged}");
        }
        assert!(Seal::new(b"another key").open(binding(), &state, now).is_err());
    }

    #[test]
    fn a_state_expires() {
        let (seal, now) = (Seal::new(b"key"), SystemTime::now());
        let state = seal.close(binding(), answers(), now).unwrap();
        assert!(seal.open(binding(), &state, now + LIFETIME).is_ok());
        assert!(
            seal.open(binding(), &state, now + LIFETIME + Duration::from_secs(1))
                .is_err()
        );
    }

    #[test]
    fn callers_differ_by_what_their_credentials_say() {
        let headers = |pairs: &[(&'static str, &str)]| {
            pairs
                .iter()
                .map(|(name, value)| (http::HeaderName::from_static(name), value.parse().unwrap()))
                .collect::<HeaderMap>()
        };
        let declared = ["x-token".to_owned()];
        let of = |pairs: &[(&'static str, &str)]| caller(&declared, &headers(pairs));
        assert_eq!(of(&[("x-token", "a"), ("x-other", "1")]), of(&[("x-token", "a")]));
        assert_ne!(of(&[("x-token", "a")]), of(&[("x-token", "b")]));
        assert_ne!(of(&[("x-token", "a")]), of(&[("authorization", "a")]));
    }
}
