//! Results of the real service, recorded: rows as they were, for the few areas they exist for.

use serde_json::{Value, json};

use super::{days, overlap, sheet};
use crate::{
    answer::Found,
    request::{Areas, Request},
    sheet::{Row, Sheet},
    source::{self, Source},
};

pub(super) static LOSS: Sheet = sheet!("recorded/tree_cover_loss.csv");
pub(super) static DRIVERS: Sheet = sheet!("recorded/tree_cover_loss_driver.csv");
pub(super) static FIRES: Sheet = sheet!("recorded/tree_cover_loss_fire.csv");
pub(super) static COVER: Sheet = sheet!("recorded/tree_cover.csv");
pub(super) static GAIN: Sheet = sheet!("recorded/tree_cover_gain.csv");
pub(super) static CARBON: Sheet = sheet!("recorded/carbon_flux.csv");
static DIST_ALERTS: Sheet = sheet!("recorded/dist_alerts.csv");
static DIST_ALERTS_GRASSLANDS: Sheet = sheet!("recorded/dist_alerts_grasslands.csv");
static DIST_ALERTS_LAND_COVER: Sheet = sheet!("recorded/dist_alerts_land_cover.csv");
static INTEGRATED_ALERTS: Sheet = sheet!("recorded/integrated_alerts.csv");
static LAND_COVER_CHANGE: Sheet = sheet!("recorded/land_cover_change.csv");
static LAND_COVER_COMPOSITION: Sheet = sheet!("recorded/land_cover_composition.csv");
static NATURAL_LANDS: Sheet = sheet!("recorded/natural_lands.csv");
static GRASSLANDS: Sheet = sheet!("recorded/grasslands.csv");
static EMISSION_FACTORS: Sheet = sheet!("recorded/deforestation_luc_emissions_factor.csv");

/// Columns of numbers that are whole.
const INTEGERS: [&str; 3] = ["year", "natural_lands_code", "tree_cover_loss_year"];
/// Columns of numbers.
const NUMBERS: [&str; 4] = [
    "area_ha",
    "emissions_factor_tCO2e_per_tonne_production",
    "emissions_tCO2e",
    "production_tonnes",
];

pub(super) fn dist_alerts(request: &Request) -> Result<Found, String> {
    let common = [
        "dist_alert_date",
        "dist_alert_confidence",
        "area_ha",
        "aoi_id",
        "aoi_type",
    ];
    let (sheet, layer) = match request.intersection.as_deref() {
        None => (&DIST_ALERTS, None),
        Some("grasslands") => (&DIST_ALERTS_GRASSLANDS, Some("grasslands")),
        Some("land_cover") => (&DIST_ALERTS_LAND_COVER, Some("land_cover")),
        Some(other) => return Err(format!("no alerts by {other} are recorded")),
    };
    let places = ["country", "region", "subregion"];
    let columns: Vec<&'static str> = places.into_iter().chain(layer).chain(common).collect();
    let mut found = Found::new(&columns);
    found.optional = &["country", "region", "subregion"];
    copy_days(&mut found, sheet, &columns, "dist_alert_date", request, |id| {
        if id == "CRI" {
            (("2024-01-01", "2024-12-31"), source::RECORDED)
        } else {
            (("2024-08-15", "2024-08-16"), source::EXPECTED)
        }
    })?;
    Ok(found)
}

pub(super) fn integrated_alerts(request: &Request) -> Result<Found, String> {
    let columns = ["aoi_id", "alert_date", "alert_confidence", "area_ha", "aoi_type"];
    let mut found = Found::new(&columns);
    copy_days(
        &mut found,
        &INTEGRATED_ALERTS,
        &columns,
        "alert_date",
        request,
        |_| (("2024-01-01", "2024-10-13"), source::RECORDED),
    )?;
    if !found.areas.is_empty() {
        found.note("The recording is cut: it ends on 2024-10-13.");
    }
    Ok(found)
}

pub(super) fn land_cover_change(request: &Request) -> Found {
    let columns = [
        "aoi_id",
        "aoi_type",
        "land_cover_class_start",
        "land_cover_class_end",
        "area_ha",
    ];
    copy_all(&LAND_COVER_CHANGE, &columns, request, (2015, 2024), |_| {
        source::EXPECTED
    })
}

pub(super) fn land_cover_composition(request: &Request) -> Found {
    let columns = ["aoi_id", "aoi_type", "land_cover_class", "area_ha"];
    copy_all(
        &LAND_COVER_COMPOSITION,
        &columns,
        request,
        (2024, 2024),
        |id| match id {
            "CRI" => source::RECORDED,
            _ => source::EXPECTED,
        },
    )
}

pub(super) fn natural_lands(request: &Request) -> Found {
    let columns = ["natural_lands_class", "area_ha", "aoi_id", "aoi_type"];
    copy_all(&NATURAL_LANDS, &columns, request, (2020, 2020), |id| match id {
        "CRI" => source::RECORDED_NATURAL_LANDS,
        _ => source::EXPECTED_NATURAL_LANDS,
    })
}

pub(super) fn grasslands(request: &Request) -> Result<Found, String> {
    let columns = ["year", "area_ha", "aoi_id", "aoi_type"];
    let (start, end) = overlap(request.years, (2000, 2022))?;
    let mut found = Found::new(&columns);
    copy(
        &mut found,
        &GRASSLANDS,
        &columns,
        &request.areas,
        source::RECORDED,
        (start, end),
        |row| {
            row.integer("year")
                .is_some_and(|year| (start..=end).contains(&year))
        },
    );
    Ok(found)
}

pub(super) fn emission_factors(request: &Request) -> Result<Found, String> {
    let columns = [
        "aoi_id",
        "aoi_type",
        "crop_type",
        "gas_type",
        "year",
        "emissions_factor_tCO2e_per_tonne_production",
        "emissions_tCO2e",
        "production_tonnes",
    ];
    let (start, end) = overlap(request.years, (2020, 2024))?;
    let is_in = |list: &[String], value: Option<&str>| {
        list.is_empty() || value.is_some_and(|value| list.iter().any(|item| item == value))
    };
    let mut found = Found::new(&columns);
    copy(
        &mut found,
        &EMISSION_FACTORS,
        &columns,
        &request.areas,
        source::RECORDED,
        (start, end),
        |row| {
            row.integer("year")
                .is_some_and(|year| (start..=end).contains(&year))
                && is_in(&request.crop_types, row.text("crop_type"))
                && is_in(&request.gas_types, row.text("gas_type"))
        },
    );
    if !found.areas.is_empty() {
        found.note("The recording is cut: some crops are missing.");
    }
    Ok(found)
}

/// Copies every row of the asked areas; the source depends on the area.
fn copy_all(
    sheet: &Sheet,
    columns: &[&'static str],
    request: &Request,
    years: (i32, i32),
    source_of: impl Fn(&str) -> Source,
) -> Found {
    let mut found = Found::new(columns);
    let rows = sheet.all();
    for row in rows.iter().filter(|row| is_asked(*row, &request.areas)) {
        found.table.push_all(cells(row, columns));
        let id = row.text("aoi_id").unwrap_or_default();
        found.credit(id, source_of(id), days(years));
    }
    found
}

fn copy(
    found: &mut Found,
    sheet: &Sheet,
    columns: &[&'static str],
    areas: &Areas,
    source: Source,
    years: (i32, i32),
    is_wanted: impl Fn(Row<'_>) -> bool,
) {
    let rows = sheet.all();
    for row in rows.iter().filter(|row| is_asked(*row, areas)) {
        found.credit(row.text("aoi_id").unwrap_or_default(), source, days(years));
        if is_wanted(row) {
            found.table.push_all(cells(row, columns));
        }
    }
}

/// Copies the rows of the asked days; which days are held depends on the area.
fn copy_days(
    found: &mut Found,
    sheet: &Sheet,
    columns: &[&'static str],
    date: &str,
    request: &Request,
    held: impl Fn(&str) -> ((&'static str, &'static str), Source),
) -> Result<(), String> {
    let rows = sheet.all();
    let mut outside = None;
    for row in rows.iter().filter(|row| is_asked(*row, &request.areas)) {
        let id = row.text("aoi_id").unwrap_or_default();
        let ((first, last), source) = held(id);
        let (start, end) = match &request.dates {
            Some((start, end)) => (start.as_str().max(first), end.as_str().min(last)),
            None => (first, last),
        };
        if start > end {
            outside = Some(format!(
                "{id} is held from {first} to {last}, and other days are asked for"
            ));
            continue;
        }
        found.credit(id, source, Some((start.to_owned(), end.to_owned())));
        if row.text(date).is_some_and(|day| start <= day && day <= end) {
            found.table.push_all(cells(row, columns));
        }
    }
    match outside {
        Some(reason) if found.areas.is_empty() => Err(reason),
        _ => Ok(()),
    }
}

fn is_asked(row: Row<'_>, areas: &Areas) -> bool {
    row.text("aoi_type") == Some(areas.kind.as_str())
        && row
            .text("aoi_id")
            .is_some_and(|id| areas.ids.iter().any(|asked| asked == id))
}

fn cells(row: Row<'_>, columns: &[&str]) -> Vec<Value> {
    let cell = |column: &&str| {
        if INTEGERS.contains(column) {
            row.integer(column).map_or(Value::Null, Value::from)
        } else if NUMBERS.contains(column) {
            row.number(column).map_or(Value::Null, |number| json!(number))
        } else {
            row.text(column).map_or(Value::Null, Value::from)
        }
    };
    columns.iter().map(cell).collect()
}
