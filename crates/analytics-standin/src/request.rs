//! The body of a request, checked as the service checks it: every problem at once, unknown fields included.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::endpoint::Endpoint;

/// Areas of one request, by kind.
const MAX_ADMIN_AREAS: usize = 1000;
const MAX_OTHER_AREAS: usize = 50;

/// A checked request.
#[derive(Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) areas: Areas,
    /// First and last year.
    pub(crate) years: Option<(i32, i32)>,
    /// First and last day, in ISO form.
    pub(crate) dates: Option<(String, String)>,
    pub(crate) canopy_cover: Option<i32>,
    pub(crate) forest_filter: Option<String>,
    pub(crate) intersection: Option<String>,
    pub(crate) gas_types: Vec<String>,
    pub(crate) crop_types: Vec<String>,
}

/// What is asked about.
#[derive(Debug, PartialEq)]
pub(crate) struct Areas {
    /// `admin`, `key_biodiversity_area`, `protected_area`, `indigenous_land` or `feature_collection`.
    pub(crate) kind: String,
    /// Their ids; those of the features for shapes.
    pub(crate) ids: Vec<String>,
}

/// One problem, in the form of the service's framework.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Problem {
    loc: Vec<Value>,
    msg: String,
    #[serde(rename = "type")]
    kind: &'static str,
}

/// What is left of a body, and what is wrong with it.
struct Reader {
    body: Map<String, Value>,
    problems: Vec<Problem>,
}

impl Request {
    /// Reads a body.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub(crate) fn parse(endpoint: Endpoint, body: &Value) -> Result<Self, Vec<Problem>> {
        let Value::Object(object) = body else {
            let loc = vec!["body".into()];
            let msg = "Input should be a valid dictionary".to_owned();
            return Err(vec![Problem {
                loc,
                msg,
                kind: "model_type",
            }]);
        };
        let mut reader = Reader {
            body: object.clone(),
            problems: Vec::new(),
        };
        let request = reader.read(endpoint);
        let unknown: Vec<String> = reader.body.keys().cloned().collect();
        for name in unknown {
            reader.problem(&[&name], "Extra inputs are not permitted", "extra_forbidden");
        }
        if reader.problems.is_empty() {
            Ok(request)
        } else {
            Err(reader.problems)
        }
    }
}

impl Reader {
    fn read(&mut self, endpoint: Endpoint) -> Request {
        let areas = self.areas();
        let mut request = Request {
            areas,
            years: None,
            dates: None,
            canopy_cover: None,
            forest_filter: None,
            intersection: None,
            gas_types: Vec::new(),
            crop_types: Vec::new(),
        };
        match endpoint {
            Endpoint::DistAlerts => {
                request.dates = self.dates();
                request.intersection =
                    self.intersection(&["driver", "natural_lands", "grasslands", "land_cover"]);
            }
            Endpoint::IntegratedAlerts => request.dates = self.dates(),
            Endpoint::Grasslands => request.years = self.years(2000),
            Endpoint::TreeCoverLoss => {
                request.years = self.years(2001);
                request.canopy_cover = self.canopy_cover(&[10, 15, 20, 25, 30, 50, 75]);
                request.forest_filter = self.forest_filter();
                request.intersection = self.intersection(&["driver", "fire"]);
                if request.canopy_cover.is_none() && request.forest_filter.is_none() {
                    let msg = "Value error, either canopy_cover or forest_filter must be given";
                    self.problem(&[], msg, "value_error");
                }
            }
            Endpoint::TreeCoverGain => {
                request.years = self.years(2000);
                request.forest_filter = self.forest_filter();
                if request.years.is_some_and(|(start, end)| start == end) {
                    self.problem(
                        &[],
                        "Value error, end_year must be greater than start_year",
                        "value_error",
                    );
                }
            }
            Endpoint::TreeCover => {
                request.canopy_cover = self.canopy_cover(&[10, 15, 20, 25, 30, 50, 75]);
                request.forest_filter = self.forest_filter();
            }
            Endpoint::CarbonFlux => request.canopy_cover = self.canopy_cover(&[30, 50, 75]),
            Endpoint::EmissionFactors => {
                request.gas_types = self.texts("gas_types");
                request.crop_types = self.texts("crop_types");
                request.years = self.years(2020);
            }
            Endpoint::LandCoverChange
            | Endpoint::LandCoverComposition
            | Endpoint::NaturalLands
            | Endpoint::LandInventory => {}
        }
        request
    }

    fn problem(&mut self, at: &[&str], msg: impl Into<String>, kind: &'static str) {
        let loc = std::iter::once("body")
            .chain(at.iter().copied())
            .map(Value::from)
            .collect();
        self.problems.push(Problem {
            loc,
            msg: msg.into(),
            kind,
        });
    }

    /// Takes a field that may be absent or null.
    fn take(&mut self, name: &str) -> Option<Value> {
        self.body.remove(name).filter(|value| !value.is_null())
    }

    fn areas(&mut self) -> Areas {
        let Some(aoi) = self.take("aoi") else {
            self.problem(&["aoi"], "Field required", "missing");
            return Areas {
                kind: String::new(),
                ids: Vec::new(),
            };
        };
        let kind = aoi["type"].as_str().unwrap_or_default().to_owned();
        let ids = match kind.as_str() {
            "admin" | "key_biodiversity_area" | "protected_area" | "indigenous_land" => texts_of(&aoi["ids"]),
            "feature_collection" => feature_ids(&aoi["feature_collection"]),
            _ => {
                let msg = format!("Input tag {kind:?} does not match any of the expected tags");
                self.problem(&["aoi", "type"], msg, "union_tag_invalid");
                None
            }
        };
        let ids = ids.unwrap_or_default();
        let limit = if kind == "admin" {
            MAX_ADMIN_AREAS
        } else {
            MAX_OTHER_AREAS
        };
        if ids.is_empty() {
            self.problem(&["aoi", "ids"], "List should have at least 1 item", "too_short");
        } else if ids.len() > limit {
            let msg = format!("List should have at most {limit} items, not {}", ids.len());
            self.problem(&["aoi", "ids"], msg, "too_long");
        }
        if kind == "admin" {
            for id in ids.iter().filter(|id| !is_admin_id(id)).take(10) {
                let msg = format!("Value error, Invalid admin ID: {id}");
                self.problem(&["aoi", "ids"], msg, "value_error");
            }
        }
        Areas { kind, ids }
    }

    fn years(&mut self, first: i32) -> Option<(i32, i32)> {
        let (start, end) = (self.year("start_year", first)?, self.year("end_year", first)?);
        if end < start {
            self.problem(
                &[],
                "Value error, end_year must not be before start_year",
                "value_error",
            );
        }
        Some((start, end))
    }

    fn year(&mut self, name: &str, first: i32) -> Option<i32> {
        let value = self.take(name);
        let text = value.as_ref().and_then(Value::as_str);
        match text
            .filter(|text| text.len() == 4)
            .and_then(|text| text.parse().ok())
        {
            Some(year) if year >= first => Some(year),
            Some(_) => {
                self.problem(
                    &[name],
                    format!("Value error, must be {first} or later"),
                    "value_error",
                );
                None
            }
            None => {
                self.problem(
                    &[name],
                    "String should match pattern '^\\d{4}$'",
                    "string_pattern_mismatch",
                );
                None
            }
        }
    }

    fn dates(&mut self) -> Option<(String, String)> {
        let (start, end) = (self.date("start_date", "01-01")?, self.date("end_date", "12-31")?);
        if end < start {
            self.problem(
                &[],
                "Value error, end_date must not be before start_date",
                "value_error",
            );
        }
        Some((start, end))
    }

    /// A full date, or a year, which is completed.
    fn date(&mut self, name: &str, rest: &str) -> Option<String> {
        let value = self.take(name);
        let text = value.as_ref().and_then(Value::as_str).unwrap_or_default();
        if is_shaped_like(text, "0000-00-00") {
            return Some(text.to_owned());
        }
        if is_shaped_like(text, "0000") {
            return Some(format!("{text}-{rest}"));
        }
        self.problem(
            &[name],
            "Date must be YYYY-MM-DD or YYYY",
            "string_pattern_mismatch",
        );
        None
    }

    fn canopy_cover(&mut self, allowed: &[i32]) -> Option<i32> {
        let value = self.take("canopy_cover")?;
        let canopy = value.as_i64().and_then(|number| i32::try_from(number).ok());
        if canopy.is_none_or(|canopy| !allowed.contains(&canopy)) {
            self.problem(
                &["canopy_cover"],
                format!("Input should be one of {allowed:?}"),
                "literal_error",
            );
        }
        canopy
    }

    fn forest_filter(&mut self) -> Option<String> {
        let value = self.take("forest_filter")?;
        let text = value.as_str().unwrap_or_default().to_owned();
        if !["primary_forest", "intact_forest", "natural_forest"].contains(&text.as_str()) {
            let msg = "Input should be 'primary_forest', 'intact_forest' or 'natural_forest'";
            self.problem(&["forest_filter"], msg, "literal_error");
        }
        Some(text)
    }

    fn intersection(&mut self, allowed: &[&str]) -> Option<String> {
        let names = self.texts("intersections");
        if names.len() > 1 {
            self.problem(&["intersections"], "List should have at most 1 item", "too_long");
        }
        let name = names.into_iter().next()?;
        if !allowed.contains(&name.as_str()) {
            self.problem(
                &["intersections", "0"],
                format!("Input should be one of {allowed:?}"),
                "literal_error",
            );
        }
        Some(name)
    }

    fn texts(&mut self, name: &str) -> Vec<String> {
        let value = self.take(name).unwrap_or_else(|| json!([]));
        texts_of(&value).unwrap_or_else(|| {
            self.problem(&[name], "Input should be a valid list of strings", "list_type");
            Vec::new()
        })
    }
}

fn texts_of(value: &Value) -> Option<Vec<String>> {
    let items = value.as_array()?.iter();
    items.map(|item| item.as_str().map(str::to_owned)).collect()
}

/// The ids of features, at their top or among their properties; each must have one.
fn feature_ids(collection: &Value) -> Option<Vec<String>> {
    let id = |feature: &Value| {
        let id = feature["id"].as_str().or(feature["properties"]["id"].as_str())?;
        (!id.is_empty()).then(|| id.to_owned())
    };
    collection["features"].as_array()?.iter().map(id).collect()
}

/// Three capitals, then at most two numbers behind dots.
fn is_admin_id(id: &str) -> bool {
    let mut parts = id.split('.');
    let country = parts.next().unwrap_or_default();
    let levels: Vec<&str> = parts.collect();
    country.len() == 3
        && country.bytes().all(|byte| byte.is_ascii_uppercase())
        && levels.len() <= 2
        && levels
            .iter()
            .all(|level| !level.is_empty() && level.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a text has the length of the form and digits where it has zeros.
fn is_shaped_like(text: &str, form: &str) -> bool {
    text.len() == form.len()
        && text.bytes().zip(form.bytes()).all(|(byte, wanted)| match wanted {
            b'0' => byte.is_ascii_digit(),
            other => byte == other,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(endpoint: Endpoint, body: Value) -> Vec<String> {
        let problems = Request::parse(endpoint, &body).err().unwrap_or_default();
        problems
            .iter()
            .map(|problem| format!("{}: {}", Value::from(problem.loc.clone()), problem.kind))
            .collect()
    }

    #[test]
    fn a_request_of_the_contract_is_read() {
        let body = json!({
            "aoi": { "type": "admin", "ids": ["BRA"] },
            "start_year": "2020", "end_year": "2024", "canopy_cover": 50, "forest_filter": null, "intersections": [],
        });
        let request = Request::parse(Endpoint::TreeCoverLoss, &body).unwrap();
        assert_eq!(request.years, Some((2020, 2024)));
        assert_eq!(request.canopy_cover, Some(50));
        assert_eq!((request.forest_filter, request.intersection), (None, None));
        assert_eq!(request.areas.ids, ["BRA"]);
    }

    #[test]
    fn every_problem_is_named_at_once() {
        let body = json!({ "aoi": { "type": "admin", "ids": ["BRA.1_1", "PRT.1.2.3"] }, "start_year": 2020, "colour": 1 });
        assert_eq!(
            problems(Endpoint::Grasslands, body),
            [
                r#"["body","aoi","ids"]: value_error"#,
                r#"["body","aoi","ids"]: value_error"#,
                r#"["body","start_year"]: string_pattern_mismatch"#,
                r#"["body","colour"]: extra_forbidden"#,
            ]
        );
    }

    #[test]
    fn lists_have_limits_by_kind() {
        let of = |kind: &str, count: usize| {
            let ids: Vec<String> = (0..count).map(|n| format!("BRA.{n}")).collect();
            problems(
                Endpoint::NaturalLands,
                json!({ "aoi": { "type": kind, "ids": ids } }),
            )
            .len()
        };
        assert_eq!((of("admin", 1000), of("admin", 1001)), (0, 1));
        assert_eq!((of("protected_area", 50), of("protected_area", 51)), (0, 1));
        assert_eq!(of("admin", 0), 1);
        assert!(of("planet", 1) >= 1);
    }

    #[test]
    fn features_need_ids() {
        let body = |feature: Value| json!({ "aoi": { "type": "feature_collection", "feature_collection": { "type": "FeatureCollection", "features": [feature] } } });
        assert_eq!(
            problems(Endpoint::NaturalLands, body(json!({ "id": "a" }))),
            [""; 0]
        );
        assert_eq!(
            problems(
                Endpoint::NaturalLands,
                body(json!({ "properties": { "id": "a" } }))
            ),
            [""; 0]
        );
        assert_eq!(problems(Endpoint::NaturalLands, body(json!({}))).len(), 1);
    }

    #[test]
    fn loss_needs_a_threshold_or_a_forest() {
        let body =
            json!({ "aoi": { "type": "admin", "ids": ["BRA"] }, "start_year": "2020", "end_year": "2019" });
        assert_eq!(problems(Endpoint::TreeCoverLoss, body).len(), 2);
    }
}
