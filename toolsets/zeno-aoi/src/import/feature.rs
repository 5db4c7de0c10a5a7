//! Features of the input files.

use std::path::Path;

use serde::{Deserialize, Deserializer};

use super::ImportError;
use crate::{Bounds, fold, shape::Point};

/// A country, unit or region as the files have it.
#[derive(Debug, Deserialize)]
pub(super) struct Feature {
    pub(super) properties: Properties,
    pub(super) geometry: Geometry,
}

#[derive(Debug, Deserialize)]
pub(super) struct Geometry {
    pub(super) coordinates: Vec<Vec<Vec<Point>>>,
}

/// What the data calls the continent and the region of some remote islands.
const OPEN_OCEAN: &str = "Seven seas (open ocean)";

/// What is used of a feature's properties.
#[derive(Debug, Deserialize)]
pub(super) struct Properties {
    pub(super) id: String,
    pub(super) name: String,
    #[serde(default)]
    pub(super) name_local: Option<String>,
    #[serde(default)]
    pub(super) name_long: Option<String>,
    #[serde(default, deserialize_with = "filled")]
    pub(super) iso_a3: Option<String>,
    pub(super) adm0_a3: String,
    #[serde(default, deserialize_with = "filled")]
    pub(super) country: Option<String>,
    #[serde(default, rename = "type", deserialize_with = "filled")]
    pub(super) kind: Option<String>,
    #[serde(default, deserialize_with = "filled")]
    continent: Option<String>,
    #[serde(default, deserialize_with = "filled")]
    subregion: Option<String>,
    #[serde(default)]
    pub(super) grouping: bool,
    #[serde(default)]
    pub(super) members: Vec<String>,
    #[serde(default)]
    pub(super) names: Vec<String>,
    pub(super) bbox: Bounds,
    pub(super) area_km2: f64,
}

impl Properties {
    /// The code under which GADM and ISO know the country; `None` for the few places that have none.
    pub(super) fn iso3(&self) -> Option<&str> {
        match (&self.iso_a3, self.adm0_a3.as_str()) {
            (Some(iso3), _) => Some(iso3),
            // The user-assigned code that GADM and the statistics use for Kosovo.
            (None, "KOS") => Some("XKO"),
            (None, _) => None,
        }
    }

    /// The continent it lies on, and the region of it; what lies in the open ocean has none.
    pub(super) fn world_parts(&self) -> [Option<String>; 2] {
        [&self.continent, &self.subregion].map(|part| part.clone().filter(|part| part != OPEN_OCEAN))
    }

    /// The names it gives itself, without repetitions.
    pub(super) fn own_names(&self) -> Vec<String> {
        let names = [
            Some(&self.name),
            self.name_local.as_ref(),
            self.name_long.as_ref(),
        ];
        distinct(names.into_iter().flatten(), &[])
    }
}

/// Names that fold to something, each spelling once, without those of `known`.
pub(super) fn distinct<'a>(names: impl IntoIterator<Item = &'a String>, known: &[String]) -> Vec<String> {
    let mut seen: Vec<String> = known.iter().map(|name| fold(name)).collect();
    let mut kept = Vec::new();
    for name in names {
        let folded = fold(name);
        if !folded.is_empty() && !seen.contains(&folded) {
            seen.push(folded);
            kept.push(name.trim().to_owned());
        }
    }
    kept
}

pub(super) fn read_features(path: &Path) -> Result<Vec<Feature>, ImportError> {
    #[derive(Deserialize)]
    struct Collection {
        features: Vec<Feature>,
    }
    let bytes = std::fs::read(path).map_err(|source| ImportError::Read {
        path: path.to_owned(),
        source,
    })?;
    let collection: Collection = serde_json::from_slice(&bytes).map_err(|source| ImportError::GeoJson {
        path: path.to_owned(),
        source,
    })?;
    Ok(collection.features)
}

/// An empty text says as little as none.
fn filled<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.filter(|text| !text.is_empty()))
}
