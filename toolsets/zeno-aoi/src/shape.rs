//! Shapes of areas: multipolygons, and their compact form.

use geo::{Contains, InteriorPoint, LineString, MultiPolygon, Polygon};
use serde_json::{Value, json};

use crate::Bounds;

/// Coordinates are kept in steps of 0.0001 degrees, some eleven metres at the equator.
const STEPS_PER_DEGREE: f64 = 10_000.0;

/// Longitude and latitude in degrees.
pub(crate) type Point = [f64; 2];

/// The shape of an area, as GeoJSON writes it: polygons of rings of points, the last point of a ring equal to its first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shape(pub(crate) Vec<Vec<Vec<Point>>>);

impl Shape {
    /// Reads the coordinates of a GeoJSON polygon or multipolygon.
    #[must_use]
    pub fn from_geojson(geometry: &Value) -> Option<Self> {
        let coordinates = geometry.get("coordinates")?.clone();
        match geometry.get("type")?.as_str()? {
            "Polygon" => serde_json::from_value(coordinates)
                .ok()
                .map(|polygon| Self(vec![polygon])),
            "MultiPolygon" => serde_json::from_value(coordinates).ok().map(Self),
            _ => None,
        }
    }

    /// The shape as a GeoJSON geometry.
    #[must_use]
    pub fn to_geojson(&self) -> Value {
        json!({ "type": "MultiPolygon", "coordinates": self.0 })
    }

    /// The box around it.
    #[must_use]
    pub fn bounds(&self) -> Option<Bounds> {
        Bounds::around(self.points().map(|[x, y]| (x, y)))
    }

    /// How many points it has.
    #[must_use]
    pub fn point_count(&self) -> usize {
        self.points().count()
    }

    fn points(&self) -> impl Iterator<Item = Point> + '_ {
        self.0.iter().flatten().flatten().copied()
    }

    /// Whether some point well inside `other` lies in this shape: true for a unit of a region, false for its neighbour.
    pub(crate) fn holds(&self, other: &Self) -> bool {
        let whole = self.to_geo();
        // The largest polygon speaks for the unit; its islands may be missing from a simplified parent.
        let largest = other
            .0
            .iter()
            .max_by_key(|polygon| polygon.first().map_or(0, Vec::len));
        largest
            .and_then(|polygon| polygon_of(polygon).interior_point())
            .is_some_and(|point| whole.contains(&point))
    }

    fn to_geo(&self) -> MultiPolygon<f64> {
        self.0.iter().map(|rings| polygon_of(rings)).collect()
    }

    /// Appends the compact form: counts and coordinate differences as variable-length integers.
    pub(crate) fn encode(&self, bytes: &mut Vec<u8>) {
        put_count(bytes, self.0.len());
        let mut last = [0_i64, 0];
        for rings in &self.0 {
            put_count(bytes, rings.len());
            for ring in rings {
                // The last point repeats the first one.
                let open = ring.split_last().map_or(ring.as_slice(), |(_, rest)| rest);
                put_count(bytes, open.len());
                for point in open {
                    let steps = point.map(|degrees| (degrees * STEPS_PER_DEGREE).round() as i64);
                    put_difference(bytes, steps[0] - last[0]);
                    put_difference(bytes, steps[1] - last[1]);
                    last = steps;
                }
            }
        }
    }

    /// Reads the compact form; `None` if the bytes are not one.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes);
        let mut last = [0_i64, 0];
        let mut polygons = Vec::new();
        for _ in 0..reader.count()? {
            let mut rings = Vec::new();
            for _ in 0..reader.count()? {
                rings.push(reader.ring(&mut last)?);
            }
            polygons.push(rings);
        }
        Some(Self(polygons))
    }
}

fn polygon_of(rings: &[Vec<Point>]) -> Polygon<f64> {
    let mut lines = rings
        .iter()
        .map(|ring| ring.iter().map(|[x, y]| (*x, *y)).collect::<LineString<f64>>());
    let outer = lines.next().unwrap_or_else(|| LineString::new(Vec::new()));
    Polygon::new(outer, lines.collect())
}

fn put_count(bytes: &mut Vec<u8>, count: usize) {
    put(bytes, count as u64);
}

/// Small differences of either sign become small numbers.
fn put_difference(bytes: &mut Vec<u8>, difference: i64) {
    put(bytes, ((difference << 1) ^ (difference >> 63)) as u64);
}

fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn value(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A count of things that take at least a byte each, so that a broken one cannot ask for memory.
    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.value()?).ok()?;
        (count <= self.0.len()).then_some(count)
    }

    fn difference(&mut self) -> Option<i64> {
        let value = self.value()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn ring(&mut self, last: &mut [i64; 2]) -> Option<Vec<Point>> {
        let count = self.count()?;
        let mut ring = Vec::with_capacity(count + 1);
        for _ in 0..count {
            for axis in last.iter_mut() {
                *axis = axis.checked_add(self.difference()?)?;
            }
            ring.push(last.map(|steps| steps as f64 / STEPS_PER_DEGREE));
        }
        ring.extend(ring.first().copied());
        Some(ring)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn square(west: f64, south: f64, size: f64) -> Vec<Vec<Point>> {
        vec![vec![
            [west, south],
            [west + size, south],
            [west + size, south + size],
            [west, south + size],
            [west, south],
        ]]
    }

    #[test]
    fn the_compact_form_keeps_every_point() {
        let shape = Shape(vec![square(-180.0, -16.5, 0.25), square(178.1234, -17.0001, 1.5)]);
        let mut bytes = Vec::new();
        shape.encode(&mut bytes);
        assert_eq!(Shape::decode(&bytes), Some(shape));
    }

    #[test]
    fn a_unit_lies_in_its_region_and_a_neighbour_does_not() {
        let region = Shape(vec![square(0.0, 0.0, 10.0)]);
        assert!(region.holds(&Shape(vec![square(2.0, 2.0, 8.0)])));
        assert!(!region.holds(&Shape(vec![square(10.0, 0.0, 10.0)])));
        assert!(!region.holds(&Shape::default()));
    }

    #[test]
    fn polygons_and_multipolygons_are_read() {
        let polygon = json!({ "type": "Polygon", "coordinates": square(0.0, 0.0, 1.0) });
        let shape = Shape::from_geojson(&polygon).unwrap();
        assert_eq!(Shape::from_geojson(&shape.to_geojson()), Some(shape));
        assert_eq!(
            Shape::from_geojson(&json!({ "type": "Point", "coordinates": [0, 0] })),
            None
        );
    }

    proptest! {
        #[test]
        fn broken_bytes_are_no_shape_and_ask_for_no_memory(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Some(shape) = Shape::decode(&bytes) {
                prop_assert!(shape.point_count() <= 2 * bytes.len() + 1);
            }
        }
    }
}
