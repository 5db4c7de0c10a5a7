//! From a question to an insight, on the figures that ship with the product and on recorded ones.

use periplus_toolset::{Failure, Output, Toolset, Value, json, testing};
use periplus_zeno_analysis::{Config, toolset};

use crate::{
    replay::{RECORDINGS, arguments, recordings},
    service::{Host, answer, created, error_of},
};

pub(crate) fn shipped() -> Toolset {
    toolset(Config {
        today: "2026-11-30".parse().ok(),
        excluded_datasets: Vec::new(),
        ..Config::default()
    })
    .unwrap()
}

/// Areas by id; names are the ids.
pub(crate) fn selection(ids: &[&str]) -> Value {
    let aois: Vec<Value> = ids
        .iter()
        .map(|id| {
            let subtype = ["country", "state-province", "district-county"][id.matches('.').count()];
            let src_id = if id.contains('.') {
                format!("{id}_1")
            } else {
                (*id).to_owned()
            };
            json!({ "source": "gadm", "src_id": src_id, "name": id, "subtype": subtype })
        })
        .collect();
    json!({ "name": ids.join(" and "), "aois": aois })
}

/// The chain after the dataset is chosen.
pub(crate) async fn insight(
    toolset: &Toolset,
    query: &str,
    dataset: Value,
    areas: Value,
) -> Result<Value, Failure> {
    let pulled = testing::call(
        toolset,
        "pull_data",
        json!({ "query": query, "dataset": dataset, "aoi_selection": areas, "start_date": dataset["start_date"], "end_date": dataset["end_date"] }),
    )
    .await?;
    generate(toolset, query, &pulled.structured["statistics"], &dataset)
        .await
        .map(|output| output.structured)
}

async fn generate(
    toolset: &Toolset,
    query: &str,
    statistics: &Value,
    dataset: &Value,
) -> Result<Output, Failure> {
    let mut dataset = dataset.clone();
    dataset["dataset_name"] = statistics["dataset_name"].clone();
    let arguments = json!({ "query": query, "statistics": statistics, "dataset": dataset });
    testing::call(toolset, "generate_insight", arguments).await
}

#[tokio::test]
async fn the_yearly_losses_of_para_are_those_of_the_source() {
    let toolset = shipped();
    let query = "tree cover loss in Pará, Brazil since 2015";
    let areas = json!({ "name": "Pará, Brazil", "aois": [{ "source": "gadm", "src_id": "BRA.14_1", "name": "Pará, Brazil", "subtype": "state-province" }] });
    let picked = testing::call(
        &toolset,
        "pick_dataset",
        json!({ "query": query, "start_date": "2015", "aoi_selection": areas }),
    )
    .await
    .unwrap()
    .structured;
    let found = insight(&toolset, query, picked["dataset"].clone(), areas)
        .await
        .unwrap();
    let published = [
        463_583, 1_573_272, 1_319_478, 820_257, 693_043, 805_652, 693_516, 807_272,
    ];
    let rows = found["charts"][0]["data"].as_array().unwrap();
    assert_eq!(rows.len(), published.len());
    for (row, (year, area)) in rows.iter().zip((2015..).zip(published)) {
        assert_eq!(row["tree_cover_loss_year"], year);
        assert_eq!(row["area_ha"].as_f64(), Some(f64::from(area)), "{year}");
    }
    let message = found["message"].as_str().unwrap();
    for part in [
        "No analytics service is configured",
        "Canopy threshold: 30 %",
        "2016,1573272",
        "7,176,073 ha in total",
        "Global Forest Watch",
        "CC BY 4.0",
    ] {
        assert!(message.contains(part), "{part:?} is missing in\n{message}");
    }
}

#[tokio::test]
async fn every_number_can_be_followed_to_its_rows() {
    let toolset = shipped();
    let found = insight(
        &toolset,
        "tree cover loss",
        json!({ "dataset_id": 4, "start_date": "2015", "end_date": "2022" }),
        selection(&["BRA.14"]),
    )
    .await
    .unwrap();
    let insight = &found["insight"];
    let rows = insight["row_count"].as_u64().unwrap();
    for derivation in insight["derivations"].as_array().unwrap() {
        let at = derivation["at"].as_str().unwrap();
        assert!(found["charts"].pointer(at).unwrap().is_number(), "{at}");
        for run in derivation["rows"].as_array().unwrap() {
            assert!(
                run[0].as_u64() <= run[1].as_u64() && run[1].as_u64().unwrap() < rows,
                "{derivation}"
            );
        }
    }
    let total = &insight["figures"][0];
    assert_eq!(
        (&total["expression"], &total["rows"]),
        (&json!("sum(area_ha)"), &json!([[0, 7]]))
    );
}

#[tokio::test]
async fn the_call_and_the_rows_behind_a_figure_are_shown() {
    let toolset = shipped();
    let dataset = json!({ "dataset_id": 4, "start_date": "2015", "end_date": "2022" });
    let areas = selection(&["BRA.14", "BRA.4"]);
    let found = insight(&toolset, "which lost most", dataset, areas)
        .await
        .unwrap();
    let call = &found["insight"]["requests"][0];
    assert_eq!(call["path"], "/v0/land_change/tree_cover_loss/analytics");
    assert_eq!(call["body"]["aoi"]["ids"], json!(["BRA.14", "BRA.4"]));
    assert_eq!(call["url"], found["insight"]["source_urls"][0]);
    let message = found["message"].as_str().unwrap();
    for part in [
        r#"POST /v0/land_change/tree_cover_loss/analytics with {"aoi":{"type":"admin","ids":["BRA.14","BRA.4"]}"#,
        &format!("rows at {}", call["url"].as_str().unwrap()),
        "Data (2 rows): name,area_ha\n",
    ] {
        assert!(message.contains(part), "{part:?} is missing in\n{message}");
    }
}

/// An answer that the service is known to give, and the shipped figures hold.
struct Published {
    dataset_id: u32,
    area: &'static str,
    layer: Option<&'static str>,
    year: &'static str,
    measure: &'static str,
    value: f64,
}

const fn published(
    dataset_id: u32,
    area: &'static str,
    layer: Option<&'static str>,
    year: &'static str,
    measure: &'static str,
    value: f64,
) -> Published {
    Published {
        dataset_id,
        area,
        layer,
        year,
        measure,
        value,
    }
}

const PUBLISHED: &[Published] = &[
    published(4, "ESP", None, "2022", "area_ha", 137_821.0),
    published(4, "SEN", None, "2022", "area_ha", 289.0),
    published(4, "PRT", None, "2022", "area_ha", 46_875.0),
    published(4, "CHN", None, "2022", "area_ha", 611_900.0),
    published(4, "GAB", None, "2014", "area_ha", 48_751.7),
    published(4, "IDN", Some("primary_forest"), "2022", "area_ha", 230_003.0),
    published(4, "IDN", None, "2003", "carbon_emissions_MgCO2e", 437_000_000.0),
    published(7, "USA.38", None, "2000", "area_ha", 9_720_000.0),
    published(7, "NOR.6", None, "2000", "area_ha", 1_430_000.0),
];

#[tokio::test]
async fn published_answers_are_given_within_half_a_percent() {
    let toolset = shipped();
    for one in PUBLISHED {
        let dataset = json!({ "dataset_id": one.dataset_id, "context_layer": one.layer, "start_date": one.year, "end_date": one.year });
        let found = insight(&toolset, "how much", dataset, selection(&[one.area]))
            .await
            .unwrap();
        let charts = found["charts"].as_array().unwrap();
        let chart = charts.iter().find(|chart| chart["yAxis"] == one.measure).unwrap();
        let value = chart["data"][0][one.measure].as_f64().unwrap();
        let error = (value - one.value).abs() / one.value;
        assert!(
            error <= 0.005,
            "{} {}: {value} and not {}",
            one.area,
            one.year,
            one.value
        );
    }
}

#[tokio::test]
async fn the_region_with_the_least_loss_is_the_published_one() {
    let toolset = shipped();
    let dataset = json!({ "dataset_id": 4, "start_date": "2005", "end_date": "2015" });
    let found = insight(
        &toolset,
        "which region lost least",
        dataset,
        selection(&["BEL.1", "BEL.2", "BEL.3"]),
    )
    .await
    .unwrap();
    let rows = found["charts"][0]["data"].as_array().unwrap();
    let last = rows.last().unwrap();
    assert_eq!(last["name"], "BEL.1");
    assert!(
        (last["area_ha"].as_f64().unwrap() - 48.04).abs() / 48.04 <= 0.005,
        "{last}"
    );
}

#[tokio::test]
async fn every_recorded_exchange_ends_in_charts_with_their_rows() {
    for (name, recording) in recordings() {
        let (create, fetch) = (&recording["create"], &recording["fetch"]["response"]);
        let played = || [created("pending"), answer(200, fetch["body"].clone())];
        let host = Host::playing(played().into_iter().chain([answer(200, fetch["body"].clone())])).await;
        let toolset = host.toolset();
        let asked = arguments(&name, &create["payload"]);
        let pulled = testing::call(&toolset, "pull_data", asked.clone())
            .await
            .unwrap()
            .structured;
        let found = generate(
            &toolset,
            "what is there",
            &pulled["statistics"],
            &asked["dataset"],
        )
        .await
        .unwrap_or_else(|failure| panic!("{name}: {failure:?}"))
        .structured;
        let charts = found["charts"].as_array().unwrap();
        assert!((1..=2).contains(&charts.len()), "{name}");
        let message = found["message"].as_str().unwrap();
        assert!(
            message.contains("Key Finding: ") && message.contains("Data ("),
            "{name}: {message}"
        );
        let result = &fetch["body"]["data"]["result"];
        assert_executed(&name, &found, result);
        assert!(
            RECORDINGS
                .iter()
                .any(|(start, id, _)| name.starts_with(start) && found["insight"]["dataset_id"] == *id)
        );
    }
}

/// Executes every derivation on the recorded rows: what comes out is what is published.
fn assert_executed(name: &str, found: &Value, result: &Value) {
    let derivations = found["insight"]["derivations"].as_array().unwrap();
    assert!(!derivations.is_empty(), "{name}");
    for derivation in derivations {
        let at = derivation["at"].as_str().unwrap();
        let published = found["charts"].pointer(at).unwrap().as_f64().unwrap();
        let expression = derivation["expression"].as_str().unwrap();
        let (sign, term) = match expression.strip_prefix('-') {
            Some(term) => (-1.0, term),
            None => (1.0, expression),
        };
        let column = term
            .strip_prefix("sum(")
            .and_then(|rest| rest.strip_suffix(')'))
            .unwrap_or(term);
        let cells = result[column].as_array();
        assert!(cells.is_some(), "{name}: {expression} names no column");
        let runs = derivation["rows"].as_array().unwrap().iter();
        let rows = runs.flat_map(|run| run[0].as_u64().unwrap()..=run[1].as_u64().unwrap());
        let executed: f64 = rows.filter_map(|row| cells?.get(row as usize)?.as_f64()).sum();
        let error = (sign * executed - published).abs();
        assert!(
            error <= 1e-9 * published.abs().max(1.0),
            "{name} {at}: {expression} is {executed} and not {published}"
        );
    }
}

#[tokio::test]
async fn without_statistics_the_caller_is_told_to_pull_data() {
    let toolset = shipped();
    let arguments = json!({ "query": "x", "statistics": {}, "dataset": { "dataset_id": 4, "dataset_name": "Tree cover loss" } });
    let failure = testing::call(&toolset, "generate_insight", arguments)
        .await
        .unwrap_err();
    assert!(
        format!("{failure:?}").contains("Please pull data first"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn statistics_of_another_dataset_are_refused() {
    let toolset = shipped();
    let arguments = json!({
        "query": "x",
        "statistics": { "dataset_name": "Tree cover", "dataset_id": 7, "start_date": "2000-01-01", "end_date": "2000-12-31", "source_url": "http://x.test/" },
        "dataset": { "dataset_id": 4, "dataset_name": "Tree cover loss" },
    });
    let failure = testing::call(&toolset, "generate_insight", arguments)
        .await
        .unwrap_err();
    assert!(
        format!("{failure:?}").contains("call pull_data again"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn a_record_that_cannot_be_read_is_named_and_the_others_are_analysed() {
    let toolset = shipped();
    let dataset = json!({ "dataset_id": 4, "dataset_name": "Tree cover loss", "start_date": "2022", "end_date": "2022" });
    let pulled = testing::call(
        &toolset,
        "pull_data",
        json!({ "query": "x", "dataset": dataset, "aoi_selection": selection(&["ESP"]) }),
    )
    .await
    .unwrap()
    .structured;
    let good = pulled["statistics"].clone();
    let mut gone = good.clone();
    gone["source_url"] = json!("http://127.0.0.1:1/gone");
    gone["source_urls"] = json!(["http://127.0.0.1:1/gone"]);
    gone["requests"] = json!([]);
    gone["aoi_names"] = json!(["Atlantis"]);
    let arguments = json!({ "query": "loss", "statistics": [good, gone.clone()], "dataset": dataset });
    let found = testing::call(&toolset, "generate_insight", arguments)
        .await
        .unwrap()
        .structured;
    let message = found["message"].as_str().unwrap();
    assert!(
        message.contains("for Atlantis could not be read and are left out"),
        "{message}"
    );
    assert_eq!(found["charts"][0]["data"].as_array().unwrap().len(), 1);
    let arguments = json!({ "query": "loss", "statistics": gone, "dataset": dataset });
    let (error, _) = error_of(testing::call(&toolset, "generate_insight", arguments).await);
    assert_eq!(error, "analysis_failed");
}

#[tokio::test]
async fn a_refused_question_publishes_nothing() {
    let toolset = shipped();
    let dataset = json!({ "dataset_id": 4, "start_date": "2015", "end_date": "2022" });
    let found = insight(&toolset, "monthly loss", dataset, selection(&["BRA.14"]))
        .await
        .unwrap();
    assert!(
        found["message"].as_str().unwrap().contains("Integrated alerts"),
        "{found}"
    );
    assert!(
        found.get("insight").is_none_or(Value::is_null) && found.get("charts").is_none_or(Value::is_null)
    );
}
