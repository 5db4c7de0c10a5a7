//! The records that other tools consume. Their names and keys are a published contract.

use periplus_toolset::{JsonObject, JsonSchema, schemars};
use serde::{Deserialize, Serialize};

use crate::{Area, Bounds, Source, Subtype, catalogue::Candidate, geometry};

/// The areas that were picked, for tools that fetch data about them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AoiSelection {
    /// What to call the selection, such as `27 States in Brazil`.
    pub name: String,
    /// The areas, all of one source.
    pub aois: Vec<AreaRecord>,
    /// URI of one document with the outlines of all of them, where they are too many to read their shapes one by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geometry_ref: Option<String>,
}

/// An area that was picked, or could be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AreaRecord {
    /// Who gave the area its id.
    pub source: Source,
    /// Its id there. Ids of GADM may end in a revision mark (`_1`).
    pub src_id: String,
    /// Its name, then the names of what it lies in.
    pub name: String,
    /// What kind of unit it is.
    pub subtype: Subtype,
    /// West, south, east, north in degrees; west is above east if the area crosses the antimeridian.
    #[serde(default = "world")]
    pub bbox: Bounds,
    /// Likeness of the asked name to its own, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity_score: Option<f64>,
    /// ISO 3166-1 alpha-3 code of its country.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iso3: Option<String>,
    /// Depth in the administrative tree, 0 for a country.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admin_level: Option<u8>,
    /// Its area on the ellipsoid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area_km2: Option<f64>,
    /// URI of the document with its shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geometry_ref: Option<String>,
    /// Its shape as a GeoJSON geometry, if there is no id under which a service of statistics would know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geometry: Option<JsonObject>,
    /// The catalogue it was found in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
    /// The id once more, under the name of its column, if the area is a unit of what was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gadm_id: Option<String>,
    /// As `gadm_id`, for key biodiversity areas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sitrecid: Option<String>,
    /// As `gadm_id`, for protected areas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wdpa_pid: Option<String>,
    /// As `gadm_id`, for indigenous and community lands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landmark_id: Option<String>,
    /// As `gadm_id`, for units of Natural Earth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub naturalearth_id: Option<String>,
}

fn world() -> Bounds {
    Bounds::WORLD
}

impl AreaRecord {
    /// The record of an area that was picked by its name.
    pub(crate) fn picked(candidate: &Candidate, catalogue: &str) -> Self {
        Self::listed(&candidate.area, Some(candidate.similarity), catalogue)
    }

    /// The record of an area in a list, with the likeness of its name to an asked one.
    pub(crate) fn listed(area: &Area, similarity: Option<f64>, catalogue: &str) -> Self {
        Self {
            // Four digits are what the likeness of names is good for.
            similarity_score: similarity.map(|similarity| (similarity * 1e4).round() / 1e4),
            catalog: Some(catalogue.to_owned()),
            ..Self::of(area)
        }
    }

    /// The record of a unit of something that was picked.
    pub(crate) fn unit(area: &Area, catalogue: &str) -> Self {
        let mut record = Self {
            catalog: Some(catalogue.to_owned()),
            ..Self::of(area)
        };
        let column = match area.source {
            Source::Gadm => &mut record.gadm_id,
            Source::Kba => &mut record.sitrecid,
            Source::Wdpa => &mut record.wdpa_pid,
            Source::Landmark => &mut record.landmark_id,
            Source::NaturalEarth => &mut record.naturalearth_id,
        };
        *column = Some(area.id.clone());
        record
    }

    /// The record without the URI of a shape.
    pub(crate) fn without_shape(mut self) -> Self {
        self.geometry_ref = None;
        self
    }

    /// The record of a candidate to choose from: no more than a choice needs.
    pub(crate) fn candidate(area: &Area) -> Self {
        Self {
            iso3: None,
            admin_level: None,
            area_km2: None,
            geometry_ref: None,
            ..Self::of(area)
        }
    }

    fn of(area: &Area) -> Self {
        Self {
            source: area.source,
            src_id: area.id.clone(),
            name: area.name.clone(),
            subtype: area.subtype,
            bbox: area.bounds,
            similarity_score: None,
            iso3: area.iso3.clone(),
            admin_level: area.level(),
            area_km2: area.area_km2,
            geometry_ref: Some(geometry::reference(area)),
            geometry: None,
            catalog: None,
            gadm_id: None,
            sitrecid: None,
            wdpa_pid: None,
            landmark_id: None,
            naturalearth_id: None,
        }
    }
}
