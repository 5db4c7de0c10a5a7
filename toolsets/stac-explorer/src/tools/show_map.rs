//! `show_map`: one collection on a map.

use periplus_toolset::prelude::*;

use super::upstream_error;
use crate::{Explorer, collection::Collection, endpoint::is_segment};

/// A collection to be drawn.
#[derive(Debug, ToolResult)]
pub(crate) struct Shown {
    /// What the map shows: a data layer, or the extent alone.
    message: String,
    /// The collection.
    collection: Collection,
    /// Address of map tiles with the placeholders `{z}`, `{x}` and `{y}`; absent when there is no data layer.
    tile_url: Option<String>,
}

/// Show a collection on a map: its data where the tiler has a layer for it, else its extent.
#[tool(title = "Show a collection on a map", read_only, idempotent, open_world)]
pub(crate) async fn show_map(
    /// Id of the collection, as search_collections returned it.
    #[tool(max_length(200))]
    collection_id: String,
    cx: &Context,
) -> Result<Shown, ToolError> {
    let explorer: &Explorer = cx.state().expect("the toolset is built with an explorer");
    let id = collection_id.trim();
    if !is_segment(id) {
        return Err(ToolError::invalid_argument(
            "/collection_id",
            "is no collection id; take one from search_collections",
        ));
    }
    let collection = explorer
        .catalogue
        .collection(id)
        .await
        .map_err(|error| upstream_error(&error))?
        .ok_or_else(|| not_found(id, &explorer.catalogue.note()))?;
    let tile_url = match &explorer.tiler {
        Some(tiler) => tiler.layer(&collection.id).await,
        None => None,
    };
    let what = match (&tile_url, collection.bbox) {
        (Some(_), _) => "with a live data layer",
        (None, Some(_)) => "showing its extent; there is no data layer",
        (None, None) => "without a data layer; the catalogue gives no extent either",
    };
    let Collection { id, title, .. } = &collection;
    Ok(Shown {
        message: format!("{title} ({id}) on the map, {what}.{}", explorer.catalogue.note()),
        collection,
        tile_url,
    })
}

fn not_found(id: &str, note: &str) -> ToolError {
    ToolError::new(
        "not_found",
        format!("The catalogue has no collection {id:?}; find ids with search_collections.{note}"),
    )
}
