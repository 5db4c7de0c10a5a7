//! Boxes on a globe. One that crosses the antimeridian has its west above its east.

use periplus_toolset::{JsonSchema, schemars};
use serde::{Deserialize, Serialize};

/// A box in degrees, on the wire `[west, south, east, north]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "[f64; 4]", into = "[f64; 4]")]
#[schemars(with = "[f64; 4]")]
pub struct Bounds {
    /// Western edge.
    pub west: f64,
    /// Southern edge.
    pub south: f64,
    /// Eastern edge; below the western one if the box crosses the antimeridian.
    pub east: f64,
    /// Northern edge.
    pub north: f64,
}

impl Bounds {
    /// The whole globe.
    pub const WORLD: Self = Self {
        west: -180.0,
        south: -90.0,
        east: 180.0,
        north: 90.0,
    };

    /// The box around points; `None` if there are none.
    ///
    /// Points that span more than half the globe are taken to lie on both sides of the antimeridian, unless one side has
    /// none. Points that touch both edges and come near the pole are a polar area, which has the full span.
    pub fn around(points: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        let mut all = Self {
            west: f64::INFINITY,
            south: f64::INFINITY,
            east: f64::NEG_INFINITY,
            north: f64::NEG_INFINITY,
        };
        let (mut smallest_east, mut largest_west) = (f64::INFINITY, f64::NEG_INFINITY);
        for (x, y) in points {
            all.west = all.west.min(x);
            all.east = all.east.max(x);
            all.south = all.south.min(y);
            all.north = all.north.max(y);
            if x >= 0.0 {
                smallest_east = smallest_east.min(x);
            } else {
                largest_west = largest_west.max(x);
            }
        }
        if !all.west.is_finite() {
            return None;
        }
        let finite = |degrees: f64| degrees.is_finite().then_some(degrees);
        Some(all.split_at_antimeridian((finite(smallest_east), finite(largest_west))))
    }

    /// The box of an area whose plain box this is, which begins in the east and ends in the west at the given longitudes
    /// if it has parts there.
    pub(crate) fn split_at_antimeridian(mut self, halves: (Option<f64>, Option<f64>)) -> Self {
        let is_polar = self.south <= -85.0 || self.north >= 85.0;
        let crosses = self.east - self.west > 180.0 && !is_polar;
        if let (true, (Some(begin), Some(end))) = (crosses, halves) {
            self.west = begin;
            self.east = end;
        }
        self
    }

    /// Whether the box crosses the antimeridian.
    #[must_use]
    pub fn crosses_antimeridian(&self) -> bool {
        self.west > self.east
    }

    /// The same box as one or two that do not cross the antimeridian.
    pub fn parts(&self) -> impl Iterator<Item = Self> {
        let (first, second) = if self.crosses_antimeridian() {
            (
                Self { east: 180.0, ..*self },
                Some(Self {
                    west: -180.0,
                    ..*self
                }),
            )
        } else {
            (*self, None)
        };
        std::iter::once(first).chain(second)
    }

    /// Whether the two have more than an edge in common.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.parts().any(|one| {
            other.parts().any(|two| {
                one.west < two.east && two.west < one.east && one.south < two.north && two.south < one.north
            })
        })
    }
}

impl From<[f64; 4]> for Bounds {
    fn from([west, south, east, north]: [f64; 4]) -> Self {
        Self {
            west,
            south,
            east,
            north,
        }
    }
}

impl From<Bounds> for [f64; 4] {
    fn from(bounds: Bounds) -> Self {
        [bounds.west, bounds.south, bounds.east, bounds.north]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_on_both_sides_of_the_antimeridian_has_its_west_above_its_east() {
        let fiji =
            Bounds::around([(177.3, -19.0), (180.0, -17.0), (-180.0, -17.0), (-178.2, -16.0)]).unwrap();
        assert_eq!(<[f64; 4]>::from(fiji), [177.3, -19.0, -178.2, -16.0]);
        assert!(fiji.crosses_antimeridian());
    }

    #[test]
    fn an_area_with_points_on_one_side_only_keeps_its_plain_box() {
        let wide = Bounds::around([(-179.0, 10.0), (-1.0, 20.0)]).unwrap();
        assert_eq!(<[f64; 4]>::from(wide), [-179.0, 10.0, -1.0, 20.0]);
    }

    #[test]
    fn a_polar_area_has_the_full_span() {
        let antarctica = Bounds::around([(-180.0, -90.0), (180.0, -90.0), (0.0, -63.0)]).unwrap();
        assert_eq!(<[f64; 4]>::from(antarctica), [-180.0, -90.0, 180.0, -63.0]);
    }

    #[test]
    fn no_points_have_no_box() {
        assert_eq!(Bounds::around([]), None);
    }

    #[test]
    fn boxes_are_compared_across_the_antimeridian() {
        let fiji = Bounds::from([177.0, -19.0, -178.0, -16.0]);
        let samoa_side = Bounds::from([-179.0, -18.0, -170.0, -17.0]);
        let europe = Bounds::from([0.0, 40.0, 10.0, 50.0]);
        assert!(fiji.overlaps(&samoa_side) && samoa_side.overlaps(&fiji));
        assert!(!fiji.overlaps(&europe) && !europe.overlaps(&fiji));
        assert!(Bounds::WORLD.overlaps(&fiji) && Bounds::WORLD.overlaps(&europe));
        let touching = Bounds::from([10.0, 40.0, 20.0, 50.0]);
        assert!(!europe.overlaps(&touching));
    }

    #[test]
    fn the_wire_form_is_four_numbers() {
        let json = serde_json::to_value(Bounds::WORLD).unwrap();
        assert_eq!(json, serde_json::json!([-180.0, -90.0, 180.0, 90.0]));
        assert_eq!(serde_json::from_value::<Bounds>(json).unwrap(), Bounds::WORLD);
    }
}
