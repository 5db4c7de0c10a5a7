//! Where collections come from: a STAC API, or the embedded recording.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use serde_json::Value;
use url::Url;

use crate::{
    Endpoint,
    cache::Cached,
    collection::{Collection, searched_text},
    upstream::{Upstream, UpstreamError, within},
};

/// Collections of one catalogue that are read; a longer list is cut and said to be.
const MAX_COLLECTIONS: usize = 5_000;
/// Pages of the list that are read.
const MAX_PAGES: usize = 20;
/// The whole list; that of Planetary Computer has some three million bytes.
const MAX_LIST_BYTES: usize = 32 << 20;
const MAX_PAGE_BYTES: usize = 16 << 20;
const MAX_COLLECTION_BYTES: usize = 4 << 20;

/// Catalogues gain collections rarely.
const KEEP: Duration = Duration::from_secs(600);
const KEEP_FAILURE: Duration = Duration::from_secs(3);

/// What can be searched and shown.
#[derive(Debug)]
pub(crate) enum Catalogue {
    Recorded(Listing),
    Live(Box<Live>),
}

/// A STAC API, with its list of collections.
#[derive(Debug)]
pub(crate) struct Live {
    upstream: Upstream,
    patience: Duration,
    listing: Cached<Listing, UpstreamError>,
}

/// The collections of a catalogue, in its order.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    entries: Vec<Entry>,
    /// Whether the catalogue has more than was read.
    pub(crate) is_cut: bool,
}

#[derive(Debug)]
struct Entry {
    collection: Collection,
    searched: String,
}

/// What a search found.
#[derive(Debug)]
pub(crate) struct Matches {
    /// The first of them.
    pub(crate) collections: Vec<Collection>,
    /// How many there are.
    pub(crate) total: usize,
    /// Whether the catalogue has collections that were not searched.
    pub(crate) is_cut: bool,
}

impl Catalogue {
    pub(crate) fn new(root: Option<Endpoint>, patience: Duration) -> Self {
        match root {
            Some(root) => Self::Live(Box::new(Live {
                upstream: Upstream::new(root),
                patience,
                listing: Cached::new(KEEP, KEEP_FAILURE),
            })),
            None => Self::Recorded(recording()),
        }
    }

    /// A sentence for answers that do not come from a live catalogue; empty for those that do.
    pub(crate) fn note(&self) -> String {
        match self {
            Self::Recorded(_) => format!(
                " No live catalogue is configured: this is from the embedded recording of {RECORDED_ON}, \
                 which has a few well-known collections only."
            ),
            Self::Live(_) => String::new(),
        }
    }

    /// The collections in which every term occurs, in the catalogue's order, at most `limit` of them.
    pub(crate) async fn search(&self, query: &str, limit: usize) -> Result<Matches, UpstreamError> {
        match self {
            Self::Recorded(listing) => Ok(listing.search(query, limit)),
            Self::Live(live) => Ok(live.listing().await?.search(query, limit)),
        }
    }

    /// The collection of that id, if the catalogue has it; the id is one path segment.
    pub(crate) async fn collection(&self, id: &str) -> Result<Option<Collection>, UpstreamError> {
        match self {
            Self::Recorded(listing) => Ok(listing.find(id)),
            Self::Live(live) => live.collection(id).await,
        }
    }
}

impl Live {
    async fn listing(&self) -> Result<Arc<Listing>, UpstreamError> {
        self.listing
            .get(|| within(self.patience, self.fetch_listing()))
            .await
    }

    async fn fetch_listing(&self) -> Result<Listing, UpstreamError> {
        let mut listing = Listing::default();
        let mut seen = BTreeSet::new();
        let mut next = Some(self.upstream.base().at(&["collections"]));
        let mut left = MAX_LIST_BYTES;
        while let Some(url) = next {
            if seen.len() == MAX_PAGES || left == 0 || listing.entries.len() >= MAX_COLLECTIONS {
                listing.is_cut = true;
                break;
            }
            let (page, bytes) = self.upstream.get(url.clone(), MAX_PAGE_BYTES.min(left)).await?;
            left -= bytes;
            listing.add(&page)?;
            next = self.next_page(&url, &page);
            seen.insert(url);
            // A catalogue that leads in a circle has no more to say.
            next = next.filter(|url| !seen.contains(url));
        }
        Ok(listing)
    }

    /// The address of the next page, if the page names one on the same host.
    fn next_page(&self, url: &Url, page: &Value) -> Option<Url> {
        let links = page["links"].as_array()?;
        let link = links.iter().find(|link| link["rel"] == "next")?;
        let next = url.join(link["href"].as_str()?).ok()?;
        self.upstream.base().serves(&next).then_some(next)
    }

    async fn collection(&self, id: &str) -> Result<Option<Collection>, UpstreamError> {
        let url = self.upstream.base().at(&["collections", id]);
        match within(self.patience, self.upstream.get(url, MAX_COLLECTION_BYTES)).await {
            Ok((value, _)) => Collection::read(&value)
                .map(Some)
                .ok_or_else(|| UpstreamError::Malformed("a collection without an id".to_owned())),
            Err(UpstreamError::Status(status)) if status.as_u16() == 404 => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Listing {
    /// Adds the collections of one page; those without a usable id are passed over.
    fn add(&mut self, page: &Value) -> Result<(), UpstreamError> {
        let collections = page["collections"]
            .as_array()
            .ok_or_else(|| UpstreamError::Malformed("no list of collections".to_owned()))?;
        for value in collections {
            if self.entries.len() == MAX_COLLECTIONS {
                self.is_cut = true;
                break;
            }
            let Some(collection) = Collection::read(value) else {
                continue;
            };
            let searched = searched_text(value);
            self.entries.push(Entry { collection, searched });
        }
        Ok(())
    }

    fn search(&self, query: &str, limit: usize) -> Matches {
        let query = query.to_lowercase();
        let terms: Vec<&str> = query.split_whitespace().collect();
        let matching = |entry: &&Entry| terms.iter().all(|term| entry.searched.contains(term));
        let found = self.entries.iter().filter(matching);
        Matches {
            total: found.clone().count(),
            collections: found.take(limit).map(|entry| entry.collection.clone()).collect(),
            is_cut: self.is_cut,
        }
    }

    fn find(&self, id: &str) -> Option<Collection> {
        let entry = self.entries.iter().find(|entry| entry.collection.id == id)?;
        Some(entry.collection.clone())
    }
}

/// When the recording was made.
const RECORDED_ON: &str = "2026-11-30";

/// A few public collections, in the shape of `GET /collections`.
fn recording() -> Listing {
    let page: Value =
        serde_json::from_str(include_str!("recording.json")).expect("the embedded recording is JSON");
    let mut listing = Listing::default();
    listing
        .add(&page)
        .expect("the embedded recording has a list of collections");
    listing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recording_is_complete_and_dated() {
        let page: Value = serde_json::from_str(include_str!("recording.json")).unwrap();
        assert_eq!(page["recording"]["date"], RECORDED_ON);
        let written = page["collections"].as_array().unwrap().len();
        let listing = recording();
        assert_eq!(listing.entries.len(), written);
        let ids: BTreeSet<&str> = listing
            .entries
            .iter()
            .map(|entry| entry.collection.id.as_str())
            .collect();
        assert_eq!(ids.len(), written);
        for Entry { collection, .. } in &listing.entries {
            assert!(collection.bbox.is_some(), "{}", collection.id);
            assert_ne!(collection.title, collection.id);
            assert!(!collection.description.is_empty(), "{}", collection.id);
        }
    }

    #[test]
    fn every_term_must_occur_somewhere_in_any_case() {
        let listing = recording();
        let ids = |query: &str| -> Vec<String> {
            let found = listing.search(query, 50);
            found
                .collections
                .into_iter()
                .map(|collection| collection.id)
                .collect()
        };
        assert_eq!(ids("SENTINEL radar"), ["sentinel-1-grd"]);
        assert_eq!(ids("sentinel no-such-word"), Vec::<String>::new());
        assert_eq!(ids(" ").len(), listing.entries.len());
    }

    #[test]
    fn a_list_that_is_too_long_is_cut_and_says_so() {
        let collections: Vec<Value> = (0..=MAX_COLLECTIONS)
            .map(|number| serde_json::json!({ "id": format!("c{number}") }))
            .collect();
        let mut listing = Listing::default();
        listing
            .add(&serde_json::json!({ "collections": collections }))
            .unwrap();
        let found = listing.search("", 1);
        assert_eq!((found.total, found.is_cut), (MAX_COLLECTIONS, true));
    }
}
