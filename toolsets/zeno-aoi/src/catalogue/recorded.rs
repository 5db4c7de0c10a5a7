//! A catalogue of recorded rows, for tests: what a database answered once.

use std::collections::HashMap;

use async_trait::async_trait;

use super::{AreaCatalogue, Candidate, CatalogueError, Likeness, Page};
use crate::{Area, Shape, Source, Subtype, area::without_revision, fold, place::Place, trigram::similarity};

/// Recorded rows by what was asked. Asking something else is an error, so that a test cannot pass by finding nothing.
#[derive(Debug, Default)]
pub struct Recorded {
    searches: HashMap<String, Vec<Area>>,
    units: HashMap<(String, Subtype), Vec<Area>>,
}

impl Recorded {
    /// Records the rows of a search, best first.
    pub fn search(&mut self, name: &str, rows: Vec<Area>) {
        self.searches.insert(name.to_owned(), rows);
    }

    /// Records the units of a subtype within an area; its id may lack its revision mark.
    pub fn units(&mut self, parent: &str, subtype: Subtype, rows: Vec<Area>) {
        let key = (without_revision(parent).to_owned(), subtype);
        self.units.insert(key, rows);
    }

    fn all(&self) -> impl Iterator<Item = &Area> {
        self.searches.values().chain(self.units.values()).flatten()
    }
}

#[async_trait]
impl AreaCatalogue for Recorded {
    fn name(&self) -> &'static str {
        "recorded"
    }

    async fn sources(&self) -> Result<Vec<Source>, CatalogueError> {
        Ok(vec![Source::Gadm, Source::Kba, Source::Wdpa, Source::Landmark])
    }

    async fn search(
        &self,
        place: &Place,
        sources: &[Source],
        page: Page,
    ) -> Result<Vec<Candidate>, CatalogueError> {
        let text = place.text();
        let rows = self
            .searches
            .get(&text)
            .ok_or_else(|| CatalogueError::Unrecorded(text.clone()))?;
        let candidates = rows
            .iter()
            .filter(|area| sources.is_empty() || sources.contains(&area.source));
        Ok(page.of(candidates.map(|area| Candidate {
            area: area.clone(),
            similarity: similarity(&text, &area.name),
            likeness: if fold(area.short_name()) == fold(&place.name) {
                Likeness::Own
            } else {
                Likeness::Near
            },
        })))
    }

    async fn browse(&self, sources: &[Source], page: Page) -> Result<Vec<Area>, CatalogueError> {
        let mut areas: Vec<Area> = self
            .all()
            .filter(|area| super::serves(sources, area.source))
            .cloned()
            .collect();
        super::sort_by_name(&mut areas);
        areas.dedup();
        Ok(page.of(areas))
    }

    async fn within(&self, parent: &Area, subtype: Subtype) -> Result<Vec<Area>, CatalogueError> {
        let key = (without_revision(&parent.id).to_owned(), subtype);
        Ok(self.units.get(&key).cloned().unwrap_or_default())
    }

    async fn countries(&self) -> Result<Vec<Area>, CatalogueError> {
        Ok(self
            .all()
            .filter(|area| area.subtype == Subtype::Country)
            .cloned()
            .collect())
    }

    async fn shape(&self, _source: Source, _id: &str) -> Result<Option<(Area, Shape)>, CatalogueError> {
        Ok(None)
    }
}
