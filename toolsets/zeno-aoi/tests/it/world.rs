//! The world, its parts, and what lies across its edge.

use crate::catalogues::{ids, message, pick};

#[tokio::test]
async fn the_world_is_all_countries_with_their_own_boxes() {
    let answer = pick("Which countries have the most deforestation globally?").await;
    assert_eq!(answer["aoi_selection"]["name"], "All countries in the world");
    let ids = ids(&answer);
    assert!(ids.len() > 230 && ids.contains(&"XKO"), "{}", ids.len());
    assert!(ids.iter().all(|id| id.len() == 3));
    let aois = answer["aoi_selection"]["aois"].as_array().unwrap();
    let brazil = aois.iter().find(|aoi| aoi["src_id"] == "BRA").unwrap();
    assert!(brazil["bbox"][0].as_f64().unwrap() > -80.0, "{brazil}");
    assert!(
        message(&answer).len() < 200,
        "a list of all countries helps nobody: {answer}"
    );
}

#[tokio::test]
async fn the_world_can_only_be_compared_by_country() {
    let answer = pick("Which regions have the highest tree canopy cover globally?").await;
    assert_eq!(answer.get("aoi_selection"), None);
    assert!(message(&answer).contains("only compare countries"), "{answer}");
}

#[tokio::test]
async fn an_area_across_the_antimeridian_has_its_west_above_its_east() {
    for question in ["loss in Fiji", "loss in Russia", "loss in the United States"] {
        let answer = pick(question).await;
        let bbox = &answer["aoi_selection"]["aois"][0]["bbox"];
        assert!(bbox[0].as_f64() > bbox[2].as_f64(), "{question}: {bbox}");
    }
}

/// A map once fetched the shapes of all countries one by one until its memory was full.
#[tokio::test]
async fn the_world_is_drawn_from_one_document_and_not_country_by_country() {
    let answer = pick("Which countries lost the most?").await;
    let selection = &answer["aoi_selection"];
    assert_eq!(selection["geometry_ref"], "area://gadm/WORLD");
    let aois = selection["aois"].as_array().unwrap();
    assert!(aois.iter().all(|aoi| aoi.get("geometry_ref").is_none()));
    let answer = pick("loss in Peru").await;
    assert_eq!(answer["aoi_selection"].get("geometry_ref"), None);
    assert_eq!(
        answer["aoi_selection"]["aois"][0]["geometry_ref"],
        "area://gadm/PER"
    );
}

/// Any place with the word in its name was once answered with all countries.
#[tokio::test]
async fn a_place_with_the_world_in_its_name_is_not_the_world() {
    for question in [
        "loss in Disney World",
        "loss in Earth, Texas",
        "fires around Worldend",
    ] {
        assert_eq!(ids(&pick(question).await), Vec::<&str>::new(), "{question}");
    }
    let answer = pick("loss in Earth, Texas and in Brazil").await;
    assert_eq!(ids(&answer), ["BRA"], "{answer}");
}

#[tokio::test]
async fn a_continent_or_a_part_of_one_is_its_countries() {
    let answer = pick("Which country in South America lost the most primary forest?").await;
    let name = answer["aoi_selection"]["name"].as_str().unwrap();
    assert!(name.ends_with(" Countries in South America"), "{answer}");
    let found = ids(&answer);
    assert!(
        ["BRA", "PER", "SUR"].iter().all(|id| found.contains(id)),
        "{answer}"
    );
    assert!(!found.contains(&"PAN") && !found.contains(&"MEX"), "{answer}");
    assert_eq!(answer["aoi_selection"]["aois"][0]["gadm_id"], found[0]);
    for question in [
        "deforestation in southeast asia",
        "Desmatamento no Sudeste Asiático",
    ] {
        let answer = pick(question).await;
        let found = ids(&answer);
        assert!(
            found.contains(&"IDN") && !found.contains(&"IND"),
            "{question}: {answer}"
        );
    }
}

#[tokio::test]
async fn a_part_of_the_world_narrows_a_place_and_can_be_narrowed() {
    assert_eq!(ids(&pick("loss in Georgia, Asia").await), ["GEO"]);
    assert_eq!(
        ids(&pick("Which country in Africa lost more: Kenya or Uganda?").await),
        ["KEN", "UGA"]
    );
    let answer = pick("African countries without Nigeria").await;
    assert!(
        !ids(&answer).contains(&"NGA") && ids(&answer).len() > 40,
        "{answer}"
    );
    let answer = pick("all countries in the world except Brazil").await;
    assert!(
        !ids(&answer).contains(&"BRA") && ids(&answer).len() > 200,
        "{answer}"
    );
    assert_ne!(answer["aoi_selection"]["name"], "All countries in the world");
}
