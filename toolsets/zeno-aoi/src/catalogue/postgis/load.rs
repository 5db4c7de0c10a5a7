//! Fills a database with the areas of a catalogue file, in the tables that the lookups read.

use deadpool_postgres::Transaction;
use tokio_postgres::types::Type;

use super::{PostGis, sql};
use crate::{
    Source,
    catalogue::{
        CatalogueError,
        embedded::{Embedded, Record},
    },
};

/// Areas of one statement; their shapes are some hundred kilobytes together.
const BATCH: usize = 100;

/// How many areas were loaded, by source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Loaded {
    /// Areas with an id of GADM.
    pub gadm: usize,
    /// Areas with an id of Natural Earth.
    pub natural_earth: usize,
}

/// An area with its position in the catalogue.
type Positioned<'a> = (usize, &'a Record);

impl PostGis {
    /// Makes the tables of administrative areas and fills them, all or nothing. Tables that are there are an error, or go
    /// if `replace` is set. The account must be allowed to make tables and, where they are missing, extensions.
    ///
    /// # Errors
    /// [`CatalogueError::TablesExist`], or whatever the database refuses.
    pub async fn load(&self, catalogue: &Embedded, replace: bool) -> Result<Loaded, CatalogueError> {
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await?;
        let tables = [Source::Gadm, Source::NaturalEarth].map(sql::table).join(", ");
        if replace {
            transaction
                .batch_execute(&format!("drop table if exists {tables}"))
                .await?;
        }
        transaction.batch_execute(EXTENSIONS).await?;
        transaction
            .batch_execute(TABLES)
            .await
            .map_err(|error| match error.code() {
                Some(&tokio_postgres::error::SqlState::DUPLICATE_TABLE) => {
                    CatalogueError::TablesExist(tables)
                }
                _ => error.into(),
            })?;
        let mut loaded = Loaded::default();
        let records = catalogue.records();
        let (gadm, others): (Vec<Positioned<'_>>, Vec<Positioned<'_>>) = records
            .iter()
            .enumerate()
            .partition(|(_, record)| record.source == Source::Gadm);
        for batch in gadm.chunks(BATCH) {
            loaded.gadm += batch.len();
            insert(&transaction, catalogue, batch, INSERT_GADM, false).await?;
        }
        for batch in others.chunks(BATCH) {
            loaded.natural_earth += batch.len();
            insert(&transaction, catalogue, batch, INSERT_NATURAL_EARTH, true).await?;
        }
        transaction.batch_execute(INDEXES).await?;
        transaction.commit().await?;
        Ok(loaded)
    }
}

const EXTENSIONS: &str = "create extension if not exists postgis; create extension if not exists pg_trgm";

const TABLES: &str = "
    create table geometries_gadm (
        gadm_id text not null, name text not null, subtype text not null,
        geometry geometry(MultiPolygon, 4326) not null);
    create table geometries_naturalearth (
        naturalearth_id text not null, name text not null, subtype text not null,
        geometry geometry(MultiPolygon, 4326) not null,
        parent_ids text[] not null, is_beside boolean not null)";

const INDEXES: &str = "
    create index idx_geometries_gadm_geom on geometries_gadm using gist (ST_Envelope(geometry));
    create index idx_geometries_gadm_name_gin on geometries_gadm using gin (name gin_trgm_ops);
    create index idx_geometries_gadm_gadm_id on geometries_gadm (gadm_id);
    create index idx_geometries_naturalearth_geom on geometries_naturalearth using gist (ST_Envelope(geometry));
    create index idx_geometries_naturalearth_name_gin on geometries_naturalearth using gin (name gin_trgm_ops);
    create index idx_geometries_naturalearth_naturalearth_id on geometries_naturalearth (naturalearth_id);
    create index idx_geometries_naturalearth_parent_ids on geometries_naturalearth using gin (parent_ids);
    analyze geometries_gadm;
    analyze geometries_naturalearth";

const INSERT_GADM: &str = "
    insert into geometries_gadm (gadm_id, name, subtype, geometry)
    select id, name, subtype, ST_SetSRID(ST_GeomFromGeoJSON(shape), 4326)
    from unnest($1, $2, $3, $4) as rows (id, name, subtype, shape)";

const INSERT_NATURAL_EARTH: &str = "
    insert into geometries_naturalearth (naturalearth_id, name, subtype, geometry, parent_ids, is_beside)
    select id, name, subtype, ST_SetSRID(ST_GeomFromGeoJSON(shape), 4326), string_to_array(parents, ' '), is_beside
    from unnest($1, $2, $3, $4, $5, $6) as rows (id, name, subtype, shape, parents, is_beside)";

async fn insert(
    transaction: &Transaction<'_>,
    catalogue: &Embedded,
    batch: &[Positioned<'_>],
    statement: &str,
    with_parents: bool,
) -> Result<(), CatalogueError> {
    let column = |of: fn(&Record) -> &str| batch.iter().map(|(_, record)| of(record)).collect::<Vec<&str>>();
    let ids = column(|record| &record.id);
    let names = column(|record| &record.name);
    let subtypes = column(|record| record.subtype.name());
    let shapes: Vec<String> = batch
        .iter()
        .map(|(position, _)| {
            catalogue
                .shape_at(*position)
                .unwrap_or_default()
                .to_geojson()
                .to_string()
        })
        .collect();
    let parents: Vec<String> = batch
        .iter()
        .map(|(_, record)| parents(catalogue, record))
        .collect();
    let is_beside: Vec<bool> = batch.iter().map(|(_, record)| record.is_beside).collect();
    let mut parameters: Vec<super::Parameter<'_>> = vec![
        (&ids, Type::TEXT_ARRAY),
        (&names, Type::TEXT_ARRAY),
        (&subtypes, Type::TEXT_ARRAY),
        (&shapes, Type::TEXT_ARRAY),
    ];
    if with_parents {
        parameters.push((&parents, Type::TEXT_ARRAY));
        parameters.push((&is_beside, Type::BOOL_ARRAY));
    }
    transaction.query_typed(statement, &parameters).await?;
    Ok(())
}

/// The ids of everything a unit lies in, with spaces between them; no id has one.
fn parents(catalogue: &Embedded, record: &Record) -> String {
    let mut ids = Vec::new();
    let mut next = record.parent;
    while let Some(parent) = next.and_then(|parent| catalogue.records().get(parent)) {
        ids.push(parent.id.as_str());
        next = parent.parent;
    }
    ids.join(" ")
}
