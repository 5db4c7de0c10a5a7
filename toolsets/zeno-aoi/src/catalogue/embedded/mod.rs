//! The catalogue that needs no database: one file, compiled in, opened when it is first asked.

pub(crate) mod file;
mod names;

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

use async_trait::async_trait;
use rstar::{AABB, RTree, primitives::GeomWithData, primitives::Rectangle};

pub(crate) use self::file::Record;
pub use self::file::{FileError, Origin};
use self::{file::CatalogueFile, names::Names};
use super::{AreaCatalogue, Candidate, CatalogueError, Likeness, MIN_SIMILARITY, Page};
use crate::{
    Area, Bounds, Shape, Source, Subtype,
    area::{is_standard_gadm_id, without_revision},
    fold,
    place::Place,
    trigram::Trigrams,
    world_part::WorldPart,
};

/// The shipped file; `periplus aoi import` makes it, data/aoi/README.md describes it.
const SHIPPED: &[u8] = include_bytes!("../../../../../data/aoi/areas.bin");

/// An opened catalogue file with its indexes.
#[derive(Debug)]
pub struct Embedded {
    file: CatalogueFile,
    names: Names,
    boxes: OnceLock<RTree<Boxed>>,
}

/// A box with the position of its area.
type Boxed = GeomWithData<Rectangle<[f64; 2]>, usize>;

impl Embedded {
    /// Opens a file's content.
    ///
    /// # Errors
    /// It is no catalogue file.
    pub fn open(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, FileError> {
        let file = CatalogueFile::read(bytes.into())?;
        let names = Names::of(&file.records);
        Ok(Self {
            file,
            names,
            boxes: OnceLock::new(),
        })
    }

    /// The shipped catalogue; it is opened once and shared.
    #[must_use]
    pub fn shipped() -> Arc<Self> {
        static OPENED: OnceLock<Arc<Embedded>> = OnceLock::new();
        let opened = OPENED.get_or_init(|| {
            let opened = Self::open(SHIPPED).expect("the shipped catalogue was written by the importer");
            Arc::new(opened)
        });
        Arc::clone(opened)
    }

    /// What it was made from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.file.origin
    }

    /// Every area, countries first.
    pub fn areas(&self) -> impl Iterator<Item = Area> + '_ {
        self.file.records.iter().map(Record::area)
    }

    /// Every name of every area, with the position of the area among [`Self::areas`].
    pub fn names(&self) -> impl Iterator<Item = (usize, &str)> {
        let records = self.file.records.iter().enumerate();
        records.flat_map(|(position, record)| {
            let names = record.own_names.iter().chain(&record.other_names);
            names.map(move |name| (position, name.as_str()))
        })
    }

    pub(crate) fn records(&self) -> &[Record] {
        &self.file.records
    }

    /// The shape of the area at a position.
    pub(crate) fn shape_at(&self, position: usize) -> Option<Shape> {
        self.file.shape(position)
    }

    /// Areas that are called exactly this, up to case, accents and punctuation.
    pub(crate) fn named(&self, folded: &str) -> impl Iterator<Item = &Record> {
        self.names
            .named(folded)
            .filter_map(|position| self.file.records.get(position))
    }

    /// The countries in a part of the world.
    pub(crate) fn countries_of(&self, part: &WorldPart) -> impl Iterator<Item = &Record> {
        let countries = self
            .file
            .records
            .iter()
            .filter(|record| record.subtype == Subtype::Country);
        countries.filter(|country| part.has(country.continent.as_deref(), country.region.as_deref()))
    }

    /// Candidates for a place: those under the parents it names first, the likest first among them.
    #[must_use]
    pub fn find(&self, place: &Place, sources: &[Source], page: Page) -> Vec<Candidate> {
        let asked = fold(&place.name);
        let whole = Trigrams::of(&fold(&place.text()));
        let mut found: Vec<(bool, Candidate)> = self
            .names
            .like(&asked)
            .into_iter()
            .filter_map(|hit| {
                let record = self.file.records.get(hit.area)?;
                if !super::serves(sources, record.source) {
                    return None;
                }
                let area = record.area();
                let full = whole.similarity(&Trigrams::of(&fold(&area.name)));
                // The first part counts most, or a long name would lose to noise.
                let similarity = full.max(0.9 * hit.similarity + 0.1 * full);
                let likeness = match (hit.is_exact, hit.is_own) {
                    (true, true) => Likeness::Own,
                    (true, false) => Likeness::Variant,
                    (false, _) => Likeness::Near,
                };
                let is_under = place.admits(&area, self);
                let candidate = Candidate {
                    area,
                    similarity,
                    likeness,
                };
                (candidate.similarity >= MIN_SIMILARITY).then_some((is_under, candidate))
            })
            .collect();
        // Whoever lies where the request says must not be crowded out by namesakes elsewhere.
        let (mut here, mut elsewhere): (Vec<_>, Vec<_>) =
            found.drain(..).partition(|(is_under, _)| *is_under);
        let mut kept = Vec::new();
        for group in [&mut here, &mut elsewhere] {
            let mut group: Vec<Candidate> = group.drain(..).map(|(_, candidate)| candidate).collect();
            super::sort(&mut group);
            kept.extend(group);
        }
        page.of(kept)
    }

    fn position(&self, source: Source, id: &str) -> Option<usize> {
        let id = if source == Source::Gadm {
            without_revision(id)
        } else {
            id
        };
        let mut records = self.file.records.iter();
        records.position(|record| record.source == source && record.id == id)
    }

    /// Positions of the units of a subtype below a unit, along the administrative tree.
    fn below(&self, parent: usize, subtype: Subtype) -> Vec<usize> {
        let records = &self.file.records;
        let lies_in_parent = |mut position: usize| {
            while let Some(next) = records.get(position).and_then(|record| record.parent) {
                if next == parent {
                    return true;
                }
                position = next;
            }
            false
        };
        let units = records.iter().enumerate();
        units
            .filter(|(_, record)| record.subtype == subtype && !record.is_beside)
            .filter(|(position, _)| lies_in_parent(*position))
            .map(|(position, _)| position)
            .collect()
    }

    /// Positions of the units of a subtype that lie in a region by their shape.
    fn inside(&self, region: usize, subtype: Subtype) -> Vec<usize> {
        let (Some(record), Some(shape)) = (self.file.records.get(region), self.file.shape(region)) else {
            return Vec::new();
        };
        let mut found: Vec<usize> = self
            .overlapping(&record.bounds)
            .into_iter()
            .filter(|position| *position != region)
            .filter(|position| {
                let other = self.file.records.get(*position);
                other.is_some_and(|other| {
                    other.subtype == subtype && !other.is_beside && other.iso3 == record.iso3
                })
            })
            .filter(|position| self.file.shape(*position).is_some_and(|unit| shape.holds(&unit)))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Positions of the areas whose box overlaps another.
    fn overlapping(&self, bounds: &Bounds) -> Vec<usize> {
        let tree = self.boxes.get_or_init(|| {
            let boxes = self
                .file
                .records
                .iter()
                .enumerate()
                .flat_map(|(position, record)| {
                    record
                        .bounds
                        .parts()
                        .map(move |part| Boxed::new(Rectangle::from_aabb(envelope(&part)), position))
                });
            RTree::bulk_load(boxes.collect())
        });
        bounds
            .parts()
            .flat_map(|part| {
                tree.locate_in_envelope_intersecting(&envelope(&part))
                    .map(|found| found.data)
            })
            .collect()
    }

    fn sorted(&self, positions: Vec<usize>) -> Vec<Area> {
        let mut areas: Vec<Area> = positions
            .into_iter()
            .filter_map(|position| self.file.records.get(position))
            .map(Record::area)
            .collect();
        super::sort_by_name(&mut areas);
        areas
    }
}

fn envelope(bounds: &Bounds) -> AABB<[f64; 2]> {
    AABB::from_corners([bounds.west, bounds.south], [bounds.east, bounds.north])
}

#[async_trait]
impl AreaCatalogue for Embedded {
    fn name(&self) -> &'static str {
        "natural-earth"
    }

    fn note(&self) -> &'static str {
        "The embedded catalogue holds countries and first-level units (districts of nine countries), no districts \
         elsewhere, no protected areas, key biodiversity areas or indigenous lands; those need a database (DATABASE_URL)."
    }

    async fn sources(&self) -> Result<Vec<Source>, CatalogueError> {
        Ok(vec![Source::Gadm, Source::NaturalEarth])
    }

    async fn search(
        &self,
        place: &Place,
        sources: &[Source],
        page: Page,
    ) -> Result<Vec<Candidate>, CatalogueError> {
        Ok(self.find(place, sources, page))
    }

    async fn browse(&self, sources: &[Source], page: Page) -> Result<Vec<Area>, CatalogueError> {
        let records = self.file.records.iter().enumerate();
        let wanted = records.filter(|(_, record)| super::serves(sources, record.source));
        Ok(page.of(self.sorted(wanted.map(|(position, _)| position).collect())))
    }

    async fn within(&self, parent: &Area, subtype: Subtype) -> Result<Vec<Area>, CatalogueError> {
        let Some(position) = self.position(parent.source, &parent.id) else {
            return Ok(Vec::new());
        };
        let mut found = self.below(position, subtype);
        let is_beside = self
            .file
            .records
            .get(position)
            .is_some_and(|record| record.is_beside);
        if found.is_empty() && is_beside {
            found = self.inside(position, subtype);
        }
        Ok(self.sorted(found))
    }

    async fn countries(&self) -> Result<Vec<Area>, CatalogueError> {
        let records = self.file.records.iter().enumerate();
        let countries = records.filter(|(_, record)| {
            record.subtype == Subtype::Country
                && record.source == Source::Gadm
                && is_standard_gadm_id(&record.id)
        });
        Ok(self.sorted(countries.map(|(position, _)| position).collect()))
    }

    async fn shape(&self, source: Source, id: &str) -> Result<Option<(Area, Shape)>, CatalogueError> {
        let Some(position) = self.position(source, id) else {
            return Ok(None);
        };
        let area = self.file.records.get(position).map(Record::area);
        Ok(area.zip(self.file.shape(position)))
    }
}
