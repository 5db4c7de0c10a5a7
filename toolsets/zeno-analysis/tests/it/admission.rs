//! What is refused before anything is asked.

use periplus_toolset::{Failure, Value, json, testing};

use crate::service::{Host, error_of, pull, selection};

fn area(source: &str, id: &str, name: &str, subtype: &str) -> Value {
    json!({ "source": source, "src_id": id, "name": name, "subtype": subtype })
}

fn areas(aois: Vec<Value>) -> Value {
    json!({ "name": "Areas", "aois": aois })
}

#[tokio::test]
async fn what_cannot_be_answered_is_refused_before_any_request() {
    let reserve = || area("wdpa", "555592663", "Cobaipo, Bolivia", "protected-area");
    let many: Vec<Value> = (0..401)
        .map(|n| area("wdpa", &n.to_string(), "Park", "protected-area"))
        .collect();
    for (dataset, selection, code, contains) in [
        (
            json!({ "dataset_id": 12 }),
            selection(&["BRA"]),
            "dataset_unavailable",
            "Land GHG Monitoring System (LGMS) is not available.",
        ),
        (
            json!({ "dataset_id": 99 }),
            selection(&["BRA"]),
            "dataset_unavailable",
            "Dataset not found: 99",
        ),
        (
            json!({ "dataset_id": 4, "start_date": "1990", "end_date": "1995" }),
            selection(&["BRA"]),
            "outside_period",
            "1990-01-01 to 1995-12-31 is asked for, and the data cover 2001-01-01 to 2025-12-31",
        ),
        (
            json!({ "dataset_id": 9, "start_date": "2010", "end_date": "2015" }),
            selection(&["BRA"]),
            "outside_period",
            "the data cover 2020-01-01 to 2024-12-31",
        ),
        (
            json!({ "dataset_id": 4 }),
            areas(vec![reserve(), area("gadm", "BRA", "Brazil", "country")]),
            "mixed_areas",
            "administrative areas",
        ),
        (
            json!({ "dataset_id": 9 }),
            areas(vec![reserve()]),
            "area_kind_unsupported",
            "Tree cover loss",
        ),
        (
            json!({ "dataset_id": 9 }),
            areas(vec![area("gadm", "BRA", "Brazil", "country"), reserve()]),
            "mixed_areas",
            "protected areas",
        ),
        (
            json!({ "dataset_id": 5 }),
            areas(vec![area(
                "naturalearth",
                "ESP+00?",
                "Galicia, Spain",
                "state-province",
            )]),
            "area_kind_unsupported",
            "Spain",
        ),
        (
            json!({ "dataset_id": 4 }),
            areas(vec![area(
                "naturalearth",
                "ESP-1",
                "Galicia, Spain",
                "state-province",
            )]),
            "area_without_statistics",
            "the country (Spain)",
        ),
        (
            json!({ "dataset_id": 4 }),
            areas(vec![area("gadm", "Z01", "Disputed", "country")]),
            "area_without_statistics",
            "Disputed",
        ),
        (
            json!({ "dataset_id": 4 }),
            areas(vec![area(
                "gadm",
                "PRT.12.7.6_1",
                "Alvalade, Lisboa, Lisboa, Portugal",
                "municipality",
            )]),
            "level_too_deep",
            "Lisboa, Lisboa, Portugal (PRT.12.7)",
        ),
        (json!({ "dataset_id": 4 }), areas(many), "too_many_areas", "401"),
    ] {
        let host = Host::playing([]).await;
        let (error, text) = error_of(pull(&host.toolset(), dataset, selection).await);
        assert_eq!(error, code, "{text}");
        assert!(text.contains(contains), "{text}");
        assert!(host.seen().is_empty(), "{code}");
    }
}

#[tokio::test]
async fn a_unit_below_district_level_is_explained_and_its_district_offered() {
    let parish = area(
        "gadm",
        "PRT.12.7.6_1",
        "Alvalade, Lisboa, Lisboa, Portugal",
        "municipality",
    );
    let host = Host::playing([]).await;
    let pulled = pull(&host.toolset(), json!({ "dataset_id": 4 }), areas(vec![parish])).await;
    let (error, text) = error_of(pulled);
    assert_eq!(error, "level_too_deep");
    assert!(text.contains("Statistics end at district level"), "{text}");
    assert!(
        text.contains(
            "The district around Alvalade, Lisboa, Lisboa, Portugal is Lisboa, Lisboa, Portugal (PRT.12.7)"
        ),
        "{text}"
    );
}

#[tokio::test]
async fn records_that_are_none_are_mistakes_of_the_call() {
    let host = Host::playing([]).await;
    for (dataset, aoi_selection, contains) in [
        (json!({}), selection(&["BRA"]), "/dataset"),
        (
            json!({ "dataset_id": 4 }),
            json!({ "name": "x" }),
            "/aoi_selection",
        ),
        (
            json!({ "dataset_id": 4 }),
            areas(vec![area("gadm", "BRA", "Brazil", "planet")]),
            "planet",
        ),
        (
            json!({ "dataset_id": 4, "start_date": "2024", "end_date": "2020" }),
            selection(&["BRA"]),
            "ends before it starts",
        ),
        (
            json!({ "dataset_id": 4, "start_date": "soon" }),
            selection(&["BRA"]),
            "YYYY-MM-DD",
        ),
    ] {
        let failure = pull(&host.toolset(), dataset, aoi_selection).await.unwrap_err();
        assert!(matches!(failure, Failure::Arguments(_)), "{failure}");
        assert!(failure.to_string().contains(contains), "{failure}");
    }
    assert!(host.seen().is_empty());
}

#[tokio::test]
async fn dates_of_the_call_are_stronger_than_those_of_the_record() {
    let host = Host::playing([]).await;
    let arguments = json!({
        "query": "x", "start_date": "1990", "end_date": "1991", "aoi_selection": selection(&["BRA"]),
        "dataset": { "dataset_id": 4, "start_date": "2010-01-01", "end_date": "2020-12-31" },
    });
    let (error, text) = error_of(testing::call(&host.toolset(), "pull_data", arguments).await);
    assert_eq!(error, "outside_period");
    assert!(text.contains("1990-01-01"), "{text}");
}

#[tokio::test]
async fn exactly_as_many_areas_as_the_limit_pass() {
    let parks = |count: usize| {
        let park = |n: usize| area("wdpa", &n.to_string(), "Park", "protected-area");
        areas((0..count).map(park).collect())
    };
    for (count, posts) in [(50, 1), (51, 2), (400, 8)] {
        let answers = (0..posts).map(|_| crate::service::answer(401, json!({})));
        let host = Host::playing(answers).await;
        let (error, _) = error_of(pull(&host.toolset(), json!({ "dataset_id": 4 }), parks(count)).await);
        assert_eq!(error, "not_authorized", "{count}");
    }
    let host = Host::playing([]).await;
    assert_eq!(
        error_of(pull(&host.toolset(), json!({ "dataset_id": 4 }), parks(401)).await).0,
        "too_many_areas"
    );
}

#[tokio::test]
async fn the_land_inventory_is_hidden_by_default_and_refused_again_when_pulled() {
    let host = Host::playing([]).await;
    let toolset = host.toolset();
    let picked = testing::call(
        &toolset,
        "pick_dataset",
        json!({ "query": "greenhouse gas emissions of soils and livestock" }),
    );
    assert!(!picked.await.unwrap().structured.to_string().contains("LGMS"));
    let (error, _) = error_of(pull(&host.toolset(), json!({ "dataset_id": 12 }), selection(&["BRA"])).await);
    assert_eq!(error, "dataset_unavailable");
    let shown = host.toolset_with(|config| config.excluded_datasets.clear());
    let picked = testing::call(
        &shown,
        "pick_dataset",
        json!({ "query": "greenhouse gas emissions of soils and livestock" }),
    );
    assert_eq!(picked.await.unwrap().structured["dataset"]["dataset_id"], 12);
}
