//! The statements. Names of tables and columns come from [`Source`] alone; everything a caller says is a parameter.

use crate::{Source, catalogue::MIN_SIMILARITY};

/// The least likeness of one word to a part of a name, for names that are much longer than what was asked.
const MIN_WORD_SIMILARITY: f64 = 0.6;

/// Rows that a search takes from the database, to be scored again with accents folded.
const SEARCHED_ROWS: usize = 50;

/// The most rows of one statement; a list of units beyond it is refused anyway.
pub(super) const MAX_ROWS: usize = 5_000;

/// The table of a source.
pub(super) fn table(source: Source) -> String {
    format!("geometries_{}", source.name())
}

/// Settings of a transaction: how long a statement may take and what counts as like.
pub(super) fn settings() -> String {
    format!(
        "set local statement_timeout = '10s'; \
         set local pg_trgm.similarity_threshold = {MIN_SIMILARITY}; \
         set local pg_trgm.word_similarity_threshold = {MIN_WORD_SIMILARITY}"
    )
}

/// Ids of disputed areas (`Z01`) are left out everywhere: no statistics are published for them.
fn standard(source: Source) -> &'static str {
    match source {
        Source::Gadm => "and gadm_id ~ '^[A-Z]{3}'",
        _ => "",
    }
}

/// Rows whose name is like one of the texts ($1) or has a part like the name ($2); the likest first.
pub(super) fn search(sources: &[Source]) -> String {
    let tables: Vec<String> = sources
        .iter()
        .map(|source| {
            let (id, table, standard) = (source.id_column(), table(*source), standard(*source));
            format!(
                "select '{source}' as source, {id}::text as src_id, name, subtype, geometry from {table}
                 where name is not null and (name % any($1) or $2 <% name) {standard}"
            )
        })
        .collect();
    format!(
        "with found as (
             select *, greatest(
                 (select max(similarity(lower(name), lower(text))) from unnest($1) as text),
                 0.9 * similarity(lower(split_part(name, ',', 1)), lower($2))
             ) as likeness
             from ({}) as rows
             order by likeness desc, name, source, src_id
             limit {SEARCHED_ROWS}
         )
         select source, src_id, name, subtype, {BOX} from found",
        tables.join(" union all ")
    )
}

/// Units of GADM under an id without its revision mark ($1), of a subtype ($2). The dot keeps `USA.1` from meaning
/// `USA.10`.
pub(super) fn under() -> String {
    rows(Source::Gadm, "starts_with(gadm_id, $1 || '.') and subtype = $2")
}

/// Units of Natural Earth that lie in an area ($1), of a subtype ($2).
pub(super) fn listed_under() -> String {
    rows(
        Source::NaturalEarth,
        "parent_ids @> array[$1] and not is_beside and subtype = $2",
    )
}

/// Areas of a source that overlap one of another ($1), of a subtype ($2). What only touches it is a neighbour.
pub(super) fn overlapping(source: Source, parent: Source) -> String {
    let condition = format!(
        "subtype = $2 and exists (
             select from {} as parent where {} and ST_Envelope(area.geometry) && ST_Envelope(parent.geometry)
             and ST_Intersects(area.geometry, parent.geometry)
             and not ST_Touches(area.geometry, parent.geometry)
         )",
        table(parent),
        has_id("parent", parent)
    );
    rows(source, &condition)
}

/// All countries with a standard id.
pub(super) fn countries() -> String {
    rows(Source::Gadm, "subtype = 'country'")
}

/// One area ($1) with its shape, simplified to what a map can show.
pub(super) fn shape(source: Source) -> String {
    format!(
        "select '{source}' as source, {}::text as src_id, name, subtype, {BOX},
             ST_AsGeoJSON(ST_SimplifyPreserveTopology(geometry,
                 greatest(ST_XMax(geometry) - ST_XMin(geometry), ST_YMax(geometry) - ST_YMin(geometry)) / 4000), 5) as shape
         from {} as area where {} {}
         limit 1",
        source.id_column(),
        table(source),
        has_id("area", source),
        standard(source)
    )
}

fn rows(source: Source, condition: &str) -> String {
    format!(
        "select '{source}' as source, {}::text as src_id, name, subtype, {BOX} from {} as area
         where name is not null and {condition} {}
         order by name limit {MAX_ROWS}",
        source.id_column(),
        table(source),
        standard(source)
    )
}

/// The area with the id $1. Ids of GADM are compared without their revision mark.
fn has_id(alias: &str, source: Source) -> String {
    let column = source.id_column();
    match source {
        Source::Gadm => format!("regexp_replace({alias}.{column}, '_[0-9]+$', '') = $1"),
        _ => format!("{alias}.{column}::text = $1"),
    }
}

/// The box, and where its parts east and west of Greenwich end, which matters for what crosses the antimeridian.
const BOX: &str = "
    ST_XMin(geometry) as west, ST_YMin(geometry) as south, ST_XMax(geometry) as east, ST_YMax(geometry) as north,
    case when ST_XMax(geometry) - ST_XMin(geometry) > 180 then
        (select min(ST_XMin(part.geom)) from ST_Dump(geometry) as part where ST_XMin(part.geom) >= 0) end as east_begins,
    case when ST_XMax(geometry) - ST_XMin(geometry) > 180 then
        (select max(ST_XMax(part.geom)) from ST_Dump(geometry) as part where ST_XMax(part.geom) <= 0) end as west_ends";
