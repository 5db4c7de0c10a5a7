//! Tree cover loss by year, split into fire and the rest.

use serde_json::{Value, json};

use super::{admin_ids, books::is_at, days, loss::USUAL_CANOPY, overlap, recorded, sheet};
use crate::{
    answer::Found,
    request::Request,
    sheet::Sheet,
    source::{self, Source},
};

/// Countries at canopy 30.
pub(super) static COUNTRIES: Sheet = sheet!("tree_cover_loss_fires__country_year.csv");

/// One year of one area.
struct Year {
    year: i32,
    area: f64,
    emissions: Option<f64>,
    fires: f64,
}

pub(super) fn find(request: &Request) -> Result<Found, String> {
    if let Some(forest) = &request.forest_filter {
        return Err(format!("no fires within {forest} are published"));
    }
    let mut found = Found::new(&[
        "aoi_id",
        "aoi_type",
        "tree_cover_loss_year",
        "area_ha",
        "carbon_emissions_MgCO2e",
        "tree_cover_loss_from_fires_area_ha",
        "tree_cover_loss_non_fires_area_ha",
    ]);
    let canopy = request.canopy_cover.unwrap_or(USUAL_CANOPY);
    for id in admin_ids(&request.areas)? {
        let Some((rows, held, source)) = recorded(id, canopy).or_else(|| published(id, canopy)) else {
            continue;
        };
        let years = overlap(request.years, held)?;
        for row in rows.iter().filter(|row| (years.0..=years.1).contains(&row.year)) {
            found.table.push([
                id.as_str().into(),
                "admin".into(),
                row.year.into(),
                json!(row.area),
                row.emissions.map_or(Value::Null, Value::from),
                json!(row.fires),
                json!(row.area - row.fires),
            ]);
        }
        found.credit(id, source, days(years));
    }
    Ok(found)
}

fn recorded(id: &str, canopy: i32) -> Option<(Vec<Year>, (i32, i32), Source)> {
    let rows = recorded::FIRES.all();
    let years: Vec<Year> = rows
        .iter()
        .filter(|row| is_at(*row, id, "canopy_cover", canopy))
        .filter_map(|row| {
            Some(Year {
                year: row.integer("tree_cover_loss_year")?,
                area: row.number("area_ha")?,
                emissions: row.number("carbon_emissions_MgCO2e"),
                fires: row.number("tree_cover_loss_from_fires_area_ha")?,
            })
        })
        .collect();
    (!years.is_empty()).then_some((years, (2001, 2024), source::RECORDED))
}

fn published(id: &str, canopy: i32) -> Option<(Vec<Year>, (i32, i32), Source)> {
    if canopy != USUAL_CANOPY {
        return None;
    }
    let rows = COUNTRIES.rows(id);
    let years: Vec<Year> = rows
        .iter()
        .filter_map(|row| {
            Some(Year {
                year: row.integer("tree_cover_loss_year")?,
                area: row.number("area_ha")?,
                emissions: None,
                fires: row.number("tree_cover_loss_from_fires_area_ha")?,
            })
        })
        .collect();
    (!years.is_empty()).then_some((years, (2010, 2020), source::FIRES))
}
