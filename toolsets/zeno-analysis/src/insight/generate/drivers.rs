//! Loss by its dominant driver: shares of one total, never a series.

use periplus_chart::Kind;
use serde_json::Value;

use super::{Draft, MAX_SLICES, Study};
use crate::insight::{
    facts::{Axis, Fact, Stated, say},
    frame::{NAME, Selection},
    sketch::Sketch,
};

pub(super) const DRIVER: &str = "tree_cover_loss_driver";
const AREA: &str = "area_ha";

/// Drivers that change the use of land for good.
const DEFORESTATION: [&str; 3] = [
    "Permanent agriculture",
    "Hard commodities",
    "Settlements and infrastructure",
];

/// Drivers that are farming, whether it stays or moves on.
const AGRICULTURE: [&str; 2] = ["Permanent agriculture", "Shifting cultivation"];

pub(super) fn drivers(study: Study<'_>) -> Draft {
    // What has no known driver says nothing about drivers.
    let rows = study
        .frame
        .all()
        .not_zero(AREA)
        .filter(|frame, row| frame.text(row, DRIVER) != "Unknown");
    if rows.is_empty() {
        return Draft::default();
    }
    let period = format!(
        "{}–{}",
        study.record.start_date.get(..4).unwrap_or_default(),
        study.record.end_date.get(..4).unwrap_or_default()
    );
    let title = study.title("Tree cover loss by dominant driver", &period);
    let by_driver = rows.groups_by(|frame, row| vec![Value::from(driver(&frame.text(row, DRIVER)))]);
    let pie = Sketch::new(Kind::Pie, title.clone())
        .x(DRIVER)
        .y(AREA)
        .sums(&by_driver, &[DRIVER], &[AREA])
        .with_rest_joined(DRIVER, AREA, MAX_SLICES);
    let mut facts = study.facts(&pie, AREA, "Tree cover loss by driver", Axis::Parts, true);
    if study.asks("agricultur*|farm*") {
        facts.extend(group(
            study,
            &rows,
            &AGRICULTURE,
            "Agriculture",
            "Permanent agriculture and shifting cultivation",
        ));
    }
    facts.extend(group(
        study,
        &rows,
        &DEFORESTATION,
        "Deforestation proxy",
        "Permanent agriculture, hard commodities and settlements, which stand for deforestation,",
    ));
    let sketch = if study.places().len() == 1 {
        pie
    } else {
        let groups = rows.groups_by(|frame, row| {
            vec![
                frame.value(row, NAME).clone(),
                Value::from(driver(&frame.text(row, DRIVER))),
            ]
        });
        Sketch::new(Kind::Table, title).sums(&groups, &[NAME, DRIVER], &[AREA])
    };
    Draft::of(sketch, facts)
        .note("Loss without a known driver is left out. The driver is the dominant one of a cell of about 1 km in the whole period.")
}

/// What several drivers come to together.
fn group(study: Study<'_>, rows: &Selection<'_>, members: &[&str], label: &str, words: &str) -> Option<Fact> {
    let figure = rows
        .filter(|frame, row| members.contains(&driver(&frame.text(row, DRIVER)).as_str()))
        .sum(AREA)?;
    Some(Fact {
        text: format!(
            "{words} add up to {} in {}.",
            say(figure.value, "ha"),
            study.area()
        ),
        figures: vec![Stated {
            label: label.to_owned(),
            unit: "ha".to_owned(),
            figure,
        }],
    })
}

/// One spelling of a class that results spell in two ways.
fn driver(name: &str) -> String {
    match name {
        "Settlements & Infrastructure" => "Settlements and infrastructure".to_owned(),
        other => other.to_owned(),
    }
}
