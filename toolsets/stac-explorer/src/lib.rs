//! Search the collections of a STAC catalogue and show one on a map.
//!
//! The catalogue is any STAC API; a tiler that speaks the mosaic routes of Planetary Computer's adds a data layer.
//! Without a configured catalogue a small embedded recording answers, and says so.

mod cache;
mod catalogue;
mod collection;
mod endpoint;
mod tiler;
mod tools;
mod upstream;

use std::time::Duration;

use periplus_toolset::{Toolset, View, ViewSecurity, json};

pub use self::endpoint::{Endpoint, EndpointError};
use self::{catalogue::Catalogue, tiler::Tiler};

/// What an operator decides about the toolset.
#[derive(Debug, Clone)]
pub struct Config {
    /// Root of the STAC API; without one the embedded recording answers.
    pub root: Option<Endpoint>,
    /// Root of the tiler; without one a map shows the extent only.
    pub tiler: Option<Endpoint>,
    /// Longest wait for the catalogue; the tile layer gets ten seconds of it at most.
    pub patience: Duration,
}

impl Default for Config {
    /// No catalogue, no tiler, 25 seconds.
    fn default() -> Self {
        Self {
            root: None,
            tiler: None,
            patience: Duration::from_secs(25),
        }
    }
}

/// What the tools share.
#[derive(Debug)]
struct Explorer {
    catalogue: Catalogue,
    tiler: Option<Tiler>,
}

/// The toolset `stac-explorer`; nothing is fetched before the first call.
#[must_use]
pub fn toolset(config: Config) -> Toolset {
    let (picker, map) = views(&config);
    let explorer = Explorer {
        catalogue: Catalogue::new(config.root, config.patience),
        tiler: config.tiler.map(|base| Tiler::new(base, config.patience)),
    };
    Toolset::new("stac-explorer")
        .title("STAC explorer")
        .version(env!("CARGO_PKG_VERSION"))
        .instructions(INSTRUCTIONS)
        .tool(tools::search_collections)
        .tool(tools::show_map)
        .view("search_collections", picker)
        .view("show_map", map)
        .example(
            "search_collections",
            json!({ "question": "Which collections are about {topic}?", "arguments": { "query": "{topic}" } }),
        )
        .example(
            "show_map",
            json!({
                "question": "Show the collection {collection} on a map.",
                "arguments": { "collection_id": "{collection}" },
            }),
        )
        .state(explorer)
}

const INSTRUCTIONS: &str = "Find earth observation collections with search_collections, then show one of them with \
show_map and its id. Take ids from a search, never from memory.";

/// Base map of the map view.
const BASE_TILES: &str = "https://tile.openstreetmap.org";

/// Where the public catalogue of Planetary Computer keeps its thumbnails.
const THUMBNAILS: &str = "https://ai4edatasetspublicassets.blob.core.windows.net";

/// The picker and the map, each allowed the origins it has images from and no other.
fn views(config: &Config) -> (View, View) {
    let root = config.root.as_ref().map(Endpoint::origin);
    let tiler = config.tiler.as_ref().map(Endpoint::origin);
    let images = |more: Vec<String>| {
        let mut origins: Vec<String> = [THUMBNAILS.to_owned()]
            .into_iter()
            .chain(root.clone())
            .chain(tiler.clone())
            .chain(more)
            .collect();
        origins.sort();
        origins.dedup();
        ViewSecurity {
            resource_domains: origins,
            ..ViewSecurity::default()
        }
    };
    let picker = View::embedded("collection-picker", include_str!("views/collection-picker.html"));
    let map = View::embedded("map", include_str!("views/map.html"));
    (
        picker.security(images(Vec::new())),
        map.security(images(vec![BASE_TILES.to_owned()])),
    )
}
