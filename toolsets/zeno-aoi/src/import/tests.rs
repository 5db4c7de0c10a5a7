use serde_json::{Value, json};

use super::{
    crosswalk::{Code, code},
    *,
};
use crate::{Subtype, catalogue::embedded::Embedded};

fn feature(properties: Value) -> Feature {
    let mut properties = properties;
    let object = properties.as_object_mut().unwrap();
    object.entry("bbox").or_insert(json!([0.0, 0.0, 1.0, 1.0]));
    object.entry("area_km2").or_insert(json!(1.0));
    let coordinates = json!([[[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]]]);
    let geometry = json!({ "type": "MultiPolygon", "coordinates": coordinates });
    serde_json::from_value(json!({ "properties": properties, "geometry": geometry })).unwrap()
}

fn country(iso: &str, name: &str) -> Feature {
    feature(json!({ "id": iso, "name": name, "iso_a3": iso, "adm0_a3": iso }))
}

fn unit(id: &str, iso: &str, name: &str, names: &[&str]) -> Feature {
    feature(json!({ "id": id, "name": name, "iso_a3": iso, "adm0_a3": iso, "names": names }))
}

fn region(id: &str, iso: &str, name: &str, members: &[&str]) -> Feature {
    feature(json!({
        "id": id, "name": name, "iso_a3": iso, "adm0_a3": iso, "grouping": true, "members": members,
    }))
}

/// Ids and names of what the catalogue then holds.
fn made(units: Vec<Feature>, regions: Vec<Feature>, codes: &[Code]) -> (Vec<(String, String)>, Vec<Miss>) {
    let imported = make(vec![country("AAA", "Land")], units, regions, codes).unwrap();
    let catalogue = Embedded::open(imported.bytes).unwrap();
    let areas = catalogue.areas().skip(1).map(|area| (area.id, area.name));
    (areas.collect(), imported.misses)
}

fn pair(id: &str, name: &str) -> (String, String) {
    (id.to_owned(), name.to_owned())
}

#[test]
fn a_unit_gets_the_gadm_id_of_its_name_in_its_country() {
    let units = vec![
        unit("AAA-1", "AAA", "North", &[]),
        unit("AAA-2", "AAA", "South", &["Süden"]),
    ];
    let codes = [
        code("AAA", "AAA.1", "north"),
        code("AAA", "AAA.2", "Suden"),
        code("BBB", "BBB.1", "North"),
    ];
    let (areas, misses) = made(units, Vec::new(), &codes);
    assert_eq!(
        areas,
        [pair("AAA.1", "North, Land"), pair("AAA.2", "South, Land")]
    );
    assert_eq!(misses.len(), 1);
    assert_eq!(
        (misses[0].id.as_str(), misses[0].reason),
        ("BBB.1", Reason::NoUnit)
    );
}

#[test]
fn a_tie_is_listed_and_never_guessed() {
    let units = vec![
        unit("AAA-1", "AAA", "Cork", &[]),
        unit("AAA-2", "AAA", "Cork", &[]),
    ];
    let (areas, misses) = made(units, Vec::new(), &[code("AAA", "AAA.1", "Cork")]);
    assert!(areas.iter().all(|(id, _)| id.starts_with("AAA-")), "{areas:?}");
    assert_eq!(misses[0].reason, Reason::Tie);
    assert_eq!(misses[0].units, ["AAA-1", "AAA-2"]);
}

#[test]
fn a_unit_that_two_ids_claim_gets_neither() {
    let units = vec![unit("AAA-1", "AAA", "Old", &["New"])];
    let codes = [code("AAA", "AAA.1", "Old"), code("AAA", "AAA.2", "New")];
    let (areas, misses) = made(units, Vec::new(), &codes);
    assert_eq!(areas[0].0, "AAA.1", "its own name counts before a variant");
    assert_eq!(misses[0].id, "AAA.2");
    let units = vec![unit("AAA-1", "AAA", "Other", &["Old", "New"])];
    let (areas, misses) = made(units, Vec::new(), &codes);
    assert_eq!(areas[0].0, "AAA-1");
    assert_eq!(misses.len(), 2);
}

#[test]
fn whoever_is_matched_is_out_of_the_way_of_the_others() {
    let units = vec![
        unit("AAA-1", "AAA", "Washington", &[]),
        unit("AAA-2", "AAA", "Washington", &["District of Columbia"]),
    ];
    let codes = [
        code("AAA", "AAA.48", "Washington"),
        code("AAA", "AAA.9", "District of Columbia"),
    ];
    let (areas, misses) = made(units, Vec::new(), &codes);
    assert_eq!(misses, []);
    assert_eq!(areas[0].0, "AAA.48");
    assert_eq!(areas[1], pair("AAA.9", "District of Columbia, Land"));
}

#[test]
fn regions_are_the_first_level_where_gadm_counts_them() {
    let units = || {
        vec![
            unit("AAA-1", "AAA", "Fermo", &[]),
            unit("AAA-2", "AAA", "Marche", &[]),
        ]
    };
    let regions = || vec![region("AAA-R-marche", "AAA", "Marche", &["AAA-1", "AAA-2"])];
    let (areas, _) = made(units(), regions(), &[code("AAA", "AAA.11", "Marche")]);
    let expected = [
        pair("AAA.11", "Marche, Land"),
        pair("AAA-1", "Fermo, Marche, Land"),
        pair("AAA-2", "Marche, Marche, Land"),
    ];
    assert_eq!(areas, expected);
    let (areas, _) = made(units(), regions(), &[]);
    assert_eq!(areas[1], pair("AAA-1", "Fermo, Land"));
}

/// The community and the province of Madrid are one area, which was there twice.
#[test]
fn a_region_of_one_unit_has_the_id_that_the_unit_would_have() {
    let units = vec![
        unit("AAA-1", "AAA", "Madrid", &["Comunidad de Madrid"]),
        unit("AAA-2", "AAA", "Other", &[]),
        unit("AAA-3", "AAA", "Another", &[]),
    ];
    let regions = vec![
        region("AAA-R-madrid", "AAA", "Madrid", &["AAA-1"]),
        region("AAA-R-rest", "AAA", "Rest", &["AAA-2", "AAA-3"]),
        region("AAA-R-more", "AAA", "More", &[]),
    ];
    let codes = [
        code("AAA", "AAA.8", "Comunidad de Madrid"),
        code("AAA", "AAA.9", "Rest"),
        code("AAA", "AAA.10", "More"),
    ];
    let (areas, misses) = made(units, regions, &codes);
    assert_eq!(misses, []);
    assert_eq!(areas[0], pair("AAA.8", "Madrid, Land"));
    assert!(
        areas.contains(&pair("AAA-1", "Madrid, Madrid, Land")),
        "{areas:?}"
    );
}

/// One region of the Philippines bears the name of an island province.
#[test]
fn a_region_gets_no_id_where_gadm_counts_other_units() {
    let units = vec![
        unit("AAA-1", "AAA", "Island", &[]),
        unit("AAA-2", "AAA", "Coast", &[]),
        unit("AAA-3", "AAA", "Plain", &[]),
    ];
    let regions = vec![region("AAA-R-island", "AAA", "Island", &["AAA-1", "AAA-2"])];
    let codes = [
        code("AAA", "AAA.1", "Island"),
        code("AAA", "AAA.2", "Coast"),
        code("AAA", "AAA.3", "Plain"),
    ];
    let (areas, misses) = made(units, regions, &codes);
    assert_eq!(misses, []);
    assert_eq!(areas[0].0, "AAA-R-island");
    assert_eq!(areas[1], pair("AAA.1", "Island, Land"));
}

#[test]
fn an_id_that_is_there_twice_is_refused() {
    let twice = vec![unit("AAA-1", "AAA", "One", &[]), unit("AAA-1", "AAA", "Two", &[])];
    let error = make(vec![country("AAA", "Land")], twice, Vec::new(), &[]).unwrap_err();
    assert!(matches!(error, ImportError::Twice { .. }), "{error}");
}

#[test]
fn a_unit_of_no_known_country_keeps_the_name_it_gives() {
    let mut homeless = unit("BBB-1", "BBB", "Atoll", &[]);
    homeless.properties.country = Some("Far Away".to_owned());
    let (areas, _) = made(vec![homeless], Vec::new(), &[]);
    assert_eq!(areas, [pair("BBB-1", "Atoll, Far Away")]);
}

#[test]
fn kosovo_has_the_code_that_the_statistics_use() {
    let kosovo = feature(json!({ "id": "KOS", "name": "Kosovo", "iso_a3": "", "adm0_a3": "KOS" }));
    let imported = make(vec![kosovo], Vec::new(), Vec::new(), &[]).unwrap();
    let area = Embedded::open(imported.bytes).unwrap().areas().next().unwrap();
    assert_eq!((area.id.as_str(), area.subtype), ("XKO", Subtype::Country));
    assert_eq!(area.iso3.as_deref(), Some("XKO"));
}
