//! Alerts by day: always one chart, by month, because days are too many and a year is too coarse.

use periplus_chart::Kind;
use serde_json::Value;

use super::{Draft, MAX_BARS, MAX_PLACES, MAX_SLICES, Study};
use crate::insight::{
    facts::{Axis, Fact},
    frame::{NAME, Selection, text_of},
    sketch::Sketch,
};

const AREA: &str = "area_ha";
const MONTH: &str = "month";

/// Words that ask for amounts and not for their course.
const TOTALS: &str = "total|totals|share|shares|proportion|percent*|breakdown|how much|how many|composition";
/// Words that ask for the course.
const TREND: &str = "trend*|over time|month*|monthly|course|develop*|timeline";

/// The columns that a split by ecosystem or cause has, for administrative and for other areas.
const CLASSES: [&str; 5] = [
    "driver",
    "natural_land_class",
    "grasslands",
    "land_cover",
    "land_cover_class",
];

/// Integrated alerts: a line by month for each confidence, or a pie of the confidences.
pub(super) fn integrated(study: Study<'_>) -> Draft {
    const CONFIDENCE: &str = "alert_confidence";
    let rows = study.frame.all().not_zero(AREA);
    let noun = "Area of integrated alerts (DIST-ALERT, GLAD-L, GLAD-S2, RADD)";
    if rows.is_empty() {
        return Draft::default();
    }
    let title = study.title("Integrated alerts (ha)", &days(&rows, "alert_date"));
    let by_confidence = Sketch::new(Kind::Pie, title.clone())
        .x(CONFIDENCE)
        .y(AREA)
        .sums(&rows.groups(&[CONFIDENCE]), &[CONFIDENCE], &[AREA])
        .largest_first(AREA);
    let mut facts = study.facts(
        &by_confidence,
        AREA,
        &format!("{noun} by confidence"),
        Axis::Parts,
        true,
    );
    if study.asks(TOTALS) && !study.asks(TREND) {
        return Draft::of(by_confidence, facts).note(TIERS);
    }
    facts.splice(0..0, monthly_facts(study, &rows, "alert_date", noun));
    let places = study.places().len();
    if places > MAX_PLACES {
        return by_place(study, &rows, noun, title, facts).note(TIERS);
    }
    let color = if places > 1 { NAME } else { CONFIDENCE };
    Draft::of(line(&rows, "alert_date", color, title), facts).note(TIERS)
}

/// Too many places for a line each: what each has in all, largest first.
fn by_place(
    study: Study<'_>,
    rows: &Selection<'_>,
    noun: &str,
    title: String,
    mut facts: Vec<Fact>,
) -> Draft {
    let sketch = Sketch::new(Kind::Table, title)
        .x(NAME)
        .y(AREA)
        .sums(&rows.groups(&[NAME]), &[NAME], &[AREA])
        .largest_first(AREA);
    facts.splice(0..0, study.facts(&sketch, AREA, noun, Axis::Places, true));
    Draft::of(sketch, facts)
}

const TIERS: &str = "Confidence is low (seen once), high (seen several times by one system) or highest (seen by two or more systems).";

/// Disturbance alerts: shares of a split, its seasons, or the course by month.
pub(super) fn disturbance(study: Study<'_>) -> Draft {
    const DATE: &str = "dist_alert_date";
    let rows = study.frame.all().not_zero(AREA);
    let noun = "Disturbed vegetation (DIST-ALERT)";
    if rows.is_empty() {
        return Draft::default();
    }
    let title = study.title(noun, &days(&rows, DATE));
    let class = CLASSES.into_iter().find(|column| study.frame.has(column));
    let places = study.places().len();
    let mut facts = monthly_facts(study, &rows, DATE, noun);
    let sketch = match class {
        Some(class) if study.asks("season*") => Sketch::new(Kind::GroupedBar, title)
            .x(MONTH)
            .y(AREA)
            .group(class)
            .sums(&by_month(&rows, DATE, Some(class)), &[MONTH, class], &[AREA]),
        Some(class) if study.asks(TREND) => line(&rows, DATE, class, title),
        Some(class) if (2..=MAX_BARS).contains(&places) => Sketch::new(Kind::StackedBar, title)
            .x(NAME)
            .y(AREA)
            .stack(class)
            .sums(&rows.groups(&[NAME, class]), &[NAME, class], &[AREA]),
        Some(class) => {
            let sketch = Sketch::new(Kind::Pie, title)
                .x(class)
                .y(AREA)
                .sums(&rows.groups(&[class]), &[class], &[AREA])
                .with_rest_joined(class, AREA, MAX_SLICES);
            facts.splice(0..0, study.facts(&sketch, AREA, noun, Axis::Parts, true));
            sketch
        }
        None if (2..=MAX_PLACES).contains(&places) => line(&rows, DATE, NAME, title),
        None if places > MAX_PLACES => {
            let draft = by_place(study, &rows, noun, title, facts);
            return draft.note(RETIRED);
        }
        None => Sketch::new(Kind::Line, title).x(MONTH).y(AREA).sums(
            &by_month(&rows, DATE, None),
            &[MONTH],
            &[AREA],
        ),
    };
    Draft::of(sketch, facts).note(RETIRED)
}

const RETIRED: &str = "This dataset is being retired in favour of Integrated alerts.";

/// One line by month for every value of a column.
fn line(rows: &Selection<'_>, date: &str, color: &str, title: String) -> Sketch {
    let mut months = by_month(rows, date, Some(color));
    // Tiers in their order and not in that of their letters; everything else stays as it is.
    months.sort_by_cached_key(|(key, _)| {
        let tier = key.get(1).and_then(Value::as_str).and_then(tier);
        (key.first().map(text_of), tier)
    });
    Sketch::new(Kind::Line, title)
        .x(MONTH)
        .y(AREA)
        .color(color)
        .sums(&months, &[MONTH, color], &[AREA])
}

/// Where a tier of confidence stands among the others.
fn tier(name: &str) -> Option<usize> {
    ["low", "high", "highest"].iter().position(|tier| *tier == name)
}

fn by_month<'a>(rows: &Selection<'a>, date: &str, also: Option<&str>) -> Vec<(Vec<Value>, Selection<'a>)> {
    rows.groups_by(|frame, row| {
        let day = frame.text(row, date);
        let month = Value::from(day.get(..7).unwrap_or(&day));
        [month]
            .into_iter()
            .chain(also.map(|column| frame.value(row, column).clone()))
            .collect()
    })
}

fn monthly_facts(study: Study<'_>, rows: &Selection<'_>, date: &str, noun: &str) -> Vec<Fact> {
    let by_month =
        Sketch::new(Kind::Line, "")
            .x(MONTH)
            .y(AREA)
            .sums(&by_month(rows, date, None), &[MONTH], &[AREA]);
    study.facts(&by_month, AREA, noun, Axis::Months, true)
}

/// The days that the rows span; the first and last month may be cut.
fn days(rows: &Selection<'_>, date: &str) -> String {
    match rows.distinct(date).as_slice() {
        [] => String::new(),
        [day] => day.clone(),
        [first, .., last] => format!("{first} to {last}"),
    }
}
