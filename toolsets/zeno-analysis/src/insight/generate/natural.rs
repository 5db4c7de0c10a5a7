//! The natural land of 2020, by class or as natural against non-natural.

use periplus_chart::Kind;
use serde_json::Value;

use super::{Draft, MAX_SLICES, Study};
use crate::insight::{
    facts::{Axis, Fact, Stated, say},
    frame::{NAME, Selection},
    sketch::Sketch,
};

const CLASS: &str = "natural_lands_class";
const KIND: &str = "land";
const AREA: &str = "area_ha";

/// The natural classes, as the rows name them.
const NATURAL: [&str; 10] = [
    "Natural forests",
    "Natural short vegetation",
    "Natural water",
    "Mangroves",
    "Bare",
    "Snow",
    "Wetland natural forests",
    "Natural peat forests",
    "Wetland natural short vegetation",
    "Natural peat short vegetation",
];

/// The natural classes that are forest.
const FOREST: [&str; 4] = [
    "Natural forests",
    "Mangroves",
    "Wetland natural forests",
    "Natural peat forests",
];

pub(super) fn natural_lands(study: Study<'_>) -> Draft {
    let rows = study.frame.all().not_zero(AREA);
    if rows.is_empty() {
        return Draft::default();
    }
    let halves = halves(study, &rows);
    let mut facts = study.facts(&halves, AREA, "Land of 2020", Axis::Parts, true);
    facts.extend(forest(study, &rows));
    if study.places().len() > 1 {
        let groups = rows.groups_by(|frame, row| {
            vec![
                frame.value(row, NAME).clone(),
                Value::from(kind(&frame.text(row, CLASS))),
            ]
        });
        let sketch = Sketch::new(
            Kind::StackedBar,
            study.title("Natural and non-natural land", "2020"),
        )
        .x(NAME)
        .y(AREA)
        .stack(KIND)
        .sums(&groups, &[NAME, KIND], &[AREA]);
        return Draft::of(sketch, facts);
    }
    if study.asks("non natural|versus|vs|share|proportion|percent*|how natural|how much natural") {
        return Draft::of(halves, facts);
    }
    let sketch = Sketch::new(
        Kind::Pie,
        study.title("Natural and non-natural land by class", "2020"),
    )
    .x(CLASS)
    .y(AREA)
    .sums(&rows.groups(&[CLASS]), &[CLASS], &[AREA])
    .with_rest_joined(CLASS, AREA, MAX_SLICES);
    let classes = study.facts(&sketch, AREA, "Land of 2020 by class", Axis::Parts, true);
    facts.splice(0..0, classes);
    Draft::of(sketch, facts)
}

/// Natural against non-natural: exactly two rows, whatever the classes.
fn halves(study: Study<'_>, rows: &Selection<'_>) -> Sketch {
    let groups = rows.groups_by(|frame, row| vec![Value::from(kind(&frame.text(row, CLASS)))]);
    Sketch::new(Kind::Pie, study.title("Natural and non-natural land", "2020"))
        .x(KIND)
        .y(AREA)
        .sums(&groups, &[KIND], &[AREA])
        .largest_first(AREA)
}

fn forest(study: Study<'_>, rows: &Selection<'_>) -> Option<Fact> {
    let figure = rows
        .filter(|frame, row| FOREST.contains(&frame.text(row, CLASS).as_str()))
        .sum(AREA)?;
    Some(Fact {
        text: format!(
            "Natural forest (with mangroves, wetland and peat forests) in {} covers {}.",
            study.area(),
            say(figure.value, "ha")
        ),
        figures: vec![Stated {
            label: "Natural forest of 2020".to_owned(),
            unit: "ha".to_owned(),
            figure,
        }],
    })
}

fn kind(class: &str) -> &'static str {
    if NATURAL.contains(&class) {
        "Natural"
    } else {
        "Non-natural"
    }
}
