//! Ranking of exactly the objects that were selected.
//!
//! A ranker scores candidates and explains a score by its components; the order, the pages and what counts
//! as unscored are the same for all.

mod bm25;
mod compare;
mod cosine;
mod order;
mod page;
mod rule;
mod terms;
mod triple;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{Budget, Error, Row};

pub use self::page::{DEFAULT_MAX_CANDIDATES, MAX_TOPIC, RankCounts, RankPage, RankRequest, Ranked};
pub(crate) use self::terms::FieldTerms;
pub use self::triple::{Anchor, AnchorKind, Axis, Method, Triple};

/// A candidate's score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scored {
    pub(crate) row: Row,
    pub(crate) score: f64,
}

/// One part of a score.
#[derive(Debug, Clone, PartialEq)]
pub struct Component {
    /// What was compared.
    pub component: String,
    /// How much of it was found.
    pub value: f64,
    /// How much it counts.
    pub weight: f64,
    /// What it adds to the score.
    pub contribution: f64,
}

/// Why a candidate has its score.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Explanation {
    pub(crate) components: Vec<Component>,
    /// What the records have in common, as sentences about what is recorded and nothing more.
    pub(crate) why_related: Vec<String>,
}

/// A way to score candidates against one anchor.
pub(crate) trait Ranker: Sync {
    /// The scores of those candidates, given in ascending order, that can be scored.
    fn score(&self, candidates: &[Row], budget: &Budget<'_>) -> Result<Vec<Scored>, Error>;

    /// The parts of the score of a candidate that has one.
    fn explain(&self, candidate: Row) -> Explanation;
}

/// The constants of every method, for versions and capabilities.
#[must_use]
pub fn rules() -> BTreeMap<&'static str, Value> {
    BTreeMap::from([
        (Method::LexicalBm25V1.name(), bm25::rules()),
        (Method::MetadataRuleV1.name(), rule::rules()),
        (Method::Siglip2CosineV1.name(), cosine::rules()),
    ])
}
