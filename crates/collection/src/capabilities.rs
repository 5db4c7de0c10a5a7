//! What a collection can be asked, what it cannot, and how much it holds.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    CACHED_SELECTIONS, Collection, DEFAULT_PAGE_SIZE, MAX_BATCH, MAX_EVIDENCE_ID, MAX_PAGE_SIZE, MAX_PREFIX,
    MAX_TOKEN_LENGTH, Manifest,
    predicate::{self, Field, TextField},
    rank::{self, AnchorKind, Axis, DEFAULT_MAX_CANDIDATES, MAX_TOPIC, Method, Triple},
};

/// What a collection can be asked.
#[derive(Debug, Clone)]
pub struct Capabilities<'a> {
    /// What the snapshot is made of: coverage, counts, sources, quality flags.
    pub manifest: &'a Manifest,
    /// The fields of predicates and facets.
    pub fields: Vec<FieldUse>,
    /// The limits of predicates.
    pub predicate_limits: BTreeMap<&'static str, i64>,
    /// The ways of ranking that this snapshot supports.
    pub supported: Vec<Triple>,
    /// The ways of ranking that are known and not supported here.
    pub unavailable: Vec<Unavailable<Triple>>,
    /// Relations between objects that are not offered, because nothing recorded would show them.
    pub relations_unavailable: Vec<Unavailable<&'static str>>,
    /// The constants of every ranking method.
    pub ranking_rules: BTreeMap<&'static str, Value>,
    /// Objects with a stored vector: the most that a visual ranking can score.
    pub vector_count: usize,
    /// The limits of requests.
    pub limits: Limits,
}

/// A field and what can be done with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldUse {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: FieldKind,
    /// The operators that fit.
    pub operators: Vec<&'static str>,
    /// Whether its values can be listed.
    pub facetable: bool,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Recorded strings, one or several a record.
    Strings,
    /// One text made of many fields.
    Text,
    /// Yes or no.
    Boolean,
    /// An inclusive interval of years, as catalogued; its width is a habit of cataloguing, no measured
    /// uncertainty.
    Years,
}

/// Something known that is not offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable<T> {
    /// What.
    pub what: T,
    /// Why not.
    pub reason: &'static str,
}

/// The limits of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the limit of that name")]
pub struct Limits {
    pub default_page_size: usize,
    pub max_page_size: usize,
    pub max_token_length: usize,
    pub max_prefix: usize,
    pub max_topic: usize,
    pub default_max_candidates: usize,
    pub max_candidates: usize,
    pub max_object_ids: usize,
    pub max_evidence_ids: usize,
    pub max_evidence_id: usize,
    pub cached_selections: usize,
}

impl FieldKind {
    /// A name for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strings => "string",
            Self::Text => "text",
            Self::Boolean => "boolean",
            Self::Years => "date_interval",
        }
    }
}

impl Collection {
    /// What this collection can be asked.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities<'_> {
        let supported = self.supported_triples();
        Capabilities {
            manifest: self.manifest(),
            fields: Field::all().map(field_use).collect(),
            predicate_limits: predicate::limits(),
            unavailable: unavailable(&supported),
            supported,
            relations_unavailable: relations(),
            ranking_rules: rank::rules(),
            vector_count: self.catalogue.vectors().ids().len(),
            limits: self.limits(),
        }
    }

    fn limits(&self) -> Limits {
        Limits {
            default_page_size: DEFAULT_PAGE_SIZE,
            max_page_size: MAX_PAGE_SIZE,
            max_token_length: MAX_TOKEN_LENGTH,
            max_prefix: MAX_PREFIX,
            max_topic: MAX_TOPIC,
            default_max_candidates: DEFAULT_MAX_CANDIDATES.min(self.max_candidates),
            max_candidates: self.max_candidates,
            max_object_ids: MAX_BATCH,
            max_evidence_ids: MAX_BATCH,
            max_evidence_id: MAX_EVIDENCE_ID,
            cached_selections: CACHED_SELECTIONS,
        }
    }
}

fn field_use(field: Field) -> FieldUse {
    FieldUse {
        name: field.name(),
        kind: match field {
            Field::Text(TextField::Column(_)) => FieldKind::Strings,
            Field::Text(TextField::MetadataText) => FieldKind::Text,
            Field::Flag(_) => FieldKind::Boolean,
            Field::ObjectDate => FieldKind::Years,
        },
        operators: predicate::operator_names(field.operators()),
        facetable: field.facet().is_some(),
    }
}

/// The known ways of ranking that are not among these, with the reason.
fn unavailable(supported: &[Triple]) -> Vec<Unavailable<Triple>> {
    let mut unavailable = Vec::new();
    let visual = Triple::new(AnchorKind::Object, Axis::Visual, Method::Siglip2CosineV1);
    if !supported.contains(&visual) {
        unavailable.push(Unavailable {
            what: visual,
            reason: "this snapshot stores no image vectors",
        });
    }
    if !supported.contains(&Triple::TEXT_TO_IMAGE) {
        let reason = "no text encoder is configured";
        unavailable.push(Unavailable {
            what: Triple::TEXT_TO_IMAGE,
            reason,
        });
    }
    let style = Triple::new(AnchorKind::Object, Axis::Style, Method::Siglip2CosineV1);
    let reason = "visual similarity is no judgement of style, and no judgement of style is recorded";
    unavailable.push(Unavailable { what: style, reason });
    unavailable
}

fn relations() -> Vec<Unavailable<&'static str>> {
    vec![
        Unavailable {
            what: "influence",
            reason: "no source records which work influenced which",
        },
        Unavailable {
            what: "provenance_chain",
            reason: "no source records former owners in order",
        },
        Unavailable {
            what: "same_workshop",
            reason: "attributions name workshops as text; that two texts mean one workshop is not recorded",
        },
    ]
}
