//! The units inside of a place.

use crate::catalogues::{ids, message, pick};

#[tokio::test]
async fn units_are_those_below_the_place_and_no_others() {
    let answer = pick("Which states of Brazil lost the most?").await;
    assert_eq!(answer["aoi_selection"]["name"], "27 States in Brazil");
    assert_eq!(ids(&answer).len(), 27);
    let area = &answer["aoi_selection"]["aois"][0];
    assert_eq!(area["gadm_id"], area["src_id"]);
    assert_eq!(ids(&pick("states in Indonesia").await).len(), 33);
    assert_eq!(ids(&pick("regions of France").await).len(), 13);
}

/// Cutting the last part off an id once turned the counties of Texas into all counties of the country.
#[tokio::test]
async fn units_of_a_state_are_not_those_of_its_country() {
    let answer = pick("Which districts of Galicia, Spain lost the most?").await;
    assert_eq!(answer["aoi_selection"]["name"], "4 Districts in Galicia, Spain");
    assert!(ids(&answer).iter().all(|id| id.starts_with("ESP-")), "{answer}");
}

#[tokio::test]
async fn more_areas_than_can_be_analysed_are_refused_with_both_numbers() {
    let answer = pick("districts of England").await;
    assert_eq!(ids(&answer), Vec::<&str>::new());
    assert!(message(&answer).contains("at most 50"), "{answer}");
}

#[tokio::test]
async fn a_level_that_the_catalogue_lacks_is_refused_and_explained() {
    let answer = pick("Which county has the most deforestation in Alabama, USA").await;
    assert_eq!(ids(&answer), Vec::<&str>::new());
    assert!(
        message(&answer).contains("no districts in Alabama, United States"),
        "{answer}"
    );
    assert!(message(&answer).contains("DATABASE_URL"), "{answer}");
}

#[tokio::test]
async fn a_missing_level_is_replaced_by_the_next_one_and_said() {
    let answer = pick("municipalities of Bolivia").await;
    assert_eq!(ids(&answer).len(), 9);
    assert!(
        message(&answer).contains("Bolivia has no municipalities here; its states are used instead."),
        "{answer}"
    );
}

#[tokio::test]
async fn units_without_a_gadm_id_are_left_out_by_name() {
    let answer = pick("states of Russia").await;
    assert_eq!(ids(&answer).len(), 83);
    assert!(
        message(&answer).contains("Left out, because no GADM id is known for them:"),
        "{answer}"
    );
    assert!(message(&answer).contains("Sevastopol"), "{answer}");
}

#[tokio::test]
async fn a_region_beside_the_tree_has_the_units_inside_its_shape() {
    let answer = pick("Which provinces of Bicol have lost the most?").await;
    let names = answer["aoi_selection"]["aois"].to_string();
    assert!(names.contains("Albay") && names.contains("Sorsogon"), "{answer}");
    assert!(!names.contains("Quezon"), "{answer}");
}

#[tokio::test]
async fn areas_of_two_sources_are_not_mixed() {
    let answer = pick("compare Brazil and Tokelau").await;
    assert_eq!(ids(&answer), Vec::<&str>::new());
    assert!(message(&answer).contains("one after the other"), "{answer}");
}

#[tokio::test]
async fn units_can_be_limited_to_those_whose_name_begins_with_a_letter() {
    let answer =
        pick("Of the Canadian provinces+territories beginning with 'N' - which had the most deforestation?")
            .await;
    assert_eq!(
        answer["aoi_selection"]["name"],
        "5 States in Canada, beginning with N"
    );
    assert_eq!(ids(&answer), ["CAN.4", "CAN.5", "CAN.6", "CAN.7", "CAN.8"]);
    let answer = pick("states of Brazil starting with the letter X").await;
    assert_eq!(ids(&answer), Vec::<&str>::new());
    assert!(
        message(&answer).contains("no states in Brazil, beginning with X"),
        "{answer}"
    );
}

#[tokio::test]
async fn units_can_be_left_out_by_name() {
    for question in [
        "states of Brazil except Pará and Acre",
        "deforestation in Brazil without Pará and Acre",
        "todos los estados de Brasil excepto Acre y Pará",
    ] {
        let answer = pick(question).await;
        let name = answer["aoi_selection"]["name"].as_str().unwrap_or_default();
        assert!(
            name.starts_with("25 States in Brazil, without "),
            "{question}: {answer}"
        );
        assert!(
            !ids(&answer).contains(&"BRA.14") && !ids(&answer).contains(&"BRA.1"),
            "{answer}"
        );
    }
}
