//! From a checked request to rows, their provenance, or the reason why there are none.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::{endpoint::Endpoint, holdings, request::Request, source::Source, table::Table};

/// How an analysis ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Rows, and what they are.
    Saved {
        result: Map<String, Value>,
        metadata: Value,
    },
    /// No rows, and what is held instead.
    Failed(String),
}

/// What a look-up found.
#[derive(Debug)]
pub(crate) struct Found {
    /// The rows.
    pub(crate) table: Table,
    /// Columns that are left out when no row has a value.
    pub(crate) optional: &'static [&'static str],
    /// The publications the rows are from, in the order they were met.
    pub(crate) sources: Vec<Source>,
    /// Areas with rows.
    pub(crate) areas: BTreeSet<String>,
    /// First and last day that rows can be from, within what was asked; the widest over all areas.
    pub(crate) covered: Option<(String, String)>,
    /// What a reader has to know.
    pub(crate) notes: Vec<String>,
}

impl Found {
    pub(crate) fn new(columns: &[&'static str]) -> Self {
        Self {
            table: Table::new(columns),
            optional: &[],
            sources: Vec::new(),
            areas: BTreeSet::new(),
            covered: None,
            notes: Vec::new(),
        }
    }

    /// Notes that an area has rows of a source, which covers these days of what was asked.
    pub(crate) fn credit(&mut self, area: &str, source: Source, covered: Option<(String, String)>) {
        self.areas.insert(area.to_owned());
        if !self.sources.contains(&source) {
            self.sources.push(source);
        }
        let widest = match (self.covered.take(), covered) {
            (Some(old), Some(new)) => Some((old.0.min(new.0), old.1.max(new.1))),
            (old, new) => old.or(new),
        };
        self.covered = widest;
    }

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// Looks the rows up.
pub(crate) fn answer(endpoint: Endpoint, request: &Request, payload: Value) -> Outcome {
    let mut found = match holdings::find(endpoint, request) {
        Ok(found) => found,
        Err(reason) => return Outcome::Failed(refusal(endpoint, &reason)),
    };
    if found.table.is_empty() && found.areas.is_empty() {
        return Outcome::Failed(refusal(endpoint, &none_of(&request.areas.ids)));
    }
    let missing: Vec<&String> = request
        .areas
        .ids
        .iter()
        .filter(|id| !found.areas.contains(*id))
        .collect();
    if found.sources.len() > 1 {
        found.note("Areas are of different editions; compare them with care.");
    }
    let metadata = metadata(payload, &found, &missing, request.canopy_cover);
    let mut result = found.table.into_result(found.optional);
    if endpoint == Endpoint::Grasslands {
        // The service writes this one column of this one analysis as a single text.
        result.insert("aoi_type".to_owned(), request.areas.kind.clone().into());
    }
    Outcome::Saved { result, metadata }
}

fn metadata(payload: Value, found: &Found, missing: &[&String], canopy_cover: Option<i32>) -> Value {
    let mut metadata = payload;
    let covered = found
        .covered
        .as_ref()
        .map(|(start, end)| json!({ "start_date": start, "end_date": end }));
    metadata["provenance"] = json!({
        "served_by": "Periplus analytics stand-in",
        "sources": found.sources,
        "canopy_cover": canopy_cover,
        "covered": covered,
        "areas_not_held": missing,
        "notes": found.notes,
    });
    metadata
}

fn none_of(ids: &[String]) -> String {
    let first: Vec<&str> = ids.iter().take(5).map(String::as_str).collect();
    let more = ids.len().saturating_sub(first.len());
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("nothing is held for {}{more} as it was asked", first.join(", "))
}

fn refusal(endpoint: Endpoint, reason: &str) -> String {
    format!(
        "The stand-in has no such figures: {reason}. For {} it holds {}.",
        endpoint.name(),
        endpoint.holdings()
    )
}
