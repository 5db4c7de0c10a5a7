//! The receipt of a selection: what was selected, not which objects came out.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Error, Predicate,
    token::{Kind, Payload, Seal, fingerprint},
};

/// What happens with objects that a predicate cannot judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// They are not eligible.
    #[default]
    Exclude,
    /// They are eligible beside those that match.
    Include,
}

/// The policies of a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policies {
    /// For objects without a recorded value to judge by.
    #[serde(default)]
    pub unknown: Policy,
    /// For objects whose sources disagree.
    #[serde(default)]
    pub conflict: Policy,
}

/// A selection that can be repeated: predicate and policies, bound to snapshot and query rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Receipt {
    /// The text that callers keep.
    pub(crate) token: String,
    /// How cursors name this receipt.
    pub(crate) fingerprint: String,
    pub(crate) predicate: Predicate,
    pub(crate) policies: Policies,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    #[serde(rename = "p")]
    predicate: Value,
    #[serde(rename = "o")]
    policies: Policies,
}

impl Payload for Content {
    const KIND: Kind = Kind::Selection;
}

impl Receipt {
    /// The receipt of a selection; refused if it would be too long to be sent back.
    pub(crate) fn issue(seal: &Seal, predicate: Predicate, policies: Policies) -> Result<Self, Error> {
        let token = seal.issue(&Content {
            predicate: predicate.to_value(),
            policies,
        })?;
        let fingerprint = fingerprint(&token);
        Ok(Self {
            token,
            fingerprint,
            predicate,
            policies,
        })
    }

    /// Reads a receipt back; its predicate passes the same checks as a caller's.
    ///
    /// The result is the receipt as it would be issued now: deflated bytes that differ and inflate to the
    /// same text are the same receipt.
    pub(crate) fn open(seal: &Seal, token: &str) -> Result<Self, Error> {
        let content: Content = seal.open(token)?;
        let predicate = Predicate::parse(&content.predicate)
            .map_err(|error| Error::InvalidReceipt(format!("it holds a {error}")))?;
        if predicate.to_value() != content.predicate {
            return Err(Error::InvalidReceipt(
                "its predicate is not in normalised form".into(),
            ));
        }
        Self::issue(seal, predicate, content.policies)
    }
}
