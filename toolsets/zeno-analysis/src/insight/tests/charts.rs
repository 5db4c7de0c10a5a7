//! What holds for the charts of every dataset.

use super::*;

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
async fn rows_of_nothing_but_zeros_are_no_chart() {
    let columns = json!({ "aoi_id": ["A"], "tree_cover_loss_year": [2020], "area_ha": [0.0] });
    let problem = ask_of(4, "loss", columns, json!({})).await.unwrap_err();
    assert!(problem.contains("nothing but zeros"), "{problem}");
}
