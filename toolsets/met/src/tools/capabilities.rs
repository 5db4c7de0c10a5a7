//! `collection_capabilities`: what this snapshot can be asked, what not and why, and how much it holds.

use std::collections::BTreeMap;

use periplus_collection::{Capabilities, Unavailable, rank::Triple};
use periplus_toolset::{Refusal, prelude::*};
use serde::Serialize;
use serde_json::Value;

use crate::{
    service::query,
    wire::{Answer, Head},
};

/// What this snapshot can be asked.
#[derive(Debug, ToolResult)]
#[tool(rename_all = "camelCase")]
pub(crate) struct Described {
    /// What the snapshot is, in one sentence.
    message: String,
    /// The tools of this server.
    tools: Vec<&'static str>,
    /// Fields, operators and limits of conditions.
    predicate: PredicateUse,
    /// Ways of ranking, supported or not.
    ranking: RankingUse,
    /// Relations between objects that can be asked for: none.
    relations: Vec<String>,
    /// Relations that are not offered, each with the reason.
    relations_unavailable: Vec<Relation>,
    /// Limits of pages, batches and receipts.
    limits: Limits,
    /// By field: records with a value, without one, with an invalid one, with conflicting ones.
    coverage: BTreeMap<String, Coverage>,
    /// What the snapshot was built from, and how many records of each kind it holds.
    source_coverage: SourceCoverage,
    /// How to read dates, rights, images and scores.
    cautions: Vec<&'static str>,
}

/// Fields, operators and limits of conditions.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PredicateUse {
    /// Every field that a condition can be about.
    fields: Vec<Field>,
    /// Every operator, with what its value is.
    operators: BTreeMap<&'static str, &'static str>,
    /// The largest predicate that is accepted.
    limits: BTreeMap<&'static str, i64>,
    /// Flags of the field data_quality, each with when a record has it.
    data_quality_flags: BTreeMap<String, String>,
}

/// A field of conditions.
#[derive(Debug, Serialize, JsonSchema)]
struct Field {
    /// Its name.
    name: &'static str,
    /// What it holds: `string`, `text`, `boolean` or `date_interval`.
    kind: &'static str,
    /// Operators that fit.
    operators: Vec<&'static str>,
    /// Whether collection_facets lists its values.
    facetable: bool,
}

/// Ways of ranking.
#[derive(Debug, Serialize, JsonSchema)]
struct RankingUse {
    /// What can be combined on this snapshot.
    supported: Vec<Combination>,
    /// What is known and not available here, each with the reason.
    unavailable: Vec<UnavailableCombination>,
    /// The constants of every method, part of its version.
    methods: BTreeMap<&'static str, Value>,
}

/// An anchor, an axis and a method.
#[derive(Debug, Serialize, JsonSchema)]
struct Combination {
    /// Kind of anchor.
    anchor: &'static str,
    /// Aspect to compare in.
    axis: &'static str,
    /// How scores are computed.
    method: &'static str,
}

/// An anchor, an axis and a method that are not available.
#[derive(Debug, Serialize, JsonSchema)]
struct UnavailableCombination {
    /// Kind of anchor.
    anchor: &'static str,
    /// Aspect to compare in.
    axis: &'static str,
    /// How scores would be computed.
    method: &'static str,
    /// Why not.
    reason: &'static str,
}

/// A relation that is not offered.
#[derive(Debug, Serialize, JsonSchema)]
struct Relation {
    /// Its name.
    relation: &'static str,
    /// Why not.
    reason: &'static str,
}

/// Limits of calls.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Limits {
    /// Entries of a page unless asked otherwise.
    default_page_size: usize,
    /// Entries of the largest page.
    max_page_size: usize,
    /// Characters of the longest receipt or cursor.
    max_token_characters: usize,
    /// Characters of the longest facet prefix.
    max_prefix_characters: usize,
    /// Characters of the longest topic.
    max_topic_characters: usize,
    /// Candidates of one ranking unless asked otherwise.
    default_max_candidates: usize,
    /// The most candidates of one ranking.
    max_candidates: usize,
    /// Ids of one object batch.
    max_object_ids: usize,
    /// Ids of one evidence batch.
    max_evidence_ids: usize,
    /// Characters of the longest evidence id.
    max_evidence_id_characters: usize,
    /// Selections that are kept ready; a receipt outlives them.
    cached_selections: usize,
}

/// States of one field over all records.
#[derive(Debug, Serialize, JsonSchema)]
struct Coverage {
    /// Records with a value.
    present: u64,
    /// Records without one.
    missing: u64,
    /// Records with something that is no value.
    invalid: u64,
    /// Records whose sources disagree.
    conflict: u64,
}

/// What the snapshot was built from.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SourceCoverage {
    /// Records of the snapshot.
    records: u64,
    /// Records of the table it was built from.
    csv_records: u64,
    /// SHA-256 of that table.
    csv_sha256: String,
    /// Date of the published version of that table; null if it is not a known version.
    csv_published: Option<String>,
    /// Captured responses of the museum's interface.
    api_captures: u64,
    /// Objects with an image vector: the most that a visual ranking can score.
    vectors: usize,
    /// Under which terms the data may be used.
    licences: Vec<Licence>,
}

/// Terms of use of one source.
#[derive(Debug, Serialize, JsonSchema)]
struct Licence {
    /// What the terms are for.
    of: String,
    /// The terms' identifier.
    licence: String,
    /// Whom to name.
    attribution: String,
}

/// Describe the loaded snapshot: fields, operators, limits, ways of ranking, coverage and sources. Call it first.
#[tool(
    title = "Describe the collection",
    read_only,
    idempotent,
    closed_world,
    timeout = "12s"
)]
pub(crate) async fn collection_capabilities(cx: &Context) -> Result<Answer<Described>, Refusal> {
    query(cx, |collection, _| {
        Ok(Answer(
            Head::of(collection),
            Described::from(collection.capabilities()),
        ))
    })
    .await
}

const CAUTIONS: &[&str] = &[
    "A date is an interval as catalogued; its width follows each department's habit and is no measured uncertainty.",
    "is_public_domain is a statement about rights and says nothing about age.",
    "has_known_image is true only where a source shows an image; missing means that no source says.",
    "A score orders records of one ranking; it is no fact and cannot be compared between rankings.",
    "Image vectors do not record the checkpoint revision and preprocessing that made them.",
];

impl From<Capabilities<'_>> for Described {
    fn from(found: Capabilities<'_>) -> Self {
        let manifest = found.manifest;
        Self {
            message: format!(
                "Snapshot {} holds {} records, {} with an image vector.",
                manifest.snapshot, manifest.counts.records, found.vector_count
            ),
            tools: vec![
                "collection_capabilities",
                "collection_facets",
                "collection_select",
                "collection_rank",
                "collection_objects",
                "collection_evidence",
            ],
            predicate: predicate_use(&found),
            ranking: RankingUse {
                supported: found.supported.iter().map(Combination::from).collect(),
                unavailable: found
                    .unavailable
                    .iter()
                    .map(UnavailableCombination::from)
                    .collect(),
                methods: found.ranking_rules.clone(),
            },
            relations: Vec::new(),
            relations_unavailable: found
                .relations_unavailable
                .iter()
                .map(|relation| Relation {
                    relation: relation.what,
                    reason: relation.reason,
                })
                .collect(),
            limits: Limits::from(found.limits),
            coverage: manifest
                .coverage
                .iter()
                .map(|(field, states)| {
                    let coverage = Coverage {
                        present: states.present,
                        missing: states.missing,
                        invalid: states.invalid,
                        conflict: states.conflict,
                    };
                    (field.clone(), coverage)
                })
                .collect(),
            source_coverage: SourceCoverage {
                records: manifest.counts.records,
                csv_records: manifest.counts.csv_records,
                csv_sha256: manifest.inputs.csv.sha256.clone(),
                csv_published: manifest.inputs.csv.upstream_date.clone(),
                api_captures: manifest.counts.api_captures,
                vectors: found.vector_count,
                licences: manifest
                    .licences
                    .iter()
                    .map(|terms| Licence {
                        of: terms.of.clone(),
                        licence: terms.licence.clone(),
                        attribution: terms.attribution.clone(),
                    })
                    .collect(),
            },
            cautions: CAUTIONS.to_vec(),
        }
    }
}

fn predicate_use(found: &Capabilities<'_>) -> PredicateUse {
    let field = |field: &periplus_collection::FieldUse| Field {
        name: field.name,
        kind: field.kind.name(),
        operators: field.operators.clone(),
        facetable: field.facetable,
    };
    PredicateUse {
        fields: found.fields.iter().map(field).collect(),
        operators: BTreeMap::from([
            (
                "eq",
                "one string or boolean; equal to a recorded value, case and punctuation included",
            ),
            ("one_of", "1 to 50 strings; equal to one of them"),
            (
                "contains_normalized",
                "a string; found in a recorded value regardless of case, accents and spacing",
            ),
            (
                "overlaps",
                "{begin, end} years, inclusive; shares a year with the recorded interval",
            ),
            (
                "contained_within",
                "{begin, end} years, inclusive; the recorded interval lies wholly inside",
            ),
            ("is_missing", "no value; nothing is recorded in the field"),
        ]),
        limits: found.predicate_limits.clone(),
        data_quality_flags: found.manifest.data_quality_flags.clone(),
    }
}

impl From<&Triple> for Combination {
    fn from(triple: &Triple) -> Self {
        Self {
            anchor: triple.anchor.name(),
            axis: triple.axis.name(),
            method: triple.method.name(),
        }
    }
}

impl From<&Unavailable<Triple>> for UnavailableCombination {
    fn from(unavailable: &Unavailable<Triple>) -> Self {
        let Combination { anchor, axis, method } = Combination::from(&unavailable.what);
        Self {
            anchor,
            axis,
            method,
            reason: unavailable.reason,
        }
    }
}

impl From<periplus_collection::Limits> for Limits {
    fn from(limits: periplus_collection::Limits) -> Self {
        Self {
            default_page_size: limits.default_page_size,
            max_page_size: limits.max_page_size,
            max_token_characters: limits.max_token_length,
            max_prefix_characters: limits.max_prefix,
            max_topic_characters: limits.max_topic,
            default_max_candidates: limits.default_max_candidates,
            max_candidates: limits.max_candidates,
            max_object_ids: limits.max_object_ids,
            max_evidence_ids: limits.max_evidence_ids,
            max_evidence_id_characters: limits.max_evidence_id,
            cached_selections: limits.cached_selections,
        }
    }
}
