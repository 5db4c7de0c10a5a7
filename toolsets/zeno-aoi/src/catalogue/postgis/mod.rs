//! The catalogue in a PostGIS database: the tables that deployments hold, read only, each lookup in a transaction of its
//! own with local settings, so that a pooler that shares connections does no harm.

pub mod load;
mod row;
mod sql;
mod store;

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Timeouts};
use periplus_postgres::Address;
use tokio::sync::OnceCell;
use tokio_postgres::{Row, types::ToSql, types::Type};

use self::{row::area, store::Store};
use super::{
    AreaCatalogue, Candidate, CatalogueError, Likeness, MIN_SIMILARITY, Page,
    embedded::{Embedded, Record},
};
use crate::{Area, Shape, Source, Subtype, area::without_revision, fold, place::Place, similarity};

/// How long a lookup may take from its beginning, whatever the server or a pooler in between does.
const DEADLINE: Duration = Duration::from_secs(20);

/// Lookups take milliseconds; a replica needs few connections.
const CONNECTIONS: usize = 8;

/// How long a lookup waits for a connection to be free, made or found alive.
const POOL_TIMEOUT: Duration = Duration::from_secs(5);

/// Names under which the gazetteer knows a place that are searched besides the asked one.
const MAX_VARIANTS: usize = 6;

/// A catalogue in a database.
#[derive(Clone)]
pub struct PostGis {
    pool: Pool,
    /// Where the areas are; asked once.
    stores: Arc<OnceCell<Vec<Store>>>,
    gazetteer: Arc<Embedded>,
}

impl fmt::Debug for PostGis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostGis").finish_non_exhaustive()
    }
}

/// A parameter of a statement, with its type: statements are not prepared.
type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

impl PostGis {
    /// A catalogue at an address, as [`Address`] reads it; nothing is connected yet.
    ///
    /// # Errors
    /// [`CatalogueError::Address`] if the text is no address of PostgreSQL.
    pub fn new(address: &str) -> Result<Self, CatalogueError> {
        let address = Address::parse(address).map_err(CatalogueError::Address)?;
        Ok(Self {
            pool: pool(address),
            stores: Arc::default(),
            gazetteer: Embedded::shipped(),
        })
    }

    async fn rows(&self, statement: &str, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, CatalogueError> {
        let work = async {
            let mut client = self.pool.get().await?;
            let transaction = client.build_transaction().read_only(true).start().await?;
            transaction.batch_execute(&sql::settings()).await?;
            let rows = transaction.query_typed(statement, parameters).await?;
            transaction.commit().await?;
            Ok::<_, CatalogueError>(rows)
        };
        match tokio::time::timeout(DEADLINE, work).await {
            Ok(rows) => rows,
            Err(_elapsed) => Err(CatalogueError::Slow(DEADLINE)),
        }
    }

    async fn areas(
        &self,
        statement: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Area>, CatalogueError> {
        let rows = self.rows(statement, parameters).await?;
        rows.iter().filter_map(|row| area(row).transpose()).collect()
    }

    /// Where the areas of each source are; sources without any are left out.
    async fn stores(&self) -> Result<&[Store], CatalogueError> {
        let found = self.stores.get_or_try_init(async || {
            let mut names: Vec<String> = Source::ALL.into_iter().map(store::table).collect();
            names.push(store::UNIFIED.to_owned());
            let there = self.texts_of(sql::TABLES, &names).await?;
            let unified = if there.iter().any(|name| name == store::UNIFIED) {
                let sources = Source::ALL.map(|source| source.name().to_owned());
                self.texts_of(sql::SOURCES, &sources).await?
            } else {
                Vec::new()
            };
            let (mut found, mut missing) = (Vec::new(), Vec::new());
            for source in Source::ALL {
                let is_unified = !there.contains(&store::table(source));
                if is_unified && !unified.iter().any(|name| name == source.name()) {
                    missing.push(source.name());
                } else {
                    found.push(Store { source, is_unified });
                }
            }
            if !missing.is_empty() {
                tracing::warn!(
                    missing = missing.join(", "),
                    "the area database has no areas of these sources, which are not searched"
                );
            }
            Ok::<_, CatalogueError>(found)
        });
        found.await.map(Vec::as_slice)
    }

    async fn texts_of(&self, statement: &str, texts: &[String]) -> Result<Vec<String>, CatalogueError> {
        let rows = self.rows(statement, &[(&texts, Type::TEXT_ARRAY)]).await?;
        Ok(rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?)
    }

    /// Where the areas of a source are, if there are any.
    async fn store(&self, source: Source) -> Result<Option<Store>, CatalogueError> {
        let mut stores = self.stores().await?.iter();
        Ok(stores.find(|store| store.source == source).copied())
    }

    /// Where the areas of the wanted sources are.
    async fn wanted(&self, sources: &[Source]) -> Result<Vec<Store>, CatalogueError> {
        let stores = self.stores().await?.iter();
        Ok(stores
            .filter(|store| super::serves(sources, store.source))
            .copied()
            .collect())
    }

    /// The asked text and what the gazetteer calls the place itself: the database knows no names in other languages.
    fn texts(&self, place: &Place) -> Vec<String> {
        let mut texts = vec![place.text()];
        for record in self.gazetteer.named(&fold(&place.name)).take(MAX_VARIANTS) {
            let parents = record.name.split_once(',').map_or("", |(_, parents)| parents);
            let names = record.own_names.iter().map(|name| match parents {
                "" => name.clone(),
                parents => format!("{name},{parents}"),
            });
            texts.extend(names);
        }
        texts.dedup();
        texts.truncate(MAX_VARIANTS + 1);
        texts
    }

    fn candidate(&self, area: Area, place: &Place) -> Candidate {
        let asked = fold(&place.name);
        let short = fold(area.short_name());
        let full = similarity(&fold(&place.text()), &fold(&area.name));
        let is_same_unit =
            |record: &Record| record.source == area.source && record.id == without_revision(&area.id);
        // One of two namesakes may be shown under another of its own names.
        let calls_itself_so = || {
            self.gazetteer
                .named(&asked)
                .any(|record| is_same_unit(record) && record.own_names.iter().any(|name| fold(name) == asked))
        };
        let is_variant = || {
            self.gazetteer.named(&asked).any(|record| {
                let is_namesake = record.subtype == area.subtype
                    && record.iso3 == area.iso3
                    && record.own_names.iter().any(|name| fold(name) == short);
                is_same_unit(record) || is_namesake
            })
        };
        let likeness = if short == asked || calls_itself_so() {
            Likeness::Own
        } else if is_variant() {
            Likeness::Variant
        } else {
            Likeness::Near
        };
        let first = if likeness == Likeness::Near {
            similarity(&asked, &short)
        } else {
            1.0
        };
        Candidate {
            similarity: full.max(0.9 * first + 0.1 * full),
            likeness,
            area,
        }
    }
}

#[async_trait]
impl AreaCatalogue for PostGis {
    fn name(&self) -> &'static str {
        "postgis"
    }

    async fn sources(&self) -> Result<Vec<Source>, CatalogueError> {
        Ok(self.stores().await?.iter().map(|store| store.source).collect())
    }

    async fn search(
        &self,
        place: &Place,
        sources: &[Source],
        page: Page,
    ) -> Result<Vec<Candidate>, CatalogueError> {
        let stores = self.wanted(sources).await?;
        if stores.is_empty() {
            return Ok(Vec::new());
        }
        let texts = self.texts(place);
        let parameters: [Parameter<'_>; 2] = [(&texts, Type::TEXT_ARRAY), (&place.name, Type::TEXT)];
        let found = self.areas(&sql::search(&stores, page), &parameters).await?;
        let mut candidates: Vec<Candidate> = found
            .into_iter()
            .map(|area| self.candidate(area, place))
            .filter(|candidate| candidate.similarity >= MIN_SIMILARITY)
            .collect();
        super::sort(&mut candidates);
        // Whoever lies where the request says must not be crowded out by namesakes elsewhere.
        candidates.sort_by_key(|candidate| !place.admits(&candidate.area, &self.gazetteer));
        Ok(page.of(candidates))
    }

    async fn browse(&self, sources: &[Source], page: Page) -> Result<Vec<Area>, CatalogueError> {
        let stores = self.wanted(sources).await?;
        if stores.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = self.areas(&sql::browse(&stores, page), &[]).await?;
        super::sort_by_name(&mut found);
        Ok(found)
    }

    async fn within(&self, parent: &Area, subtype: Subtype) -> Result<Vec<Area>, CatalogueError> {
        let parent_id = match parent.source {
            Source::Gadm => without_revision(&parent.id),
            _ => &parent.id,
        };
        let parameters: [Parameter<'_>; 2] = [(&parent_id, Type::TEXT), (&subtype.name(), Type::TEXT)];
        let Some(whole) = self.store(parent.source).await? else {
            return Ok(Vec::new());
        };
        let stores = self.stores().await?.iter().copied();
        let mut found = Vec::new();
        for store in stores.filter(|store| holds(store.source, subtype)) {
            let statement = match (store.source, parent.source) {
                (Source::Gadm, Source::Gadm) => sql::under(store),
                (child, parent) if child.is_administrative() && parent.is_administrative() => {
                    sql::listed_under(store, whole)
                }
                _ => sql::overlapping(store, whole),
            };
            found.extend(self.areas(&statement, &parameters).await?);
        }
        found.retain(|area| (area.source, area.id.as_str()) != (parent.source, parent.id.as_str()));
        super::sort_by_name(&mut found);
        Ok(found)
    }

    async fn countries(&self) -> Result<Vec<Area>, CatalogueError> {
        let Some(store) = self.store(Source::Gadm).await? else {
            return Ok(Vec::new());
        };
        let mut found = self.areas(&sql::countries(store), &[]).await?;
        super::sort_by_name(&mut found);
        Ok(found)
    }

    async fn shape(&self, source: Source, id: &str) -> Result<Option<(Area, Shape)>, CatalogueError> {
        let Some(store) = self.store(source).await? else {
            return Ok(None);
        };
        let id = if source == Source::Gadm {
            without_revision(id)
        } else {
            id
        };
        let rows = self.rows(&sql::shape(store), &[(&id, Type::TEXT)]).await?;
        let Some(row) = rows.first() else {
            return Ok(None);
        };
        let text: &str = row.try_get("shape")?;
        let shape = serde_json::from_str(text)
            .ok()
            .and_then(|json| Shape::from_geojson(&json));
        Ok(area(row)?.zip(shape))
    }
}

fn pool(address: Address) -> Pool {
    let config = ManagerConfig {
        // Asks whether the connection lives: after a restart of the server the first lookup must not fail.
        recycling_method: RecyclingMethod::Verified,
    };
    Pool::builder(Manager::from_config(address.config, address.tls, config))
        .max_size(CONNECTIONS)
        .runtime(Runtime::Tokio1)
        .timeouts(Timeouts {
            wait: Some(POOL_TIMEOUT),
            create: Some(POOL_TIMEOUT),
            recycle: Some(POOL_TIMEOUT),
        })
        .build()
        .expect("a pool with timeouts needs a runtime, and has one")
}

/// Whether a table can hold areas of a subtype.
fn holds(source: Source, subtype: Subtype) -> bool {
    match source {
        Source::Gadm | Source::NaturalEarth => subtype.level().is_some(),
        Source::Kba => subtype == Subtype::KeyBiodiversityArea,
        Source::Wdpa => subtype == Subtype::ProtectedArea,
        Source::Landmark => subtype == Subtype::IndigenousAndCommunityLand,
    }
}
