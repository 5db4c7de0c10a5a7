//! The payload of each dataset.

use chrono::Datelike as _;
use periplus_toolset::{JsonObject, Value, json};

use crate::{
    catalogue::{Dataset, Endpoint},
    choice::{Phrases, Words},
    dates::Period,
};

/// The gases of the emission factors; the first is the sum of the others.
const GASES: [&str; 4] = ["CO2e", "CO2", "CH4", "N2O"];

/// The crops of the emission factors.
#[rustfmt::skip]
const CROPS: [&str; 42] = [
    "Banana", "Barley", "Bean", "Cassava", "Chickpea", "Coconut", "Cocoa", "Arabica Coffee", "Robusta Coffee", "Cotton",
    "Cowpea", "Groundnut", "Lentil", "Maize", "Pearl Millet", "Small Millet", "Oil Palm", "Pigeon Pea", "Plantain",
    "Potato", "Rapeseed", "Rice", "Sesame Seed", "Sorghum", "Soybean", "Sugarbeet", "Sugarcane", "Sunflower",
    "Sweet Potato", "Tea", "Tobacco", "Wheat", "Yams", "Other Cereals", "Other Fibre Crops", "Other Oil Crops",
    "Other Pulses", "Other Roots", "Rest of Crops", "Temperate Fruit", "Tropical Fruit", "Vegetables",
];

/// Words that ask for change and not for a composition.
const CHANGE: &str = "chang*|conver*|expan*|transition*|gain|gained|gains|loss|losses|lost|trend*|since";

/// The periods of gain end here.
const LAST_GAIN_YEAR: i32 = 2020;

/// What is asked of a dataset, for any areas.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Query<'a> {
    pub(crate) dataset: &'a Dataset,
    pub(crate) period: Period,
    pub(crate) layer: Option<&'a str>,
    pub(crate) canopy: u32,
    /// Whether change is asked for where a composition could be meant.
    pub(crate) is_change: bool,
}

/// One request of the service.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Request {
    pub(crate) endpoint: Endpoint,
    pub(crate) body: JsonObject,
}

/// Whether a question asks how land cover changed.
pub(crate) fn asks_for_change(question: &str) -> bool {
    Phrases::of(CHANGE).occur_in(&Words::of(question))
}

impl Query<'_> {
    /// The analysis that answers.
    pub(crate) fn endpoint(&self) -> Endpoint {
        match self.dataset.endpoint {
            Endpoint::LandCoverChange if !self.is_change => Endpoint::LandCoverComposition,
            endpoint => endpoint,
        }
    }

    /// The days that figures are about: some datasets answer for more or less than was asked.
    pub(crate) fn covered(&self) -> Period {
        let years = |first, last| Period::of_years(first, last).unwrap_or(self.period);
        let whole = Period {
            start: self.dataset.start_date,
            end: self.dataset.end_date.unwrap_or(self.period.end),
        };
        match self.endpoint() {
            Endpoint::LandCoverComposition => years(whole.end.year(), whole.end.year()),
            Endpoint::LandCoverChange | Endpoint::CarbonFlux | Endpoint::LandInventory => whole,
            Endpoint::TreeCoverGain => {
                let (first, last) = self.gain_years();
                years(first, last)
            }
            _ => self.period,
        }
    }

    /// The request for some areas.
    pub(crate) fn request(&self, aoi: Value) -> Request {
        let endpoint = self.endpoint();
        let mut body = JsonObject::from_iter([("aoi".to_owned(), aoi)]);
        let fields = match endpoint {
            Endpoint::DistAlerts => json!({
                "start_date": self.period.start, "end_date": self.period.end, "intersections": list(self.layer),
            }),
            Endpoint::IntegratedAlerts => {
                json!({ "start_date": self.period.start, "end_date": self.period.end })
            }
            Endpoint::Grasslands => self.year_fields(self.period.years()),
            Endpoint::TreeCoverLoss => {
                let mut fields = self.year_fields(self.period.years());
                fields["canopy_cover"] = self.canopy.into();
                fields["forest_filter"] = self.forest_filter();
                fields["intersections"] = json!(list(self.dataset.intersection.as_deref()));
                fields
            }
            Endpoint::TreeCoverGain => {
                let mut fields = self.year_fields(self.gain_years());
                fields["forest_filter"] = self.forest_filter();
                fields
            }
            Endpoint::TreeCover => {
                json!({ "forest_filter": self.forest_filter(), "canopy_cover": self.canopy })
            }
            Endpoint::CarbonFlux => json!({ "canopy_cover": self.canopy }),
            Endpoint::EmissionFactors => {
                let mut fields = self.year_fields(self.period.years());
                fields["gas_types"] = json!(GASES);
                fields["crop_types"] = json!(CROPS.as_slice());
                fields
            }
            Endpoint::LandCoverChange
            | Endpoint::LandCoverComposition
            | Endpoint::NaturalLands
            | Endpoint::LandInventory => json!({}),
        };
        if let Value::Object(fields) = fields {
            body.extend(fields);
        }
        Request { endpoint, body }
    }

    fn year_fields(&self, (first, last): (i32, i32)) -> Value {
        json!({ "start_year": first.to_string(), "end_year": last.to_string() })
    }

    /// The layers of forest are filters; that of drivers is a split, which is asked for otherwise.
    fn forest_filter(&self) -> Value {
        match self.layer {
            Some(forest @ ("primary_forest" | "intact_forest")) => forest.into(),
            _ => Value::Null,
        }
    }

    /// Whole five-year periods around the asked years, within 2000 to 2020.
    fn gain_years(&self) -> (i32, i32) {
        let (first, last) = self.period.years();
        let down = |year: i32| year - year.rem_euclid(5);
        let last = (down(last - 1) + 5).clamp(2005, LAST_GAIN_YEAR);
        let first = down(first).clamp(2000, last - 5);
        (first, last)
    }
}

fn list(item: Option<&str>) -> Vec<&str> {
    item.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    fn body(
        id: u32,
        years: (i32, i32),
        layer: Option<&str>,
        canopy: u32,
        is_change: bool,
    ) -> (Endpoint, Value) {
        let catalogue = Catalogue::load(&[]).unwrap();
        let query = Query {
            dataset: catalogue.find(id).unwrap(),
            period: Period::of_years(years.0, years.1).unwrap(),
            layer,
            canopy,
            is_change,
        };
        let mut request = query.request(json!({ "type": "admin", "ids": ["BRA"] }));
        assert_eq!(request.body.shift_remove("aoi").unwrap()["ids"], json!(["BRA"]));
        (request.endpoint, Value::Object(request.body))
    }

    #[test]
    fn every_dataset_has_its_payload() {
        let years = |first: &str, last: &str| json!({ "start_year": first, "end_year": last });
        let with = |mut base: Value, more: Value| {
            for (name, value) in more.as_object().into_iter().flatten() {
                base[name] = value.clone();
            }
            base
        };
        let days = json!({ "start_date": "2024-01-01", "end_date": "2024-12-31" });
        let loss = |forest: Value, split: Value, canopy: u32| {
            with(
                years("2020", "2024"),
                json!({ "canopy_cover": canopy, "forest_filter": forest, "intersections": split }),
            )
        };
        for (got, endpoint, expected) in [
            (
                body(0, (2024, 2024), None, 30, false),
                Endpoint::DistAlerts,
                with(days.clone(), json!({ "intersections": [] })),
            ),
            (
                body(0, (2024, 2024), Some("driver"), 30, false),
                Endpoint::DistAlerts,
                with(days.clone(), json!({ "intersections": ["driver"] })),
            ),
            (
                body(1, (2015, 2024), None, 30, false),
                Endpoint::LandCoverComposition,
                json!({}),
            ),
            (
                body(1, (2015, 2024), None, 30, true),
                Endpoint::LandCoverChange,
                json!({}),
            ),
            (
                body(2, (2000, 2022), None, 30, false),
                Endpoint::Grasslands,
                years("2000", "2022"),
            ),
            (
                body(3, (2020, 2020), None, 30, false),
                Endpoint::NaturalLands,
                json!({}),
            ),
            (
                body(4, (2020, 2024), None, 50, false),
                Endpoint::TreeCoverLoss,
                loss(Value::Null, json!([]), 50),
            ),
            (
                body(4, (2020, 2024), Some("primary_forest"), 30, false),
                Endpoint::TreeCoverLoss,
                loss(json!("primary_forest"), json!([]), 30),
            ),
            (
                body(6, (2001, 2025), None, 75, false),
                Endpoint::CarbonFlux,
                json!({ "canopy_cover": 75 }),
            ),
            (
                body(7, (2000, 2000), None, 30, false),
                Endpoint::TreeCover,
                json!({ "forest_filter": null, "canopy_cover": 30 }),
            ),
            (
                body(8, (2020, 2024), Some("driver"), 30, false),
                Endpoint::TreeCoverLoss,
                loss(Value::Null, json!(["driver"]), 30),
            ),
            (
                body(10, (2020, 2024), None, 30, false),
                Endpoint::TreeCoverLoss,
                loss(Value::Null, json!(["fire"]), 30),
            ),
            (
                body(11, (2024, 2024), None, 30, false),
                Endpoint::IntegratedAlerts,
                days,
            ),
            (
                body(12, (2016, 2024), None, 30, false),
                Endpoint::LandInventory,
                json!({}),
            ),
        ] {
            assert_eq!(got, (endpoint, expected));
        }
        let (_, factors) = body(9, (2020, 2024), None, 30, false);
        assert_eq!(factors["crop_types"].as_array().unwrap().len(), 42);
        assert_eq!(factors["gas_types"], json!(["CO2e", "CO2", "CH4", "N2O"]));
    }

    #[test]
    fn gain_is_asked_in_periods_that_exist() {
        for (asked, expected) in [
            ((2000, 2020), ("2000", "2020")),
            ((2020, 2020), ("2015", "2020")),
            ((2003, 2012), ("2000", "2015")),
            ((2005, 2010), ("2005", "2010")),
            ((2000, 2000), ("2000", "2005")),
            ((2016, 2016), ("2015", "2020")),
        ] {
            let (_, body) = body(5, asked, None, 30, false);
            assert_eq!(
                (
                    body["start_year"].as_str().unwrap(),
                    body["end_year"].as_str().unwrap()
                ),
                expected,
                "{asked:?}"
            );
        }
    }

    #[test]
    fn a_question_of_change_is_told_from_one_of_composition() {
        assert!(asks_for_change(
            "How did land cover change in Brazil between 2015 and 2024?"
        ));
        assert!(asks_for_change("wetlands converted to other uses"));
        assert!(!asks_for_change(
            "How much cultivated grassland is there in Brazil?"
        ));
    }
}
