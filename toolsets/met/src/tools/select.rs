//! `collection_select`: a predicate in, a receipt for exactly the records it selects out.

use periplus_collection::{Policies, SelectPage, SelectRequest};
use periplus_toolset::{Refusal, prelude::*};
use serde::Serialize;
use serde_json::Value;

use crate::{
    error,
    service::query,
    wire::{Answer, AppliedPolicies, Head, Nullable, policies_schema, predicate_schema},
};

/// A selection and one page of it.
#[derive(Debug, ToolResult)]
#[tool(rename_all = "camelCase")]
pub(crate) struct Selected {
    /// How many records the selection has, in one sentence.
    message: String,
    /// Receipt of the whole selection, not of this page; pass it on unchanged.
    selection: String,
    /// The predicate as it was understood.
    normalized_predicate: JsonObject,
    /// The policies that were applied.
    policies: AppliedPolicies,
    /// Numbers of records after evaluating the whole predicate; they need not add up to the universe.
    counts: Counts,
    /// Object ids of this page, ascending.
    object_ids: Vec<u64>,
    /// Continues after this page, with the same arguments; null on the last.
    next_cursor: Nullable<String>,
}

/// Numbers of records.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Counts {
    /// Records in the snapshot.
    universe_count: usize,
    /// Records selected, policies applied.
    eligible_count: usize,
    /// Records that could not be judged because something is not recorded.
    unknown_count: usize,
    /// Records that could not be judged because sources disagree.
    conflicting_count: usize,
    /// Ids on this page.
    returned_count: usize,
    /// Whether more pages follow.
    truncated: bool,
}

/// Select records by conditions on recorded fields, and get a receipt for ranking, facets and further pages.
///
/// A condition is {"field", "op", "value"}; combine conditions with {"all": [...]}, {"any": [...]} and {"not": {...}}.
/// `eq` and `one_of` compare recorded values exactly, so take them from collection_facets; `contains_normalized` finds a
/// text regardless of case and accents; dates take {"begin", "end"} years, negative before the common era.
/// A record without a value is unknown, not false, and stays out unless a policy includes it; use `is_missing` to find it.
#[tool(
    title = "Select records",
    read_only,
    idempotent,
    closed_world,
    rename_all = "camelCase",
    timeout = "12s",
    concurrency = "query"
)]
pub(crate) async fn collection_select(
    /// The condition that records have to meet.
    #[tool(schema = predicate_schema(), unchecked)]
    predicate: Value,
    /// What happens with records the predicate cannot judge; both kinds stay out unless included here.
    #[tool(schema = policies_schema(), unchecked)]
    policies: Option<Value>,
    /// Ids on a page.
    #[tool(default = 25, range(1..=100))]
    page_size: usize,
    /// The `nextCursor` of the page before.
    #[tool(max_length(8192))]
    cursor: Option<String>,
    cx: &Context,
) -> Result<Answer<Selected>, Refusal> {
    let policies = policies.map(policies_of).transpose()?.unwrap_or_default();
    query(cx, move |collection, budget| {
        let request = SelectRequest {
            predicate: &predicate,
            policies,
            page_size,
            cursor: cursor.as_deref(),
        };
        let page = collection.select(&request, budget)?;
        Ok(Answer(Head::of(collection), Selected::from(page)))
    })
    .await
}

fn policies_of(value: Value) -> Result<Policies, Refusal> {
    if value.is_null() {
        return Ok(Policies::default());
    }
    serde_json::from_value(value).map_err(|problem| {
        error::invalid_argument(
            "policies",
            &format!(
                "is no pair of policies ({problem}); `unknown` and `conflict` are each `exclude` or `include`"
            ),
        )
    })
}

impl From<SelectPage> for Selected {
    fn from(page: SelectPage) -> Self {
        let counts = page.counts;
        Self {
            message: message(&page),
            selection: page.receipt,
            normalized_predicate: match page.predicate {
                Value::Object(predicate) => predicate,
                _ => JsonObject::new(),
            },
            policies: page.policies.into(),
            counts: Counts {
                universe_count: counts.universe,
                eligible_count: counts.eligible,
                unknown_count: counts.unknown,
                conflicting_count: counts.conflicting,
                returned_count: counts.returned,
                truncated: counts.truncated,
            },
            object_ids: page.object_ids,
            next_cursor: page.next_cursor.into(),
        }
    }
}

fn message(page: &SelectPage) -> String {
    let counts = page.counts;
    let mut message = format!("{} of {} records are selected", counts.eligible, counts.universe);
    if counts.unknown > 0 {
        message += &format!(
            "; {} could not be judged because a value is not recorded",
            counts.unknown
        );
    }
    if counts.conflicting > 0 {
        message += &format!(
            "; {} could not be judged because sources disagree",
            counts.conflicting
        );
    }
    message + "."
}
