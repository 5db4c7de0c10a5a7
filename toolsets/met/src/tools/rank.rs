//! `collection_rank`: orders exactly the selected records, with the reasons for every score.

use periplus_collection::{
    rank::{self, Anchor, DEFAULT_MAX_CANDIDATES, Method, RankPage, RankRequest, Ranked},
    snapshot::StoredObject,
};
use periplus_toolset::{Refusal, prelude::*};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    error,
    headline::{MAX_HEADLINES, headlines},
    service::query,
    wire::{Answer, Axis, Head, MethodName, Nullable, anchor_schema},
};

/// One page of a ranking.
#[derive(Debug, ToolResult)]
#[tool(rename_all = "camelCase")]
pub(crate) struct Ranking {
    /// How many records have a score, in one sentence, and the first of this page in a line each.
    message: String,
    /// The method that scored, with its version.
    ranker_version: String,
    /// The aspect in which records were compared.
    axis: String,
    /// What they were compared with.
    anchor: JsonObject,
    /// Numbers of records.
    counts: Counts,
    /// Records with a score: best first, equal scores by ascending object id.
    results: Vec<Entry>,
    /// Continues after this page, with the same arguments; null on the last.
    next_cursor: Nullable<String>,
    /// The first records without a score, if asked for; further pages repeat the same ones.
    unscored_object_ids: Vec<u64>,
    /// What the scores rest on, and what they do not say.
    provenance: Provenance,
}

/// Numbers of records.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Counts {
    /// Records in the selection; all of them were considered.
    eligible_count: usize,
    /// 1 if the anchor itself was selected and left out.
    excluded_anchor_count: usize,
    /// Records with a score.
    scorable_count: usize,
    /// Records without the data for a score; this is not a score of zero.
    unscored_count: usize,
    /// Records on this page.
    returned_count: usize,
    /// Whether more pages follow.
    truncated: bool,
}

/// A ranked record.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Entry {
    /// The object.
    object_id: u64,
    /// A discovery signal, comparable within this ranking only; rounded to six decimals.
    score: f64,
    /// The parts of the score.
    score_components: Vec<Component>,
    /// What the two records have in common, as recorded and no more.
    why_related: Vec<String>,
    /// Evidence behind the score, for collection_evidence.
    evidence_ids: Vec<String>,
}

/// A part of a score.
#[derive(Debug, Serialize, JsonSchema)]
struct Component {
    /// What was compared.
    component: String,
    /// How alike the two are in it, or how often the term occurs.
    value: f64,
    /// How much it counts.
    weight: f64,
    /// What it adds to the score.
    contribution: f64,
}

/// What scores rest on.
#[derive(Debug, Serialize, JsonSchema)]
struct Provenance {
    /// The method.
    method: String,
    /// What was compared.
    basis: &'static str,
    /// What a score does not say.
    caution: &'static str,
}

/// Rank all records of a selection against an object or a topic, with components, reasons and evidence for every score.
///
/// Supported: topic_text / topic / lexical_bm25_v1; object_id / topic / lexical_bm25_v1; object_id / technique_material /
/// metadata_rule_v1; object_id / context / metadata_rule_v1; object_id / visual / siglip2_cosine_v1 if the snapshot has vectors.
/// The whole selection is ranked or refused: narrow it if it is larger than `maxCandidates`.
#[tool(
    title = "Rank a selection",
    read_only,
    idempotent,
    closed_world,
    rename_all = "camelCase",
    timeout = "12s",
    concurrency = "query"
)]
pub(crate) async fn collection_rank(
    /// Receipt of the selection to rank.
    #[tool(max_length(8192))]
    selection: String,
    /// {"type": "object_id", "objectId": number} or {"type": "topic_text", "topicText": "words"}.
    #[tool(schema = anchor_schema(), unchecked)]
    anchor: Value,
    /// The aspect to compare in.
    axis: Axis,
    /// How to score.
    method: MethodName,
    /// Records on a page.
    #[tool(default = 25, range(1..=100))]
    page_size: usize,
    /// The `nextCursor` of the page before.
    #[tool(max_length(8192))]
    cursor: Option<String>,
    /// Refuse selections larger than this; capabilities name the highest value.
    #[tool(default = DEFAULT_MAX_CANDIDATES, range(1..))]
    max_candidates: usize,
    /// Rank the anchor object too, if it is selected.
    #[tool(default = false)]
    include_anchor: bool,
    /// List the first records without a score.
    #[tool(default = false)]
    include_unscored: bool,
    cx: &Context,
) -> Result<Answer<Ranking>, Refusal> {
    let anchor = anchor_of(anchor)?;
    query(cx, move |collection, budget| {
        let request = RankRequest {
            selection: &selection,
            anchor: &anchor,
            axis: axis.into(),
            method: method.into(),
            page_size,
            cursor: cursor.as_deref(),
            max_candidates,
            include_anchor,
            include_unscored,
        };
        let page = collection.rank(&request, budget)?;
        let best: Vec<u64> = page
            .results
            .iter()
            .take(MAX_HEADLINES)
            .map(|ranked| ranked.object_id)
            .collect();
        let best = if best.is_empty() {
            Vec::new()
        } else {
            collection.objects(&best, budget)?.objects
        };
        Ok(Answer(Head::of(collection), ranking(page, &request, &best)))
    })
    .await
}

/// An anchor on the wire: exactly one of two shapes.
#[derive(Debug, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
enum WireAnchor {
    ObjectId { object_id: u64 },
    TopicText { topic_text: String },
}

fn anchor_of(value: Value) -> Result<Anchor, Refusal> {
    match serde_json::from_value(value) {
        Ok(WireAnchor::ObjectId { object_id }) => Ok(Anchor::Object(object_id)),
        Ok(WireAnchor::TopicText { topic_text }) => Ok(Anchor::Topic(topic_text)),
        Err(problem) => Err(error::invalid_argument(
            "anchor",
            &format!(
                "is no anchor ({problem}); use {{\"type\": \"object_id\", \"objectId\": number}} \
                 or {{\"type\": \"topic_text\", \"topicText\": \"words\"}}"
            ),
        )),
    }
}

fn ranking(page: RankPage, request: &RankRequest<'_>, best: &[StoredObject]) -> Ranking {
    let counts = page.counts;
    let (basis, caution) = meaning(request.method);
    let method = request.method.name().to_owned();
    Ranking {
        message: message(&page) + &headlines(best),
        ranker_version: method.clone(),
        axis: request.axis.name().to_owned(),
        anchor: match request.anchor.to_value() {
            Value::Object(anchor) => anchor,
            _ => JsonObject::new(),
        },
        counts: Counts {
            eligible_count: counts.eligible,
            excluded_anchor_count: counts.excluded_anchor,
            scorable_count: counts.scorable,
            unscored_count: counts.unscored,
            returned_count: counts.returned,
            truncated: counts.truncated,
        },
        results: page.results.into_iter().map(Entry::from).collect(),
        next_cursor: page.next_cursor.into(),
        unscored_object_ids: page.unscored_object_ids,
        provenance: Provenance {
            method,
            basis,
            caution,
        },
    }
}

fn message(page: &RankPage) -> String {
    let counts = page.counts;
    let mut message = format!(
        "{} of {} selected records have a score",
        counts.scorable, counts.eligible
    );
    if counts.unscored > 0 {
        message += &format!(
            "; {} lack the data for one, which is not a score of zero",
            counts.unscored
        );
    }
    if counts.excluded_anchor > 0 {
        message += "; the anchor itself is left out";
    }
    message + "."
}

fn meaning(method: Method) -> (&'static str, &'static str) {
    match method {
        Method::LexicalBm25V1 => (
            "words of the recorded metadata, weighted by field and rarity in the whole snapshot",
            "a score says how well recorded words match, not that an object is relevant",
        ),
        Method::MetadataRuleV1 => (
            "recorded fields compared by fixed rules and weights",
            "recorded coincidence is no evidence of influence, style, workshop or provenance",
        ),
        Method::Siglip2CosineV1 | Method::Siglip2TextCosineV1 => (
            "cosine of published image vectors, whose image checkpoint revision and preprocessing are not recorded",
            "visual similarity is no judgement of style, authorship, culture or history",
        ),
    }
}

impl From<Ranked> for Entry {
    fn from(ranked: Ranked) -> Self {
        let component = |part: rank::Component| Component {
            component: part.component,
            value: rounded(part.value),
            weight: rounded(part.weight),
            contribution: rounded(part.contribution),
        };
        Self {
            object_id: ranked.object_id,
            score: rounded(ranked.score),
            score_components: ranked.components.into_iter().map(component).collect(),
            why_related: ranked.why_related,
            evidence_ids: ranked.evidence_ids,
        }
    }
}

/// Six decimals; the order was decided before rounding.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
