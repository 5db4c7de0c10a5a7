//! Which tables hold which areas: the four that deployments have, or one for all of them.

use crate::Source;

/// The table that holds areas of every source.
pub(super) const UNIFIED: &str = "aois";

/// Columns of every relation; what its table does not know is null.
pub(super) const COLUMNS: &str =
    "src_id, name, subtype, geometry, iso3, area_km2, kind, parent_ids, is_beside";

/// A source with the table that its areas are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Store {
    pub(super) source: Source,
    pub(super) is_unified: bool,
}

impl Store {
    /// The relation that holds the areas of the source, named and not disputed, with [`COLUMNS`].
    ///
    /// Ids of disputed areas (`Z01`) are left out everywhere: no statistics are published for them.
    pub(super) fn relation(self) -> String {
        let source = self.source;
        if self.is_unified {
            let standard = standard(source, "source_id");
            return format!(
                "(select source_id as src_id, name, subtype, geometry, iso3[1] as iso3, area_km2::float8 as area_km2,
                      properties ->> 'kind' as kind, properties -> 'parent_ids' as parent_ids,
                      coalesce((properties ->> 'is_beside')::boolean, false) as is_beside
                  from {UNIFIED} where source = '{source}' and not is_disputed and not is_deprecated {standard})"
            );
        }
        let id = source.id_column();
        let standard = standard(source, id);
        format!(
            "(select {id}::text as src_id, name, subtype, geometry, null::text as iso3, null::float8 as area_km2,
                  null::text as kind, null::jsonb as parent_ids, false as is_beside
              from {} where name is not null {standard})",
            table(source)
        )
    }
}

/// The table that holds the areas of one source only.
pub(super) fn table(source: Source) -> String {
    format!("geometries_{}", source.name())
}

fn standard(source: Source, column: &str) -> String {
    match source {
        Source::Gadm => format!("and {column} ~ '^[A-Z]{{3}}'"),
        _ => String::new(),
    }
}
