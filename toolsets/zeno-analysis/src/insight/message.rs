//! The message of `generate_insight`. Published values never enter a conversation, so this text is all that an
//! answering model has: it carries the rows, and says that nothing else may be quoted.

use std::fmt::Write as _;

use periplus_chart::{Chart, Row, label};
use periplus_interpreter::statistics::round_half_even;
use serde_json::Value;

use super::{
    Question, facts,
    generate::{Draft, Study},
    narrative::Narrative,
    record::{ApiCall, Insight},
};

/// Most rows of one chart that are written out.
const MAX_ROWS: usize = 200;
/// Most areas that are named.
const MAX_NAMES: usize = 30;
/// Most calls of the service that are shown; the record has all of them.
const MAX_CALLS: usize = 3;
/// Items of a longer list that are shown of a payload.
const MAX_ITEMS: usize = 5;

pub(super) fn write(
    question: &Question<'_>,
    study: Study<'_>,
    draft: &Draft,
    narrative: &Narrative,
    insight: &Insight,
    charts: &[Chart],
) -> String {
    let mut text = format!(
        "Generated {} chart{}.\n",
        charts.len(),
        if charts.len() == 1 { "" } else { "s" }
    );
    let _ = writeln!(text, "{}", scope(question, study, insight));
    let _ = writeln!(text, "\nKey Finding: {}", narrative.text);
    for (index, chart) in charts.iter().enumerate() {
        let _ = writeln!(
            text,
            "\nChart {}: {} ({})",
            index + 1,
            chart.title,
            chart.kind.as_str()
        );
        text.push_str(&rows(chart));
    }
    if !insight.figures.is_empty() {
        text.push_str("\nFigures computed from these rows:\n");
        for figure in &insight.figures {
            let _ = writeln!(
                text,
                "- {}: {}",
                figure.label,
                facts::say(figure.value, &figure.unit)
            );
        }
    }
    for note in draft.notes.iter().chain(&narrative.notes) {
        let _ = writeln!(text, "Note: {note}");
    }
    for note in provenance_notes(question) {
        let _ = writeln!(text, "Note: {note}");
    }
    let _ = writeln!(text, "\nDataset cautions: {}", insight.cautions);
    if !insight.attribution.is_empty() {
        let _ = writeln!(text, "Sources: {}", insight.attribution.join(" | "));
    }
    text.push_str(&calls(&insight.requests));
    if !narrative.follow_ups.is_empty() {
        text.push_str("\nFollow-up suggestions:\n");
        for (index, follow_up) in narrative.follow_ups.iter().enumerate() {
            let _ = writeln!(text, "{}. {follow_up}", index + 1);
        }
    }
    text.push_str(
        "\nQuote only figures that stand in this message, with their units, and mention the cautions. Do not compute, estimate or \
         remember any other figure: ask for another analysis instead.",
    );
    text
}

/// What was looked at: dataset, areas, days, layer and threshold.
fn scope(question: &Question<'_>, study: Study<'_>, insight: &Insight) -> String {
    let names: Vec<&str> = question
        .records
        .iter()
        .flat_map(|record| &record.aoi_names)
        .map(String::as_str)
        .collect();
    let more = names.len().saturating_sub(MAX_NAMES);
    let mut areas = names
        .iter()
        .take(MAX_NAMES)
        .copied()
        .collect::<Vec<_>>()
        .join("; ");
    if areas.is_empty() {
        areas = study.area();
    }
    if more > 0 {
        let _ = write!(areas, "; and {more} more");
    }
    let mut text = format!(
        "Dataset: {}. Areas: {areas}. Period: {} to {}.",
        insight.dataset_name, insight.start_date, insight.end_date
    );
    if let Some(layer) = &insight.context_layer {
        let _ = write!(text, " Layer: {layer}.");
    }
    if let Some(canopy) = insight.canopy_cover {
        let _ = write!(text, " Canopy threshold: {canopy} %.");
    }
    if !insight.units.is_empty() {
        let _ = write!(text, " Units: {}.", insight.units.join(", "));
    }
    text
}

/// What was asked of the service, for a reader who wants to see it.
fn calls(calls: &[ApiCall]) -> String {
    let mut text = String::new();
    for call in calls.iter().take(MAX_CALLS) {
        let body = abridged(&Value::Object(call.body.clone()));
        let _ = writeln!(
            text,
            "Behind the figures: {} {} with {body}, rows at {}",
            call.method, call.path, call.url
        );
    }
    if let more @ 1.. = calls.len().saturating_sub(MAX_CALLS) {
        let _ = writeln!(
            text,
            "and {more} more calls, which the record of the insight lists."
        );
    }
    text
}

/// A payload with its long lists cut: a thousand ids tell a reader less than five.
fn abridged(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let short = fields.iter().map(|(name, value)| (name.clone(), abridged(value)));
            Value::Object(short.collect())
        }
        Value::Array(items) => {
            let more = items.len().saturating_sub(MAX_ITEMS);
            let rest = (more > 0).then(|| Value::from(format!("… and {more} more")));
            Value::Array(items.iter().take(MAX_ITEMS).map(abridged).chain(rest).collect())
        }
        other => other.clone(),
    }
}

fn provenance_notes(question: &Question<'_>) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for record in question.records {
        for note in &record.provenance.notes {
            if !notes.contains(note) {
                notes.push(note.clone());
            }
        }
        let missing: Vec<&str> = record
            .provenance
            .areas_not_held
            .iter()
            .map(|id| record.aoi_id_to_name.get(id).unwrap_or(id).as_str())
            .collect();
        if !missing.is_empty() {
            notes.push(format!("there are no figures for {}", missing.join(", ")));
        }
    }
    notes
}

/// The rows of a chart: all of them, or what can be said about too many.
fn rows(chart: &Chart) -> String {
    let columns: Vec<&str> = chart.columns().collect();
    let mut text = String::new();
    if chart.data.len() <= MAX_ROWS {
        let _ = writeln!(text, "Data ({} rows): {}", chart.data.len(), columns.join(","));
        for row in &chart.data {
            let _ = writeln!(text, "{}", line(row, &columns));
        }
        return text;
    }
    let _ = writeln!(
        text,
        "Data ({} rows, too many to list): {}. Individual rows and trends that are not listed here must not be stated.",
        chart.data.len(),
        columns.join(",")
    );
    for (what, row) in [("First", chart.data.first()), ("Last", chart.data.last())] {
        if let Some(row) = row {
            let _ = writeln!(text, "{what}: {}", line(row, &columns));
        }
    }
    for column in &columns {
        let _ = writeln!(text, "{}", summary(chart, column, &columns));
    }
    text
}

/// What a column holds in many rows. Totals are among the computed figures, where they mean something.
fn summary(chart: &Chart, column: &str, columns: &[&str]) -> String {
    let numbers: Vec<f64> = chart
        .data
        .iter()
        .filter_map(|row| row.get(column)?.as_f64())
        .collect();
    if numbers.is_empty() || periplus_chart::is_time(column) {
        let mut values: Vec<String> = Vec::new();
        for value in chart
            .data
            .iter()
            .filter_map(|row| row.get(column))
            .map(super::frame::text_of)
        {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        let some: Vec<&str> = values.iter().take(4).map(String::as_str).collect();
        return format!(
            "{}: {} distinct values ({}, …)",
            label(column),
            values.len(),
            some.join(", ")
        );
    }
    let bound = |pick: fn(f64, f64) -> f64| numbers.iter().copied().reduce(pick).unwrap_or_default();
    let mut largest: Vec<&Row> = chart
        .data
        .iter()
        .filter(|row| row.get(column).is_some_and(Value::is_number))
        .collect();
    largest.sort_by(|a, b| {
        let value = |row: &Row| {
            row.get(column)
                .and_then(Value::as_f64)
                .unwrap_or(f64::NEG_INFINITY)
        };
        value(b).total_cmp(&value(a))
    });
    let top: Vec<String> = largest.iter().take(5).map(|row| line(row, columns)).collect();
    format!(
        "{}: min {}, max {}; largest rows: {}",
        label(column),
        plain(bound(f64::min)),
        plain(bound(f64::max)),
        top.join(" | ")
    )
}

fn line(row: &Row, columns: &[&str]) -> String {
    let cells: Vec<String> = columns
        .iter()
        .map(|column| match row.get(*column) {
            None | Some(Value::Null) => "no value".to_owned(),
            Some(Value::String(text)) if text.contains(',') => format!("\"{text}\""),
            Some(Value::String(text)) => text.clone(),
            Some(number) => number.as_f64().map_or_else(|| number.to_string(), plain),
        })
        .collect();
    cells.join(",")
}

/// A number as it is, without the digits that only binary arithmetic put there.
fn plain(value: f64) -> String {
    let digits = match value.abs() {
        large if large >= 1_000.0 => 1,
        middle if middle >= 1.0 => 3,
        small if small >= 0.001 => 6,
        _ => 12,
    };
    round_half_even(value, digits).to_string()
}
