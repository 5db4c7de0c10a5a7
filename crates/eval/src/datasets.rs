//! Datasets as they were picked.

use serde_json::Value;

use crate::chain::{Refusal, Reply, text};

/// What `pick_dataset` did.
#[derive(Debug)]
pub(crate) enum Picked {
    /// It chose a dataset.
    Dataset(Value),
    /// It suggests some and leaves the choice to the user.
    Candidates(Vec<Value>),
    /// It did neither, and says why.
    Nothing(String),
}

impl Picked {
    pub(crate) fn of(reply: Reply) -> Result<Self, Refusal> {
        let mut result = reply?;
        if let Some(dataset) = result.get_mut("dataset").map(Value::take) {
            return Ok(Self::Dataset(dataset));
        }
        if let Some(Value::Array(candidates)) = result.get_mut("dataset_candidates").map(Value::take) {
            return Ok(Self::Candidates(candidates));
        }
        Ok(Self::Nothing(text(&result, "message").to_owned()))
    }

    /// The chosen dataset, if there is one.
    pub(crate) fn dataset(&self) -> Option<&Value> {
        match self {
            Self::Dataset(dataset) => Some(dataset),
            Self::Candidates(_) | Self::Nothing(_) => None,
        }
    }
}

impl std::fmt::Display for Picked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Dataset(dataset) => write!(f, "dataset {}", named(dataset)),
            Self::Candidates(candidates) => {
                let named: Vec<String> = candidates.iter().map(named).collect();
                write!(f, "suggestions: {}", named.join("; "))
            }
            Self::Nothing(message) => write!(f, "nothing: {message}"),
        }
    }
}

fn named(dataset: &Value) -> String {
    let id = id(dataset).map_or_else(|| "?".to_owned(), |id| id.to_string());
    let mut named = format!("{id} ({}", text(dataset, "dataset_name"));
    if let Some(layer) = dataset["context_layer"].as_str() {
        named.push_str(&format!(", layer {layer}"));
    }
    named.push_str(&format!(
        ", {} to {})",
        text(dataset, "start_date"),
        text(dataset, "end_date")
    ));
    named
}

/// Its id in the catalogue.
pub(crate) fn id(dataset: &Value) -> Option<u32> {
    dataset["dataset_id"]
        .as_u64()
        .and_then(|id| u32::try_from(id).ok())
}

/// First and last day, as ISO dates, whose order is that of their texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Period {
    pub(crate) start: String,
    pub(crate) end: String,
}

impl Period {
    /// The period of a record.
    pub(crate) fn of(record: &Value) -> Self {
        Self {
            start: text(record, "start_date").to_owned(),
            end: text(record, "end_date").to_owned(),
        }
    }

    /// The period that two cells stand for, each a day or a year; an open end stays open.
    pub(crate) fn asked(start: Option<&str>, end: Option<&str>) -> Self {
        let whole = |text: Option<&str>, rest: &str| match text {
            Some(year) if year.len() == 4 => format!("{year}{rest}"),
            other => other.unwrap_or_default().to_owned(),
        };
        Self {
            start: whole(start, "-01-01"),
            end: whole(end, "-12-31"),
        }
    }

    /// Whether no day is in both. An open end reaches everywhere.
    pub(crate) fn misses(&self, other: &Self) -> bool {
        let is_before = |end: &str, start: &str| !end.is_empty() && !start.is_empty() && end < start;
        is_before(&self.end, &other.start) || is_before(&other.end, &self.start)
    }

    /// Whether the other period has the ends of this one that are not open.
    pub(crate) fn is_met_by(&self, other: &Self) -> bool {
        let is_met = |wanted: &str, found: &str| wanted.is_empty() || wanted == found;
        is_met(&self.start, &other.start) && is_met(&self.end, &other.end)
    }
}

impl std::fmt::Display for Period {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |end: &str| if end.is_empty() { "open" } else { end }.to_owned();
        write!(f, "{} to {}", shown(&self.start), shown(&self.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_stands_for_its_first_or_last_day_and_an_open_end_for_any() {
        let asked = Period::asked(Some("2005"), Some("2015"));
        assert_eq!(asked.to_string(), "2005-01-01 to 2015-12-31");
        let open = Period::asked(Some("2024"), None);
        let whole = Period::asked(Some("2024-01-01"), Some("2024-12-31"));
        assert!(open.is_met_by(&whole) && !whole.is_met_by(&open));
        assert!(open.misses(&asked) && asked.misses(&open) && !open.misses(&whole));
    }
}
