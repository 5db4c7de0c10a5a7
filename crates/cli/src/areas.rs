//! What the binary lends the command line for `aoi`: the command line itself knows no catalogue of areas.

use std::path::PathBuf;

use anyhow::Result;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::config::Settings;

/// Work that is ready to run; what was wrong with the settings has been said before.
pub type Work<T> = Result<BoxFuture<'static, Result<T>>>;

/// The work behind `aoi search` and `aoi import`.
#[derive(Debug, Clone, Copy)]
pub struct Areas {
    /// Searches the catalogue that the settings name.
    pub search: fn(&Settings, AreaSearch) -> Work<Vec<AreaRow>>,
    /// Makes a catalogue, loads it into a database, or both.
    pub import: fn(&Settings, AreaImport) -> Work<AreaReport>,
}

/// What is searched for.
#[derive(Debug, Clone)]
pub struct AreaSearch {
    /// A name, with what it lies in after commas; areas are listed by name without one.
    pub name: Option<String>,
    /// The source to search in; all of them if none is named.
    pub source: Option<String>,
    /// How many areas.
    pub limit: usize,
    /// After how many others.
    pub offset: usize,
}

/// An area that was found.
#[derive(Debug, Clone)]
pub struct AreaRow {
    /// Likeness of its name to the asked one, 0 to 1, if one was asked for.
    pub similarity: Option<f64>,
    /// Who gave it its id.
    pub source: String,
    /// Its id there.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What kind of unit it is.
    pub subtype: String,
    /// West, south, east, north.
    pub bbox: [f64; 4],
}

/// What is imported, and where to.
#[derive(Debug, Clone)]
pub struct AreaImport {
    /// Folder of GeoJSON files; the shipped catalogue if none is named.
    pub geojson: Option<PathBuf>,
    /// Table of GADM ids.
    pub codes: Option<PathBuf>,
    /// The catalogue file to write.
    pub output: Option<PathBuf>,
    /// The list of unmatched ids to write.
    pub unmatched: Option<PathBuf>,
    /// Whether the areas go into the database of the settings.
    pub to_postgis: bool,
    /// Whether administrative areas that are there are replaced.
    pub replace: bool,
}

/// What was imported.
#[derive(Debug, Clone)]
pub struct AreaReport {
    /// For people, a line each.
    pub lines: Vec<String>,
    /// For programs.
    pub json: Value,
}
