//! Evidence-first research over the Met's open-access catalogue, as six tools.
//!
//! Selecting is separate from ranking: a predicate decides which records count, a ranking orders exactly those and
//! says why, and every value leads back to the source row it stands in. The engine is `periplus-collection`; this
//! crate holds the published contract: argument and response names, limits, error codes.

mod error;
mod headline;
mod service;
mod source;
mod tools;
mod wire;

use std::time::Duration;

use periplus_collection::Options;
use periplus_toolset::{Access, Concurrency, Toolset, View, ViewSecurity};
use serde_json::{Value, json};

use self::service::Service;
pub use self::{error::CODES, service::Source, wire::CONTRACT};

/// What an operator decides about the toolset.
#[derive(Debug)]
pub struct Config {
    /// Where the catalogue comes from.
    pub source: Source,
    /// Who may reach it; without a bearer secret it is served on loopback only.
    pub access: Access,
    /// Queries that run at once and may wait.
    pub queries: Concurrency,
    /// Longest run of one query.
    pub budget: Duration,
    /// The most candidates a caller may allow one ranking.
    pub max_candidates: usize,
    /// Makes receipts and cursors unforgeable; all replicas need the same key.
    pub receipt_key: Option<Vec<u8>>,
}

impl Config {
    /// The default rules: one query at a time, ten seconds each, 5,000 candidates, loopback without a secret.
    #[must_use]
    pub fn new(source: Source) -> Self {
        Self {
            source,
            access: Access {
                loopback_without_bearer: true,
                ..Access::default()
            },
            queries: Concurrency {
                running: 1,
                waiting: 32,
                retry_after: Duration::from_secs(2),
            },
            budget: Duration::from_secs(10),
            max_candidates: Options::MAX_CANDIDATES,
            receipt_key: None,
        }
    }
}

/// The toolset `met`; the catalogue is loaded in the background.
#[must_use]
pub fn toolset(config: Config) -> Toolset {
    let options = Options {
        max_candidates: config.max_candidates,
        receipt_key: config.receipt_key,
        ..Options::new("met")
    };
    let service = Service::start(config.source, options, config.budget);
    let probe = service.clone();
    Toolset::new("met")
        .title("Met collection research")
        .version(env!("CARGO_PKG_VERSION"))
        .instructions(INSTRUCTIONS)
        .tool(tools::collection_capabilities)
        .tool(tools::collection_facets)
        .tool(tools::collection_select)
        .tool(tools::collection_rank)
        .tool(tools::collection_objects)
        .tool(tools::collection_evidence)
        .view("collection_objects", object_card())
        .view("collection_select", result_grid())
        .view("collection_rank", result_grid())
        .example("collection_facets", facet_example())
        .example("collection_select", mention_example())
        .example("collection_select", ranking_example())
        .concurrency("query", config.queries)
        .access(config.access)
        .readiness(move || {
            let readiness = probe.readiness();
            Box::pin(async move { readiness })
        })
        .failure_text(error::failure_text)
        .error_codes(CODES)
        .state(service)
}

/// Shows objects with rights, sources and quality flags; images come from the museum's own host.
fn object_card() -> View {
    View::embedded("object-card", include_str!("views/object-card.html")).security(ViewSecurity {
        resource_domains: vec!["https://images.metmuseum.org".to_owned()],
        ..ViewSecurity::default()
    })
}

/// Shows a page of a selection or a ranking.
fn result_grid() -> View {
    View::embedded("result-grid", include_str!("views/result-grid.html"))
}

fn facet_example() -> Value {
    json!({
        "question": "Which departments does the collection have?",
        "arguments": { "field": "department" },
    })
}

/// Reads what the selection before it found, by the ids that it returned.
fn mention_example() -> Value {
    json!({
        "question": "Which objects mention {topic}?",
        "arguments": { "predicate": { "field": "title", "op": "contains_normalized", "value": "{topic}" } },
        "then": [{ "tool": "collection_objects", "arguments": {
            "objectIds": "@state:met/collection_select/objectIds",
        }}],
    })
}

/// Ranks what the selection before it found, by the receipt that it returned.
fn ranking_example() -> Value {
    json!({
        "question": "Which objects made between {begin} and {end} are about {topic}?",
        "arguments": { "predicate": {
            "field": "object_date",
            "op": "overlaps",
            "value": { "begin": "{begin:number}", "end": "{end:number}" },
        }},
        "then": [{ "tool": "collection_rank", "arguments": {
            "selection": "@state:met/collection_select/selection",
            "anchor": { "type": "topic_text", "topicText": "{topic}" },
            "axis": "topic",
            "method": "lexical_bm25_v1",
        }}],
    })
}

const INSTRUCTIONS: &str = "Research a snapshot of a museum catalogue. Begin with collection_capabilities, take exact values from \
collection_facets, select with collection_select, then rank, read and cite: collection_rank, collection_objects, \
collection_evidence. Pass receipts, cursors and evidence ids on unchanged and never make one up. Missing and \
conflicting values are stated as such; do not fill them in, and do not read a missing score as zero.";
