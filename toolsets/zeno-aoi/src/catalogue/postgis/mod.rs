//! The catalogue in a PostGIS database: the tables that deployments hold, read only, each lookup in a transaction of its
//! own with local settings, so that a pooler that shares connections does no harm.

pub mod load;
mod sql;

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Timeouts};
use periplus_postgres::Address;
use tokio::sync::OnceCell;
use tokio_postgres::{Row, types::ToSql, types::Type};

use super::{
    AreaCatalogue, Candidate, CatalogueError, Likeness, MAX_CANDIDATES, MIN_SIMILARITY, embedded::Embedded,
};
use crate::{Area, Bounds, Shape, Source, Subtype, area::without_revision, fold, place::Place, similarity};

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
    /// The tables that are there; asked once.
    sources: Arc<OnceCell<Vec<Source>>>,
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
            sources: Arc::default(),
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

    /// Which of the tables are there.
    async fn tables(&self) -> Result<&[Source], CatalogueError> {
        let found = self.sources.get_or_try_init(async || {
            let names: Vec<String> = Source::ALL.into_iter().map(sql::table).collect();
            let statement = "select name from unnest($1) as name where to_regclass(name) is not null";
            let rows = self.rows(statement, &[(&names, Type::TEXT_ARRAY)]).await?;
            let there: Vec<&str> = rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
            let (found, missing): (Vec<Source>, Vec<Source>) = Source::ALL
                .into_iter()
                .partition(|source| there.contains(&sql::table(*source).as_str()));
            if !missing.is_empty() {
                let missing: Vec<String> = missing.into_iter().map(sql::table).collect();
                tracing::warn!(
                    missing = missing.join(", "),
                    "the area database lacks tables, which are not searched"
                );
            }
            Ok::<_, CatalogueError>(found)
        });
        found.await.map(Vec::as_slice)
    }

    /// Those of the wanted sources that are there; all that are there if none is wanted.
    async fn wanted(&self, sources: &[Source]) -> Result<Vec<Source>, CatalogueError> {
        let is_wanted = |held: &&Source| {
            sources.is_empty()
                || sources.contains(held)
                || (held.is_administrative() && sources.iter().any(|source| source.is_administrative()))
        };
        Ok(self.tables().await?.iter().filter(is_wanted).copied().collect())
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
        let is_variant = || {
            self.gazetteer.named(&asked).any(|record| {
                let is_same_unit = record.source == area.source && record.id == without_revision(&area.id);
                let is_namesake = record.subtype == area.subtype
                    && record.iso3 == area.iso3
                    && record.own_names.iter().any(|name| fold(name) == short);
                is_same_unit || is_namesake
            })
        };
        let likeness = if short == asked {
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
        Ok(self.tables().await?.to_vec())
    }

    async fn search(&self, place: &Place, sources: &[Source]) -> Result<Vec<Candidate>, CatalogueError> {
        let sources = self.wanted(sources).await?;
        if sources.is_empty() {
            return Ok(Vec::new());
        }
        let texts = self.texts(place);
        let parameters: [Parameter<'_>; 2] = [(&texts, Type::TEXT_ARRAY), (&place.name, Type::TEXT)];
        let found = self.areas(&sql::search(&sources), &parameters).await?;
        let mut candidates: Vec<Candidate> = found
            .into_iter()
            .map(|area| self.candidate(area, place))
            .filter(|candidate| candidate.similarity >= MIN_SIMILARITY)
            .collect();
        super::sort(&mut candidates);
        // Whoever lies where the request says must not be crowded out by namesakes elsewhere.
        candidates.sort_by_key(|candidate| !place.admits(&candidate.area, &self.gazetteer));
        candidates.truncate(MAX_CANDIDATES);
        Ok(candidates)
    }

    async fn within(&self, parent: &Area, subtype: Subtype) -> Result<Vec<Area>, CatalogueError> {
        let parent_id = match parent.source {
            Source::Gadm => without_revision(&parent.id),
            _ => &parent.id,
        };
        let parameters: [Parameter<'_>; 2] = [(&parent_id, Type::TEXT), (&subtype.name(), Type::TEXT)];
        let tables = self.tables().await?;
        let mut found = Vec::new();
        for source in tables.iter().copied().filter(|source| holds(*source, subtype)) {
            let statement = match (source, parent.source) {
                (Source::Gadm, Source::Gadm) => sql::under(),
                (Source::NaturalEarth, _) => sql::listed_under(),
                (source, parent) => sql::overlapping(source, parent),
            };
            found.extend(self.areas(&statement, &parameters).await?);
        }
        found.retain(|area| (area.source, area.id.as_str()) != (parent.source, parent.id.as_str()));
        found.sort_by(|one, two| one.name.cmp(&two.name));
        Ok(found)
    }

    async fn countries(&self) -> Result<Vec<Area>, CatalogueError> {
        if !self.tables().await?.contains(&Source::Gadm) {
            return Ok(Vec::new());
        }
        self.areas(&sql::countries(), &[]).await
    }

    async fn shape(&self, source: Source, id: &str) -> Result<Option<(Area, Shape)>, CatalogueError> {
        if !self.tables().await?.contains(&source) {
            return Ok(None);
        }
        let id = if source == Source::Gadm {
            without_revision(id)
        } else {
            id
        };
        let rows = self.rows(&sql::shape(source), &[(&id, Type::TEXT)]).await?;
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

/// The area of a row; `None` if its subtype is none that is known.
fn area(row: &Row) -> Result<Option<Area>, CatalogueError> {
    let source: &str = row.try_get("source")?;
    let subtype: &str = row.try_get("subtype")?;
    let Some((source, subtype)) = Source::parse(source).zip(Subtype::parse(subtype)) else {
        return Ok(None);
    };
    let id: String = row.try_get("src_id")?;
    let name: String = row.try_get("name")?;
    Ok(Some(Area {
        iso3: iso3(source, &id, &name),
        source,
        id,
        name,
        subtype,
        kind: None,
        bounds: bounds(row)?,
        area_km2: None,
    }))
}

/// Ids of GADM begin with the country's code, names of other sources end with it.
fn iso3(source: Source, id: &str, name: &str) -> Option<String> {
    let code = match source {
        Source::Gadm | Source::NaturalEarth => id.get(..3)?,
        Source::Kba | Source::Wdpa | Source::Landmark => name.rsplit(',').next()?.trim(),
    };
    (code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase())).then(|| code.to_owned())
}

fn bounds(row: &Row) -> Result<Bounds, CatalogueError> {
    let plain = Bounds {
        west: row.try_get("west")?,
        south: row.try_get("south")?,
        east: row.try_get("east")?,
        north: row.try_get("north")?,
    };
    let halves: (Option<f64>, Option<f64>) = (row.try_get("east_begins")?, row.try_get("west_ends")?);
    Ok(plain.split_at_antimeridian(halves))
}
