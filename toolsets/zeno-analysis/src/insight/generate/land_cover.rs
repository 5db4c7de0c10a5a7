//! Land cover: what the ground of 2024 is, or what changed from which class to which since 2015.

use periplus_chart::Kind;
use serde_json::Value;

use super::{Draft, MAX_SLICES, Study};
use crate::insight::{
    facts::Axis,
    frame::{NAME, Selection},
    sketch::Sketch,
};

pub(super) const START: &str = "land_cover_class_start";
const END: &str = "land_cover_class_end";
const CLASS: &str = "land_cover_class";
const AREA: &str = "area_ha";
/// Two classes that are one to most people.
const AGRICULTURE: &str = "Agriculture";

/// Most rows of a table of changes.
const MAX_CHANGES: usize = 200;

/// Changes, largest first. Land that did not change is not in the rows.
pub(super) fn change(study: Study<'_>) -> Draft {
    let merged = merges(study);
    let rows = study.frame.all().not_zero(AREA).filter(|frame, row| {
        // Cropland that became cultivated grassland is still agriculture.
        class(&frame.text(row, START), merged) != class(&frame.text(row, END), merged)
    });
    if rows.is_empty() {
        return Draft::default();
    }
    let several = study.places().len() > 1;
    let mut keys = if several { vec![NAME] } else { Vec::new() };
    keys.extend([START, END]);
    let groups = rows.groups_by(|frame, row| {
        keys.iter()
            .map(|key| Value::from(class(&frame.text(row, key), merged)))
            .collect()
    });
    let mut sketch = Sketch::new(Kind::Table, study.title("Land cover change", "2015–2024"))
        .sums(&groups, &keys, &[AREA])
        .largest_first(AREA);
    let facts = pair_facts(study, &rows, merged);
    let count = sketch.rows.len();
    sketch.rows.truncate(MAX_CHANGES);
    let draft = noted(Draft::of(sketch, facts), merged);
    if count > MAX_CHANGES {
        draft.note(format!(
            "The table holds the {MAX_CHANGES} largest of {count} changes."
        ))
    } else {
        draft
    }
}

fn pair_facts(study: Study<'_>, rows: &Selection<'_>, merged: bool) -> Vec<crate::insight::facts::Fact> {
    let pairs = rows.groups_by(|frame, row| {
        let (start, end) = (frame.text(row, START), frame.text(row, END));
        vec![Value::from(format!(
            "{} to {}",
            class(&start, merged),
            class(&end, merged)
        ))]
    });
    let sketch = Sketch::new(Kind::Table, "")
        .x("change")
        .y(AREA)
        .sums(&pairs, &["change"], &[AREA]);
    study.facts(
        &sketch,
        AREA,
        "Land cover change from 2015 to 2024",
        Axis::Parts,
        true,
    )
}

/// The ground of 2024.
pub(super) fn composition(study: Study<'_>) -> Draft {
    let merged = merges(study);
    let rows = study.frame.all().not_zero(AREA);
    if rows.is_empty() {
        return Draft::default();
    }
    let groups = rows.groups_by(|frame, row| vec![Value::from(class(&frame.text(row, CLASS), merged))]);
    let pie = Sketch::new(Kind::Pie, study.title("Land cover", "2024"))
        .x(CLASS)
        .y(AREA)
        .sums(&groups, &[CLASS], &[AREA])
        .with_rest_joined(CLASS, AREA, MAX_SLICES);
    let facts = study.facts(&pie, AREA, "Land cover of 2024", Axis::Parts, true);
    if study.places().len() == 1 {
        return noted(Draft::of(pie, facts), merged);
    }
    let groups = rows.groups_by(|frame, row| {
        vec![
            frame.value(row, NAME).clone(),
            Value::from(class(&frame.text(row, CLASS), merged)),
        ]
    });
    let sketch = Sketch::new(Kind::StackedBar, study.title("Land cover", "2024"))
        .x(NAME)
        .y(AREA)
        .stack(CLASS)
        .sums(&groups, &[NAME, CLASS], &[AREA]);
    noted(Draft::of(sketch, facts), merged)
}

/// Whether cropland and cultivated grassland are one: unless the question tells them apart.
fn merges(study: Study<'_>) -> bool {
    !study.asks("cropland*|crops|cultivated|pasture*")
}

fn class(name: &str, merged: bool) -> String {
    match name {
        "Cropland" | "Cultivated grasslands" if merged => AGRICULTURE.to_owned(),
        other => other.to_owned(),
    }
}

fn noted(draft: Draft, merged: bool) -> Draft {
    if merged {
        draft.note("Agriculture is cropland and cultivated grasslands together.")
    } else {
        draft
    }
}
