use std::fs;

use periplus_collection::{Merged, ObjectDate, Snapshot};
use periplus_collection_import::met::{ImportOptions, SAMPLE_CSV, verify};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::import::{Desk, refused, run};

const CAPTURED: &str = include_str!("../../../../data/met/api-objects.sample.jsonl");

/// Captures in a folder, as `(object id, status, body)`.
fn write_captures(
    desk: &Desk,
    captures: &[(u64, u16, String)],
    change: impl Fn(&mut Value),
) -> ImportOptions {
    fs::create_dir_all(desk.path("seeds")).expect("a folder");
    let listed: Vec<Value> = captures
        .iter()
        .enumerate()
        .map(|(position, (id, status, body))| {
            let file = format!("{position}.json");
            desk.write(&format!("seeds/{file}"), body.as_bytes());
            json!({
                "objectId": id, "file": file, "retrievedAt": "2023-02-28T05:00:00Z",
                "sha256": hex::encode(Sha256::digest(body)), "bytes": body.len(),
                "url": format!("https://example.org/objects/{id}"), "httpStatus": status,
            })
        })
        .collect();
    let mut manifest = json!({ "format": "met-api-seeds/1", "capturedBy": "a test", "captures": listed });
    change(&mut manifest);
    desk.write("seeds/manifest.json", manifest.to_string().as_bytes());
    let mut options = desk.options(SAMPLE_CSV);
    options.api_seeds = Some(desk.path("seeds"));
    options
}

fn body(id: u64, members: &Value) -> String {
    let mut body = json!({ "objectID": id });
    for (name, value) in members.as_object().expect("an object") {
        body[name.as_str()] = value.clone();
    }
    body.to_string()
}

#[test]
fn objects_only_the_api_knows_become_records() {
    let desk = Desk::new();
    let captures: Vec<(u64, u16, String)> = CAPTURED
        .lines()
        .map(|line| {
            let body: Value = serde_json::from_str(line).expect("a response");
            (body["objectID"].as_u64().expect("an id"), 200, line.to_owned())
        })
        .collect();
    assert_eq!(captures.len(), 14);
    let report = run(&write_captures(&desk, &captures, |_| {})).expect("an import");
    assert_eq!(report.manifest.counts.records, 2190 + 14);
    assert_eq!(report.manifest.counts.csv_records, 2190);
    assert_eq!(report.manifest.data_quality["api_only"], 14);
    let snapshot = Snapshot::open(&report.output).expect("sound");
    let object = snapshot
        .object(452_641)
        .expect("readable")
        .expect("an id of the captures");
    assert_eq!(object.csv, None);
    assert_eq!(object.record.artist_mentions()[0].name, "Abu'l Qasim Firdausi");
    let api = object.api.expect("a capture");
    assert_eq!(
        (api.retrieved_at.as_str(), api.http_status),
        ("2023-02-28T05:00:00Z", 200)
    );
    let sunflowers = snapshot
        .object(436_524)
        .expect("readable")
        .expect("an id of the captures");
    assert_eq!(sunflowers.record.has_known_image, Merged::Value(true));
    assert_eq!(
        verify(&report.output).expect("readable").problems,
        Vec::<String>::new()
    );
}

#[test]
fn disagreement_is_recorded_and_nothing_is_picked() {
    let desk = Desk::new();
    let changed = json!({
        "title": "Another", "constituents": [{ "name": "Nobody" }], "objectDate": "1800",
        "objectBeginDate": 1800, "objectEndDate": 1800, "isPublicDomain": false, "primaryImage": "",
    });
    let captures = [
        (503_046, 200, body(503_046, &changed)),
        (467_642, 404, "gone".to_owned()),
        (999_999_999, 404, "gone".to_owned()),
    ];
    let report = run(&write_captures(&desk, &captures, |_| {})).expect("an import");
    assert_eq!(report.manifest.counts.records, 2190);
    let snapshot = Snapshot::open(&report.output).expect("sound");
    let object = snapshot.object(503_046).expect("readable").expect("known");
    assert_eq!(
        (&object.record.title, object.record.object_date),
        (&Merged::Conflict, ObjectDate::Conflict)
    );
    assert!(object.record.artists.is_conflict() && object.record.is_public_domain.is_conflict());
    assert_eq!(object.record.has_known_image, Merged::Value(false));
    let row = snapshot.columns().row(503_046).expect("known") as usize;
    let conflicts = &snapshot.columns().conflicts;
    for set in [
        &conflicts.title,
        &conflicts.artists,
        &conflicts.date,
        &conflicts.rights,
    ] {
        assert!(set.contains(row) && set.count_ones(..) == 1);
    }
    let gone = snapshot.object(467_642).expect("readable").expect("known");
    assert_eq!(gone.api.expect("a capture").http_status, 404);
    assert_eq!(
        gone.record.has_known_image,
        Merged::Missing,
        "a missing page says nothing about images"
    );
    assert_eq!(snapshot.object(999_999_999).expect("readable"), None);
    assert_eq!(
        verify(&report.output).expect("readable").problems,
        Vec::<String>::new()
    );
}

#[test]
fn captures_that_are_not_what_they_claim_are_refused() {
    let desk = Desk::new();
    let good = (503_046, 200, body(503_046, &json!({})));
    let change = |name: &'static str, value: Value| {
        move |manifest: &mut Value| manifest["captures"][0][name] = value.clone()
    };
    let refuse = |captures: &[(u64, u16, String)], name: &'static str, value: Value, code: &str| {
        refused(&write_captures(&desk, captures, change(name, value)), code)
    };
    let one = std::slice::from_ref(&good);
    refuse(one, "sha256", json!("0".repeat(64)), "API_SEED_HASH_MISMATCH");
    refuse(one, "bytes", json!(1), "API_SEED_HASH_MISMATCH");
    refuse(one, "objectId", json!(7), "API_SEED_BODY_MISMATCH");
    refuse(
        &[(503_046, 200, "<html>".to_owned())],
        "httpStatus",
        json!(200),
        "API_SEED_BODY_MISMATCH",
    );
    refuse(
        &[good.clone(), good.clone()],
        "httpStatus",
        json!(404),
        "API_SEED_DUPLICATE",
    );
    for (name, value) in [
        ("file", json!("../0.json")),
        ("retrievedAt", json!("2023-02-28")),
        ("sha256", json!("xyz")),
        ("objectId", json!(0)),
        ("httpStatus", json!("ok")),
    ] {
        refuse(one, name, value, "API_SEED_MANIFEST_INVALID");
    }
    refuse(one, "file", json!("absent.json"), "INPUT_UNREADABLE");
    refused(
        &write_captures(&desk, one, |manifest| {
            manifest["format"] = json!("met-api-seeds/2")
        }),
        "API_SEED_MANIFEST_INVALID",
    );
}
