//! One text that names every rule an answer depends on.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    MAX_PAGE_SIZE, MAX_TOKEN_LENGTH, canonical_json, predicate, rank,
    text::{TOKENIZER, UNICODE_VERSION},
};

/// Version of the rules by which records are made from their sources.
pub const RECORD_RULES: u32 = 1;
/// Version of the conditions of quality flags.
pub const QUALITY_RULES: u32 = 1;
/// Version of the rules by which sources agree or disagree.
pub const CONFLICT_RULES: u32 = 1;

/// Every rule version and fixed limit.
#[must_use]
pub fn query_rules() -> Value {
    let (major, minor, update) = UNICODE_VERSION;
    json!({
        "record": RECORD_RULES,
        "quality": QUALITY_RULES,
        "conflict": CONFLICT_RULES,
        "tokenizer": TOKENIZER,
        "unicode": format!("{major}.{minor}.{update}"),
        "ranking": rank::rules(),
        "predicate": predicate::limits(),
        "maxPageSize": MAX_PAGE_SIZE,
        "maxTokenLength": MAX_TOKEN_LENGTH,
    })
}

/// `<name>-query/1+` and the first 12 hexadecimal digits of a digest over [`query_rules`].
pub(crate) fn query_version(name: &str) -> String {
    let digest = Sha256::digest(canonical_json(&query_rules()));
    format!("{name}-query/1+{}", hex::encode(&digest[..6]))
}
