//! One finished analysis.

use serde::Deserialize;

use super::{AnalyticsError, Table};
use crate::{catalogue::Endpoint, statistics::Publication};

/// Rows with what is known about them.
#[derive(Debug, Clone)]
pub(crate) struct Analysis {
    pub(crate) table: Table,
    /// Where it can be read again.
    pub(crate) url: String,
    pub(crate) metadata: Metadata,
}

/// What the stand-in says about its figures; a deployment says nothing of the kind.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Metadata {
    pub(crate) served_by: String,
    pub(crate) sources: Vec<Publication>,
    pub(crate) covered: Option<Covered>,
    pub(crate) areas_not_held: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// The days that figures exist for, within those that were asked for.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Covered {
    pub(crate) start_date: chrono::NaiveDate,
    pub(crate) end_date: chrono::NaiveDate,
}

impl Metadata {
    /// Reads what stands under `provenance`; whatever else is there says nothing.
    pub(super) fn read(metadata: &serde_json::Value) -> Self {
        serde_json::from_value(metadata["provenance"].clone()).unwrap_or_default()
    }

    /// Adds what another part of the same pull says.
    pub(crate) fn merge(&mut self, other: Self) {
        if self.served_by.is_empty() {
            self.served_by = other.served_by;
        }
        for source in other.sources {
            if !self.sources.contains(&source) {
                self.sources.push(source);
            }
        }
        for note in other.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        self.areas_not_held.extend(other.areas_not_held);
        self.covered = match (self.covered.take(), other.covered) {
            (Some(mine), Some(its)) => Some(Covered {
                start_date: mine.start_date.min(its.start_date),
                end_date: mine.end_date.max(its.end_date),
            }),
            (mine, its) => mine.or(its),
        };
    }
}

impl Analysis {
    pub(super) fn read(
        endpoint: Endpoint,
        url: String,
        data: &serde_json::Value,
    ) -> Result<Self, AnalyticsError> {
        Ok(Self {
            table: Table::parse(endpoint, &data["result"]).map_err(AnalyticsError::Malformed)?,
            url,
            metadata: Metadata::read(&data["metadata"]),
        })
    }
}
