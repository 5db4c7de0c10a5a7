//! Areas by year or period: loss, gain and grassland.

use periplus_chart::Kind;

use super::{Draft, MAX_BARS, MAX_PLACES, MAX_SLICES, Study};
use crate::insight::{
    facts::{Axis, Fact},
    frame::{NAME, Selection},
    sketch::Sketch,
};

const LOSS_YEAR: &str = "tree_cover_loss_year";
const EMISSIONS: &str = "carbon_emissions_MgCO2e";
const AREA: &str = "area_ha";

/// Words that ask for an order of places and not for their course.
const RANKING: &str =
    "most|least|highest|lowest|largest|smallest|top|rank*|compare|comparison|which|biggest|total";

/// Loss by year, and its emissions beside it in a chart of their own: two units never share an axis or a title.
pub(super) fn loss(study: Study<'_>) -> Draft {
    let noun = study.noun("Tree cover loss");
    let (sketches, facts) = measured(study, LOSS_YEAR, AREA, &noun);
    let notes = uneven(study, LOSS_YEAR).into_iter().collect();
    let mut draft = Draft {
        sketches,
        facts,
        notes,
    };
    if draft.sketches.is_empty() {
        return draft;
    }
    let noun = study.noun("Emissions from tree cover loss");
    let (sketches, facts) = measured(study, LOSS_YEAR, EMISSIONS, &noun);
    if sketches.is_empty() {
        return draft.note("These rows hold no emissions: they exist for canopy thresholds of 30 % and more, and not in every source.");
    }
    draft.sketches.extend(sketches);
    if study.asks("emission*|carbon|co2*|greenhouse|ghg") {
        draft.facts.splice(0..0, facts);
    } else {
        draft.facts.extend(facts);
    }
    draft
}

/// Gain by period. Periods do not overlap, so their sum is the gain of the whole span.
pub(super) fn gain(study: Study<'_>) -> Draft {
    let (sketches, facts) = measured(study, "tree_cover_gain_period", AREA, "Tree cover gain");
    let notes = uneven(study, "tree_cover_gain_period").into_iter().collect();
    Draft {
        sketches,
        facts,
        notes,
    }
}

/// The times that the rows of every place have: places can be compared over these only.
fn common_times(study: Study<'_>, time: &str) -> Vec<String> {
    let all = study.frame.all();
    let mut times = all.distinct(time);
    for (_, place) in all.groups(&[NAME]) {
        let own = place.distinct(time);
        times.retain(|time| own.contains(time));
    }
    times
}

/// What to say where places have rows for different times.
fn uneven(study: Study<'_>, time: &str) -> Option<String> {
    let (all, common) = (study.frame.all().distinct(time), common_times(study, time));
    (common.len() < all.len()).then(|| {
        format!(
            "The places have figures for different times; totals by place are of {} only, which all of them have.",
            Study::span(&common)
        )
    })
}

/// A flow by time: one chart and its facts.
fn measured(study: Study<'_>, time: &str, measure: &str, noun: &str) -> (Vec<Sketch>, Vec<Fact>) {
    let rows = study.frame.all().not_zero(measure);
    let times = rows.distinct(time);
    let places = rows.distinct(NAME);
    let title = study.title(noun, &Study::span(&times));
    if rows.is_empty() {
        return (Vec::new(), Vec::new());
    }
    if places.len() == 1 {
        let sketch =
            Sketch::new(Kind::Bar, title)
                .x(time)
                .y(measure)
                .sums(&rows.groups(&[time]), &[time], &[measure]);
        let facts = study.facts(&sketch, measure, noun, Axis::Time, true);
        return (vec![sketch], facts);
    }
    let common = common_times(study, time);
    let comparable = rows.filter(|frame, row| common.contains(&frame.text(row, time)));
    let totals = Sketch::new(Kind::Bar, study.title(noun, &Study::span(&common)))
        .x(NAME)
        .y(measure)
        .sums(&comparable.groups(&[NAME]), &[NAME], &[measure])
        .largest_first(measure);
    let span = Study::span(&common);
    let facts = study.facts(&totals, measure, &format!("{noun} of {span}"), Axis::Places, true);
    let sketch = if totals.rows.is_empty() {
        // No time is common to all places, so only the course of each can be shown.
        by_time(&rows, time, measure, title)
    } else if places.len() > MAX_BARS {
        Sketch {
            kind: Kind::Table,
            ..totals
        }
    } else if times.len() == 1 || places.len() > MAX_PLACES || study.asks(RANKING) {
        totals
    } else {
        by_time(&rows, time, measure, title)
    };
    (vec![sketch], facts)
}

fn by_time(rows: &Selection<'_>, time: &str, measure: &str, title: String) -> Sketch {
    Sketch::new(Kind::GroupedBar, title)
        .x(time)
        .y(measure)
        .group(NAME)
        .sums(&rows.groups(&[time, NAME]), &[time, NAME], &[measure])
}

/// Grassland by year: an extent, so years are never added up.
pub(super) fn grasslands(study: Study<'_>) -> Draft {
    const NOUN: &str = "Natural and semi-natural grassland";
    /// More years than this are a line.
    const MAX_YEARS: usize = 12;
    let rows = study.frame.all().not_zero(AREA);
    let years = rows.distinct("year");
    let places = rows.distinct(NAME);
    let title = study.title(NOUN, &Study::span(&years));
    if rows.is_empty() {
        return Draft::default();
    }
    if places.len() == 1 {
        let kind = if years.len() > MAX_YEARS {
            Kind::Line
        } else {
            Kind::Bar
        };
        let sketch =
            Sketch::new(kind, title)
                .x("year")
                .y(AREA)
                .sums(&rows.groups(&["year"]), &["year"], &[AREA]);
        let facts = study.facts(&sketch, AREA, NOUN, Axis::Time, false);
        return Draft::of(sketch, facts);
    }
    let last = years.last().cloned().unwrap_or_default();
    let latest = Sketch::new(Kind::Pie, study.title(NOUN, &last))
        .x(NAME)
        .y(AREA)
        .sums(&rows.with("year", &last).groups(&[NAME]), &[NAME], &[AREA])
        .largest_first(AREA);
    let facts = study.facts(&latest, AREA, &format!("{NOUN} of {last}"), Axis::Places, true);
    let sketch = match (years.len(), places.len()) {
        (1, count) if count <= MAX_SLICES => latest,
        (1, _) => Sketch {
            kind: Kind::Table,
            ..latest
        },
        (_, count) => Sketch::new(
            if count <= MAX_PLACES {
                Kind::Line
            } else {
                Kind::Table
            },
            title,
        )
        .x("year")
        .y(AREA)
        .color(NAME)
        .sums(&rows.groups(&["year", NAME]), &["year", NAME], &[AREA]),
    };
    Draft::of(sketch, facts)
}
