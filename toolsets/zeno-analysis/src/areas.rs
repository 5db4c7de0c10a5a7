//! The areas a user chose, as `pick_aoi` published them, and what the analytics service needs of them.

use std::collections::BTreeMap;

use periplus_toolset::{JsonObject, ToolError, Value, json};
use serde::Deserialize;

/// Selections are at most a thousand areas; a larger list is no selection.
const MAX_AREAS: usize = 10_000;

/// Areas under one name.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Selection {
    pub(crate) name: String,
    pub(crate) aois: Vec<Area>,
}

/// One area; further fields of the record are not looked at.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Area {
    pub(crate) source: String,
    pub(crate) src_id: String,
    pub(crate) name: String,
    pub(crate) subtype: String,
    /// West, south, east, north; west is greater than east across the antimeridian.
    #[serde(default)]
    pub(crate) bbox: Option<[f64; 4]>,
    /// The shape, for areas that the service knows by no id.
    #[serde(default)]
    pub(crate) geometry: Option<JsonObject>,
}

/// How the service is told about an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AreaKind {
    Admin,
    KeyBiodiversityArea,
    ProtectedArea,
    IndigenousLand,
    FeatureCollection,
}

impl AreaKind {
    /// The name in requests.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::KeyBiodiversityArea => "key_biodiversity_area",
            Self::ProtectedArea => "protected_area",
            Self::IndigenousLand => "indigenous_land",
            Self::FeatureCollection => "feature_collection",
        }
    }

    /// The name for people.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Admin => "administrative areas",
            Self::KeyBiodiversityArea => "key biodiversity areas",
            Self::ProtectedArea => "protected areas",
            Self::IndigenousLand => "indigenous lands",
            Self::FeatureCollection => "areas given by their shape",
        }
    }

    /// Areas in one request.
    pub(crate) fn limit(self) -> usize {
        match self {
            Self::Admin => 1000,
            _ => 50,
        }
    }
}

impl Selection {
    /// Reads the record.
    ///
    /// # Errors
    /// What is wrong with it, as a problem of the argument.
    pub(crate) fn parse(record: JsonObject) -> Result<Self, ToolError> {
        let refuse = |message: String| ToolError::invalid_argument("/aoi_selection", message);
        let selection: Self = serde_json::from_value(Value::Object(record)).map_err(|error| {
            refuse(format!(
                "is no selection of pick_aoi ({error}); call pick_aoi and pass its result"
            ))
        })?;
        match selection.aois.len() {
            0 => Err(refuse("selects no area; call pick_aoi again".to_owned())),
            count if count > MAX_AREAS => {
                Err(refuse(format!("selects {count} areas, more than {MAX_AREAS}")))
            }
            _ => Ok(selection),
        }
    }

    /// The display name of every area by the id that results carry; no two names are alike.
    ///
    /// A name is cut to as few of its parts as tell it from the others.
    pub(crate) fn names_by_id(&self) -> BTreeMap<String, String> {
        let parts: Vec<Vec<&str>> = self
            .aois
            .iter()
            .map(|area| area.name.split(',').map(str::trim).collect())
            .collect();
        let short = |parts: &[&str], count: usize| parts[..count.clamp(1, parts.len())].join(", ");
        let is_alone = |index: usize, count: usize| {
            let name = short(&parts[index], count);
            parts
                .iter()
                .enumerate()
                .all(|(other, parts)| other == index || short(parts, count) != name)
        };
        self.aois
            .iter()
            .enumerate()
            .map(|(index, area)| {
                let most = parts[index].len();
                let count = (1..=most).find(|count| is_alone(index, *count)).unwrap_or(most);
                (area.request_id().to_owned(), short(&parts[index], count))
            })
            .collect()
    }
}

impl Area {
    /// The source, under its one name.
    pub(crate) fn source(&self) -> String {
        let source = self.source.trim().to_ascii_lowercase();
        match source.as_str() {
            "protectedareas" | "protected_areas" | "protected-areas" => "wdpa".to_owned(),
            _ => source,
        }
    }

    /// How the service is told about it; `None` for a subtype it does not know.
    pub(crate) fn kind(&self) -> Option<AreaKind> {
        match self.subtype.as_str() {
            "country" | "state-province" | "district-county" | "municipality" | "locality"
            | "neighbourhood" => {
                // Units of another catalogue have no id that the service knows.
                Some(if self.source() == "gadm" {
                    AreaKind::Admin
                } else {
                    AreaKind::FeatureCollection
                })
            }
            "key-biodiversity-area" => Some(AreaKind::KeyBiodiversityArea),
            "protected-area" => Some(AreaKind::ProtectedArea),
            "indigenous-and-community-land" => Some(AreaKind::IndigenousLand),
            "custom-area" => Some(AreaKind::FeatureCollection),
            _ => None,
        }
    }

    /// The id in requests: without GADM's mark of a revision, `_1` to `_5` at the end.
    pub(crate) fn request_id(&self) -> &str {
        let id = self.src_id.trim();
        if self.source() != "gadm" {
            return id;
        }
        match id.rsplit_once('_') {
            Some((id, "1" | "2" | "3" | "4" | "5")) => id,
            _ => id,
        }
    }

    /// The administrative level: 0 for a country.
    pub(crate) fn level(&self) -> usize {
        self.request_id().matches('.').count()
    }

    /// Id and name of the district around a unit below district level.
    pub(crate) fn district(&self) -> (String, String) {
        let parts: Vec<&str> = self.request_id().split('.').take(3).collect();
        let steps = self.level().saturating_sub(2);
        let names: Vec<&str> = self.name.split(',').map(str::trim).skip(steps).collect();
        (parts.join("."), names.join(", "))
    }

    /// Whether the box of the area meets another box; an area without one might.
    pub(crate) fn may_meet(&self, extent: [f64; 4]) -> bool {
        self.bbox.is_none_or(|bbox| {
            let parts = split(bbox);
            parts
                .iter()
                .any(|part| split(extent).iter().any(|other| meet(*part, *other)))
        })
    }
}

/// A box as one or two boxes that do not cross the antimeridian.
fn split([west, south, east, north]: [f64; 4]) -> Vec<[f64; 4]> {
    if west <= east {
        vec![[west, south, east, north]]
    } else {
        vec![[west, south, 180.0, north], [-180.0, south, east, north]]
    }
}

fn meet(a: [f64; 4], b: [f64; 4]) -> bool {
    a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3]
}

/// The `aoi` objects of requests for areas of one kind, each with as many areas as one request may have.
pub(crate) fn request_areas(kind: AreaKind, areas: &[Area]) -> Vec<Value> {
    areas
        .chunks(kind.limit())
        .map(|chunk| {
            if kind == AreaKind::FeatureCollection {
                let features: Vec<Value> = chunk
                    .iter()
                    .map(|area| json!({ "type": "Feature", "id": area.request_id(), "properties": {}, "geometry": area.geometry }))
                    .collect();
                json!({
                    "type": kind.as_str(),
                    "feature_collection": { "type": "FeatureCollection", "features": features },
                })
            } else {
                let ids: Vec<&str> = chunk.iter().map(Area::request_id).collect();
                json!({ "type": kind.as_str(), "ids": ids })
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(source: &str, id: &str, name: &str, subtype: &str) -> Area {
        Area {
            source: source.to_owned(),
            src_id: id.to_owned(),
            name: name.to_owned(),
            subtype: subtype.to_owned(),
            bbox: None,
            geometry: None,
        }
    }

    fn gadm(id: &str, name: &str) -> Area {
        area("gadm", id, name, "state-province")
    }

    #[test]
    fn only_the_mark_of_a_revision_is_cut_from_an_id() {
        for (id, expected) in [
            ("BRA.14_1", "BRA.14"),
            ("IND.26.26_2", "IND.26.26"),
            ("BRA", "BRA"),
            ("BRA.14_7", "BRA.14_7"),
        ] {
            assert_eq!(gadm(id, "x").request_id(), expected);
        }
        assert_eq!(
            area("landmark", "BRA79_1", "x", "indigenous-and-community-land").request_id(),
            "BRA79_1"
        );
    }

    #[test]
    fn the_selection_is_read_and_never_changed() {
        let record = json!({ "name": "Pará", "aois": [{ "source": "gadm", "src_id": "BRA.14_1", "name": "Pará, Brazil", "subtype": "state-province", "bbox": [-59.0, -9.9, -46.0, 2.6], "extra": 1 }] });
        let selection = Selection::parse(record.as_object().cloned().unwrap()).unwrap();
        let _request = request_areas(AreaKind::Admin, &selection.aois);
        assert_eq!(selection.aois[0].src_id, "BRA.14_1");
    }

    #[test]
    fn what_is_no_selection_is_refused() {
        for record in [
            json!({}),
            json!({ "name": "x", "aois": [] }),
            json!({ "name": "x", "aois": [{ "source": "gadm" }] }),
        ] {
            assert!(
                Selection::parse(record.as_object().cloned().unwrap()).is_err(),
                "{record}"
            );
        }
    }

    #[test]
    fn short_names_that_collide_keep_as_many_parts_as_tell_them_apart() {
        let names = |areas: Vec<Area>| {
            let selection = Selection {
                name: String::new(),
                aois: areas,
            };
            selection.names_by_id().into_values().collect::<Vec<_>>()
        };
        assert_eq!(
            names(vec![
                gadm("BRA.14_1", "Pará, Brazil"),
                gadm("BRA.4_1", "Amazonas, Brazil")
            ]),
            ["Pará", "Amazonas"]
        );
        assert_eq!(
            names(vec![
                gadm("AGO.1_1", "Puri, Uíge, Angola"),
                gadm("IND.26.26_1", "Puri, Odisha, India")
            ]),
            ["Puri, Uíge", "Puri, Odisha"]
        );
        assert_eq!(
            names(vec![gadm("A.1", "Same"), gadm("A.2", "Same")]),
            ["Same", "Same"]
        );
    }

    #[test]
    fn a_box_across_the_antimeridian_meets_what_it_covers_and_nothing_else() {
        let with = |bbox: [f64; 4]| Area {
            bbox: Some(bbox),
            ..gadm("FJI", "Fiji")
        };
        let tropics = [-180.0, -30.0, 180.0, 30.0];
        assert!(with([177.0, -20.7, -178.0, -12.4]).may_meet(tropics));
        assert!(!with([177.0, -20.7, -178.0, -12.4]).may_meet([0.0, -30.0, 90.0, 30.0]));
        assert!(with([-180.0, -20.0, -170.0, -10.0]).may_meet([170.0, -30.0, -175.0, 30.0]));
        assert!(!with([-141.0, 41.68, -52.62, 83.11]).may_meet(tropics));
        assert!(with([-118.0, 14.0, -86.0, 32.0]).may_meet(tropics));
        assert!(gadm("X", "without a box").may_meet(tropics));
    }

    #[test]
    fn more_areas_than_a_request_may_have_become_several_requests() {
        let areas: Vec<Area> = (0..1001).map(|n| gadm(&format!("BRA.{n}_1"), "x")).collect();
        let requests = request_areas(AreaKind::Admin, &areas);
        assert_eq!(requests.len(), 2);
        assert_eq!(requests[1]["ids"], json!(["BRA.1000"]));
        assert_eq!(request_areas(AreaKind::ProtectedArea, &areas[..50]).len(), 1);
        assert_eq!(request_areas(AreaKind::ProtectedArea, &areas[..51]).len(), 2);
    }

    #[test]
    fn the_district_around_a_smaller_unit_is_known() {
        let (id, name) = gadm("PRT.12.7.6_1", "Alvalade, Lisboa, Lisboa, Portugal").district();
        assert_eq!(
            (id.as_str(), name.as_str()),
            ("PRT.12.7", "Lisboa, Lisboa, Portugal")
        );
    }
}
