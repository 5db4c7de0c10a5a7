//! The land inventory: one table, its rows as they are.

use periplus_chart::Kind;

use super::{Draft, Study};
use crate::insight::{
    facts::{Axis, Subject, of},
    frame::NAME,
    sketch::{Cell, Sketch},
};

const LABELS: [&str; 4] = [NAME, "category", "class", "year"];
const MEASURES: [&str; 4] = [
    "gross_emissions_MgCO2e",
    "gross_removals_MgCO2",
    "net_flux_MgCO2e",
    "area_ha",
];
/// Most rows of the table.
const MAX_ROWS: usize = 1_000;

pub(super) fn inventory(study: Study<'_>) -> Draft {
    let all = study.frame.all();
    let mut sketch = Sketch::new(Kind::Table, study.dataset.dataset_name.clone());
    for row in all.rows().iter().take(MAX_ROWS) {
        let one = all.filter(|_, other| other == *row);
        let labels = LABELS.iter().map(|column| {
            (
                (*column).to_owned(),
                Cell::Label(study.frame.value(*row, column).clone()),
            )
        });
        let figures = MEASURES
            .iter()
            .map(|column| ((*column).to_owned(), Cell::Figure(one.sum(column))));
        sketch.row(labels.chain(figures).collect());
    }
    let emissions = all.not_zero(MEASURES[0]);
    let by_year = Sketch::new(Kind::Bar, "").x("year").y(MEASURES[0]).sums(
        &emissions.groups(&["year"]),
        &["year"],
        &[MEASURES[0]],
    );
    let facts = of(&Subject {
        noun: format!("Gross emissions of land in {}", study.area()),
        unit: "MgCO₂e",
        items: by_year.items(MEASURES[0]),
        axis: Axis::Time,
        additive: true,
    });
    if sketch.rows.is_empty() {
        return Draft::default();
    }
    let draft = Draft::of(sketch, facts).note("Emissions are positive, removals negative.");
    if all.rows().len() > MAX_ROWS {
        draft.note(format!(
            "The table holds the first {MAX_ROWS} of {} rows.",
            all.rows().len()
        ))
    } else {
        draft
    }
}
