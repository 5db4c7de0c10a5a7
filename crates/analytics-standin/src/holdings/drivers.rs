//! Tree cover loss by dominant driver, summed over the years that are asked for.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    admin_ids, books::is_at, country_of, days, level_of, loss::USUAL_CANOPY, overlap, recorded, sheet,
};
use crate::{
    answer::Found,
    request::Request,
    sheet::{Rows, Sheet},
    source::{self, Source},
};

/// Countries at canopy 30, one row a year and driver.
pub(super) static COUNTRIES: Sheet = sheet!("tree_cover_loss_driver__country_year.csv");
/// Bolivia by level.
static BOLIVIA: [Sheet; 3] = [
    sheet!("country/BOL_v20260427__adm0_drivers.csv"),
    sheet!("country/BOL_v20260427__adm1_drivers.csv"),
    sheet!("country/BOL_v20260427__adm2_drivers.csv"),
];
/// Bolivia's primary forest by level; districts are not published.
static BOLIVIA_PRIMARY: [Sheet; 2] = [
    sheet!("country/BOL_v20260427__adm0_primary_forest_drivers.csv"),
    sheet!("country/BOL_v20260427__adm1_primary_forest_drivers.csv"),
];

/// Loss and emissions of one driver.
type Totals = BTreeMap<String, (f64, Option<f64>)>;

pub(super) fn find(request: &Request) -> Result<Found, String> {
    let mut found = Found::new(&[
        "aoi_id",
        "aoi_type",
        "tree_cover_loss_driver",
        "area_ha",
        "carbon_emissions_MgCO2e",
    ]);
    let canopy = request.canopy_cover.unwrap_or(USUAL_CANOPY);
    let forest = request.forest_filter.as_deref();
    for id in admin_ids(&request.areas)? {
        let (totals, years, source) = match forest {
            None => match recorded_totals(id, canopy, request.years) {
                Some(recorded) => recorded,
                None => match all_forest(id, canopy) {
                    Some((rows, held, source)) => summed(&rows, id, overlap(request.years, held)?, source),
                    None => continue,
                },
            },
            Some("primary_forest") => match primary_forest(id, canopy) {
                Some(rows) => summed(
                    &rows,
                    id,
                    overlap(request.years, (2002, 2025))?,
                    source::BOLIVIA_DRIVERS,
                ),
                None => continue,
            },
            Some(other) => return Err(format!("no drivers within {other} are published")),
        };
        for (driver, (area, emissions)) in totals {
            found.table.push([
                id.as_str().into(),
                "admin".into(),
                driver.into(),
                json!(area),
                emissions.map_or(Value::Null, Value::from),
            ]);
        }
        found.credit(id, source, days(years));
        if source != source::RECORDED {
            found.note("Emissions by driver and the class Unknown are not published; classes sum to 98.5 to 100 % of the loss.");
        }
    }
    Ok(found)
}

fn all_forest(id: &str, canopy: i32) -> Option<(Rows, (i32, i32), Source)> {
    if canopy != USUAL_CANOPY {
        return None;
    }
    if country_of(id) == "BOL" {
        let rows = BOLIVIA.get(level_of(id))?.rows(id).if_any()?;
        return Some((rows, (2001, 2025), source::BOLIVIA_DRIVERS));
    }
    let rows = COUNTRIES.rows(id).if_any()?;
    Some((rows, (2001, 2024), source::DRIVERS))
}

fn primary_forest(id: &str, canopy: i32) -> Option<Rows> {
    if canopy != USUAL_CANOPY || country_of(id) != "BOL" {
        return None;
    }
    BOLIVIA_PRIMARY.get(level_of(id))?.rows(id).if_any()
}

fn summed(rows: &Rows, id: &str, years: (i32, i32), source: Source) -> (Totals, (i32, i32), Source) {
    let mut totals = Totals::new();
    for row in rows.iter().filter(|row| super::books::is_of(*row, id)) {
        let year = row.integer("tree_cover_loss_year").or(row.integer("year"));
        let driver = row.text("tree_cover_loss_driver").or(row.text("driver"));
        let area = row.number("area_ha").or(row.number("tc_loss_ha"));
        let (Some(year), Some(driver), Some(area)) = (year, driver, area) else {
            continue;
        };
        if (years.0..=years.1).contains(&year) {
            // The service spells this class out for administrative areas.
            let driver = driver
                .replace('&', "and")
                .replace("and Infrastructure", "and infrastructure");
            totals.entry(driver).or_default().0 += area;
        }
    }
    (totals, years, source)
}

/// The recorded total, which is of one span of years and cannot be cut.
fn recorded_totals(id: &str, canopy: i32, asked: Option<(i32, i32)>) -> Option<(Totals, (i32, i32), Source)> {
    let held = (2001, 2024);
    let (start, end) = asked.unwrap_or(held);
    if start > held.0 || end < held.1 {
        return None;
    }
    let rows = recorded::DRIVERS.all();
    let totals: Totals = rows
        .iter()
        .filter(|row| is_at(*row, id, "canopy_cover", canopy))
        .filter_map(|row| {
            let driver = row.text("tree_cover_loss_driver")?.to_owned();
            Some((
                driver,
                (row.number("area_ha")?, row.number("carbon_emissions_MgCO2e")),
            ))
        })
        .collect();
    (!totals.is_empty()).then_some((totals, held, source::RECORDED))
}
