//! The statements. Names of tables and columns come from [`Store`] alone; everything a caller says is a parameter.

use super::store::{COLUMNS, Store};
use crate::{
    Source,
    catalogue::{MIN_SIMILARITY, Page},
};

/// The least likeness of one word to a part of a name, for names that are much longer than what was asked.
const MIN_WORD_SIMILARITY: f64 = 0.6;

/// Rows that a search takes from the database at least, to be scored again with accents folded.
const SEARCHED_ROWS: usize = 50;

/// The most rows of one statement; a list of units beyond it is refused anyway.
pub(super) const MAX_ROWS: usize = 5_000;

/// Marks that GADM puts at the end of its ids.
const REVISIONS: std::ops::RangeInclusive<u8> = 1..=5;

/// Settings of a transaction: how long a statement may take and what counts as like.
pub(super) fn settings() -> String {
    format!(
        "set local statement_timeout = '10s'; \
         set local pg_trgm.similarity_threshold = {MIN_SIMILARITY}; \
         set local pg_trgm.word_similarity_threshold = {MIN_WORD_SIMILARITY}"
    )
}

/// Which of these tables ($1) are there.
pub(super) const TABLES: &str = "select name from unnest($1) as name where to_regclass(name) is not null";

/// Of which of these sources ($1) the table of all sources has areas.
pub(super) const SOURCES: &str = "
    select wanted from unnest($1) as wanted
    where exists (select from aois where source = wanted and not is_disputed and not is_deprecated)";

/// Rows whose name is like one of the texts ($1) or has a part like the name ($2); the likest first.
pub(super) fn search(stores: &[Store], page: Page) -> String {
    let found = union(stores, "where name % any($1) or $2 <% name");
    let rows = page.end().max(SEARCHED_ROWS);
    format!(
        "with found as (
             select *, greatest(
                 (select max(similarity(lower(name), lower(text))) from unnest($1) as text),
                 0.9 * similarity(lower(split_part(name, ',', 1)), lower($2))
             ) as likeness
             from ({found}) as rows
             order by likeness desc, name, source, src_id
             limit {rows}
         )
         select source, {AREA} from found as area"
    )
}

/// Areas by name.
pub(super) fn browse(stores: &[Store], page: Page) -> String {
    let (limit, offset) = (page.limit(), page.offset());
    format!(
        "with found as (
             select * from ({}) as rows order by name collate \"C\", source, src_id collate \"C\" limit {limit} offset {offset}
         )
         select source, {AREA} from found as area",
        union(stores, "")
    )
}

/// Units of GADM under an id without its revision mark ($1), of a subtype ($2). The dot keeps `USA.1` from meaning
/// `USA.10`.
pub(super) fn under(store: Store) -> String {
    rows(
        store,
        "starts_with(src_id, $1 || '.') and subtype = $2 and not is_beside",
    )
}

/// Units that are listed under an area ($1), of a subtype ($2); under a region beside the administrative tree, which lists
/// none, those that lie in its shape.
pub(super) fn listed_under(store: Store, parent: Store) -> String {
    let condition = format!(
        "subtype = $2 and not is_beside and (parent_ids ? $1 or exists (
             select from {} as parent where {} and parent.is_beside
             and ST_Envelope(area.geometry) && ST_Envelope(parent.geometry)
             and ST_Contains(parent.geometry, ST_PointOnSurface(area.geometry))
         ))",
        parent.relation(),
        has_id("parent", parent.source)
    );
    rows(store, &condition)
}

/// Areas that overlap one of another source ($1), of a subtype ($2). What only touches it is a neighbour.
pub(super) fn overlapping(store: Store, parent: Store) -> String {
    // The indexes of the tables of one source are on the envelopes.
    let condition = format!(
        "subtype = $2 and not is_beside and exists (
             select from {} as parent where {} and ST_Envelope(area.geometry) && ST_Envelope(parent.geometry)
             and ST_Intersects(area.geometry, parent.geometry)
             and not ST_Touches(area.geometry, parent.geometry)
         )",
        parent.relation(),
        has_id("parent", parent.source)
    );
    rows(store, &condition)
}

/// All countries with a standard id.
pub(super) fn countries(store: Store) -> String {
    rows(store, "subtype = 'country'")
}

/// One area ($1) with its shape, simplified to what a map can show.
pub(super) fn shape(store: Store) -> String {
    format!(
        "select '{}' as source, {AREA},
             ST_AsGeoJSON(ST_SimplifyPreserveTopology(geometry,
                 greatest(ST_XMax(geometry) - ST_XMin(geometry), ST_YMax(geometry) - ST_YMin(geometry)) / 4000), 5) as shape
         from {} as area where {}
         limit 1",
        store.source,
        store.relation(),
        has_id("area", store.source)
    )
}

fn rows(store: Store, condition: &str) -> String {
    format!(
        "select '{}' as source, {AREA} from {} as area where {condition}
         order by name collate \"C\" limit {MAX_ROWS}",
        store.source,
        store.relation()
    )
}

fn union(stores: &[Store], condition: &str) -> String {
    let parts: Vec<String> = stores
        .iter()
        .map(|store| {
            format!(
                "select '{}' as source, {COLUMNS} from {} as area {condition}",
                store.source,
                store.relation()
            )
        })
        .collect();
    parts.join(" union all ")
}

/// The area with the id $1. Ids of GADM are compared without their revision mark, whichever it is.
fn has_id(alias: &str, source: Source) -> String {
    match source {
        Source::Gadm => {
            let marked: Vec<String> = REVISIONS.map(|mark| format!("$1 || '_{mark}'")).collect();
            format!("{alias}.src_id in ($1, {})", marked.join(", "))
        }
        _ => format!("{alias}.src_id = $1"),
    }
}

/// What is known about an area, its box among it, and where the parts of the box east and west of Greenwich end, which
/// matters for what crosses the antimeridian.
const AREA: &str = "
    src_id, name, subtype, iso3, area_km2, kind,
    ST_XMin(geometry) as west, ST_YMin(geometry) as south, ST_XMax(geometry) as east, ST_YMax(geometry) as north,
    case when ST_XMax(geometry) - ST_XMin(geometry) > 180 then
        (select min(ST_XMin(part.geom)) from ST_Dump(geometry) as part where ST_XMin(part.geom) >= 0) end as east_begins,
    case when ST_XMax(geometry) - ST_XMin(geometry) > 180 then
        (select max(ST_XMax(part.geom)) from ST_Dump(geometry) as part where ST_XMax(part.geom) <= 0) end as west_ends";
