//! `collection_evidence`: what one source says about one object, word for word.

use periplus_collection as collection;
use periplus_toolset::{Refusal, prelude::*};
use serde::Serialize;

use crate::{
    service::query,
    wire::{Answer, Head, count},
};

/// A batch of evidence.
#[derive(Debug, ToolResult)]
#[tool(rename_all = "camelCase")]
pub(crate) struct EvidenceFound {
    /// How many of the ids were found, in one sentence.
    message: String,
    /// The evidence that exists, in the order asked for.
    evidence: Vec<Evidence>,
    /// Ids without evidence in this snapshot.
    missing_evidence_ids: Vec<String>,
}

/// What one source says about one object.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Evidence {
    /// The id it was asked for by.
    evidence_id: String,
    /// `source_record`, or `derived_vector`, which is no evidence about rights in an image.
    category: &'static str,
    /// The object it is about.
    object_id: u64,
    /// The source: `csv`, `api` or `siglip2`.
    source: &'static str,
    /// When it was captured; null for sources without a date of their own.
    retrieved_at: Option<String>,
    /// Date of the published version it stands in; null where that is not known.
    snapshot_date: Option<String>,
    /// Field and value as the source has them, without empty ones.
    statements: Vec<Statement>,
    /// How a derived value came to be; null for source records.
    derivation: Option<Derivation>,
}

/// A recorded field.
#[derive(Debug, Serialize, JsonSchema)]
struct Statement {
    /// The source's own name of it.
    field: String,
    /// The value, unchanged.
    value: String,
}

/// Where a vector comes from; what is not recorded is null.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Derivation {
    /// The model, as published or as asserted at import.
    model: Option<String>,
    /// Components of the vector.
    dimension: usize,
    /// How it was scaled.
    normalization: &'static str,
    /// SHA-256 of the published file.
    shard_sha256: String,
    /// Row in that file, from 0.
    row_index: u64,
    /// Length before it was scaled.
    original_norm: f64,
    /// Revision of the model that encoded the image: not recorded.
    image_checkpoint_revision: Option<String>,
    /// How the image was prepared: not recorded.
    preprocessing: Option<String>,
}

/// Resolve evidence ids to what the source says: every recorded field and value, with dates, or how a vector was derived.
///
/// Ids come from other calls, such as object:436535:csv; ids without evidence are listed, which is no error.
#[tool(
    title = "Read evidence",
    read_only,
    idempotent,
    closed_world,
    rename_all = "camelCase",
    timeout = "12s"
)]
pub(crate) async fn collection_evidence(
    /// Evidence ids as other calls returned them: 1 to 100, each once.
    #[tool(min_items(1), max_items(100))]
    evidence_ids: Vec<String>,
    cx: &Context,
) -> Result<Answer<EvidenceFound>, Refusal> {
    query(cx, move |collection, budget| {
        let page = collection.evidence(&evidence_ids, budget)?;
        Ok(Answer(Head::of(collection), EvidenceFound::from(page)))
    })
    .await
}

impl From<collection::EvidencePage> for EvidenceFound {
    fn from(page: collection::EvidencePage) -> Self {
        let mut message = format!("{} of evidence found", count(page.evidence.len(), "piece"));
        if !page.missing.is_empty() {
            message += &format!(
                "; {} without evidence in this snapshot",
                count(page.missing.len(), "id")
            );
        }
        Self {
            message: message + ".",
            evidence: page.evidence.into_iter().map(Evidence::from).collect(),
            missing_evidence_ids: page.missing,
        }
    }
}

impl From<collection::Evidence> for Evidence {
    fn from(found: collection::Evidence) -> Self {
        Self {
            evidence_id: found.id,
            category: found.category.name(),
            object_id: found.object_id,
            source: found.source,
            retrieved_at: found.retrieved_at,
            snapshot_date: found.snapshot_date,
            statements: found
                .statements
                .into_iter()
                .map(|(field, value)| Statement { field, value })
                .collect(),
            derivation: found.derivation.map(|derivation| Derivation {
                model: derivation.model,
                dimension: derivation.dimension,
                normalization: "l2",
                shard_sha256: derivation.shard_sha256,
                row_index: derivation.row_index,
                original_norm: derivation.original_norm,
                image_checkpoint_revision: None,
                preprocessing: None,
            }),
        }
    }
}
