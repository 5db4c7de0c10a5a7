//! Where a page ended, bound to everything that decides what the next one holds.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Error, canonical_json,
    text::norm,
    token::{Kind, Payload, Seal},
};

/// The end of a page of selected objects.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SelectCursor {
    #[serde(rename = "r")]
    pub(crate) receipt: String,
    #[serde(rename = "a")]
    pub(crate) last_id: u64,
}

/// The end of a page of facet values.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FacetCursor {
    #[serde(rename = "f")]
    pub(crate) field: String,
    #[serde(rename = "r")]
    pub(crate) receipt: Option<String>,
    #[serde(rename = "x")]
    pub(crate) prefix: Option<String>,
    #[serde(rename = "n")]
    pub(crate) last_norm: String,
    #[serde(rename = "l")]
    pub(crate) last_value: String,
}

/// The end of a page of ranked objects.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RankCursor {
    #[serde(rename = "r")]
    pub(crate) receipt: String,
    #[serde(rename = "a")]
    pub(crate) anchor: Value,
    #[serde(rename = "x")]
    pub(crate) axis: String,
    #[serde(rename = "m")]
    pub(crate) method: String,
    #[serde(rename = "i")]
    pub(crate) include_anchor: bool,
    /// Identity of the text encoder, for rankings that use one.
    #[serde(rename = "e")]
    pub(crate) encoder: Option<String>,
    /// The bits of the last score, so that no digit is lost.
    #[serde(rename = "k")]
    pub(crate) last_score: String,
    #[serde(rename = "l")]
    pub(crate) last_id: u64,
}

impl Payload for SelectCursor {
    const KIND: Kind = Kind::SelectCursor;
}

impl Payload for FacetCursor {
    const KIND: Kind = Kind::FacetCursor;
}

impl Payload for RankCursor {
    const KIND: Kind = Kind::RankCursor;
}

impl SelectCursor {
    /// The id that the page before ended with, if the cursor continues this selection.
    pub(crate) fn open(seal: &Seal, token: &str, receipt: &str) -> Result<u64, Error> {
        let cursor: Self = seal.open(token)?;
        bound(cursor.receipt == receipt, "predicate or policies")?;
        Ok(cursor.last_id)
    }
}

impl FacetCursor {
    /// The normalised and recorded value that the page before ended with.
    pub(crate) fn open(seal: &Seal, token: &str, now: &Self) -> Result<(String, String), Error> {
        let cursor: Self = seal.open(token)?;
        bound(cursor.field == now.field, "field")?;
        bound(cursor.receipt == now.receipt, "selection")?;
        bound(cursor.prefix == now.prefix, "prefix")?;
        if norm(&cursor.last_value) != cursor.last_norm {
            return Err(Error::InvalidCursor("its position is no value".into()));
        }
        Ok((cursor.last_norm, cursor.last_value))
    }
}

impl RankCursor {
    /// The score and id that the page before ended with.
    pub(crate) fn open(seal: &Seal, token: &str, now: &Self) -> Result<(f64, u64), Error> {
        let cursor: Self = seal.open(token)?;
        bound(cursor.receipt == now.receipt, "selection")?;
        bound(
            canonical_json(&cursor.anchor) == canonical_json(&now.anchor),
            "anchor",
        )?;
        bound(cursor.axis == now.axis, "axis")?;
        bound(cursor.method == now.method, "method")?;
        bound(cursor.include_anchor == now.include_anchor, "includeAnchor")?;
        bound(cursor.encoder == now.encoder, "text encoder")?;
        let score = score_from_bits(&cursor.last_score)
            .ok_or_else(|| Error::InvalidCursor("its position is no score".into()))?;
        Ok((score, cursor.last_id))
    }
}

/// The text of a score's bits.
pub(crate) fn score_bits(score: f64) -> String {
    format!("{:016x}", score.to_bits())
}

fn score_from_bits(text: &str) -> Option<f64> {
    let bits = u64::from_str_radix(text, 16).ok()?;
    let score = f64::from_bits(bits);
    (score.is_finite() && score_bits(score) == text).then_some(score)
}

fn bound(is_same: bool, argument: &'static str) -> Result<(), Error> {
    if is_same {
        Ok(())
    } else {
        Err(Error::CursorMismatch(argument))
    }
}
