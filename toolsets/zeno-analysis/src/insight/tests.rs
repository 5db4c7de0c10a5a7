//! Generators, texts and messages over small tables.

use periplus_toolset::Value;
use serde_json::json;

use super::*;
use crate::{
    analytics::Table,
    catalogue::{Catalogue, Endpoint},
};

/// A table as the service would send it; areas are called by their ids.
pub(crate) fn frame(columns: Value) -> Frame {
    let record = record(json!({}));
    Frame::new(&[(&record, &table(columns))])
}

fn table(columns: Value) -> Table {
    Table::parse(Endpoint::TreeCoverLoss, &columns).unwrap()
}

fn record(more: Value) -> Statistics {
    let mut record = json!({
        "dataset_name": "Tree cover loss", "dataset_id": 4, "start_date": "2015-01-01", "end_date": "2022-12-31",
        "source_url": "http://127.0.0.1/x", "provenance": { "served_by": "test", "sources": [], "canopy_cover": 30 },
    });
    record
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    serde_json::from_value(record).unwrap()
}

async fn ask(dataset_id: u32, query: &str, columns: Value, names: Value) -> Answer {
    ask_of(
        dataset_id,
        query,
        columns,
        json!({ "aoi_id_to_name": names, "dataset_id": dataset_id }),
    )
    .await
    .unwrap()
}

async fn ask_of(dataset_id: u32, query: &str, columns: Value, more: Value) -> Result<Answer, String> {
    let catalogue = Catalogue::load(&[]).unwrap();
    let records = [record(more)];
    let frame = Frame::new(&[(&records[0], &table(columns))]);
    let question = Question {
        text: query,
        language: "en",
        dataset: catalogue.find(dataset_id).unwrap(),
        records: &records,
        frame: &frame,
    };
    let helpers = Helpers {
        writer: None,
        coders: &[],
        interpreter: None,
        cancel: CancellationToken::new(),
    };
    answer(question, helpers).await
}

async fn found(dataset_id: u32, query: &str, columns: Value, names: Value) -> Found {
    match ask(dataset_id, query, columns, names).await {
        Answer::Found(found) => *found,
        Answer::Refused(reason) => panic!("refused: {reason}"),
    }
}

fn column<'a>(chart: &'a Chart, name: &str) -> Vec<&'a Value> {
    chart.data.iter().map(|row| &row[name]).collect()
}

fn losses() -> Value {
    json!({
        "aoi_id": ["BRA.14", "BRA.14", "BRA.14", "BRA.14"],
        "aoi_type": "admin",
        "tree_cover_loss_year": [2017, 2015, 2018, 2016],
        "area_ha": [20.5, 10.25, 0.0, 40.0],
        "carbon_emissions_MgCO2e": [200.0, 100.0, null, 400.0],
        "__dtypes__": {},
    })
}

#[tokio::test]
async fn years_are_in_order_whatever_the_order_of_the_rows() {
    let found = found(
        4,
        "tree cover loss in Pará since 2015",
        losses(),
        json!({ "BRA.14": "Pará" }),
    )
    .await;
    assert_eq!(
        column(&found.charts[0], "tree_cover_loss_year"),
        [2015, 2016, 2017]
    );
    assert_eq!(
        column(&found.charts[0], "area_ha"),
        [&json!(10.25), &json!(40.0), &json!(20.5)]
    );
}

#[tokio::test]
async fn loss_and_emissions_are_two_charts_with_rows_of_their_own() {
    let found = found(
        4,
        "tree cover loss in Pará",
        losses(),
        json!({ "BRA.14": "Pará" }),
    )
    .await;
    assert_eq!(found.charts.len(), 2);
    assert_eq!(found.charts[0].title, "Tree cover loss in Pará, 2015–2017");
    assert!(!found.charts[0].data[0].contains_key("carbon_emissions_MgCO2e"));
    assert!(!found.charts[1].data[0].contains_key("area_ha"));
    assert_eq!(found.charts[1].y_axis, "carbon_emissions_MgCO2e");
    assert!(!found.charts[0].title.contains("missions"));
}

#[tokio::test]
async fn every_chart_has_the_fourteen_keys_and_the_finding() {
    let found = found(4, "loss", losses(), json!({ "BRA.14": "Pará" })).await;
    for (index, chart) in found.charts.iter().enumerate() {
        let value = serde_json::to_value(chart).unwrap();
        assert_eq!(value.as_object().unwrap().len(), 14);
        assert_eq!(value["id"], format!("chart_{index}"));
        assert_eq!(value["insight"], found.insight.text);
        assert_eq!(value["seriesColor"], "#DC6C9A");
    }
}

#[tokio::test]
async fn every_number_of_a_chart_says_which_rows_it_is_from() {
    let found = found(4, "loss", losses(), json!({ "BRA.14": "Pará" })).await;
    let charts = serde_json::to_value(&found.charts).unwrap();
    let numbers: usize = found.charts.iter().map(|chart| chart.data.len()).sum();
    assert_eq!(found.insight.derivations.len(), numbers);
    for derivation in &found.insight.derivations {
        assert!(
            charts.pointer(&derivation.at).unwrap().is_number(),
            "{}",
            derivation.at
        );
        assert!(!derivation.rows.is_empty() && !derivation.expression.is_empty());
    }
    // 2016 is the fourth row of the source.
    let second = found
        .insight
        .derivations
        .iter()
        .find(|one| one.at == "/0/data/1/area_ha")
        .unwrap();
    assert_eq!(
        (second.expression.as_str(), second.rows.as_slice()),
        ("area_ha", [[3, 3]].as_slice())
    );
}

#[tokio::test]
async fn the_message_carries_rows_units_threshold_period_and_cautions() {
    let found = found(4, "loss", losses(), json!({ "BRA.14": "Pará" })).await;
    for part in [
        "Generated 2 charts.",
        "Dataset: Tree cover loss.",
        "Areas: Pará.",
        "Period: 2015-01-01 to 2022-12-31.",
        "Canopy threshold: 30 %.",
        "Units: ha, MgCO₂e.",
        "Key Finding: Tree cover loss in Pará from 2015 to 2017: 70.75 ha in total.",
        "2016,40\n",
        "Dataset cautions: Loss is gross",
        "Follow-up suggestions:\n1. ",
        "Quote only figures that stand in this message",
    ] {
        assert!(
            found.message.contains(part),
            "{part:?} is missing in\n{}",
            found.message
        );
    }
}

#[tokio::test]
async fn long_numbers_and_names_are_never_cut_in_the_message() {
    let columns = json!({
        "aoi_id": ["X"], "tree_cover_loss_year": [2015], "area_ha": [12_345_678_901_234.5], "carbon_emissions_MgCO2e": [null],
    });
    let name = "A very long name of a protected area that nobody should shorten";
    let found = found(4, "loss", columns, json!({ "X": name })).await;
    assert!(
        found.message.contains("2015,12345678901234.5"),
        "{}",
        found.message
    );
    assert!(found.message.contains(name));
}

#[tokio::test]
async fn the_template_states_no_number_that_does_not_follow_from_the_rows() {
    for (dataset_id, columns) in every_dataset() {
        let catalogue = Catalogue::load(&[]).unwrap();
        let records = [record(json!({ "dataset_id": dataset_id }))];
        let frame = Frame::new(&[(&records[0], &table(columns))]);
        let words = Words::of("how much");
        let dataset = catalogue.find(dataset_id).unwrap();
        let question = Question {
            text: "how much",
            language: "en",
            dataset,
            records: &records,
            frame: &frame,
        };
        let study = Study {
            dataset,
            frame: &frame,
            record: &records[0],
            question: &words,
        };
        let draft = generate::draft(study);
        let quotable = quotable(&question, study, &draft);
        for fact in &draft.facts {
            assert_eq!(
                quotable.unsupported(&fact.text),
                [""; 0],
                "dataset {dataset_id}: {}",
                fact.text
            );
        }
    }
}

/// One small table for every dataset, in the shapes of the service.
fn every_dataset() -> Vec<(u32, Value)> {
    vec![
        (
            0,
            json!({ "aoi_id": ["A", "A", "A"], "country": ["A", "A", "A"], "driver": ["Wildfire", "Flooding", "Wildfire"],
            "dist_alert_date": ["2024-01-03", "2024-02-01", "2024-02-03"], "dist_alert_confidence": ["high", "low", "high"], "area_ha": [1.5, 2.5, 3.0] }),
        ),
        (
            1,
            json!({ "aoi_id": ["A", "A", "A"], "aoi_type": ["admin", "admin", "admin"], "land_cover_class": ["Cropland", "Tree cover", "Cultivated grasslands"],
            "area_ha": [10.0, 0.0, 5.0] }),
        ),
        (
            2,
            json!({ "year": [2001, 2000], "area_ha": [110.0, 100.0], "aoi_id": ["A", "A"], "aoi_type": "admin" }),
        ),
        (
            3,
            json!({ "aoi_id": ["A", "A", "A"], "natural_lands_class": ["Mangroves", "Cropland", "Natural forests"], "area_ha": [3.0, 6.0, 1.0] }),
        ),
        (4, losses()),
        (
            5,
            json!({ "aoi_id": ["A", "A"], "tree_cover_gain_period": ["2005-2010", "2000-2005"], "area_ha": [4.0, 6.0] }),
        ),
        (
            6,
            json!({ "aoi_id": ["A"], "carbon_net_flux_Mg_CO2e": [-50.0], "carbon_gross_emissions_Mg_CO2e": [100.0], "carbon_gross_removals_Mg_CO2e": [150.0] }),
        ),
        (7, json!({ "aoi_id": ["A"], "area_ha": [1234.5] })),
        (
            8,
            json!({ "aoi_id": ["A", "A", "A"], "tree_cover_loss_driver": ["Wildfire", "Unknown", "Settlements & Infrastructure"], "area_ha": [7.0, 2.0, 1.0],
            "carbon_emissions_MgCO2e": [null, null, null] }),
        ),
        (
            9,
            json!({ "aoi_id": ["A", "A", "A", "A"], "crop_type": ["Banana", "Banana", "Rice", "Banana"], "gas_type": ["CO2e", "CO2", "CO2e", "CO2e"],
            "year": [2024, 2024, 2024, 2023], "emissions_factor_tCO2e_per_tonne_production": [0.5, 0.4, 0.1, 0.6],
            "emissions_tCO2e": [50.0, 40.0, 10.0, 60.0], "production_tonnes": [100.0, 100.0, 100.0, 100.0] }),
        ),
        (
            10,
            json!({ "aoi_id": ["A", "A"], "tree_cover_loss_year": [2021, 2020], "area_ha": [10.0, 20.0],
            "tree_cover_loss_from_fires_area_ha": [1.0, 5.0], "tree_cover_loss_non_fires_area_ha": [9.0, 15.0] }),
        ),
        (
            11,
            json!({ "aoi_id": ["A", "A", "A"], "alert_date": ["2024-02-03", "2024-01-03", "2024-01-30"], "alert_confidence": ["high", "highest", "high"],
            "area_ha": [2.0, 1.0, 4.0] }),
        ),
        (
            12,
            json!({ "aoi_id": ["A", "A"], "category": ["vegetation", "soil"], "class": ["x", "organic"], "year": [2020, 2021],
            "gross_emissions_MgCO2e": [5.0, 6.0], "gross_removals_MgCO2": [1.0, null], "net_flux_MgCO2e": [4.0, null], "area_ha": [9.0, 9.0] }),
        ),
    ]
}

#[tokio::test]
async fn every_dataset_has_charts_of_its_kind_without_a_model() {
    let kinds = [
        (0, "pie"),
        (1, "pie"),
        (2, "bar"),
        (3, "pie"),
        (4, "bar"),
        (5, "bar"),
        (6, "bar"),
        (7, "bar"),
        (8, "pie"),
        (9, "table"),
        (10, "stacked-bar"),
        (11, "line"),
        (12, "table"),
    ];
    for ((dataset_id, columns), (_, kind)) in every_dataset().into_iter().zip(kinds) {
        let found = found(
            dataset_id,
            "what is there",
            columns,
            json!({ "A": "Alpha", "BRA.14": "Pará" }),
        )
        .await;
        assert_eq!(found.charts[0].kind.as_str(), kind, "dataset {dataset_id}");
        assert!(found.charts.iter().all(|chart| chart.check().is_ok()));
        assert!(found.message.contains("Key Finding: "), "{}", found.message);
        assert!(
            !found.insight.units.is_empty(),
            "dataset {dataset_id} has no unit"
        );
    }
}

#[tokio::test]
async fn co2e_is_not_added_to_the_gases_it_is_the_sum_of() {
    let (_, columns) = every_dataset().swap_remove(9);
    let found = found(
        9,
        "crops with the largest emissions",
        columns,
        json!({ "A": "Alpha" }),
    )
    .await;
    assert_eq!(column(&found.charts[0], "emissions_tCO2e"), [50.0, 10.0]);
    assert!(
        found.insight.text.contains("83.3 % of 60 tCO₂e"),
        "{}",
        found.insight.text
    );
}

#[tokio::test]
async fn the_gases_of_one_crop_are_a_pie_without_their_sum() {
    let (_, columns) = every_dataset().swap_remove(9);
    let found = found(9, "emissions of banana by gas", columns, json!({ "A": "Alpha" })).await;
    assert_eq!(column(&found.charts[0], "gas_type"), ["CO2"]);
}

#[tokio::test]
async fn a_driver_that_is_unknown_is_left_out() {
    let (_, columns) = every_dataset().swap_remove(8);
    let found = found(8, "drivers of loss", columns, json!({ "A": "Alpha" })).await;
    assert_eq!(
        column(&found.charts[0], "tree_cover_loss_driver"),
        ["Wildfire", "Settlements and infrastructure"]
    );
    assert_eq!(found.charts[0].color_map["settlements_infrastructure"], "#A354A0");
}

#[tokio::test]
async fn areas_are_called_by_name_in_charts() {
    let columns = json!({ "aoi_id": ["BRA.14", "BRA.1"], "area_ha": [1.0, 2.0] });
    let found = found(
        7,
        "tree cover",
        columns,
        json!({ "BRA.14": "Pará", "BRA.1": "Acre" }),
    )
    .await;
    assert_eq!(column(&found.charts[0], "name"), ["Acre", "Pará"]);
    assert!(!found.charts[0].data[0].contains_key("aoi_id"));
}

#[tokio::test]
async fn several_places_over_several_years_of_fires_have_the_places_on_x() {
    let columns = json!({
        "aoi_id": ["A", "A", "B"], "tree_cover_loss_year": [2020, 2021, 2020], "area_ha": [3.0, 3.0, 9.0],
        "tree_cover_loss_from_fires_area_ha": [1.0, 1.0, 4.0], "tree_cover_loss_non_fires_area_ha": [2.0, 2.0, 5.0],
    });
    let found = found(10, "fires in both", columns, json!({ "A": "Alpha", "B": "Beta" })).await;
    assert_eq!(
        (found.charts[0].kind.as_str(), found.charts[0].x_axis.as_str()),
        ("stacked-bar", "name")
    );
    assert_eq!(
        column(&found.charts[0], "tree_cover_loss_from_fires_area_ha"),
        [4.0, 2.0]
    );
}

#[tokio::test]
async fn a_pie_has_seven_classes_and_the_rest_as_other() {
    let classes: Vec<String> = (0..12).map(|n| format!("class {n}")).collect();
    let areas: Vec<f64> = (1..=12).map(f64::from).collect();
    let columns = json!({ "aoi_id": vec!["A"; 12], "land_cover_class": classes, "area_ha": areas });
    let found = found(1, "land cover", columns, json!({ "A": "Alpha" })).await;
    assert_eq!(found.charts[0].data.len(), 8);
    assert_eq!(found.charts[0].data[7]["land_cover_class"], "Other");
    assert_eq!(found.charts[0].data[7]["area_ha"], 15.0);
}

#[tokio::test]
async fn agriculture_is_one_class_unless_it_is_asked_for_apart() {
    let (_, columns) = every_dataset().swap_remove(1);
    let together = found(
        1,
        "what covers the ground",
        columns.clone(),
        json!({ "A": "Alpha" }),
    )
    .await;
    assert_eq!(column(&together.charts[0], "land_cover_class"), ["Agriculture"]);
    let apart = found(1, "how much cropland", columns, json!({ "A": "Alpha" })).await;
    assert_eq!(
        column(&apart.charts[0], "land_cover_class"),
        ["Cropland", "Cultivated grasslands"]
    );
}

#[tokio::test]
async fn natural_against_non_natural_is_exactly_two_rows() {
    let (_, columns) = every_dataset().swap_remove(3);
    let found = found(
        3,
        "share of natural versus non-natural land",
        columns,
        json!({ "A": "Alpha" }),
    )
    .await;
    assert_eq!(column(&found.charts[0], "land"), ["Non-natural", "Natural"]);
}

#[tokio::test]
async fn a_balance_below_zero_is_a_net_sink() {
    let (_, columns) = every_dataset().swap_remove(6);
    let found = found(6, "flux", columns, json!({ "A": "Alpha" })).await;
    assert!(found.insight.text.contains("net sink"), "{}", found.insight.text);
    assert_eq!(
        column(&found.charts[0], "carbon_net_flux_Mg_CO2e"),
        [100.0, -150.0, -50.0]
    );
    assert!(found.charts[0].divergent_colors.is_some());
}

#[test]
fn the_word_for_a_balance_follows_its_sign() {
    let net =
        |values: Value| generate::flux::wrong_word(&frame(json!({ "carbon_net_flux_Mg_CO2e": values })));
    assert!(net(json!([-5.0, -1.0])).unwrap().starts_with("net source"));
    assert!(net(json!([5.0])).unwrap().starts_with("net sink"));
    assert_eq!((net(json!([5.0, -5.0])), net(json!([null]))), (None, None));
}

#[tokio::test]
async fn loss_and_gain_are_never_netted() {
    for (dataset_id, query) in [
        (4, "net change of tree cover in Brazil"),
        (5, "tree cover gain minus loss"),
    ] {
        let columns = json!({ "aoi_id": ["A"], "area_ha": [1.0], "tree_cover_loss_year": [2020], "tree_cover_gain_period": ["2015-2020"] });
        match ask(dataset_id, query, columns, json!({})).await {
            Answer::Refused(text) => assert!(text.contains("must not be subtracted"), "{text}"),
            Answer::Found(_) => panic!("{query} was answered"),
        }
    }
}

#[tokio::test]
async fn tiers_of_confidence_are_in_their_order_and_spans_of_periods_are_years() {
    let columns = json!({ "aoi_id": ["A", "A", "A"], "alert_date": ["2024-01-03", "2024-01-03", "2024-01-04"],
        "alert_confidence": ["highest", "low", "high"], "area_ha": [1.0, 2.0, 3.0] });
    let alerts = found(11, "alerts by month", columns, json!({ "A": "Alpha" })).await;
    assert_eq!(
        column(&alerts.charts[0], "alert_confidence"),
        ["low", "high", "highest"]
    );
    let (_, columns) = every_dataset().swap_remove(5);
    let gain = found(5, "gain", columns, json!({ "A": "Alpha" })).await;
    assert_eq!(gain.charts[0].title, "Tree cover gain in Alpha, 2000–2010");
}

#[tokio::test]
async fn alerts_of_many_places_are_a_table_and_of_a_few_with_classes_a_stack_each() {
    let count = 9;
    let ids: Vec<String> = (0..count).map(|n| format!("A{n}")).collect();
    let days = vec!["2024-01-03"; count];
    let many = json!({ "aoi_id": ids, "alert_date": days, "alert_confidence": vec!["high"; count],
        "area_ha": (1..=count).map(|n| n as f64).collect::<Vec<_>>() });
    let found_many = found(11, "alerts by month", many, json!({})).await;
    assert_eq!(found_many.charts[0].kind.as_str(), "table");
    assert_eq!(found_many.charts[0].data[0]["name"], "A8");
    let classes = json!({ "aoi_id": ["A", "B"], "driver": ["Wildfire", "Flooding"], "dist_alert_date": ["2024-01-03", "2024-01-03"],
        "dist_alert_confidence": ["high", "high"], "area_ha": [1.0, 2.0] });
    let few = found(0, "drivers of alerts", classes, json!({})).await;
    assert_eq!(
        (
            few.charts[0].kind.as_str(),
            few.charts[0].x_axis.as_str(),
            few.charts[0].stack_field.as_str()
        ),
        ("stacked-bar", "name", "driver")
    );
}

#[tokio::test]
async fn agriculture_among_drivers_is_permanent_and_shifting() {
    let columns = json!({ "aoi_id": ["A", "A", "A"], "area_ha": [7.0, 2.0, 1.0],
        "tree_cover_loss_driver": ["Permanent agriculture", "Shifting cultivation", "Wildfire"] });
    let found = found(
        8,
        "how much loss is due to agriculture",
        columns,
        json!({ "A": "Alpha" }),
    )
    .await;
    assert!(
        found
            .insight
            .figures
            .iter()
            .any(|figure| figure.label == "Agriculture" && figure.value == 9.0),
        "{:?}",
        found.insight.figures
    );
}

#[tokio::test]
async fn what_a_dataset_cannot_answer_is_said_with_the_dataset_that_can() {
    let any = || {
        json!({ "aoi_id": ["A"], "area_ha": [1.0], "tree_cover_loss_year": [2020], "tree_cover_loss_driver": ["Wildfire"],
        "natural_lands_class": ["Bare"] })
    };
    for (dataset_id, query, part) in [
        (4, "seasonal loss by month", "Integrated alerts"),
        (4, "net change of forest", "must not be subtracted"),
        (
            8,
            "drivers per year",
            "Tree cover loss has the loss of every year",
        ),
        (3, "how did natural land change", "Global land cover"),
        (9, "show a map of the factors", "There is no map"),
        (7, "change of tree cover", "Tree cover loss"),
    ] {
        match ask(dataset_id, query, any(), json!({})).await {
            Answer::Refused(text) => assert!(text.contains(part), "{query}: {text}"),
            Answer::Found(_) => panic!("{query} was answered"),
        }
    }
}

#[tokio::test]
async fn rows_of_nothing_but_zeros_are_no_chart() {
    let columns = json!({ "aoi_id": ["A"], "tree_cover_loss_year": [2020], "area_ha": [0.0] });
    let problem = ask_of(4, "loss", columns, json!({})).await.unwrap_err();
    assert!(problem.contains("nothing but zeros"), "{problem}");
}

#[tokio::test]
async fn more_rows_than_can_be_listed_come_as_totals_and_extremes() {
    let count = 300;
    let columns = json!({
        "aoi_id": vec!["A"; count], "category": vec!["soil"; count], "class": vec!["organic"; count],
        "year": (0..count).map(|n| 1700 + n).collect::<Vec<_>>(),
        "gross_emissions_MgCO2e": (0..count).map(|n| n as f64).collect::<Vec<_>>(),
    });
    let found = found(12, "peat", columns, json!({ "A": "Alpha" })).await;
    assert!(found.message.contains("too many to list"), "{}", found.message);
    assert!(
        found.message.contains("44,850 MgCO₂e in total"),
        "{}",
        found.message
    );
    assert!(
        found.message.contains("max 299; largest rows: "),
        "{}",
        found.message
    );
    assert!(found.message.contains("must not be stated"));
}

#[tokio::test]
async fn the_text_speaks_of_nobody_and_judges_nothing() {
    for (dataset_id, columns) in every_dataset() {
        let found = found(dataset_id, "how much", columns, json!({ "A": "Alpha" })).await;
        let words = Words::of(&found.insight.text);
        let loud = crate::choice::Phrases::of("i|we|our|my|severe*|alarming*|significant*");
        assert_eq!(loud.find(&words), None, "{}", found.insight.text);
    }
}

#[tokio::test]
async fn places_are_compared_over_the_years_that_all_of_them_have() {
    let columns = json!({
        "aoi_id": ["A", "A", "B"], "tree_cover_loss_year": [2020, 2021, 2020], "area_ha": [3.0, 90.0, 9.0],
        "carbon_emissions_MgCO2e": [null, null, null],
    });
    let found = found(
        4,
        "which place lost most",
        columns,
        json!({ "A": "Alpha", "B": "Beta" }),
    )
    .await;
    assert_eq!(column(&found.charts[0], "name"), ["Beta", "Alpha"]);
    assert_eq!(column(&found.charts[0], "area_ha"), [9.0, 3.0]);
    assert!(
        found.message.contains("totals by place are of 2020 only"),
        "{}",
        found.message
    );
}

#[tokio::test]
async fn cut_months_are_not_compared_with_each_other() {
    let (_, columns) = every_dataset().swap_remove(11);
    let found = found(11, "alerts over time", columns, json!({ "A": "Alpha" })).await;
    assert!(!found.insight.text.contains("creased"), "{}", found.insight.text);
    assert_eq!(
        column(&found.charts[0], "month"),
        ["2024-01", "2024-01", "2024-02"]
    );
}
