//! The whole way from a question to a selection, over the embedded catalogue and, where there is a server, over the same
//! areas in PostGIS: both must pick the same.

use periplus_toolset::{
    Answers, Body, ClientCapabilities, Failure, JsonObject, Toolset, Value, json, testing::call,
};
use periplus_zeno_aoi::{Config, toolset};

use crate::database;

fn aoi() -> Toolset {
    toolset(Config::default())
}

async fn ask(arguments: Value) -> Value {
    let answer = answer_of(&aoi(), arguments.clone()).await;
    if let Some(catalogue) = database::catalogue().await {
        let stored = toolset(Config {
            catalogue: Some(catalogue),
            ..Config::default()
        });
        let stored = answer_of(&stored, arguments).await;
        assert_eq!(ids(&stored), ids(&answer), "PostGIS answers otherwise: {stored}");
        assert_eq!(stored["aoi_selection"]["name"], answer["aoi_selection"]["name"]);
        let candidates = |answer: &Value| answer["aoi_candidates"].as_array().map(Vec::len);
        assert_eq!(
            candidates(&stored),
            candidates(&answer),
            "PostGIS answers otherwise: {stored}"
        );
    }
    answer
}

async fn answer_of(toolset: &Toolset, arguments: Value) -> Value {
    call(toolset, "pick_aoi", arguments)
        .await
        .expect("an expected failure is an answer")
        .structured
}

async fn pick(question: &str) -> Value {
    ask(json!({ "question": question })).await
}

fn ids(answer: &Value) -> Vec<&str> {
    let aois = answer["aoi_selection"]["aois"].as_array();
    aois.into_iter()
        .flatten()
        .map(|aoi| aoi["src_id"].as_str().expect("an area has an id"))
        .collect()
}

fn message(answer: &Value) -> &str {
    answer["message"].as_str().expect("an answer has a message")
}

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
        ("loss in Occitanie (FRA)", "FRA.11"),
    ] {
        assert_eq!(ids(&pick(question).await), [id], "{question}");
    }
}

#[tokio::test]
async fn a_name_that_two_places_have_is_asked_about_and_the_answer_is_understood() {
    let answer = pick("deforestation in Georgia").await;
    assert_eq!(answer.get("aoi_selection"), None);
    let candidates = answer["aoi_candidates"].as_array().unwrap();
    let mut fields: Vec<&str> = candidates[0]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    fields.sort_unstable();
    assert_eq!(fields, ["bbox", "name", "source", "src_id", "subtype"]);
    assert_eq!(candidates.len(), 2);
    let line = "Georgia, United States - (state-province) [USA]";
    assert!(message(&answer).contains(line), "{answer}");
    assert_eq!(ids(&pick(line).await), ["USA.11"]);
    assert_eq!(ids(&pick("Georgia - (country) [GEO]").await), ["GEO"]);
}

#[tokio::test]
async fn a_kind_in_the_question_tells_namesakes_apart() {
    let answer = pick("Which US state lost more forest due to wildfires? Washington or Oregon?").await;
    assert_eq!(ids(&answer), ["USA.48", "USA.38"]);
    assert_eq!(
        answer["aoi_selection"]["name"],
        "Washington, United States & Oregon, United States"
    );
}

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
        ids(&pick("deforestation in Southeast Asia").await),
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

#[tokio::test]
async fn areas_of_two_sources_are_not_mixed() {
    let answer = pick("compare Brazil and Tokelau").await;
    assert_eq!(ids(&answer), Vec::<&str>::new());
    assert!(message(&answer).contains("one after the other"), "{answer}");
}

/// Calls the tool as a client that can show its user a form, with what was answered so far.
async fn ask_with_form(question: &str, answers: Answers) -> Result<Value, Failure> {
    let toolset = aoi();
    let tool = toolset.find("pick_aoi").expect("the tool keeps its name");
    let cx = toolset
        .context()
        .client(ClientCapabilities::ALL)
        .answers(answers)
        .build();
    let arguments = JsonObject::from_iter([("question".to_owned(), question.into())]);
    let output = tool.call(arguments, &cx).await?;
    Ok(output.structured)
}

#[tokio::test]
async fn a_client_that_can_ask_its_user_is_asked_and_the_answer_settles_it() {
    let question = "compare Georgia and Brazil";
    let Err(Failure::InputRequired(asked)) = ask_with_form(question, Answers::new()).await else {
        panic!("the user has to be asked");
    };
    let request = &asked.requests[0];
    assert_eq!(request.key, "Georgia");
    let lines = &request.params["requestedSchema"]["properties"]["area"]["enum"];
    let line = lines[1].as_str().unwrap();
    let answer = json!({ "action": "accept", "content": { "area": line } });
    let answers: Answers = [("Georgia".to_owned(), answer)].into();
    let answer = ask_with_form(question, answers).await.unwrap();
    assert_eq!(ids(&answer).len(), 2, "{answer}");
    assert!(ids(&answer).contains(&"BRA"), "{answer}");
}

#[tokio::test]
async fn a_user_who_would_rather_not_say_leaves_the_candidates() {
    let declined: Answers = [("Georgia".to_owned(), json!({ "action": "decline" }))].into();
    let answer = ask_with_form("loss in Georgia", declined).await.unwrap();
    assert_eq!(answer["aoi_candidates"].as_array().unwrap().len(), 2);
    let invented = json!({ "action": "accept", "content": { "area": "Atlantis - (country) [ATL]" } });
    let answers: Answers = [("Georgia".to_owned(), invented)].into();
    let answer = ask_with_form("loss in Georgia", answers).await.unwrap();
    assert_eq!(answer["aoi_candidates"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn the_shape_of_an_area_is_a_document() {
    let answer = pick("loss in Fiji").await;
    let uri = answer["aoi_selection"]["aois"][0]["geometry_ref"]
        .as_str()
        .unwrap();
    assert_eq!(uri, "area://gadm/FJI");
    let toolset = aoi();
    let template = &toolset.resource_templates()[0];
    let read = async |uri: &str| {
        let variables = template.matches(uri)?;
        template.read(uri, variables).await
    };
    let document = read(uri).await.expect("the document is there");
    let Body::Text(text) = document.body else {
        panic!("a shape is text");
    };
    let shape: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(shape["name"], "Fiji");
    assert_eq!(shape["src_id"], "FJI");
    assert_eq!(shape["geometry"]["type"], "MultiPolygon");
    assert!(
        read("area://gadm/BRA.14_1").await.is_some(),
        "a revision mark does not matter"
    );
    for uri in ["area://gadm/NOPE", "area://custom/1", "area://gadm/%zz"] {
        assert!(read(uri).await.is_none(), "{uri}");
    }
}
