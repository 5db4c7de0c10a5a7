//! `search_collections`: finds collections by words.

use periplus_toolset::prelude::*;

use super::upstream_error;
use crate::{Explorer, catalogue::Matches, collection::Collection};

/// Collections that match a query.
#[derive(Debug, ToolResult)]
pub(crate) struct Found {
    /// How many match, and where they come from if not from a live catalogue.
    message: String,
    /// Matching collections, in the catalogue's order; empty if nothing matches.
    collections: Vec<Collection>,
}

/// Search the earth observation collections of a STAC catalogue by words.
#[tool(title = "Search collections", read_only, idempotent, open_world)]
pub(crate) async fn search_collections(
    /// Words that must all occur in id, title, description or keywords, such as `land cover`; empty for every collection.
    #[tool(max_length(200))]
    query: String,
    /// At most this many results.
    #[tool(default = 8, range(1..=50))]
    limit: u32,
    cx: &Context,
) -> Result<Found, ToolError> {
    let explorer: &Explorer = cx.state().expect("the toolset is built with an explorer");
    let matches = explorer
        .catalogue
        .search(&query, limit as usize)
        .await
        .map_err(|error| upstream_error(&error))?;
    Ok(Found {
        message: format!(
            "{}{}",
            sentence(query.trim(), &matches),
            explorer.catalogue.note()
        ),
        collections: matches.collections,
    })
}

fn sentence(query: &str, matches: &Matches) -> String {
    let (shown, total) = (matches.collections.len(), matches.total);
    let what = match query {
        "" => " in the catalogue".to_owned(),
        _ => format!(" matched {query:?}"),
    };
    let mut text = match total {
        0 => format!("No collections{what}; try fewer or more general words."),
        1 => format!("1 collection{what}."),
        _ if shown < total => format!("{total} collections{what}; these are the first {shown}."),
        _ => format!("{total} collections{what}."),
    };
    if matches.is_cut {
        text.push_str(" The catalogue has more collections than were searched.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_tells_what_was_left_out() {
        let said = |query: &str, shown: usize, total: usize, is_cut: bool| {
            let collections = (0..shown).filter_map(|n| Collection::read(&json!({ "id": n.to_string() })));
            let matches = Matches {
                collections: collections.collect(),
                total,
                is_cut,
            };
            sentence(query, &matches)
        };
        for (text, expected) in [
            (said("fire", 1, 1, false), "1 collection matched \"fire\"."),
            (
                said("land", 2, 5, false),
                "5 collections matched \"land\"; these are the first 2.",
            ),
            (said("", 3, 3, false), "3 collections in the catalogue."),
            (
                said("fire", 0, 0, true),
                "No collections matched \"fire\"; try fewer or more general words. \
                 The catalogue has more collections than were searched.",
            ),
        ] {
            assert_eq!(text, expected);
        }
    }
}
