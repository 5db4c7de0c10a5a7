//! Questions with nothing configured: rules choose, the stand-in answers.

use periplus_toolset::{Toolset, Value, json, testing};
use periplus_zeno_analysis::{Config, toolset};

use crate::service::{Host, error_of};

fn shipped() -> Toolset {
    toolset(Config {
        today: "2026-11-30".parse().ok(),
        ..Config::default()
    })
    .unwrap()
}

async fn pick(toolset: &Toolset, arguments: Value) -> Value {
    testing::call(toolset, "pick_dataset", arguments)
        .await
        .unwrap()
        .structured
}

fn para() -> Value {
    json!({ "name": "Pará, Brazil", "aois": [{ "source": "gadm", "src_id": "BRA.14_1", "name": "Pará, Brazil", "subtype": "state-province", "bbox": [-58.9, -9.8, -46.0, 2.6] }] })
}

#[tokio::test]
async fn a_question_becomes_a_dataset_and_a_dataset_becomes_statistics() {
    let toolset = shipped();
    let query = "tree cover loss in Pará, Brazil since 2015";
    let picked = pick(
        &toolset,
        json!({ "query": query, "start_date": "2015", "aoi_selection": para() }),
    )
    .await;
    let dataset = &picked["dataset"];
    assert_eq!(
        (&dataset["dataset_id"], &dataset["canopy_cover"]),
        (&json!(4), &json!(30))
    );
    assert!(
        picked["message"]
            .as_str()
            .unwrap()
            .contains("No analytics service is configured")
    );
    assert_eq!(
        (
            &dataset["short_name"],
            &dataset["unit"],
            &dataset["legend"]["title"]
        ),
        (
            &json!("Tree cover loss"),
            &json!("ha and MgCO2e"),
            &json!("Tree cover loss (2015-2025)")
        )
    );
    let arguments = json!({ "query": query, "dataset": dataset, "aoi_selection": para() });
    let pulled = testing::call(&toolset, "pull_data", arguments)
        .await
        .unwrap()
        .structured;
    let (message, statistics) = (pulled["message"].as_str().unwrap(), &pulled["statistics"]);
    assert_eq!(
        (
            &statistics["row_count"],
            &statistics["start_date"],
            &statistics["end_date"]
        ),
        (&json!(8), &json!("2015-01-01"), &json!("2022-12-31"))
    );
    assert!(
        message.contains("stand-in")
            && message.contains("Global Forest Watch")
            && message.contains("Warn the user"),
        "{message}"
    );
    let provenance = &statistics["provenance"];
    assert_eq!(
        (&provenance["canopy_cover"], &provenance["sources"][0]["licence"]),
        (&json!(30), &json!("CC BY 4.0"))
    );
    assert_eq!(statistics["aoi_ids"], json!(["BRA.14_1"]));
}

#[tokio::test]
async fn what_the_stand_in_does_not_hold_is_refused_with_what_it_does() {
    let toolset = shipped();
    let arguments = json!({ "query": "x", "dataset": { "dataset_id": 3 }, "aoi_selection": para() });
    let (error, text) = error_of(testing::call(&toolset, "pull_data", arguments).await);
    assert_eq!(error, "analysis_failed");
    assert!(text.contains("it holds Costa Rica (CRI)"), "{text}");
}

#[tokio::test]
async fn an_area_that_is_asked_for_by_its_shape_comes_with_its_country_to_offer() {
    let toolset = shipped();
    let square =
        json!({ "type": "Polygon", "coordinates": [[[33.0, 2.0], [34.0, 2.0], [34.0, 3.0], [33.0, 2.0]]] });
    let district = json!({ "name": "Abim", "aois": [{ "source": "naturalearth", "src_id": "UGA-1", "name": "Abim, Uganda", "subtype": "state-province", "geometry": square }] });
    let arguments = json!({ "query": "x", "dataset": { "dataset_id": 4 }, "aoi_selection": district });
    let (error, text) = error_of(testing::call(&toolset, "pull_data", arguments).await);
    assert_eq!(error, "analysis_failed");
    assert!(
        text.contains("the country as a whole (Uganda) can be selected instead"),
        "{text}"
    );
}

#[tokio::test]
async fn land_cover_that_changed_is_told_from_land_cover_there_is() {
    let toolset = shipped();
    let area = json!({ "name": "x", "aois": [{ "source": "gadm", "src_id": "NGA.20.31_1", "name": "Unit, State, Nigeria", "subtype": "district-county" }] });
    for (query, endpoint, years) in [
        (
            "How did land cover change?",
            "land_cover_change",
            ("2015-01-01", "2024-12-31"),
        ),
        (
            "How much cropland is there?",
            "land_cover_composition",
            ("2024-01-01", "2024-12-31"),
        ),
    ] {
        let arguments = json!({ "query": query, "dataset": { "dataset_id": 1 }, "aoi_selection": area });
        let statistics = testing::call(&toolset, "pull_data", arguments)
            .await
            .unwrap()
            .structured["statistics"]
            .clone();
        assert_eq!(statistics["endpoint"], endpoint);
        assert_eq!(
            (&statistics["start_date"], &statistics["end_date"]),
            (&json!(years.0), &json!(years.1))
        );
    }
}

#[tokio::test]
async fn a_question_about_the_land_there_is_gets_the_latest_map_and_one_about_change_gets_both() {
    let toolset = shipped();
    for (query, start) in [
        ("How much cropland is there in Costa Rica?", "2024-01-01"),
        ("How did land cover change in Costa Rica?", "2015-01-01"),
    ] {
        let dataset = pick(&toolset, json!({ "query": query })).await["dataset"].clone();
        assert_eq!(
            (
                &dataset["dataset_id"],
                &dataset["start_date"],
                &dataset["end_date"]
            ),
            (&json!(1), &json!(start), &json!("2024-12-31")),
            "{query}"
        );
    }
}

#[tokio::test]
async fn candidates_are_published_alone_and_the_model_is_told_to_stop() {
    let toolset = shipped();
    let picked = pick(
        &toolset,
        json!({ "query": "Show the trend in natural land loss over time in Brazil" }),
    )
    .await;
    assert!(picked.get("dataset").is_none());
    let candidates = picked["dataset_candidates"].as_array().unwrap();
    assert_eq!(candidates[0]["dataset_id"], 3);
    assert!(
        picked["message"]
            .as_str()
            .unwrap()
            .contains("Relay them to the user and stop")
    );
    let nothing = pick(&toolset, json!({ "query": "Who won the match?" })).await;
    assert!(nothing.get("dataset").is_none() && nothing.get("dataset_candidates").is_none());
    assert!(nothing["message"].as_str().unwrap().contains("Stop here"));
}

#[tokio::test]
async fn resolution_coverage_and_citation_are_told_with_nothing_chosen_or_pulled() {
    let host = Host::playing([]).await;
    let toolset = host.toolset();
    for (query, parts) in [
        (
            "What's the geographic coverage of the tree cover loss data?",
            ["Coverage: Global land, without Antarctica", "Resolution: 30 m"],
        ),
        (
            "What is the resolution of the integrated alerts?",
            ["Resolution: 10 m", "Updates: Daily"],
        ),
        (
            "How do I cite the grassland data?",
            ["Citation: Parente, L. et al. 2024", "Licence: CC BY 4.0"],
        ),
    ] {
        let picked = pick(&toolset, json!({ "query": query })).await;
        assert_eq!(picked.as_object().unwrap().len(), 1, "only the message: {picked}");
        let message = picked["message"].as_str().unwrap();
        for part in parts {
            assert!(message.contains(part), "{part:?} is missing in\n{message}");
        }
    }
    assert!(host.seen().is_empty());
}

#[tokio::test]
async fn dates_outside_the_data_choose_nothing_and_name_what_is_covered() {
    let toolset = shipped();
    let picked = pick(
        &toolset,
        json!({ "query": "natural grassland in Kenya", "start_date": "2024", "end_date": "2025" }),
    )
    .await;
    assert!(picked.get("dataset").is_none());
    assert_eq!(picked["dataset_candidates"][0]["end_date"], "2022-12-31");
    assert!(
        picked["message"]
            .as_str()
            .unwrap()
            .contains("the data cover 2000-01-01 to 2022-12-31")
    );
}

#[tokio::test]
async fn dates_that_are_cut_are_said_to_be() {
    let toolset = shipped();
    let picked = pick(
        &toolset,
        json!({ "query": "Show me deforestation in Brazil", "start_date": "2001", "end_date": "2025" }),
    )
    .await;
    assert_eq!(
        (
            &picked["dataset"]["context_layer"],
            &picked["dataset"]["start_date"]
        ),
        (&json!("primary_forest"), &json!("2002-01-01"))
    );
    assert!(
        picked["message"]
            .as_str()
            .unwrap()
            .contains("Dates: 2002-01-01 to 2025-12-31, instead of 2001-01-01")
    );
    for date in ["last year", "2020-02-30"] {
        let failure = testing::call(
            &toolset,
            "pick_dataset",
            json!({ "query": "x", "start_date": date }),
        )
        .await
        .unwrap_err();
        assert!(failure.to_string().contains("/start_date"), "{failure}");
    }
}

#[tokio::test]
async fn cautions_are_in_every_message_that_chooses() {
    let toolset = shipped();
    for query in [
        "tree cover loss in Peru",
        "alerts in Peru this week",
        "natural lands of Peru",
        "carbon removals of forests",
    ] {
        let picked = pick(&toolset, json!({ "query": query })).await;
        let cautions = picked["dataset"]["cautions"].as_str().unwrap();
        assert!(picked["message"].as_str().unwrap().contains(cautions), "{query}");
    }
}

#[tokio::test]
async fn dates_that_a_caller_leaves_out_are_read_from_the_question() {
    let toolset = shipped();
    for (arguments, start, end) in [
        (
            json!({ "query": "tree cover loss in Peru since 2015" }),
            "2015-01-01",
            "2025-12-31",
        ),
        (
            json!({ "query": "tree cover loss in Peru since 2015", "start_date": "2018" }),
            "2018-01-01",
            "2025-12-31",
        ),
        (
            json!({ "query": "tree cover loss in Peru" }),
            "2001-01-01",
            "2025-12-31",
        ),
        (
            json!({ "query": "deforestation alerts in Peru in the past 6 months" }),
            "2026-05-30",
            "2026-11-30",
        ),
    ] {
        let dataset = pick(&toolset, arguments).await["dataset"].clone();
        assert_eq!(
            (&dataset["start_date"], &dataset["end_date"]),
            (&json!(start), &json!(end))
        );
    }
}

/// Saved addresses of tiles once broke with the certificate of their host.
#[tokio::test]
async fn tiles_come_from_the_host_that_is_configured_now_and_saved_records_depend_on_none() {
    let of_host = |host: &str| {
        toolset(Config {
            today: "2026-11-30".parse().ok(),
            tile_base: host.to_owned(),
            ..Config::default()
        })
        .unwrap()
    };
    let (old, new) = (
        of_host("https://old.example.org"),
        of_host("https://new.example.org/"),
    );
    let query = "How did land cover change?";
    let saved = pick(&old, json!({ "query": query })).await["dataset"].clone();
    let again = pick(&new, json!({ "query": query })).await["dataset"].clone();
    let path_on = |dataset: &Value, host: &str| {
        let address = dataset["tile_url"].as_str().unwrap();
        address.strip_prefix(host).map(str::to_owned)
    };
    let path = path_on(&again, "https://new.example.org");
    assert!(path.as_ref().is_some_and(|path| path.starts_with('/')), "{again}");
    assert_eq!(path_on(&saved, "https://old.example.org"), path);
    let area = json!({ "name": "x", "aois": [{ "source": "gadm", "src_id": "NGA.20.31_1", "name": "Unit, State, Nigeria", "subtype": "district-county" }] });
    let arguments = json!({ "query": query, "dataset": saved, "aoi_selection": area });
    let pulled = testing::call(&new, "pull_data", arguments)
        .await
        .unwrap()
        .structured;
    assert!(!pulled.to_string().contains("old.example.org"), "{pulled}");
    assert!(pulled["statistics"].is_object(), "{pulled}");
}
