//! Charts as SVG: plain shapes and text, no script, no style sheet, no reference to anything outside.

mod axes;
mod marks;

use std::fmt::Write as _;

use crate::{
    Chart, Kind,
    series::{Plot, slices},
};

/// Size of the drawing.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;

/// Text and lines.
const INK: &str = "#333333";
const FAINT: &str = "#dddddd";

/// Where the data are drawn.
#[derive(Debug, Clone, Copy)]
struct Frame {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Chart {
    /// The chart as a drawing; none for a table, whose picture is its CSV.
    #[must_use]
    pub fn to_svg(&self) -> Option<String> {
        if self.kind == Kind::Table || self.data.is_empty() {
            return None;
        }
        let mut svg = String::new();
        open(&mut svg, self);
        match (self.kind, slices(self)) {
            (Kind::Pie, Some(slices)) => marks::pie(&mut svg, &slices),
            _ => plot(&mut svg, self),
        }
        svg.push_str("</svg>\n");
        Some(svg)
    }
}

fn open(svg: &mut String, chart: &Chart) {
    let title = escaped(&chart.title);
    let points = chart.data.len();
    let kind = chart.kind.as_str();
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         role=\"img\" aria-label=\"{kind} chart: {title}. {points} data points.\" font-family=\"sans-serif\" font-size=\"12\" \
         fill=\"{INK}\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n\
         <text x=\"16\" y=\"26\" font-size=\"15\" font-weight=\"bold\">{}</text>\n",
        escaped(&shortened(&chart.title, 96))
    );
}

fn plot(svg: &mut String, chart: &Chart) {
    let plot = Plot::of(chart);
    let legend = plot.series.len() > 1;
    let frame = Frame {
        left: 76.0,
        top: if legend { 64.0 } else { 44.0 },
        right: WIDTH - 20.0,
        bottom: HEIGHT - 70.0,
    };
    let scale = axes::Scale::new(plot.bounds(chart.is_stacked()), frame);
    axes::draw(svg, chart, &plot, &scale, frame);
    match chart.kind {
        Kind::Line => marks::lines(svg, &plot, &scale, frame),
        Kind::Area => marks::areas(svg, &plot, &scale, frame),
        Kind::Scatter => marks::dots(svg, &plot, &scale, frame),
        Kind::StackedBar => marks::stacks(svg, &plot, &scale, frame),
        Kind::Bar | Kind::GroupedBar | Kind::Pie | Kind::Table => {
            marks::bars(svg, chart, &plot, &scale, frame)
        }
    }
    if legend {
        axes::legend(svg, &plot, frame);
    }
}

/// The middle of a position along x, and the width it has.
fn slot(frame: Frame, count: usize, index: usize) -> (f64, f64) {
    let width = (frame.right - frame.left) / count.max(1) as f64;
    (frame.left + width * (index as f64 + 0.5), width)
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, content: &str) {
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
        escaped(content)
    );
}

/// Text and attribute values; a title comes from a model and may hold anything.
fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '"' => result.push_str("&quot;"),
            control if control.is_control() => result.push(' '),
            other => result.push(other),
        }
    }
    result
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(2)).chain(['…']).collect()
}

#[cfg(test)]
mod tests;
