//! `collection_facets`: the recorded values of a field, exactly as a predicate needs them.

use periplus_collection::{FacetPage, FacetRequest};
use periplus_toolset::{Refusal, prelude::*};
use serde::Serialize;

use crate::{
    headline::{MAX_HEADLINES, cut},
    service::query,
    wire::{Answer, Head, Nullable, count},
};

/// One page of recorded values.
#[derive(Debug, ToolResult)]
#[tool(rename_all = "camelCase")]
pub(crate) struct Facets {
    /// How many values are listed, in one sentence, and the first of them in a line each.
    message: String,
    /// The field that was asked for.
    field: String,
    /// Values that some record has, ordered by their normalised form, then as recorded.
    values: Vec<FacetValue>,
    /// Values on this page.
    returned_count: usize,
    /// Whether more pages follow.
    truncated: bool,
    /// Continues after this page, with the same arguments; null on the last.
    next_cursor: Nullable<String>,
}

/// A recorded value.
#[derive(Debug, Serialize, JsonSchema)]
struct FacetValue {
    /// Exactly as recorded; pass it to `eq` or `one_of` unchanged.
    value: String,
    /// Records that have it, within the selection if one was given; a record counts once.
    count: usize,
}

/// List the exact recorded values of a field and how many records have each, in the whole snapshot or in a selection.
///
/// Fields: department, object_name, classification, culture, medium, tags, artist_role, geography_country, data_quality.
#[tool(
    title = "List recorded values",
    read_only,
    idempotent,
    closed_world,
    rename_all = "camelCase",
    timeout = "12s",
    concurrency = "query"
)]
pub(crate) async fn collection_facets(
    /// The field whose values to list.
    field: String,
    /// Receipt of a selection to count in; the whole snapshot without one.
    #[tool(max_length(8192))]
    selection: Option<String>,
    /// What the values begin with, regardless of case and accents.
    #[tool(max_length(100))]
    prefix: Option<String>,
    /// Values on a page.
    #[tool(default = 25, range(1..=100))]
    page_size: usize,
    /// The `nextCursor` of the page before.
    #[tool(max_length(8192))]
    cursor: Option<String>,
    cx: &Context,
) -> Result<Answer<Facets>, Refusal> {
    query(cx, move |collection, budget| {
        let request = FacetRequest {
            field: &field,
            selection: selection.as_deref(),
            prefix: prefix.as_deref(),
            page_size,
            cursor: cursor.as_deref(),
        };
        let page = collection.facets(&request, budget)?;
        Ok(Answer(Head::of(collection), Facets::from(page)))
    })
    .await
}

impl From<FacetPage> for Facets {
    fn from(page: FacetPage) -> Self {
        let value = |found: periplus_collection::FacetValue| FacetValue {
            value: found.value,
            count: found.count,
        };
        let values: Vec<FacetValue> = page.values.into_iter().map(value).collect();
        let returned_count = values.len();
        let first: String = values.iter().take(MAX_HEADLINES).map(FacetValue::line).collect();
        let more = if page.truncated {
            "; more follow with the cursor"
        } else {
            ""
        };
        Self {
            message: format!(
                "{} of {}{more}.{first}",
                count(returned_count, "recorded value"),
                page.field
            ),
            field: page.field.to_owned(),
            values,
            returned_count,
            truncated: page.truncated,
            next_cursor: page.next_cursor.into(),
        }
    }
}

impl FacetValue {
    fn line(&self) -> String {
        format!("\n- {}: {}", cut(&self.value), count(self.count, "record"))
    }
}
