//! Emissions of deforestation by crop. CO2e is the sum of the other gases, so a total uses its rows alone; factors are
//! never added up.

use periplus_chart::Kind;

use super::{Draft, MAX_BARS, Study};
use crate::insight::{
    facts::Axis,
    frame::{NAME, Selection},
    sketch::Sketch,
};

const CROP: &str = "crop_type";
const GAS: &str = "gas_type";
const YEAR: &str = "year";
const EMISSIONS: &str = "emissions_tCO2e";
const PRODUCTION: &str = "production_tonnes";
const FACTOR: &str = "emissions_factor_tCO2e_per_tonne_production";
const ALL_GASES: &str = "CO2e";

pub(super) fn crops(study: Study<'_>) -> Draft {
    let all = study.frame.all();
    let years = all.distinct(YEAR);
    let asked = study
        .question
        .years()
        .map(|year| year.to_string())
        .find(|year| years.contains(year));
    let Some(year) = asked.or_else(|| years.last().cloned()) else {
        return Draft::default();
    };
    let crop = named_crop(study, &all);
    let rows = match &crop {
        Some(crop) => all.with(CROP, crop),
        None => all,
    };
    match &crop {
        Some(crop) if study.asks("gas|gases|co2|ch4|n2o|methane|nitrous") => gases(study, &rows, crop, &year),
        Some(crop) if study.asks("trend*|over time|year*|annual*|change*|since") => {
            by_year(study, &rows, crop)
        }
        _ => table(study, &rows, &year),
    }
}

/// The crop that the question names, the one with the longest name if several fit.
fn named_crop(study: Study<'_>, rows: &Selection<'_>) -> Option<String> {
    rows.distinct(CROP)
        .into_iter()
        .filter(|crop| {
            let lower = crop.to_lowercase();
            study.asks(&format!("{lower}|{lower}s"))
        })
        .max_by_key(String::len)
}

fn gases(study: Study<'_>, rows: &Selection<'_>, crop: &str, year: &str) -> Draft {
    let parts = rows
        .with(YEAR, year)
        .not_zero(EMISSIONS)
        .filter(|frame, row| frame.text(row, GAS) != ALL_GASES);
    if parts.is_empty() {
        return Draft::default();
    }
    let noun = format!("Deforestation emissions of {crop} by gas");
    let sketch = Sketch::new(Kind::Pie, study.title(&noun, year))
        .x(GAS)
        .y(EMISSIONS)
        .sums(&parts.groups(&[GAS]), &[GAS], &[EMISSIONS])
        .largest_first(EMISSIONS);
    let facts = study.facts(&sketch, EMISSIONS, &noun, Axis::Parts, true);
    Draft::of(sketch, facts)
}

fn by_year(study: Study<'_>, rows: &Selection<'_>, crop: &str) -> Draft {
    let rows = rows.with(GAS, ALL_GASES).not_zero(EMISSIONS);
    if rows.is_empty() {
        return Draft::default();
    }
    let noun = format!("Deforestation emissions of {crop}");
    let sketch = Sketch::new(Kind::Bar, study.title(&noun, &Study::span(&rows.distinct(YEAR))))
        .x(YEAR)
        .y(EMISSIONS)
        .sums(&rows.groups(&[YEAR]), &[YEAR], &[EMISSIONS]);
    let facts = study.facts(&sketch, EMISSIONS, &noun, Axis::Time, true);
    Draft::of(sketch, facts)
}

/// Emissions, production and factor of every crop in one year, largest emissions first.
fn table(study: Study<'_>, rows: &Selection<'_>, year: &str) -> Draft {
    let rows = rows.with(GAS, ALL_GASES).with(YEAR, year).not_zero(EMISSIONS);
    if rows.is_empty() {
        return Draft::default();
    }
    let several = study.places().len() > 1;
    let keys: &[&str] = if several { &[NAME, CROP] } else { &[CROP] };
    // One row has one factor; there is nothing to add up.
    let groups = rows.groups(keys);
    let sketch = Sketch::new(Kind::Table, study.title("Deforestation emissions by crop", year))
        .sums(&groups, keys, &[EMISSIONS, PRODUCTION, FACTOR])
        .largest_first(EMISSIONS);
    let by_crop =
        Sketch::new(Kind::Bar, "")
            .x(CROP)
            .y(EMISSIONS)
            .sums(&rows.groups(&[CROP]), &[CROP], &[EMISSIONS]);
    let noun = format!("Deforestation emissions of {year} by crop");
    let facts = study.facts(&by_crop, EMISSIONS, &noun, Axis::Parts, true);
    let draft = Draft::of(sketch, facts)
        .note("Emissions are CO2e, the sum of all gases. Not every crop is reported in every area.");
    if groups.len() > MAX_BARS {
        draft.note(format!("{} crops are listed.", groups.len()))
    } else {
        draft
    }
}
