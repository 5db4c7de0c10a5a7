//! The outlines of all countries as one small document, because nobody should fetch their shapes one by one.

use std::sync::LazyLock;

use geo::{LineString, Simplify};
use periplus_toolset::{Value, json};

use crate::{
    Shape, Subtype,
    catalogue::embedded::{Embedded, Record},
    shape::Point,
};

/// Lines may be so far off, in degrees: less than a pixel of a map of the world.
const TOLERANCE: f64 = 0.1;

/// A ring closes with its first point, so that a triangle has four.
const LEAST_POINTS: usize = 4;

/// Drawn once; nothing about it depends on the catalogue in force.
static WORLD: LazyLock<String> = LazyLock::new(|| collection(&Embedded::shipped()).to_string());

/// A GeoJSON collection of every country of the embedded catalogue, in outlines for a map of the world.
pub(crate) fn world() -> &'static str {
    &WORLD
}

fn collection(catalogue: &Embedded) -> Value {
    let records = catalogue.records().iter().enumerate();
    let countries = records.filter(|(_, record)| record.subtype == Subtype::Country);
    let features: Vec<Value> = countries
        .filter_map(|(position, record)| Some(feature(record, &catalogue.shape_at(position)?)))
        .collect();
    json!({ "type": "FeatureCollection", "features": features })
}

fn feature(record: &Record, shape: &Shape) -> Value {
    json!({
        "type": "Feature",
        "properties": { "source": record.source, "src_id": record.id, "name": record.name },
        "geometry": simplified(shape).to_geojson(),
    })
}

/// The outer rings that are still rings; the largest stays as it is if none would be left.
fn simplified(shape: &Shape) -> Shape {
    let outer = || shape.0.iter().filter_map(|polygon| polygon.first());
    let rings: Vec<Vec<Point>> = outer()
        .map(|ring| simplified_ring(ring))
        .filter(|ring| ring.len() >= LEAST_POINTS)
        .collect();
    let rings = match rings.is_empty() {
        true => Vec::from_iter(outer().max_by_key(|ring| ring.len()).cloned()),
        false => rings,
    };
    Shape(rings.into_iter().map(|ring| vec![ring]).collect())
}

fn simplified_ring(ring: &[Point]) -> Vec<Point> {
    let line: LineString<f64> = ring.iter().map(|[x, y]| (*x, *y)).collect();
    let hundredths = |degrees: f64| (degrees * 100.0).round() / 100.0;
    let points = line.simplify(TOLERANCE).into_iter();
    points
        .map(|point| [hundredths(point.x), hundredths(point.y)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_country_is_drawn_and_all_of_them_together_are_small() {
        let text = world();
        assert!(text.len() < 700_000, "{} bytes", text.len());
        let collection: Value = serde_json::from_str(text).unwrap();
        let features = collection["features"].as_array().unwrap();
        assert_eq!(features.len(), 250);
        for feature in features {
            let polygons = feature["geometry"]["coordinates"].as_array().unwrap();
            assert!(!polygons.is_empty(), "{feature}");
            for polygon in polygons {
                let ring = polygon[0].as_array().unwrap();
                assert!(
                    ring.len() >= LEAST_POINTS && ring.first() == ring.last(),
                    "{ring:?}"
                );
            }
        }
    }
}
