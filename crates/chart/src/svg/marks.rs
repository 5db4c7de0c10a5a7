//! What shows the values: bars, lines, areas, dots and slices.

use std::{f64::consts::TAU, fmt::Write as _};

use super::{Frame, HEIGHT, WIDTH, axes::Scale, escaped, shortened, slot, text};
use crate::{
    Chart,
    number::{grouped, short},
    series::{DASHES, Plot, Slice},
};

/// Lines with more points than this have no dots.
const MAX_DOTS: usize = 14;

fn bar(svg: &mut String, x: f64, width: f64, from: f64, to: f64, color: &str, title: &str) {
    let _ = writeln!(
        svg,
        "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{}\"><title>{}</title></rect>",
        from.min(to),
        (from - to).abs(),
        escaped(color),
        escaped(title)
    );
}

fn caption(plot: &Plot, series: usize, position: usize, value: f64) -> String {
    let at = &plot.positions[position];
    let name = &plot.series[series].name;
    format!("{at}, {name}: {}", grouped(value, 2))
}

pub(super) fn bars(svg: &mut String, chart: &Chart, plot: &Plot, scale: &Scale, frame: Frame) {
    let divergent = chart.divergent_colors.as_ref().filter(|_| plot.series.len() == 1);
    for (index, series) in plot.series.iter().enumerate() {
        for (position, value) in series.values.iter().enumerate() {
            let Some(value) = *value else { continue };
            let (center, width) = slot(frame, plot.positions.len(), position);
            let thin = width * 0.8 / plot.series.len() as f64;
            let x = center - width * 0.4 + thin * index as f64;
            let color = match divergent {
                Some(colors) if value < 0.0 => &colors.negative,
                Some(colors) => &colors.positive,
                None => &series.color,
            };
            let title = caption(plot, index, position, value);
            bar(svg, x, thin, scale.y(0.0), scale.y(value), color, &title);
        }
    }
}

pub(super) fn stacks(svg: &mut String, plot: &Plot, scale: &Scale, frame: Frame) {
    for position in 0..plot.positions.len() {
        let (center, width) = slot(frame, plot.positions.len(), position);
        let (mut up, mut down) = (0.0, 0.0);
        for (index, series) in plot.series.iter().enumerate() {
            let Some(value) = series.values.get(position).copied().flatten() else {
                continue;
            };
            let base = if value < 0.0 { &mut down } else { &mut up };
            let title = caption(plot, index, position, value);
            bar(
                svg,
                center - width * 0.4,
                width * 0.8,
                scale.y(*base),
                scale.y(*base + value),
                &series.color,
                &title,
            );
            *base += value;
        }
    }
}

pub(super) fn lines(svg: &mut String, plot: &Plot, scale: &Scale, frame: Frame) {
    for (index, series) in plot.series.iter().enumerate() {
        let color = escaped(&series.color);
        let mut path = String::new();
        let mut gap = true;
        for (position, value) in series.values.iter().enumerate() {
            // A missing value is a gap, never a zero.
            let Some(value) = *value else {
                gap = true;
                continue;
            };
            let (x, _) = slot(frame, plot.positions.len(), position);
            let y = scale.y(value);
            let _ = write!(path, "{}{x:.1} {y:.1}", if gap { "M" } else { "L" });
            gap = false;
            if plot.positions.len() <= MAX_DOTS {
                let title = escaped(&caption(plot, index, position, value));
                let _ = writeln!(
                    svg,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\"><title>{title}</title></circle>"
                );
            }
        }
        let dash = DASHES[index % DASHES.len()];
        let _ = writeln!(
            svg,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"/>"
        );
    }
}

pub(super) fn areas(svg: &mut String, plot: &Plot, scale: &Scale, frame: Frame) {
    let count = plot.positions.len();
    let mut base = vec![0.0; count];
    for series in &plot.series {
        let top: Vec<f64> = (0..count)
            .map(|at| base[at] + series.values.get(at).copied().flatten().unwrap_or(0.0))
            .collect();
        let corner = |at: usize, value: f64| format!("{:.1} {:.1}", slot(frame, count, at).0, scale.y(value));
        let forwards = top.iter().enumerate().map(|(at, value)| corner(at, *value));
        let backwards = base
            .iter()
            .enumerate()
            .rev()
            .map(|(at, value)| corner(at, *value));
        let points: Vec<String> = forwards.chain(backwards).collect();
        let color = escaped(&series.color);
        let _ = writeln!(
            svg,
            "<polygon points=\"{}\" fill=\"{color}\" fill-opacity=\"0.2\" stroke=\"{color}\"/>",
            points.join(", ")
        );
        base = top;
    }
}

pub(super) fn dots(svg: &mut String, plot: &Plot, scale: &Scale, frame: Frame) {
    let numbers: Option<Vec<f64>> = plot.positions.iter().map(|name| name.parse().ok()).collect();
    let span = numbers.as_ref().and_then(|xs| {
        let low = xs.iter().copied().reduce(f64::min)?;
        let high = xs.iter().copied().reduce(f64::max)?;
        (high > low).then_some((low, high))
    });
    for (index, series) in plot.series.iter().enumerate() {
        for (position, value) in series.values.iter().enumerate() {
            let Some(value) = *value else { continue };
            let x = match (&numbers, span) {
                (Some(xs), Some((low, high))) => {
                    frame.left + (xs[position] - low) / (high - low) * (frame.right - frame.left)
                }
                _ => slot(frame, plot.positions.len(), position).0,
            };
            let title = escaped(&caption(plot, index, position, value));
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{}\" fill-opacity=\"0.7\"><title>{title}</title></circle>",
                scale.y(value),
                escaped(&series.color)
            );
        }
    }
}

/// A ring from twelve o'clock clockwise, the total in its middle, names and shares beside it.
pub(super) fn pie(svg: &mut String, slices: &[Slice]) {
    let (cx, cy, radius, hole) = (WIDTH * 0.3, HEIGHT * 0.54, 150.0, 82.0);
    let total: f64 = slices.iter().map(|slice| slice.value).sum();
    let point = |share: f64, radius: f64| {
        let angle = share * TAU;
        format!(
            "{:.2} {:.2}",
            cx + radius * angle.sin(),
            cy - radius * angle.cos()
        )
    };
    let mut start = 0.0;
    for (index, slice) in slices.iter().enumerate() {
        let share = slice.value / total;
        // A full circle has no start and no end: it is drawn a hair short.
        let end = start + share.min(0.999_99);
        let large = u8::from(share > 0.5);
        let color = escaped(&slice.color);
        let title = escaped(&format!(
            "{}: {} ({:.1}%)",
            slice.name,
            grouped(slice.value, 2),
            share * 100.0
        ));
        let _ = writeln!(
            svg,
            "<path d=\"M{} A{radius} {radius} 0 {large} 1 {} L{} A{hole} {hole} 0 {large} 0 {} Z\" fill=\"{color}\" stroke=\"#ffffff\"><title>{title}</title></path>",
            point(start, radius),
            point(end, radius),
            point(end, hole),
            point(start, hole),
        );
        let y = 90.0 + 30.0 * index as f64;
        let x = WIDTH * 0.58;
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"14\" height=\"14\" fill=\"{color}\"/>",
            y - 11.0
        );
        let percent = if share < 0.01 {
            "<1%".to_owned()
        } else {
            format!("{:.0}%", share * 100.0)
        };
        text(svg, x + 22.0, y, "start", &shortened(&slice.name, 32));
        text(svg, WIDTH - 24.0, y, "end", &percent);
        start += share;
    }
    text(svg, cx, cy + 5.0, "middle", &short(total));
}
