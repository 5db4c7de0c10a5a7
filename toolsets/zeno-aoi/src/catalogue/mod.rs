//! Where areas come from: one trait, three catalogues.

pub mod embedded;
mod error;
pub mod page;
pub mod postgis;
pub mod recorded;

use std::fmt::Debug;

use async_trait::async_trait;

pub use self::{error::CatalogueError, page::Page};
use crate::{Area, Shape, Source, Subtype, place::Place};

/// The most candidates that one search returns.
pub const MAX_CANDIDATES: usize = 10;

/// The least likeness of a candidate, as `pg_trgm.similarity_threshold`.
pub const MIN_SIMILARITY: f64 = 0.2;

/// Something that areas can be looked up in.
#[async_trait]
pub trait AreaCatalogue: Debug + Send + Sync {
    /// What records call it, such as `natural-earth`.
    fn name(&self) -> &'static str;

    /// A sentence about what it does not hold, for messages about something that was not found; empty if there is
    /// nothing to say.
    fn note(&self) -> &'static str {
        ""
    }

    /// The sources it holds.
    ///
    /// # Errors
    /// The catalogue cannot be asked.
    async fn sources(&self) -> Result<Vec<Source>, CatalogueError>;

    /// Areas whose name is like that of the place, best first; [`Page::CANDIDATES`] is where one is chosen from.
    ///
    /// Only the wanted sources are searched; without any named, all of them.
    ///
    /// # Errors
    /// The catalogue cannot be asked.
    async fn search(
        &self,
        place: &Place,
        sources: &[Source],
        page: Page,
    ) -> Result<Vec<Candidate>, CatalogueError>;

    /// Areas by name, of the wanted sources; without any named, of all.
    ///
    /// # Errors
    /// The catalogue cannot be asked.
    async fn browse(&self, sources: &[Source], page: Page) -> Result<Vec<Area>, CatalogueError>;

    /// Areas of a kind within another area, by name.
    ///
    /// # Errors
    /// The catalogue cannot be asked.
    async fn within(&self, parent: &Area, subtype: Subtype) -> Result<Vec<Area>, CatalogueError>;

    /// All countries with a standard id, by name.
    ///
    /// # Errors
    /// The catalogue cannot be asked.
    async fn countries(&self) -> Result<Vec<Area>, CatalogueError>;

    /// An area with its shape; a GADM id may lack its revision mark.
    ///
    /// # Errors
    /// The catalogue cannot be asked.
    async fn shape(&self, source: Source, id: &str) -> Result<Option<(Area, Shape)>, CatalogueError>;
}

/// An area that a place may mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The area.
    pub area: Area,
    /// Likeness of what was asked to the best of its names, 0 to 1.
    pub similarity: f64,
    /// How its name and the asked one compare.
    pub likeness: Likeness,
}

/// How an area's name and the asked one compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// They have letters in common.
    Near,
    /// A variant or a name in another language is the asked one.
    Variant,
    /// The area's own name is the asked one.
    Own,
}

/// Orders candidates: best likeness first, then as listed by the database.
pub(crate) fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|one, two| {
        two.similarity
            .total_cmp(&one.similarity)
            .then_with(|| two.likeness.cmp(&one.likeness))
            .then_with(|| one.area.subtype.cmp(&two.area.subtype))
            .then_with(|| {
                two.area
                    .area_km2
                    .unwrap_or(0.0)
                    .total_cmp(&one.area.area_km2.unwrap_or(0.0))
            })
            .then_with(|| one.area.name.cmp(&two.area.name))
            .then_with(|| (one.area.source, &one.area.id).cmp(&(two.area.source, &two.area.id)))
    });
}

/// Orders areas as they are listed.
pub(crate) fn sort_by_name(areas: &mut [Area]) {
    areas.sort_by(|one, two| (&one.name, one.source, &one.id).cmp(&(&two.name, two.source, &two.id)));
}

/// Whether a search in these sources means a held one: administrative units without a GADM id are still administrative,
/// and no source named means every one.
pub(crate) fn serves(wanted: &[Source], held: Source) -> bool {
    wanted.is_empty()
        || wanted
            .iter()
            .any(|source| *source == held || (source.is_administrative() && held.is_administrative()))
}
