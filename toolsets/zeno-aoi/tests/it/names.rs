//! From the name of a place to the place.

use periplus_toolset::{json, testing::call};

use crate::catalogues::{aoi, ask, ids, message, pick};

#[tokio::test]
async fn a_state_is_selected_with_its_id_box_and_source() {
    let answer = pick("tree cover loss in Pará, Brazil since 2015").await;
    let selection = &answer["aoi_selection"];
    assert_eq!(selection["name"], "Pará, Brazil");
    let area = &selection["aois"][0];
    assert_eq!(area["source"], "gadm");
    assert_eq!(area["src_id"], "BRA.14");
    assert_eq!(area["subtype"], "state-province");
    assert_eq!(area["iso3"], "BRA");
    assert_eq!(area["admin_level"], 1);
    assert_eq!(area["catalog"], "natural-earth");
    assert_eq!(area["similarity_score"], 1.0);
    assert_eq!(
        area.get("gadm_id"),
        None,
        "only units of what was asked for repeat their id"
    );
    let bbox: Vec<f64> = serde_json::from_value(area["bbox"].clone()).unwrap();
    assert!(
        bbox[0] < -58.0 && bbox[2] > -47.0 && bbox[1] < -9.0 && bbox[3] > 2.0,
        "{bbox:?}"
    );
    assert_eq!(answer.get("aoi_candidates"), None);
    assert_eq!(
        message(&answer),
        "Selected AOIs: Pará, Brazil (1 area, source gadm, state-province).\n- Pará, Brazil"
    );
}

/// `Para, Brazil` was ranked below Paraná before accents were folded.
#[tokio::test]
async fn a_name_without_its_accents_finds_the_place_with_them() {
    assert_eq!(ids(&pick("loss in Para, Brazil").await), ["BRA.14"]);
    assert_eq!(ids(&pick("loss in Sao Paulo, Brazil").await), ["BRA.25"]);
}

#[tokio::test]
async fn exonyms_and_short_forms_find_the_place() {
    for (question, id) in [
        ("loss in Lisbon, Portugal", "PRT.12"),
        ("loss in Bavaria", "DEU.2"),
        ("loss in the DRC", "COD"),
        ("loss in the UK", "GBR"),
        ("loss in the UAE", "ARE"),
        ("loss in Burma", "MMR"),
        ("loss in Swaziland", "SWZ"),
        ("loss in Kosovo", "XKO"),
        ("loss in Scotland", "GBR.3"),
        ("loss in Catalonia", "ESP.6"),
        ("loss in Madrid, Spain", "ESP.8"),
        ("loss in the Principality of Asturias", "ESP.17"),
        ("loss in Murcia", "ESP.18"),
        ("loss in Occitanie (FRA)", "FRA.11"),
    ] {
        assert_eq!(ids(&pick(question).await), [id], "{question}");
    }
}

#[tokio::test]
async fn a_place_that_was_not_found_is_named_and_the_others_are_kept() {
    let answer = pick("compare Brazil and Xyzzyland").await;
    assert_eq!(ids(&answer), ["BRA"]);
    assert!(message(&answer).contains("\"Xyzzyland\""), "{answer}");
    let answer = pick("loss in Xyzzyland").await;
    assert_eq!(
        answer.as_object().unwrap().len(),
        1,
        "nothing is published: {answer}"
    );
    assert!(message(&answer).contains("\"Xyzzyland\""), "{answer}");
}

#[tokio::test]
async fn a_misspelt_name_is_understood_and_said_to_be_taken_for_another() {
    let answer = pick("loss in Indonessia").await;
    assert_eq!(ids(&answer), ["IDN"]);
    assert!(
        message(&answer).contains("\"Indonessia\" was taken to mean Indonesia."),
        "{answer}"
    );
    assert_eq!(
        ids(&pick("deforestation in the Amazon").await),
        Vec::<&str>::new()
    );
}

/// A protected area that is not held was once answered with the country it lies in.
#[tokio::test]
async fn a_protected_area_does_not_become_the_country_it_lies_in() {
    for question in [
        "show me tree cover loss in Cobaipo protected area in Bolivia",
        "loss in the Kurtjar People territory in Queensland",
        "Assess natural lands in Resex Catua-Ipixuna",
    ] {
        let answer = pick(question).await;
        assert_eq!(ids(&answer), Vec::<&str>::new(), "{answer}");
        assert!(message(&answer).contains("DATABASE_URL"), "{answer}");
    }
    let hinted = ask(json!({ "question": "loss in Georgia", "area_of_interest": "wdpa" })).await;
    assert_eq!(ids(&hinted), Vec::<&str>::new(), "{hinted}");
}

#[tokio::test]
async fn the_kind_of_area_is_accepted_in_every_spelling() {
    for kind in [
        "gadm",
        "administrative area (country, state/region, country/subregion)",
        "adminstrative area (country, state/region, country/subregion)",
    ] {
        let answer = ask(json!({ "question": "loss in Peru", "area_of_interest": kind })).await;
        assert_eq!(ids(&answer), ["PER"], "{kind}");
    }
    let refused = call(
        &aoi(),
        "pick_aoi",
        json!({ "question": "Peru", "area_of_interest": "city" }),
    )
    .await;
    assert!(refused.is_err());
}

#[tokio::test]
async fn a_question_without_a_place_selects_nothing() {
    for question in [
        "What's the geographic coverage of the tree cover loss data?",
        "",
        "hello",
    ] {
        let answer = pick(question).await;
        assert_eq!(answer.as_object().unwrap().len(), 1, "{answer}");
        assert!(message(&answer).contains("No place was found"), "{answer}");
    }
}

#[tokio::test]
async fn the_same_place_is_selected_once() {
    assert_eq!(ids(&pick("compare Brazil and Brasil").await), ["BRA"]);
}
