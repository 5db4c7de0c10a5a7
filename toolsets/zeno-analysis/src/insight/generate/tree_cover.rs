//! Tree cover of 2000: one area for each place.

use periplus_chart::Kind;

use super::{Draft, MAX_BARS, Study};
use crate::insight::{facts::Axis, frame::NAME, sketch::Sketch};

const AREA: &str = "area_ha";

pub(super) fn tree_cover(study: Study<'_>) -> Draft {
    let rows = study.frame.all().not_zero(AREA);
    if rows.is_empty() {
        return Draft::default();
    }
    let groups = rows.groups(&[NAME]);
    let kind = if groups.len() > MAX_BARS {
        Kind::Table
    } else {
        Kind::Bar
    };
    let noun = study.noun("Tree cover");
    let sketch = Sketch::new(kind, study.title(&noun, "2000"))
        .x(NAME)
        .y(AREA)
        .sums(&groups, &[NAME], &[AREA])
        .largest_first(AREA);
    let facts = study.facts(&sketch, AREA, &format!("{noun} of 2000"), Axis::Places, true);
    Draft::of(sketch, facts)
}
