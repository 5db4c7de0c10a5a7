//! `aoi search`, `aoi import` and `pick_aoi` of the built binary.

use e2e::Periplus;
use serde_json::Value;

#[test]
fn areas_are_found_by_name_in_any_language() {
    let periplus = Periplus::new();
    let found = periplus.run(&["aoi", "search", "Para, Brazil"]).expect(0);
    let first = found.stdout.lines().nth(1).unwrap_or_default();
    assert!(
        first.contains("BRA.14") && first.contains("Pará, Brazil"),
        "{}",
        found.stdout
    );
    let rows = periplus
        .run(&["aoi", "search", "Lisbonne", "--json"])
        .expect(0)
        .json();
    assert_eq!(rows[0]["src_id"], "PRT.12");
    assert_eq!(rows[0]["bbox"].as_array().map(Vec::len), Some(4));
    let nothing = periplus.run(&["aoi", "search", "qqqqqq"]).expect(1);
    assert!(nothing.stdout.is_empty(), "{}", nothing.stdout);
    let unknown = periplus
        .run(&["aoi", "search", "Peru", "--source", "custom"])
        .expect(2);
    assert!(unknown.stderr.contains("wdpa"), "{}", unknown.stderr);
}

#[test]
fn areas_are_listed_page_by_page() {
    let periplus = Periplus::new();
    let list = |offset: &str| {
        let arguments = [
            "aoi", "search", "--source", "gadm", "--limit", "20", "--offset", offset, "--json",
        ];
        periplus.run(&arguments).expect(0).json()
    };
    let (first, second) = (list("0"), list("10"));
    assert_eq!(first.as_array().map(Vec::len), Some(20));
    assert_eq!(first[10], second[0], "pages follow one another");
    assert_eq!(first[0]["similarity_score"], Value::Null);
    let _ = periplus.run(&["aoi", "search", "--offset", "10000"]).expect(1);
}

#[test]
fn an_import_says_what_it_needs() {
    let periplus = Periplus::new();
    let aimless = periplus.run(&["aoi", "import"]).expect(2);
    assert!(aimless.stderr.contains("--output"), "{}", aimless.stderr);
    let no_database = periplus.run(&["aoi", "import", "--to-postgis"]).expect(2);
    assert!(
        no_database.stderr.contains("DATABASE_URL"),
        "{}",
        no_database.stderr
    );
    let missing = periplus
        .run(&[
            "aoi",
            "import",
            "--from-geojson",
            "nowhere",
            "--output",
            "areas.bin",
        ])
        .expect(1);
    assert!(
        missing.stderr.contains("nowhere/admin0.geojson"),
        "{}",
        missing.stderr
    );
}

#[test]
fn a_catalogue_file_that_is_none_is_refused_by_name() {
    let periplus = Periplus::new().env("PERIPLUS_AOI_FILE", "Cargo.toml");
    let refused = periplus
        .run(&["call", "--local", "pick_aoi", "question=Peru"])
        .expect(2);
    assert!(refused.stderr.contains("PERIPLUS_AOI_FILE"), "{}", refused.stderr);
}

#[test]
fn a_question_is_answered_with_areas_and_no_key() {
    let periplus = Periplus::new();
    let picked = periplus
        .run(&[
            "call",
            "--local",
            "zeno-aoi/pick_aoi",
            "question=tree cover loss in Pará, Brazil since 2015",
            "--json",
        ])
        .expect(0)
        .json();
    let area: &Value = &picked["aoi_selection"]["aois"][0];
    assert_eq!(
        (&area["src_id"], &area["source"]),
        (&"BRA.14".into(), &"gadm".into())
    );
}
