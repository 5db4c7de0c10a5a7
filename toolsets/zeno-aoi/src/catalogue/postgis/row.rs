//! Areas of the rows that the statements answer.

use tokio_postgres::Row;

use crate::{Area, Bounds, Source, Subtype, catalogue::CatalogueError};

/// The area of a row; `None` if its subtype is none that is known.
pub(super) fn area(row: &Row) -> Result<Option<Area>, CatalogueError> {
    let source: &str = row.try_get("source")?;
    let subtype: &str = row.try_get("subtype")?;
    let Some((source, subtype)) = Source::parse(source).zip(Subtype::parse(subtype)) else {
        return Ok(None);
    };
    let id: String = row.try_get("src_id")?;
    let name: String = row.try_get("name")?;
    let known: Option<String> = row.try_get("iso3")?;
    Ok(Some(Area {
        iso3: known.or_else(|| iso3(source, &id, &name)),
        source,
        id,
        name,
        subtype,
        kind: row.try_get("kind")?,
        bounds: bounds(row)?,
        area_km2: row.try_get("area_km2")?,
    }))
}

/// Ids of GADM begin with the country's code, names of other sources end with it.
fn iso3(source: Source, id: &str, name: &str) -> Option<String> {
    let code = match source {
        Source::Gadm => id.get(..3)?,
        Source::Kba | Source::Wdpa | Source::Landmark => name.rsplit(',').next()?.trim(),
        Source::NaturalEarth => return None,
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
