//! What a value looks like, in a few words: its shape, never its meaning.
//!
//! An area of interest and a footprint are the same JSON. A wrong label would be worse than none, so there is none.

use serde_json::Value;

use crate::JsonObject;

/// The shape of a value: what kind of JSON it is and how much of it, with features and vertices for GeoJSON.
#[must_use]
pub fn describe(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            geojson(object).unwrap_or_else(|| format!("object with {}", counted(object.len(), "key", "keys")))
        }
        Value::Array(items) => counted(items.len(), "item", "items"),
        Value::String(text) => format!(
            "string of {}",
            counted(text.chars().count(), "character", "characters")
        ),
        Value::Number(_) => "number".to_owned(),
        Value::Bool(_) => "boolean".to_owned(),
        Value::Null => "null".to_owned(),
    }
}

/// A count with its noun.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn geojson(object: &JsonObject) -> Option<String> {
    let kind = object.get("type")?.as_str()?;
    match kind {
        "FeatureCollection" => {
            let features = object.get("features")?.as_array()?;
            let vertices = features
                .iter()
                .filter_map(|feature| feature.get("geometry"))
                .map(vertices)
                .sum();
            Some(format!(
                "{}, {}",
                counted(features.len(), "feature", "features"),
                vertex_count(vertices)
            ))
        }
        "Feature" => match object.get("geometry")? {
            Value::Null => Some("Feature without geometry".to_owned()),
            Value::Object(geometry) => Some(format!("Feature, {}", self::geometry(geometry)?)),
            _ => None,
        },
        _ => geometry(object),
    }
}

fn geometry(object: &JsonObject) -> Option<String> {
    let kind = object.get("type")?.as_str()?;
    match kind {
        "GeometryCollection" => {
            let parts = object.get("geometries")?.as_array()?;
            let vertices = parts.iter().map(vertices).sum();
            Some(format!(
                "{kind} of {}, {}",
                counted(parts.len(), "geometry", "geometries"),
                vertex_count(vertices)
            ))
        }
        "Point" | "MultiPoint" | "LineString" | "MultiLineString" | "Polygon" | "MultiPolygon" => {
            let coordinates = object
                .get("coordinates")
                .filter(|coordinates| coordinates.is_array())?;
            Some(format!("{kind}, {}", vertex_count(positions(coordinates))))
        }
        _ => None,
    }
}

fn vertex_count(count: usize) -> String {
    counted(count, "vertex", "vertices")
}

/// Positions of a geometry of any type.
fn vertices(geometry: &Value) -> usize {
    if let Some(parts) = geometry.get("geometries").and_then(Value::as_array) {
        return parts.iter().map(vertices).sum();
    }
    geometry.get("coordinates").map_or(0, positions)
}

/// Positions in coordinates nested to any depth: a list that starts with a number is one.
fn positions(coordinates: &Value) -> usize {
    let Some(items) = coordinates.as_array() else {
        return 0;
    };
    if items.first().is_some_and(Value::is_number) {
        1
    } else {
        items.iter().map(positions).sum()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn vertices_are_counted_for_every_kind_of_geometry() {
        let ring = json!([[0, 0], [1, 0], [1, 1], [0, 0]]);
        let cases = [
            (json!({"type": "Point", "coordinates": [1, 2]}), "Point, 1 vertex"),
            (
                json!({"type": "LineString", "coordinates": [[1, 2], [3, 4, 5]]}),
                "LineString, 2 vertices",
            ),
            (
                json!({"type": "Polygon", "coordinates": [ring]}),
                "Polygon, 4 vertices",
            ),
            (
                json!({"type": "MultiPolygon", "coordinates": [[ring], [ring, ring]]}),
                "MultiPolygon, 12 vertices",
            ),
            (
                json!({"type": "GeometryCollection", "geometries": [
                    {"type": "Point", "coordinates": [1, 2]}, {"type": "Polygon", "coordinates": [ring]}]}),
                "GeometryCollection of 2 geometries, 5 vertices",
            ),
        ];
        for (geometry, expected) in cases {
            assert_eq!(describe(&geometry), expected);
            let feature = json!({"type": "Feature", "geometry": geometry, "properties": {}});
            assert_eq!(describe(&feature), format!("Feature, {expected}"));
            let count = expected.rsplit(", ").next().unwrap();
            let collection = json!({"type": "FeatureCollection", "features": [feature]});
            assert_eq!(describe(&collection), format!("1 feature, {count}"));
        }
    }

    #[test]
    fn a_shape_names_no_meaning_and_no_language() {
        let cases = [
            (json!([1, 2, 3, 4]), "4 items"),
            (json!({"a": 1}), "object with 1 key"),
            (json!({"type": "FeatureCollection"}), "object with 1 key"),
            (
                json!({"type": "Feature", "geometry": null}),
                "Feature without geometry",
            ),
            (json!({"type": "Polygon", "coordinates": 3}), "object with 2 keys"),
            (json!({"type": 3, "geometry": {}}), "object with 2 keys"),
            (json!("é"), "string of 1 character"),
            (json!(1.5), "number"),
            (json!(true), "boolean"),
            (json!(null), "null"),
        ];
        for (value, expected) in cases {
            assert_eq!(describe(&value), expected);
        }
    }
}
