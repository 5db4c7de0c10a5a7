//! The scale of y, its ticks, the names along x, and the legend.

use std::fmt::Write as _;

use super::{FAINT, Frame, HEIGHT, INK, escaped, shortened, slot, text};
use crate::{
    Chart, label,
    label::{is_time, unit},
    number::short,
    series::Plot,
};

/// Longest name along x; twice as long where there are few.
const NAME_CHARACTERS: usize = 14;
/// Most names along x.
const MAX_NAMES: usize = 12;

/// From values to heights.
#[derive(Debug, Clone)]
pub(super) struct Scale {
    low: f64,
    step: f64,
    steps: usize,
    frame: Frame,
}

impl Scale {
    /// A scale with round ticks around the bounds.
    pub(super) fn new((low, high): (f64, f64), frame: Frame) -> Self {
        let rough = (high - low) / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0]
            .into_iter()
            .map(|factor| factor * power)
            .find(|step| *step >= rough)
            .unwrap_or(power * 10.0);
        let first = (low / step).floor();
        let last = (high / step).ceil();
        Self {
            low: first * step,
            step,
            steps: ((last - first) as usize).clamp(1, 20),
            frame,
        }
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.step * self.steps as f64);
        self.frame.bottom - share.clamp(0.0, 1.0) * (self.frame.bottom - self.frame.top)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        (0..=self.steps).map(|index| self.low + self.step * index as f64)
    }
}

pub(super) fn draw(svg: &mut String, chart: &Chart, plot: &Plot, scale: &Scale, frame: Frame) {
    for tick in scale.ticks() {
        let y = scale.y(tick);
        let _ = writeln!(
            svg,
            "<line x1=\"{:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"{FAINT}\"/>",
            frame.left, frame.right
        );
        text(svg, frame.left - 8.0, y + 4.0, "end", &short(tick));
    }
    let zero = scale.y(0.0);
    let _ = writeln!(
        svg,
        "<line x1=\"{:.1}\" y1=\"{zero:.1}\" x2=\"{:.1}\" y2=\"{zero:.1}\" stroke=\"{INK}\"/>",
        frame.left, frame.right
    );
    names(svg, plot, frame, is_time(&chart.x_axis));
    titles(svg, chart, frame);
}

/// Names along x: at most twelve, always the first and the last, turned when there are many.
fn names(svg: &mut String, plot: &Plot, frame: Frame, is_time: bool) {
    let count = plot.positions.len();
    let every = count.div_ceil(MAX_NAMES).max(1);
    let turned = count > if is_time { 10 } else { 4 };
    for (index, name) in plot.positions.iter().enumerate() {
        let near_last = count - 1 - index < every && index != count - 1;
        if (!index.is_multiple_of(every) || near_last) && index != count - 1 && index != 0 {
            continue;
        }
        let (x, _) = slot(frame, count, index);
        let most = if count <= 4 {
            2 * NAME_CHARACTERS
        } else {
            NAME_CHARACTERS
        };
        let (y, name) = (frame.bottom + 18.0, shortened(name, most));
        if turned {
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\" transform=\"rotate(-35 {x:.1} {y:.1})\">{}</text>",
                escaped(&name)
            );
        } else {
            text(svg, x, y, "middle", &name);
        }
    }
}

fn titles(svg: &mut String, chart: &Chart, frame: Frame) {
    let y = match chart.series_fields.as_slice() {
        _ if !chart.y_axis.is_empty() => label(&chart.y_axis),
        [] => String::new(),
        [one] => label(one),
        // The legend names the series; what they share is the unit.
        [first, ..] => unit(first).unwrap_or_default().to_owned(),
    };
    let middle = f64::midpoint(frame.top, frame.bottom);
    let _ = writeln!(
        svg,
        "<text x=\"18\" y=\"{middle:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 18 {middle:.1})\">{}</text>",
        escaped(&y)
    );
    let center = f64::midpoint(frame.left, frame.right);
    text(svg, center, HEIGHT - 8.0, "middle", &label(&chart.x_axis));
}

/// Width of a letter of a legend, about.
const LETTER: f64 = 6.6;

/// One entry a series, in a row under the title; what does not fit is counted.
pub(super) fn legend(svg: &mut String, plot: &Plot, frame: Frame) {
    let mut x = frame.left;
    let share = (frame.right - frame.left) / plot.series.len().max(1) as f64;
    // A few names have room to be written out.
    let most = ((share / LETTER) as usize).saturating_sub(6).max(28);
    for (index, series) in plot.series.iter().enumerate() {
        let name = shortened(&series.name, most);
        let width = 24.0 + LETTER * name.chars().count() as f64;
        let is_last = index + 1 == plot.series.len();
        let room = if is_last { 0.0 } else { 60.0 };
        if x + width > frame.right - room {
            text(
                svg,
                x,
                50.0,
                "start",
                &format!("+ {} more", plot.series.len() - index),
            );
            return;
        }
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"40\" width=\"12\" height=\"12\" fill=\"{}\"/>",
            escaped(&series.color)
        );
        text(svg, x + 17.0, 50.0, "start", &name);
        x += width + 10.0;
    }
}
