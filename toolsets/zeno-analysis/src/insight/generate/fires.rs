//! Loss due to fire and other loss: two parts of one total.

use periplus_chart::Kind;
use serde_json::Value;

use super::{Draft, Study};
use crate::insight::{
    facts::{Axis, Subject, of},
    frame::{NAME, Selection},
    sketch::{Cell, Sketch},
};

pub(super) const FIRES: &str = "tree_cover_loss_from_fires_area_ha";
const OTHER: &str = "tree_cover_loss_non_fires_area_ha";
const YEAR: &str = "tree_cover_loss_year";
const AREA: &str = "area_ha";
const NOUN: &str = "Tree cover loss due to fires";

pub(super) fn fires(study: Study<'_>) -> Draft {
    let rows = study.frame.all().filter(|frame, row| {
        [FIRES, OTHER]
            .iter()
            .any(|column| frame.number(row, column).is_some_and(|value| value != 0.0))
    });
    let years = rows.distinct(YEAR);
    let places = rows.distinct(NAME);
    if rows.is_empty() {
        return Draft::default();
    }
    let noun = study.noun(NOUN);
    let title = study.title(&noun, &Study::span(&years));
    if places.len() > 1 {
        let sketch = stacked(title, NAME, &rows).largest_first(FIRES);
        let facts = study.facts(&sketch, FIRES, &noun, Axis::Places, true);
        return Draft::of(sketch, facts);
    }
    let split = parts(title.clone(), &rows);
    let mut facts = of(&Subject {
        noun: format!("{} in {} by cause", study.noun("Tree cover loss"), study.area()),
        unit: "ha",
        items: split.items(AREA),
        axis: Axis::Parts,
        additive: true,
    });
    if years.len() == 1 || study.asks("total|share|proportion|percent*|part|fraction") {
        return Draft::of(split, facts);
    }
    let sketch = stacked(title, YEAR, &rows);
    facts.splice(0..0, study.facts(&sketch, FIRES, &noun, Axis::Time, true));
    Draft::of(sketch, facts)
}

/// Both parts on top of each other, by year or by place.
fn stacked(title: String, x: &str, rows: &Selection<'_>) -> Sketch {
    Sketch::new(Kind::StackedBar, title)
        .x(x)
        .series(&[FIRES, OTHER])
        .sums(&rows.groups(&[x]), &[x], &[FIRES, OTHER])
}

/// Both parts of the whole span.
fn parts(title: String, rows: &Selection<'_>) -> Sketch {
    let mut sketch = Sketch::new(Kind::Pie, title).x("cause").y(AREA);
    for (label, measure) in [("Fires", FIRES), ("Other causes", OTHER)] {
        sketch.row(vec![
            ("cause".to_owned(), Cell::Label(Value::from(label))),
            (AREA.to_owned(), Cell::Figure(rows.sum(measure))),
        ]);
    }
    sketch
}
