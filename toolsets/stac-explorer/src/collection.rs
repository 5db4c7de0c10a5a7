//! A collection as the tools return it, read leniently from what a catalogue says.

use periplus_toolset::{JsonSchema, schemars};
use serde::Serialize;
use serde_json::Value;
use url::Url;

use crate::endpoint::is_segment;

/// Descriptions are cut here; some catalogues keep whole manuals in them.
const MAX_DESCRIPTION: usize = 2_000;
const MAX_TITLE: usize = 300;
/// Longer ids are no ids, and longer addresses no thumbnails.
const MAX_ID: usize = 200;
const MAX_ADDRESS: usize = 2_000;

/// A collection of a STAC catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Collection {
    /// Id within the catalogue, to be passed on unchanged.
    pub(crate) id: String,
    /// Name for people; the id where the catalogue gives none.
    pub(crate) title: String,
    /// What it holds, often in Markdown; empty where the catalogue says nothing.
    pub(crate) description: String,
    /// Address of a small image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) thumbnail: Option<String>,
    /// Spatial extent in degrees: west, south, east, north.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bbox: Option<[f64; 4]>,
}

impl Collection {
    /// Reads a STAC collection; `None` if it has no usable id. What else is missing or malformed is left out.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        let id = value["id"]
            .as_str()
            .filter(|id| is_segment(id) && id.chars().count() <= MAX_ID)?;
        let title = value["title"].as_str().map(str::trim).unwrap_or_default();
        Some(Self {
            id: id.to_owned(),
            title: cut(if title.is_empty() { id } else { title }, MAX_TITLE),
            description: cut(
                value["description"].as_str().unwrap_or_default().trim(),
                MAX_DESCRIPTION,
            ),
            thumbnail: ["thumbnail", "rendered_preview"]
                .iter()
                .find_map(|asset| web_address(&value["assets"][asset]["href"])),
            bbox: bbox(&value["extent"]["spatial"]["bbox"][0]),
        })
    }
}

/// Everything a search looks at, in lower case.
pub(crate) fn searched_text(value: &Value) -> String {
    let field = |name: &str| value[name].as_str().unwrap_or_default();
    let keywords = value["keywords"].as_array().into_iter().flatten();
    ["id", "title", "description"]
        .into_iter()
        .map(field)
        .chain(keywords.filter_map(Value::as_str))
        .collect::<Vec<_>>()
        // A line break is in no search term, so that no term spans two fields.
        .join("\n")
        .to_lowercase()
}

/// An absolute http or https address.
fn web_address(value: &Value) -> Option<String> {
    let text = value.as_str().filter(|text| text.len() <= MAX_ADDRESS)?;
    let url = Url::parse(text).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| text.to_owned())
}

/// The horizontal part of a box of four or six numbers; west may be above east, across the antimeridian.
fn bbox(value: &Value) -> Option<[f64; 4]> {
    let numbers: Vec<f64> = value
        .as_array()
        .filter(|numbers| numbers.len() <= 6)?
        .iter()
        .map(Value::as_f64)
        .collect::<Option<_>>()?;
    let ([west, south, east, north] | [west, south, _, east, north, _]) = *numbers.as_slice() else {
        return None;
    };
    let is_on_earth = [west, east].iter().all(|degrees| degrees.abs() <= 180.0)
        && [south, north].iter().all(|degrees| degrees.abs() <= 90.0)
        && south <= north;
    is_on_earth.then_some([west, south, east, north])
}

/// The text with at most this many characters, an ellipsis instead of the rest.
fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some(_) => text.chars().take(limit - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_missing_or_malformed_is_left_out() {
        let read = Collection::read(&json!({
            "id": "bare", "title": " ", "description": 3, "assets": [], "extent": { "spatial": { "bbox": "no" } },
        }));
        let expected = Collection {
            id: "bare".to_owned(),
            title: "bare".to_owned(),
            description: String::new(),
            thumbnail: None,
            bbox: None,
        };
        assert_eq!(read, Some(expected));
        for id in [
            json!(null),
            json!(7),
            json!(""),
            json!(".."),
            json!("x".repeat(201)),
        ] {
            assert_eq!(Collection::read(&json!({ "id": id })), None, "{id}");
        }
    }

    #[test]
    fn a_thumbnail_is_a_web_address_and_the_preview_stands_in_for_it() {
        for (assets, expected) in [
            (
                json!({ "thumbnail": { "href": "https://h/t" }, "rendered_preview": { "href": "https://h/p" } }),
                Some("https://h/t"),
            ),
            (
                json!({ "rendered_preview": { "href": "https://h/p" } }),
                Some("https://h/p"),
            ),
            (
                json!({ "thumbnail": { "href": "javascript:alert(1)" }, "rendered_preview": { "href": "https://h/p" } }),
                Some("https://h/p"),
            ),
            (json!({ "thumbnail": { "href": "./t.png" } }), None),
        ] {
            let read = Collection::read(&json!({ "id": "x", "assets": assets })).unwrap();
            assert_eq!(read.thumbnail.as_deref(), expected);
        }
    }

    #[test]
    fn a_box_loses_its_heights_and_must_be_on_earth() {
        for (numbers, expected) in [
            (json!([-10, 35, 30.5, 60]), Some([-10.0, 35.0, 30.5, 60.0])),
            (json!([-10, 35, 0, 30, 60, 4000]), Some([-10.0, 35.0, 30.0, 60.0])),
            (json!([177, -19, -178, -16]), Some([177.0, -19.0, -178.0, -16.0])),
            (json!([-10, 60, 30, 35]), None),
            (json!([-200, 0, 0, 1]), None),
            (json!([0, 0, 1]), None),
            (json!([0, 0, "1", 1]), None),
        ] {
            assert_eq!(bbox(&numbers), expected, "{numbers}");
        }
    }

    #[test]
    fn a_long_description_is_cut_between_characters() {
        let read = Collection::read(&json!({ "id": "x", "description": "é".repeat(2_001) })).unwrap();
        assert_eq!(read.description.chars().count(), 2_000);
        assert!(read.description.ends_with("é…"));
    }
}
