//! Tree cover loss by year.

use serde_json::{Value, json};

use super::{
    admin_ids,
    books::{Book, books_for, is_at},
    country_of, days, level_of, overlap, recorded, sheet,
};
use crate::{
    answer::Found,
    request::Request,
    sheet::Sheet,
    source::{self, Source},
};

/// Countries at canopy 30, with emissions.
pub(super) static BUNDLE: Sheet = sheet!("tree_cover_loss__country_tcd30.csv");
/// The same of primary forest.
pub(super) static PRIMARY: Sheet = sheet!("tree_cover_loss_primary_forest__country.csv");
/// Bolivia's primary forest, by level.
static BOLIVIA_PRIMARY: [Sheet; 3] = [
    sheet!("country/BOL_v20260427__adm0_primary_forest_loss.csv"),
    sheet!("country/BOL_v20260427__adm1_primary_forest_loss.csv"),
    sheet!("country/BOL_v20260427__adm2_primary_forest_loss.csv"),
];

/// The threshold that most figures are published at.
pub(super) const USUAL_CANOPY: i32 = 30;

/// The series of one area.
struct Series {
    years: (i32, i32),
    /// Year, loss in ha, emissions in Mg CO2e.
    rows: Vec<(i32, f64, Option<f64>)>,
    source: Source,
}

pub(super) fn find(request: &Request) -> Result<Found, String> {
    let ids = admin_ids(&request.areas)?;
    let canopy = request.canopy_cover.unwrap_or(USUAL_CANOPY);
    let series: fn(&str, i32) -> Option<Series> = match request.forest_filter.as_deref() {
        None => all_forest,
        Some("primary_forest") => primary_forest,
        Some(other) => return Err(format!("no loss within {other} is published")),
    };
    let mut found = Found::new(&[
        "aoi_id",
        "aoi_type",
        "tree_cover_loss_year",
        "area_ha",
        "carbon_emissions_MgCO2e",
    ]);
    let mut outside = None;
    for id in ids {
        let Some(series) = series(id, canopy) else {
            continue;
        };
        match overlap(request.years, series.years) {
            Ok(years) => add(&mut found, id, &series, years),
            Err(reason) => outside = Some(reason),
        }
    }
    match outside {
        Some(reason) if found.areas.is_empty() => Err(reason),
        _ => Ok(found),
    }
}

fn add(found: &mut Found, id: &str, series: &Series, (start, end): (i32, i32)) {
    for (year, area, emissions) in &series.rows {
        if (start..=end).contains(year) {
            found.table.push([
                id.into(),
                "admin".into(),
                (*year).into(),
                json!(area),
                emissions.map_or(Value::Null, Value::from),
            ]);
        }
    }
    found.credit(id, series.source, days((start, end)));
}

fn all_forest(id: &str, canopy: i32) -> Option<Series> {
    let recorded = || recorded_series(id, canopy);
    let bundled = || bundled(&BUNDLE, id, canopy, (2001, 2024));
    let books: Vec<&Book> = books_for(id).collect();
    let from_book = || books.iter().find_map(|book| from_book(book, id, canopy));
    let candidates = [recorded(), from_book(), bundled()];
    // The series that reaches furthest; of two that reach as far, the first.
    candidates
        .into_iter()
        .flatten()
        .rev()
        .max_by_key(|series| series.years.1)
}

fn primary_forest(id: &str, canopy: i32) -> Option<Series> {
    if country_of(id) != "BOL" {
        return bundled(&PRIMARY, id, canopy, (2002, 2024));
    }
    let rows = BOLIVIA_PRIMARY.get(level_of(id))?.rows(id);
    let row = rows.iter().find(|row| is_at(*row, id, "threshold", canopy))?;
    let loss = |year| Some((year, row.number(&format!("tc_loss_ha_{year}"))?, None));
    Some(Series {
        years: (2002, 2025),
        rows: rows
            .years("tc_loss_ha_", "")
            .into_iter()
            .filter_map(loss)
            .collect(),
        source: source::BOLIVIA,
    })
}

/// A country's rows of a sheet with one row a year.
fn bundled(sheet: &Sheet, id: &str, canopy: i32, years: (i32, i32)) -> Option<Series> {
    if canopy != USUAL_CANOPY || level_of(id) != 0 {
        return None;
    }
    let rows = sheet.rows(id);
    let rows: Vec<_> = rows
        .iter()
        .filter_map(|row| {
            let year = row.integer("umd_tree_cover_loss__year")?;
            let area = row.number("umd_tree_cover_loss__ha")?;
            Some((year, area, row.number("gfw_gross_emissions_co2e_all_gases__Mg")))
        })
        .filter(|(year, ..)| (years.0..=years.1).contains(year))
        .collect();
    (!rows.is_empty()).then_some(Series {
        years,
        rows,
        source: source::BUNDLE_2024,
    })
}

fn from_book(book: &Book, id: &str, canopy: i32) -> Option<Series> {
    let rows = book.loss_rows(id);
    let row = rows.iter().find(|row| is_at(*row, id, "threshold", canopy))?;
    let carbon = book.carbon_rows(id);
    let carbon = carbon.as_ref().and_then(|rows| {
        rows.iter()
            .find(|row| is_at(*row, id, "umd_tree_cover_density_2000__threshold", canopy))
    });
    let point = |year| {
        let emissions =
            carbon.and_then(|row| row.number(&format!("gfw_forest_carbon_gross_emissions_{year}__Mg_CO2e")));
        Some((year, row.number(&format!("tc_loss_ha_{year}"))?, emissions))
    };
    Some(Series {
        years: book.years,
        rows: rows
            .years("tc_loss_ha_", "")
            .into_iter()
            .filter_map(point)
            .collect(),
        source: book.source,
    })
}

fn recorded_series(id: &str, canopy: i32) -> Option<Series> {
    let rows = recorded::LOSS.all();
    let rows: Vec<_> = rows
        .iter()
        .filter(|row| is_at(*row, id, "canopy_cover", canopy))
        .filter_map(|row| {
            let year = row.integer("tree_cover_loss_year")?;
            Some((
                year,
                row.number("area_ha")?,
                row.number("carbon_emissions_MgCO2e"),
            ))
        })
        .collect();
    (!rows.is_empty()).then_some(Series {
        years: (2001, 2024),
        rows,
        source: source::RECORDED,
    })
}
