//! The research flow and what each answer promises.

use periplus_collection_import::{Silent, met};
use periplus_met::{Config, Source};
use serde_json::{Value, json};

use super::support::{call, served, snapshot, toolset};

fn texts(values: &Value) -> Vec<&str> {
    values
        .as_array()
        .expect("an array")
        .iter()
        .filter_map(Value::as_str)
        .collect()
}

#[tokio::test]
async fn six_calls_lead_from_capabilities_to_the_source_row() {
    let toolset = toolset().await;
    let capabilities = call(&toolset, "collection_capabilities", json!({})).await;
    assert_eq!(capabilities["sourceCoverage"]["records"], 2190);
    assert_eq!(capabilities["predicate"]["fields"].as_array().unwrap().len(), 20);

    let facets = call(
        &toolset,
        "collection_facets",
        json!({ "field": "department", "pageSize": 10 }),
    )
    .await;
    let department = facets["values"][0]["value"].as_str().unwrap();
    assert_eq!(department, "Ancient Near Eastern Art");
    assert_eq!(facets["truncated"], true);

    let predicate = json!({ "all": [
        { "field": "department", "op": "eq", "value": "Arms and Armor" },
        { "not": { "field": "medium", "op": "contains_normalized", "value": "silver" } },
    ] });
    let selected = call(
        &toolset,
        "collection_select",
        json!({ "predicate": predicate, "pageSize": 5 }),
    )
    .await;
    assert_eq!(selected["counts"]["eligibleCount"], 151);
    assert_eq!(selected["objectIds"], json!([21940, 21949, 21968, 22135, 22209]));

    let ranked = call(
        &toolset,
        "collection_rank",
        json!({
            "selection": selected["selection"], "anchor": { "type": "topic_text", "topicText": "horse armor" },
            "axis": "topic", "method": "lexical_bm25_v1", "pageSize": 3, "includeUnscored": true,
        }),
    )
    .await;
    let best = &ranked["results"][0];
    assert_eq!(ranked["counts"]["eligibleCount"], 151);
    assert!(!best["whyRelated"].as_array().unwrap().is_empty());

    let objects = call(
        &toolset,
        "collection_objects",
        json!({ "objectIds": [best["objectId"], 1] }),
    )
    .await;
    assert_eq!(objects["objects"][0]["objectId"], best["objectId"]);
    assert_eq!(objects["missingObjectIds"], json!([1]));
    assert_eq!(
        objects["objects"][0]["originalFields"].as_object().unwrap().len(),
        54
    );

    let evidence = call(
        &toolset,
        "collection_evidence",
        json!({ "evidenceIds": best["evidenceIds"] }),
    )
    .await;
    assert_eq!(evidence["missingEvidenceIds"], json!([]));
    let statements = evidence["evidence"][0]["statements"].as_array().unwrap();
    let title = statements
        .iter()
        .find(|statement| statement["field"] == "Title")
        .unwrap();
    assert_eq!(title["value"], objects["objects"][0]["originalFields"]["Title"]);
}

#[tokio::test]
async fn every_success_says_which_data_answered() {
    let toolset = toolset().await;
    let select = json!({ "predicate": { "field": "title", "op": "is_missing" } });
    let selection = call(&toolset, "collection_select", select.clone()).await["selection"].clone();
    let anchor = json!({ "type": "topic_text", "topicText": "a flute" });
    for (tool, arguments) in [
        ("collection_capabilities", json!({})),
        ("collection_facets", json!({ "field": "culture" })),
        ("collection_select", select),
        (
            "collection_rank",
            json!({ "selection": selection, "anchor": anchor, "axis": "topic", "method": "lexical_bm25_v1" }),
        ),
        ("collection_objects", json!({ "objectIds": [436535] })),
        (
            "collection_evidence",
            json!({ "evidenceIds": ["object:436535:csv"] }),
        ),
    ] {
        let answer = call(&toolset, tool, arguments).await;
        assert_eq!(answer["contract"], "0.1.0", "{tool}");
        assert_eq!(answer["datasetMode"], "csv_baseline", "{tool}");
        assert!(
            answer["snapshot"].as_str().unwrap().starts_with("csv-baseline-"),
            "{tool}"
        );
        assert!(
            answer["queryVersion"]
                .as_str()
                .unwrap()
                .starts_with("met-query/1+"),
            "{tool}"
        );
        assert!(!answer["message"].as_str().unwrap().is_empty(), "{tool}");
    }
}

#[tokio::test]
async fn pages_of_every_kind_cover_everything_once_and_in_order() {
    let toolset = toolset().await;
    let predicate = json!({ "field": "department", "op": "eq", "value": "Islamic Art" });
    let mut arguments = json!({ "predicate": predicate, "pageSize": 50 });
    let mut ids: Vec<u64> = Vec::new();
    let selection = loop {
        let page = call(&toolset, "collection_select", arguments.clone()).await;
        ids.extend(
            page["objectIds"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_u64),
        );
        match &page["nextCursor"] {
            Value::Null => break page["selection"].clone(),
            cursor => arguments["cursor"] = cursor.clone(),
        }
    };
    assert_eq!(ids.len(), 195);
    assert!(ids.is_sorted_by(|a, b| a < b));

    let mut arguments = json!({
        "selection": selection, "anchor": { "type": "topic_text", "topicText": "garden bowl manuscript" },
        "axis": "topic", "method": "lexical_bm25_v1", "pageSize": 7, "includeUnscored": true,
    });
    let mut ranked: Vec<(f64, u64)> = Vec::new();
    let mut unscored = Vec::new();
    loop {
        let page = call(&toolset, "collection_rank", arguments.clone()).await;
        for result in page["results"].as_array().unwrap() {
            ranked.push((
                result["score"].as_f64().unwrap(),
                result["objectId"].as_u64().unwrap(),
            ));
        }
        unscored.push(page["unscoredObjectIds"].clone());
        let counts = &page["counts"];
        assert_eq!(
            counts["scorableCount"].as_u64().unwrap() + counts["unscoredCount"].as_u64().unwrap(),
            195
        );
        match &page["nextCursor"] {
            Value::Null => break assert_eq!(ranked.len() as u64, counts["scorableCount"].as_u64().unwrap()),
            cursor => arguments["cursor"] = cursor.clone(),
        }
    }
    assert!(ranked.is_sorted_by(|a, b| a.0 > b.0 || (a.0 == b.0 && a.1 < b.1)));
    assert!(
        unscored.iter().all(|sample| sample == &unscored[0]),
        "the sample is the same on every page"
    );

    let mut arguments = json!({ "field": "tags", "pageSize": 100 });
    let mut values: Vec<String> = Vec::new();
    loop {
        let page = call(&toolset, "collection_facets", arguments.clone()).await;
        values.extend(
            page["values"]
                .as_array()
                .unwrap()
                .iter()
                .map(|found| found["value"].as_str().unwrap().to_owned()),
        );
        match &page["nextCursor"] {
            Value::Null => break,
            cursor => arguments["cursor"] = cursor.clone(),
        }
    }
    assert_eq!(values.len(), 501);
}

#[tokio::test]
async fn objects_come_in_the_order_asked_for_with_raw_values_untouched() {
    let toolset = toolset().await;
    let answer = call(
        &toolset,
        "collection_objects",
        json!({ "objectIds": [503046, 467642, 504929] }),
    )
    .await;
    let ids: Vec<u64> = answer["objects"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|o| o["objectId"].as_u64())
        .collect();
    assert_eq!(ids, [503046, 467642, 504929]);
    let piano = &answer["objects"][0];
    assert_eq!(
        piano["artistMentions"],
        json!([
            { "name": "Érard", "role": "Manufacturer", "attribution": "Érard, made in London" },
            { "name": "George Henry Blake", "role": "Designer", "attribution": "George Henry Blake" },
        ])
    );
    assert_eq!(piano["artistDisplayName"], "Érard|George Henry Blake");
    assert_eq!(
        piano["objectURL"],
        "https://www.metmuseum.org/art/collection/search/503046"
    );
    assert_eq!(
        piano["originalFields"]["Link Resource"],
        "http://www.metmuseum.org/art/collection/search/503046"
    );
    assert_eq!(
        texts(&answer["objects"][1]["qualityFlags"]),
        ["artist_missing", "geography_misaligned"]
    );
    assert_eq!(answer["objects"][2]["objectDate"], Value::Null);
    assert_eq!(piano["primaryImage"], Value::Null);
    assert_eq!(piano["imageEvidence"], Value::Null);
    assert_eq!(piano["rightsEvidence"][0]["source"], "csv");
}

#[tokio::test]
async fn a_source_that_disagrees_is_kept_apart_and_nothing_is_picked() {
    let folder = tempfile::tempdir().unwrap();
    let seeds = folder.path().join("seeds");
    std::fs::create_dir(&seeds).unwrap();
    // A response as the interface gives it, for an object whose row says otherwise.
    let body = json!({
        "objectID": 436535, "isPublicDomain": false, "primaryImage": "", "primaryImageSmall": "", "additionalImages": [],
        "constituents": null, "artistDisplayName": "Somebody Else", "title": "Another Title", "objectDate": "1700",
        "objectBeginDate": 1700, "objectEndDate": 1700, "rightsAndReproduction": "",
    })
    .to_string();
    std::fs::write(seeds.join("436535.json"), &body).unwrap();
    let manifest = json!({ "format": "met-api-seeds/1", "capturedBy": "a test", "captures": [{
        "objectId": 436535, "file": "436535.json", "retrievedAt": "2023-02-28T05:00:00Z", "httpStatus": 200,
        "url": "https://collectionapi.metmuseum.org/public/collection/v1/objects/436535",
        "sha256": sha256(&body), "bytes": body.len(),
    }] });
    std::fs::write(seeds.join("manifest.json"), manifest.to_string()).unwrap();
    let output = folder.path().join("snapshot");
    let sample = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../data/met/MetObjects.sample.csv"
    )
    .into();
    let options = met::ImportOptions {
        mode: met::DatasetMode::CsvBaseline,
        csv_pin: Some("sample".to_owned()),
        api_seeds: Some(seeds),
        ..met::ImportOptions::new(sample, output.clone())
    };
    met::import(&options, &Silent).unwrap();
    let toolset = served(Config::new(Source::Directory(output))).await;

    let answer = call(&toolset, "collection_objects", json!({ "objectIds": [436535] })).await;
    let object = &answer["objects"][0];
    for merged in ["title", "artistDisplayName", "isPublicDomain"] {
        assert_eq!(object[merged], Value::Null, "{merged}");
    }
    assert_eq!(object["originalFields"]["Title"], "Wheat Field with Cypresses");
    assert_eq!(object["fetchedAt"], "2023-02-28T05:00:00Z");
    assert_eq!(object["rightsEvidence"][0]["isPublicDomain"], true);
    assert_eq!(object["rightsEvidence"][1]["isPublicDomain"], false);
    assert_eq!(object["imageEvidence"]["primaryImage"], "");
    let flags = texts(&object["qualityFlags"]);
    for flag in [
        "api_conflict_artist",
        "api_conflict_date",
        "api_conflict_rights",
        "api_conflict_title",
    ] {
        assert!(flags.contains(&flag), "{flag} in {flags:?}");
    }
    for predicate in [
        json!({ "field": "title", "op": "is_missing" }),
        json!({ "field": "title", "op": "eq", "value": "Wheat Field with Cypresses" }),
        json!({ "not": { "field": "is_public_domain", "op": "eq", "value": true } }),
    ] {
        let excluded = call(&toolset, "collection_select", json!({ "predicate": predicate })).await;
        assert_eq!(excluded["counts"]["conflictingCount"], 1, "{predicate}");
        let policies = json!({ "conflict": "include" });
        let included = call(
            &toolset,
            "collection_select",
            json!({ "predicate": predicate, "policies": policies }),
        )
        .await;
        let difference = included["counts"]["eligibleCount"].as_u64().unwrap()
            - excluded["counts"]["eligibleCount"].as_u64().unwrap();
        assert_eq!(difference, 1, "{predicate}");
    }
}

#[tokio::test]
async fn a_receipt_of_one_process_is_good_in_another() {
    let (first, second) = (toolset().await, toolset().await);
    let predicate = json!({ "field": "culture", "op": "contains_normalized", "value": "iran" });
    let selected = call(&first, "collection_select", json!({ "predicate": predicate })).await;
    let again = call(&second, "collection_select", json!({ "predicate": predicate })).await;
    assert_eq!(selected, again);
    let facets = json!({ "field": "culture", "selection": selected["selection"] });
    let listed = call(&second, "collection_facets", facets).await;
    assert!(listed["returnedCount"].as_u64().unwrap() > 0);
    assert!(snapshot().exists());
}

fn sha256(text: &str) -> String {
    use sha2::{Digest as _, Sha256};
    hex::encode(Sha256::digest(text))
}
