//! Fills a database with the areas of a catalogue file, in one table that the lookups read.

use deadpool_postgres::Transaction;
use serde_json::{Value, json};
use tokio_postgres::types::Type;

use super::{
    PostGis, sql,
    store::{UNIFIED, table},
};
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

impl PostGis {
    /// Puts administrative areas into the table `aois`, all or nothing; the table is made if it is missing. Areas that are
    /// there are an error, or go if `replace` is set; those of other sources stay. The account must be allowed to make
    /// tables and, where they are missing, extensions.
    ///
    /// # Errors
    /// [`CatalogueError::AreasExist`], [`CatalogueError::TableExists`], or whatever the database refuses.
    pub async fn load(&self, catalogue: &Embedded, replace: bool) -> Result<Loaded, CatalogueError> {
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await?;
        transaction.batch_execute(EXTENSIONS).await?;
        transaction.batch_execute(TABLE).await?;
        make_room(&transaction, replace).await?;
        let mut loaded = Loaded::default();
        let records: Vec<(usize, &Record)> = catalogue.records().iter().enumerate().collect();
        for batch in records.chunks(BATCH) {
            let rows: Vec<Value> = batch
                .iter()
                .map(|(position, record)| row(catalogue, *position, record))
                .collect();
            let rows = Value::from(rows).to_string();
            transaction.query_typed(INSERT, &[(&rows, Type::TEXT)]).await?;
            let coded = batch
                .iter()
                .filter(|(_, record)| record.source == Source::Gadm)
                .count();
            loaded.gadm += coded;
            loaded.natural_earth += batch.len() - coded;
        }
        transaction.batch_execute(INDEXES).await?;
        transaction.commit().await?;
        Ok(loaded)
    }
}

/// Makes sure that nothing is there that the areas would be beside of.
async fn make_room(transaction: &Transaction<'_>, replace: bool) -> Result<(), CatalogueError> {
    let table = table(Source::Gadm);
    let found = transaction
        .query_typed(sql::TABLES, &[(&vec![table.as_str()], Type::TEXT_ARRAY)])
        .await?;
    if !found.is_empty() {
        return Err(CatalogueError::TableExists(table));
    }
    if replace {
        return Ok(transaction.batch_execute(DELETE).await?);
    }
    let found = transaction.query_typed(ANY, &[]).await?;
    if !found.is_empty() {
        return Err(CatalogueError::AreasExist(UNIFIED));
    }
    Ok(())
}

const EXTENSIONS: &str = "create extension if not exists postgis; create extension if not exists pg_trgm";

const TABLE: &str = "
    create table if not exists aois (
        id uuid primary key,
        source text not null,
        source_id text not null,
        name text not null,
        subtype text not null,
        geometry geometry(MultiPolygon, 4326) not null,
        bbox float[4] not null,
        area_km2 float,
        iso3 text[] not null default '{}',
        admin_level smallint,
        is_disputed bool not null default false,
        is_deprecated bool not null default false,
        created_by text,
        properties jsonb not null default '{}',
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now())";

const ANY: &str = "select from aois where source in ('gadm', 'naturalearth') and not is_deprecated limit 1";

const DELETE: &str = "delete from aois where source in ('gadm', 'naturalearth')";

const INDEXES: &str = "
    create unique index if not exists idx_aois_source_id on aois (source, source_id) where not is_deprecated;
    create index if not exists idx_aois_name on aois using gin (name gin_trgm_ops)
        where not is_disputed and not is_deprecated;
    create index if not exists idx_aois_geometry on aois using gist (geometry);
    create index if not exists idx_aois_iso3 on aois using gin (iso3);
    create index if not exists idx_aois_source on aois (source);
    create index if not exists idx_aois_admin_level on aois (admin_level);
    create index if not exists idx_aois_created_by on aois (created_by);
    analyze aois";

const INSERT: &str = "
    insert into aois (id, source, source_id, name, subtype, geometry, bbox, area_km2, iso3, admin_level, is_disputed,
        is_deprecated, properties, created_at, updated_at)
    select gen_random_uuid(), source, source_id, name, subtype, ST_SetSRID(ST_GeomFromGeoJSON(shape::text), 4326), bbox,
        area_km2, iso3, admin_level, false, false, properties, now(), now()
    from json_to_recordset($1::json) as rows (source text, source_id text, name text, subtype text, shape json,
        bbox float[], area_km2 float, iso3 text[], admin_level smallint, properties jsonb)";

fn row(catalogue: &Embedded, position: usize, record: &Record) -> Value {
    let names: Vec<&String> = record.own_names.iter().chain(&record.other_names).collect();
    json!({
        "source": record.source,
        "source_id": record.id,
        "name": record.name,
        "subtype": record.subtype,
        "shape": catalogue.shape_at(position).unwrap_or_default().to_geojson(),
        "bbox": record.bounds,
        "area_km2": record.area_km2,
        "iso3": Vec::from_iter(&record.iso3),
        "admin_level": record.subtype.level(),
        "properties": {
            "kind": record.kind,
            "names": names,
            "continent": record.continent,
            "region": record.region,
            "parent_ids": parents(catalogue, record),
            "is_beside": record.is_beside,
        },
    })
}

/// The ids of everything a unit lies in.
fn parents<'a>(catalogue: &'a Embedded, record: &Record) -> Vec<&'a str> {
    let mut ids = Vec::new();
    let mut next = record.parent;
    while let Some(parent) = next.and_then(|parent| catalogue.records().get(parent)) {
        ids.push(parent.id.as_str());
        next = parent.parent;
    }
    ids
}
