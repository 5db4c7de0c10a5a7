//! What an area has once: tree cover, its gain, its carbon balance.

use serde_json::{Value, json};

use super::{
    admin_ids,
    books::{books_for, is_at, is_of},
    days,
    loss::USUAL_CANOPY,
    recorded, sheet,
};
use crate::{
    answer::Found,
    request::Request,
    sheet::Sheet,
    source::{self, Source},
};

/// Primary forest of tropical countries at canopy 30.
pub(super) static PRIMARY_EXTENT: Sheet = sheet!("primary_forest_extent__country.csv");

/// The last year of the periods of gain.
const GAIN: (i32, i32) = (2000, 2020);

pub(super) fn cover(request: &Request) -> Result<Found, String> {
    let mut found = Found::new(&["aoi_id", "aoi_type", "area_ha"]);
    let canopy = request.canopy_cover.unwrap_or(USUAL_CANOPY);
    let extent: fn(&str, i32) -> Option<(f64, Source)> = match request.forest_filter.as_deref() {
        None => all_cover,
        Some("primary_forest") => primary_cover,
        Some(other) => return Err(format!("no tree cover within {other} is published")),
    };
    for id in admin_ids(&request.areas)? {
        let Some((area, source)) = extent(id, canopy) else {
            continue;
        };
        found
            .table
            .push([id.as_str().into(), "admin".into(), json!(area)]);
        found.credit(id, source, days((2000, 2000)));
    }
    Ok(found)
}

fn all_cover(id: &str, canopy: i32) -> Option<(f64, Source)> {
    let recorded = recorded::COVER.all();
    let recorded = recorded
        .iter()
        .find(|row| is_at(*row, id, "canopy_cover", canopy))
        .and_then(|row| Some((row.number("area_ha")?, source::RECORDED)));
    recorded.or_else(|| {
        books_for(id).find_map(|book| {
            let rows = book.loss_rows(id);
            let row = rows.iter().find(|row| is_at(*row, id, "threshold", canopy))?;
            Some((row.number("extent_2000_ha")?, book.source))
        })
    })
}

fn primary_cover(id: &str, canopy: i32) -> Option<(f64, Source)> {
    if canopy != USUAL_CANOPY {
        return None;
    }
    let rows = PRIMARY_EXTENT.rows(id);
    let area = rows.iter().next()?.number("umd_tree_cover_extent_2000__ha")?;
    Some((area, source::BUNDLE_2024))
}

pub(super) fn gain(request: &Request) -> Result<Found, String> {
    if let Some(forest) = &request.forest_filter {
        return Err(format!("no gain within {forest} is published"));
    }
    let mut found = Found::new(&["aoi_id", "aoi_type", "tree_cover_gain_period", "area_ha"]);
    let asked = request.years.unwrap_or(GAIN);
    for id in admin_ids(&request.areas)? {
        if add_periods(&mut found, id, asked) {
            continue;
        }
        if asked != GAIN {
            continue;
        }
        let Some((area, source)) = total_gain(id) else {
            continue;
        };
        found.table.push([
            id.as_str().into(),
            "admin".into(),
            "2000-2020".into(),
            json!(area),
        ]);
        found.credit(id, source, days(GAIN));
        found.note("Gain is published as one total for 2000 to 2020, not by five-year period.");
    }
    if found.areas.is_empty() && asked != GAIN {
        return Err(format!(
            "gain from {} to {} is asked for, and totals of 2000 to 2020 are held",
            asked.0, asked.1
        ));
    }
    Ok(found)
}

/// Adds the recorded periods within the years that are asked for.
fn add_periods(found: &mut Found, id: &str, (start, end): (i32, i32)) -> bool {
    let rows = recorded::GAIN.all();
    let mut added = false;
    for row in rows.iter().filter(|row| is_of(*row, id)) {
        let (Some(period), Some(area)) = (row.text("tree_cover_gain_period"), row.number("area_ha")) else {
            continue;
        };
        let bounds = period
            .split_once('-')
            .and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
        if bounds.is_some_and(|(from, to): (i32, i32)| start <= from && to <= end) {
            found
                .table
                .push([id.into(), "admin".into(), period.into(), json!(area)]);
            added = true;
        }
    }
    if added {
        found.credit(id, source::RECORDED, days((start, end)));
    }
    added
}

fn total_gain(id: &str) -> Option<(f64, Source)> {
    books_for(id).find_map(|book| {
        let rows = book.loss_rows(id);
        let row = rows.iter().find(|row| is_of(*row, id))?;
        // One edition heads the column with another year; its values are those of 2000 to 2020.
        let area = row
            .number("gain_2000-2020_ha")
            .or(row.number("gain_2000-2012_ha"))?;
        Some((area, book.source))
    })
}

pub(super) fn carbon(request: &Request) -> Result<Found, String> {
    let mut found = Found::new(&[
        "aoi_id",
        "aoi_type",
        "carbon_net_flux_Mg_CO2e",
        "carbon_gross_emissions_Mg_CO2e",
        "carbon_gross_removals_Mg_CO2e",
    ]);
    let canopy = request.canopy_cover.unwrap_or(USUAL_CANOPY);
    for id in admin_ids(&request.areas)? {
        if let Some(cells) = recorded_carbon(id, canopy) {
            let (source, years) = if id == "CRI" {
                (source::RECORDED, (2001, 2025))
            } else {
                (source::EXPECTED, (2001, 2024))
            };
            push_carbon(&mut found, id, cells);
            found.credit(id, source, days(years));
            continue;
        }
        let published = books_for(id).find_map(|book| {
            let rows = book.carbon_rows(id)?;
            let row = rows
                .iter()
                .find(|row| is_at(*row, id, "umd_tree_cover_density_2000__threshold", canopy))?;
            let span = f64::from(book.years.1 - book.years.0 + 1);
            let total = |column| row.number(column).map(|mean| mean * span);
            let cells = [
                total("gfw_forest_carbon_net_flux__Mg_CO2e_yr-1"),
                total("gfw_forest_carbon_gross_emissions__Mg_CO2e_yr-1"),
                total("gfw_forest_carbon_gross_removals__Mg_CO2_yr-1"),
            ];
            Some((cells, book.years, book.carbon_source))
        });
        let Some((cells, years, source)) = published else {
            continue;
        };
        push_carbon(&mut found, id, cells);
        found.credit(id, source, days(years));
        found.note(format!(
            "Published as yearly means; the totals are {} times the mean of {} to {}.",
            years.1 - years.0 + 1,
            years.0,
            years.1
        ));
    }
    Ok(found)
}

fn recorded_carbon(id: &str, canopy: i32) -> Option<[Option<f64>; 3]> {
    let rows = recorded::CARBON.all();
    let row = rows.iter().find(|row| is_at(*row, id, "canopy_cover", canopy))?;
    Some([
        row.number("carbon_net_flux_Mg_CO2e"),
        row.number("carbon_gross_emissions_Mg_CO2e"),
        row.number("carbon_gross_removals_Mg_CO2e"),
    ])
}

fn push_carbon(found: &mut Found, id: &str, cells: [Option<f64>; 3]) {
    let [net, emissions, removals] = cells.map(|cell| cell.map_or(Value::Null, Value::from));
    found
        .table
        .push([id.into(), "admin".into(), net, emissions, removals]);
}
