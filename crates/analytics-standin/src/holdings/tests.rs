//! Figures against the answers that the real service is known to give.

use serde_json::{Value, json};

use super::*;
use crate::answer::{Outcome, answer};

/// The result and metadata of an analysis of administrative areas.
fn analyse(endpoint: Endpoint, ids: &[&str], more: Value) -> Result<(Value, Value), String> {
    let mut payload = json!({ "aoi": { "type": "admin", "ids": ids } });
    for (name, value) in more.as_object().into_iter().flatten() {
        payload[name] = value.clone();
    }
    let request = Request::parse(endpoint, &payload).map_err(|problems| format!("{problems:?}"))?;
    match answer(endpoint, &request, payload) {
        Outcome::Saved { result, metadata } => Ok((Value::Object(result), metadata)),
        Outcome::Failed(message) => Err(message),
    }
}

fn loss(
    id: &str,
    start: &str,
    end: &str,
    canopy: i32,
    forest: Option<&str>,
) -> Result<(Value, Value), String> {
    let more = json!({ "start_year": start, "end_year": end, "canopy_cover": canopy, "forest_filter": forest, "intersections": [] });
    analyse(Endpoint::TreeCoverLoss, &[id], more)
}

fn sum(column: &Value) -> f64 {
    column
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_f64)
        .sum()
}

#[test]
fn every_line_of_every_sheet_is_one_row() {
    for sheet in all_sheets() {
        let lines = sheet.text().lines().count();
        let mut reader = csv::Reader::from_reader(sheet.text().as_bytes());
        assert_eq!(reader.records().filter_map(Result::ok).count(), lines - 1);
    }
}

#[test]
fn verified_answers_are_given_within_half_a_percent_or_refused() {
    static ANSWERS: crate::sheet::Sheet = sheet!("verified_answers.csv");
    let sheet = ANSWERS.all();
    let mut given = 0;
    for row in sheet.iter() {
        let text = |column| row.text(column).unwrap_or_default();
        let ids: Vec<&str> = text("aoi_ids").split(';').collect();
        let is_plain = text("class").is_empty() && ids.iter().all(|id| id.len() >= 3 && !id.contains('('));
        let published = row.number("published_value").unwrap();
        let answer = match text("dataset_id") {
            "4" if is_plain => {
                let canopy = if text("canopy_cover") == "10" { 10 } else { 30 };
                let forest = row.text("context_layer");
                loss(ids[0], text("start"), text("end"), canopy, forest).map(|(result, metadata)| {
                    let column = text("measure").split(' ').next().unwrap_or_default();
                    (sum(&result[column]), metadata)
                })
            }
            "7" => analyse(
                Endpoint::TreeCover,
                &ids,
                json!({ "canopy_cover": 30, "forest_filter": null }),
            )
            .map(|(result, metadata)| (sum(&result["area_ha"]), metadata)),
            _ => continue,
        };
        let case = text("case_id");
        match answer {
            // Years that are not held are named as not covered, never added up.
            Ok((value, metadata)) if ids.len() == 1 => {
                let covered = metadata["provenance"]["covered"]["end_date"].as_str().unwrap();
                assert!(covered.starts_with(text("end")), "{case}: {covered}");
                assert!(
                    (value / published - 1.0).abs() < 0.005,
                    "{case}: {value} and {published}"
                );
                given += 1;
            }
            Ok(_) => {}
            Err(message) => assert!(message.contains("it holds"), "{case}: {message}"),
        }
    }
    assert!(given >= 10, "{given} answers were given");
}

#[test]
fn a_country_has_its_emissions_and_says_where_they_are_from() {
    let (result, metadata) = loss("BRA", "2016", "2016", 30, None).unwrap();
    assert_eq!(result["tree_cover_loss_year"], json!([2016]));
    assert_eq!(result["area_ha"][0].as_f64().unwrap().round(), 5_378_610.0);
    assert!(result["carbon_emissions_MgCO2e"][0].as_f64().unwrap() > 1e9);
    let source = &metadata["provenance"]["sources"][0];
    assert_eq!(source["licence"], "CC BY 4.0");
    assert!(source["attribution"].as_str().unwrap().contains("Hansen"));
    assert_eq!(metadata["provenance"]["canopy_cover"], 30);
}

#[test]
fn units_have_other_thresholds_and_no_emissions_under_30() {
    let (at_30, _) = loss("BRA.14", "2016", "2016", 30, None).unwrap();
    assert_eq!(at_30["area_ha"], json!([1_573_272.0]));
    let (at_10, _) = loss("BRA.14", "2016", "2016", 10, None).unwrap();
    assert!(sum(&at_10["area_ha"]) >= sum(&at_30["area_ha"]));
    assert_eq!(at_10["carbon_emissions_MgCO2e"], json!([null]));
}

#[test]
fn the_series_that_reaches_furthest_is_used_and_never_mixed() {
    for (id, canopy, last) in [
        ("BOL", 30, "2025"),
        ("IDN", 30, "2024"),
        ("COL", 30, "2024"),
        ("COL", 50, "2022"),
        ("CRI", 75, "2024"),
    ] {
        let (result, metadata) = loss(id, "2001", "2025", canopy, None).unwrap();
        let years: Vec<i64> = result["tree_cover_loss_year"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_i64)
            .collect();
        assert_eq!(years.iter().max().unwrap().to_string(), last, "{id}");
        let covered = metadata["provenance"]["covered"]["end_date"].as_str().unwrap();
        assert!(covered.starts_with(last), "{id}: {covered}");
        assert_eq!(metadata["provenance"]["sources"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn what_is_not_held_is_refused_with_what_is_and_never_a_zero() {
    for (answer, reason) in [
        (
            loss("BRA", "2020", "2024", 30, Some("intact_forest")),
            "intact_forest",
        ),
        (loss("GRL", "2020", "2024", 30, Some("primary_forest")), "GRL"),
        (
            loss("BRA.14", "2024", "2024", 30, None),
            "2024 to 2024 are asked for",
        ),
        (analyse(Endpoint::NaturalLands, &["FRA"], json!({})), "FRA"),
        (analyse(Endpoint::LandInventory, &["FRA"], json!({})), "no table"),
        (
            analyse(
                Endpoint::Grasslands,
                &["BRA"],
                json!({ "start_year": "2000", "end_year": "2022" }),
            ),
            "BRA",
        ),
    ] {
        let message = answer.unwrap_err();
        assert!(
            message.contains(reason) && message.contains("it holds"),
            "{message}"
        );
    }
}

#[test]
fn areas_that_are_missing_from_a_comparison_are_named() {
    let more = json!({ "start_year": "2020", "end_year": "2020", "canopy_cover": 30, "forest_filter": null, "intersections": [] });
    let (result, metadata) = analyse(Endpoint::TreeCoverLoss, &["BRA", "ATA"], more).unwrap();
    assert_eq!(result["aoi_id"], json!(["BRA"]));
    assert_eq!(metadata["provenance"]["areas_not_held"], json!(["ATA"]));
}

#[test]
fn drivers_sum_to_nearly_all_of_the_loss() {
    let years = |intersections: Value| json!({ "start_year": "2001", "end_year": "2024", "canopy_cover": 30, "forest_filter": null, "intersections": intersections });
    for id in ["BRA", "BOL", "BOL.8", "CAN"] {
        let (drivers, _) = analyse(Endpoint::TreeCoverLoss, &[id], years(json!(["driver"]))).unwrap();
        let (total, _) = analyse(Endpoint::TreeCoverLoss, &[id], years(json!([]))).unwrap();
        let (drivers, loss) = (sum(&drivers["area_ha"]), sum(&total["area_ha"]));
        // Editions of one country differ by a little in the years that both have.
        assert!(
            (0.95..1.01).contains(&(drivers / loss)),
            "{id}: {drivers} of {loss}"
        );
    }
}

#[test]
fn fires_and_the_rest_are_the_whole() {
    let more = json!({ "start_year": "2016", "end_year": "2016", "canopy_cover": 30, "forest_filter": null, "intersections": ["fire"] });
    let (result, _) = analyse(Endpoint::TreeCoverLoss, &["BRA"], more).unwrap();
    let part = |name: &str| sum(&result[name]);
    let parts = part("tree_cover_loss_from_fires_area_ha") + part("tree_cover_loss_non_fires_area_ha");
    assert!((parts - part("area_ha")).abs() < 1e-6 && part("area_ha") > 1e6);
}

#[test]
fn gain_is_by_period_where_it_was_recorded_and_one_total_elsewhere() {
    let whole = json!({ "start_year": "2000", "end_year": "2020", "forest_filter": null });
    let (costa_rica, _) = analyse(Endpoint::TreeCoverGain, &["CRI"], whole.clone()).unwrap();
    assert_eq!(costa_rica["tree_cover_gain_period"].as_array().unwrap().len(), 4);
    assert_eq!(sum(&costa_rica["area_ha"]).round(), 57_762.0);
    let (brazil, metadata) = analyse(Endpoint::TreeCoverGain, &["BRA"], whole).unwrap();
    assert_eq!(brazil["tree_cover_gain_period"], json!(["2000-2020"]));
    assert!(
        metadata["provenance"]["notes"][0]
            .as_str()
            .unwrap()
            .contains("one total")
    );
    let part = json!({ "start_year": "2015", "end_year": "2020", "forest_filter": null });
    assert_eq!(
        analyse(Endpoint::TreeCoverGain, &["CRI"], part.clone())
            .unwrap()
            .0["area_ha"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert!(
        analyse(Endpoint::TreeCoverGain, &["BRA"], part)
            .unwrap_err()
            .contains("2000 to 2020")
    );
}

#[test]
fn carbon_is_a_total_that_names_its_period() {
    let (result, metadata) = analyse(Endpoint::CarbonFlux, &["BOL"], json!({ "canopy_cover": 30 })).unwrap();
    assert_eq!(
        sum(&result["carbon_gross_emissions_Mg_CO2e"]),
        162_234_463.0 * 25.0
    );
    assert_eq!(metadata["provenance"]["covered"]["end_date"], "2025-12-31");
    let (recorded, metadata) = analyse(
        Endpoint::CarbonFlux,
        &["NGA.20.31"],
        json!({ "canopy_cover": 30 }),
    )
    .unwrap();
    assert_eq!(recorded["carbon_gross_emissions_Mg_CO2e"], json!([null]));
    assert_eq!(metadata["provenance"]["notes"], json!([]));
}

#[test]
fn an_alert_of_a_district_has_its_place_and_one_of_a_reserve_has_not() {
    let more = json!({ "start_date": "2024-08-15", "end_date": "2024-08-16", "intersections": [] });
    let (district, _) = analyse(Endpoint::DistAlerts, &["IDN.24.9"], more).unwrap();
    assert_eq!(
        (&district["country"][0], &district["region"][0]),
        (&json!("IDN"), &json!("24"))
    );
    let payload = json!({
        "aoi": { "type": "key_biodiversity_area", "ids": ["8111"] },
        "start_date": "2024-08-15", "end_date": "2024-08-16", "intersections": [],
    });
    let request = Request::parse(Endpoint::DistAlerts, &payload).unwrap();
    let Outcome::Saved { result, .. } = answer(Endpoint::DistAlerts, &request, payload) else {
        panic!("it is held");
    };
    assert!(!result.contains_key("country") && result["area_ha"].as_array().unwrap().len() == 1);
}

#[test]
fn grasslands_have_their_area_kind_as_one_text() {
    let (result, _) = analyse(
        Endpoint::Grasslands,
        &["KEN"],
        json!({ "start_year": "2020", "end_year": "2025" }),
    )
    .unwrap();
    assert_eq!(result["aoi_type"], "admin");
    assert_eq!(result["year"], json!([2020, 2021, 2022]));
}

#[test]
fn a_thousand_areas_are_looked_up_in_no_time() {
    let ids: Vec<String> = (1..=1000).map(|n| format!("USA.{n}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let more = json!({ "start_year": "2001", "end_year": "2022", "canopy_cover": 30, "forest_filter": null, "intersections": [] });
    let started = std::time::Instant::now();
    let (result, metadata) = analyse(Endpoint::TreeCoverLoss, &ids, more).unwrap();
    assert!(started.elapsed() < std::time::Duration::from_secs(5));
    assert_eq!(result["aoi_id"].as_array().unwrap().len(), 51 * 22);
    assert_eq!(
        metadata["provenance"]["areas_not_held"].as_array().unwrap().len(),
        949
    );
}

#[test]
fn every_kind_of_figure_names_its_own_authors() {
    let years = |intersections: Value, forest: Value| json!({ "start_year": "2002", "end_year": "2024", "canopy_cover": 30, "forest_filter": forest, "intersections": intersections });
    for (endpoint, more, authors) in [
        (Endpoint::TreeCoverLoss, years(json!([]), Value::Null), "Hansen"),
        (
            Endpoint::TreeCoverLoss,
            years(json!([]), json!("primary_forest")),
            "Turubanova",
        ),
        (
            Endpoint::TreeCoverLoss,
            years(json!(["driver"]), Value::Null),
            "Sims",
        ),
        (
            Endpoint::TreeCoverLoss,
            years(json!(["driver"]), json!("primary_forest")),
            "Sims",
        ),
        (Endpoint::CarbonFlux, json!({ "canopy_cover": 30 }), "Harris"),
    ] {
        let (_, metadata) = analyse(endpoint, &["BOL"], more).unwrap();
        let sources = metadata["provenance"]["sources"].as_array().unwrap();
        assert_eq!(sources.len(), 1);
        assert!(
            sources[0]["attribution"].as_str().unwrap().contains(authors),
            "{sources:?}"
        );
    }
}
