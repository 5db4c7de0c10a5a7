//! The greenhouse gas balance of forests: emissions, removals and what is left of them, one total of the whole period.

use periplus_chart::Kind;
use serde_json::Value;

use super::{Draft, MAX_BARS, Study};
use crate::insight::{
    facts::{Fact, Stated, say},
    frame::{Figure, Frame, NAME},
    sketch::{Cell, Sketch},
};

const NET: &str = "carbon_net_flux_Mg_CO2e";
const EMISSIONS: &str = "carbon_gross_emissions_Mg_CO2e";
const REMOVALS: &str = "carbon_gross_removals_Mg_CO2e";
const UNIT: &str = "MgCO₂e";

pub(super) fn net_flux(study: Study<'_>) -> Draft {
    let rows = study
        .frame
        .all()
        .filter(|frame, row| frame.number(row, NET).is_some());
    if rows.is_empty() {
        return Draft::default();
    }
    let period = format!(
        "total {}–{}",
        year(&study.record.start_date),
        year(&study.record.end_date)
    );
    let title = study.title("Forest greenhouse gas net flux", &period);
    let groups = rows.groups(&[NAME]);
    let facts = groups
        .iter()
        .take(MAX_BARS)
        .filter_map(|(_, place)| {
            Some(balance(
                &place.frame().text(*place.rows().first()?, NAME),
                &place.sum(NET)?,
                place.sum(EMISSIONS).as_ref(),
                place.sum(REMOVALS).as_ref(),
            ))
        })
        .collect();
    if groups.len() > 1 {
        let kind = if groups.len() > MAX_BARS {
            Kind::Table
        } else {
            Kind::Bar
        };
        let sketch = Sketch::new(kind, title)
            .x(NAME)
            .y(NET)
            .sums(&groups, &[NAME], &[NET])
            .largest_first(NET);
        return Draft::of(sketch, facts).note(TOTAL);
    }
    let mut sketch = Sketch::new(Kind::Bar, title).x("flux").y(NET);
    let removals = rows
        .sum(REMOVALS)
        .map(|figure| Figure::derived(-figure.value, format!("-{}", figure.expression), &[&figure]));
    for (label, figure) in [
        ("Gross emissions", rows.sum(EMISSIONS)),
        ("Gross removals", removals),
        ("Net flux", rows.sum(NET)),
    ] {
        sketch.row(vec![
            ("flux".to_owned(), Cell::Label(Value::from(label))),
            (NET.to_owned(), Cell::Figure(figure)),
        ]);
    }
    Draft::of(sketch, facts).note(TOTAL)
}

const TOTAL: &str =
    "Figures are one total of the whole model period, not a series. Removals are drawn below zero.";

/// What a place is on balance, in the words that science uses for the sign.
fn balance(place: &str, net: &Figure, emissions: Option<&Figure>, removals: Option<&Figure>) -> Fact {
    let kind = if net.value < 0.0 { "net sink" } else { "net source" };
    let stated = |label: &str, figure: &Figure| Stated {
        label: format!("{label}, {place}"),
        unit: UNIT.to_owned(),
        figure: figure.clone(),
    };
    let mut figures = vec![stated("Net flux", net)];
    let mut text = format!(
        "Forests in {place} are a {kind} of greenhouse gases: the net flux is {}",
        say(net.value, UNIT)
    );
    if let (Some(emissions), Some(removals)) = (emissions, removals) {
        text.push_str(&format!(
            ", from gross emissions of {} and gross removals of {}",
            say(emissions.value, UNIT),
            say(removals.value, UNIT)
        ));
        figures.extend([
            stated("Gross emissions", emissions),
            stated("Gross removals", removals),
        ]);
    }
    text.push('.');
    Fact { text, figures }
}

/// The word for the sign of the balance that no place has, if they all have the same sign.
pub(in crate::insight) fn wrong_word(frame: &Frame) -> Option<&'static str> {
    let net: Vec<f64> = (0..frame.row_count())
        .filter_map(|row| frame.number(row, NET))
        .collect();
    if net.is_empty() {
        None
    } else if net.iter().all(|value| *value < 0.0) {
        Some("net source|carbon source|source of carbon|source of greenhouse gases")
    } else if net.iter().all(|value| *value > 0.0) {
        Some("net sink|carbon sink|sink of carbon|sink of greenhouse gases")
    } else {
        None
    }
}

fn year(date: &str) -> &str {
    date.get(..4).unwrap_or(date)
}
