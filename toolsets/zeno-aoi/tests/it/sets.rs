//! Recorded rows of a deployment's database, and questions with the areas they mean.

use std::collections::BTreeMap;

use periplus_zeno_aoi::{
    Area, Bounds, Place, Source, Subtype,
    catalogue::{embedded::Embedded, recorded::Recorded},
    pick::{Lookup, Outcome, pick},
    question::read,
    request::{Request, Subregion},
    similarity,
};

const SEARCHES: &str = include_str!("../../../../data/zeno/aoi_search_candidates.csv");
const UNITS: &str = include_str!("../../../../data/zeno/gadm_subregions.csv");
const EXPECTED: &str = include_str!("../../../../data/zeno/aoi_expected.csv");
const END_TO_END: &str = include_str!("../../../../data/zeno/end_to_end.csv");

type Row = BTreeMap<String, String>;

fn rows(table: &str) -> Vec<Row> {
    csv::Reader::from_reader(table.as_bytes())
        .deserialize()
        .map(|row| row.expect("the table is well formed"))
        .collect()
}

fn area(row: &Row) -> Area {
    let source = row.get("source").map_or(Source::Gadm, |source| {
        Source::parse(source).expect("a recorded source is one")
    });
    let id = row["src_id"].clone();
    Area {
        source,
        iso3: id.get(..3).filter(|_| source == Source::Gadm).map(str::to_owned),
        id,
        name: row["name"].clone(),
        subtype: Subtype::parse(&row["subtype"]).expect("a recorded subtype is one"),
        kind: None,
        bounds: Bounds::WORLD,
        area_km2: None,
    }
}

#[test]
fn every_recorded_likeness_is_reproduced() {
    for row in rows(SEARCHES) {
        let recorded: f64 = row["similarity"].parse().unwrap();
        let found = similarity(&row["query"], &row["name"]);
        assert!((found - recorded).abs() < 1e-4, "{row:?}: {found}");
    }
}

/// The recorded database: searches as they were answered, units as they were listed.
fn recorded() -> Recorded {
    let mut catalogue = Recorded::default();
    let mut searches: BTreeMap<String, Vec<Area>> = BTreeMap::new();
    for row in rows(SEARCHES) {
        searches.entry(row["query"].clone()).or_default().push(area(&row));
    }
    for (query, rows) in searches {
        catalogue.search(&query, rows);
    }
    let mut units: BTreeMap<(String, String), Vec<Area>> = BTreeMap::new();
    for row in rows(UNITS) {
        let key = (row["parent_id"].clone(), row["subregion"].clone());
        units.entry(key).or_default().push(area(&row));
    }
    for ((parent, word), rows) in units {
        let subtype = if word == "state" {
            Subtype::StateProvince
        } else {
            Subtype::DistrictCounty
        };
        catalogue.units(&parent, subtype, rows);
    }
    catalogue
}

async fn picked(catalogue: &Recorded, request: &Request) -> Outcome {
    let gazetteer = Embedded::shipped();
    let lookup = Lookup {
        catalogue,
        gazetteer: &gazetteer,
        reader: None,
    };
    pick(lookup, request).await.expect("the recording has the answer")
}

fn request(place: &str, subregion: Option<Subregion>) -> Request {
    Request {
        places: vec![Place::parse(place)],
        subregion,
        ..Request::default()
    }
}

#[tokio::test]
async fn recorded_rows_lead_to_one_area_or_to_a_question() {
    let catalogue = recorded();
    let Outcome::Ambiguous { candidates, .. } = picked(&catalogue, &request("Puri", None)).await else {
        panic!("Puri is in two countries");
    };
    let mut ids: Vec<&str> = candidates.iter().map(|area| area.id.as_str()).collect();
    ids.sort_unstable();
    assert_eq!(
        ids,
        ["AGO.17.11.1_1", "AGO.17.11_1", "IND.26.26.2_1", "IND.26.26_1"]
    );
    for (place, id) in [
        ("Bolivia", "BOL"),
        ("Indonesia", "IDN"),
        ("Osceola, Research Natural Area, USA", "555608530"),
        ("Alabama, USA", "USA.1_1"),
    ] {
        let outcome = picked(&catalogue, &request(place, None)).await;
        let Outcome::Selected { selection, .. } = outcome else {
            panic!("{place}: {outcome:?}");
        };
        assert_eq!(selection.aois[0].src_id, id);
    }
}

#[tokio::test]
async fn recorded_units_are_listed_under_their_place() {
    let outcome = picked(&recorded(), &request("Alabama, USA", Some(Subregion::District))).await;
    let Outcome::Selected { selection, .. } = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(selection.name, "33 Districts in Alabama, United States");
    assert!(selection.aois.iter().all(|aoi| aoi.src_id.starts_with("USA.1.")));
    assert_eq!(
        selection.aois[0].gadm_id.as_deref(),
        Some(selection.aois[0].src_id.as_str())
    );
}

/// An id without the revision mark, which the embedded catalogue does not have.
fn plain(id: &str) -> &str {
    id.rsplit_once('_').map_or(id, |(id, _)| id)
}

/// What the embedded catalogue picks: sorted ids, `?` for a question to the user, `-` for nothing.
async fn embedded(request: &Request) -> Vec<String> {
    let catalogue = Embedded::shipped();
    let lookup = Lookup {
        catalogue: &*catalogue,
        gazetteer: &catalogue,
        reader: None,
    };
    let mut ids: Vec<String> = match pick(lookup, request)
        .await
        .expect("the embedded catalogue answers")
    {
        Outcome::Selected { selection, .. } => selection.aois.into_iter().map(|aoi| aoi.src_id).collect(),
        Outcome::Ambiguous { .. } => vec!["?".to_owned()],
        Outcome::Nothing(_) => vec!["-".to_owned()],
    };
    ids.sort();
    ids
}

/// Whether the embedded catalogue can hold an id: countries and first-level units of GADM.
fn is_held(id: &str) -> bool {
    id.matches('.').count() <= 1 && id.bytes().take(3).all(|byte| byte.is_ascii_uppercase())
}

/// Whether what was found is right. Areas that the embedded catalogue cannot hold must be refused, asked about or be
/// shapes of Natural Earth; they must not be replaced by something else.
fn is_right(row: &Row, found: &[String]) -> bool {
    let mut expected: Vec<&str> = row["expected_aoi_ids"]
        .split(';')
        .map(plain)
        .filter(|id| !id.is_empty())
        .collect();
    expected.sort_unstable();
    let is_administrative = row["expected_aoi_source"] != "kba"
        && row["expected_aoi_source"] != "wdpa"
        && row["expected_aoi_source"] != "landmark";
    if expected.is_empty() || !is_administrative || !expected.iter().all(|id| is_held(id)) {
        return found
            .iter()
            .all(|id| matches!(id.as_str(), "-" | "?") || id.contains('-'));
    }
    // The list of all countries differs by a few dependencies.
    if expected.len() > 200 {
        found.len() > 200
    } else {
        found == expected
    }
}

#[tokio::test]
async fn at_least_nine_in_ten_questions_lead_to_the_areas_they_mean() {
    let gazetteer = Embedded::shipped();
    let (mut right, mut wrong) = (0, Vec::new());
    let questions = rows(END_TO_END);
    for row in &questions {
        let request = read(&row["question"], &gazetteer);
        let found = embedded(&request).await;
        if is_right(row, &found) {
            right += 1;
        } else {
            let asked: Vec<String> = request.places.iter().map(Place::text).collect();
            wrong.push(format!(
                "{}\n    expected {}\n    got      {found:?} for {asked:?}",
                row["question"], row["expected_aoi_ids"]
            ));
        }
    }
    println!("{right} of {} right", questions.len());
    wrong.iter().for_each(|wrong| println!("{wrong}"));
    assert!(
        right * 10 >= questions.len() * 9,
        "{right} of {} right",
        questions.len()
    );
}

#[tokio::test]
async fn the_expected_areas_are_found_or_honestly_refused() {
    let (mut right, mut all) = (0, 0);
    for row in rows(EXPECTED) {
        let word = match row["subregion"].as_str() {
            "state" => Some(Subregion::State),
            "district" => Some(Subregion::District),
            "country" => Some(Subregion::Country),
            _ => None,
        };
        let found = embedded(&request(&row["places"], word)).await;
        let is_right = match row["expected_src_id"].as_str() {
            "all countries" => found.len() > 200,
            // Not in the catalogue: a district, districts of a state, an indigenous land.
            "ambiguous" | "USA.1.*" | "BRA79" => found == ["-"],
            "RUS.*" => {
                row["expected_count"] == found.len().to_string()
                    && found.iter().all(|id| id.starts_with("RUS."))
            }
            id => found == [plain(id)],
        };
        println!(
            "{} {:?} -> {} areas",
            if is_right { "right" } else { "WRONG" },
            row["places"],
            found.len()
        );
        all += 1;
        right += usize::from(is_right);
    }
    assert!(right * 10 >= all * 9, "{right} of {all} right");
}
