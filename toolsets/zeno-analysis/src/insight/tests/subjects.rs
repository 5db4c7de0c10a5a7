//! What holds for one subject: alerts, drivers, balances, gases.

use super::*;

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
