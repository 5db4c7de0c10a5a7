//! What happens when several places are meant.

use std::sync::Arc;

use periplus_toolset::{Answers, ClientCapabilities, Failure, JsonObject, Value, json};
use periplus_zeno_aoi::{Area, Bounds, Config, Source, Subtype, catalogue::recorded::Recorded, toolset};

use crate::catalogues::{answer_of, aoi, ids, message, pick};

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
async fn a_short_name_that_two_countries_go_by_is_asked_about() {
    for (name, one, two) in [
        ("Congo", "COD", "COG"),
        ("the Congo", "COD", "COG"),
        ("Korea", "KOR", "PRK"),
        ("the Virgin Islands", "VIR", "VGB"),
    ] {
        let answer = pick(&format!("tree cover loss in {name} in 2020")).await;
        let said = message(&answer);
        assert_eq!(answer.get("aoi_selection"), None, "{name}: {answer}");
        for id in [one, two] {
            assert!(said.contains(&format!("(country) [{id}]")), "{name}: {said}");
        }
    }
    assert_eq!(ids(&pick("tree cover loss in the Congo Republic").await), ["COG"]);
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

/// Names that a park, a state and a territory share once led to whichever came first.
#[tokio::test]
async fn the_kind_that_was_asked_for_decides_between_sources() {
    let toolset = toolset(Config {
        catalogue: Some(Arc::new(namesakes_of_several_sources())),
        ..Config::default()
    });
    for (question, kind, id) in [
        ("loss in Washington", "gadm", "USA.48_1"),
        (
            "loss in Oregon",
            "administrative area (country, state/region, country/subregion)",
            "USA.38_1",
        ),
        ("loss in Washington", "protected area, park, or reserve", "374057"),
        ("loss in Cobaipo in Bolivia", "wdpa", "555592663"),
        (
            "loss in Kurtjar People in Queensland",
            "indigenous region or territory",
            "AUS402",
        ),
        ("loss in Navajo Nation", "landmark", "USA20100"),
        ("loss in Mount Hakusan", "key biodiversity area", "15060"),
    ] {
        let arguments = json!({ "question": question, "area_of_interest": kind });
        let answer = answer_of(&toolset, arguments).await;
        assert_eq!(ids(&answer), [id], "{question}, {kind}: {answer}");
    }
    let answer = answer_of(&toolset, json!({ "question": "loss in Washington" })).await;
    assert_eq!(
        answer["aoi_candidates"].as_array().map(Vec::len),
        Some(2),
        "without a kind the user is asked: {answer}"
    );
}

#[tokio::test]
async fn a_kind_that_nothing_has_does_not_hide_the_place() {
    let toolset = toolset(Config {
        catalogue: Some(Arc::new(namesakes_of_several_sources())),
        ..Config::default()
    });
    let arguments = json!({ "question": "loss in Mount Hakusan", "area_of_interest": "landmark" });
    assert_eq!(ids(&answer_of(&toolset, arguments).await), ["15060"]);
}

fn namesakes_of_several_sources() -> Recorded {
    let mut catalogue = Recorded::default();
    let mut record = |query: &str, rows: &[(Source, &str, &str, Subtype)]| {
        let rows = rows.iter().map(|(source, id, name, subtype)| Area {
            source: *source,
            id: (*id).to_owned(),
            name: (*name).to_owned(),
            subtype: *subtype,
            kind: None,
            bounds: Bounds::WORLD,
            iso3: Some(name.get(name.len() - 3..).unwrap_or_default().to_owned()),
            area_km2: None,
        });
        catalogue.search(query, rows.collect());
    };
    let state = Subtype::StateProvince;
    let park = Subtype::ProtectedArea;
    let land = Subtype::IndigenousAndCommunityLand;
    record(
        "Washington",
        &[
            (Source::Wdpa, "374057", "Washington, Parks, USA", park),
            (Source::Gadm, "USA.48_1", "Washington, State, USA", state),
        ],
    );
    record(
        "Oregon",
        &[
            (Source::Wdpa, "1", "Oregon, Park, USA", park),
            (Source::Gadm, "USA.38_1", "Oregon, States, USA", state),
        ],
    );
    record(
        "Cobaipo, Bolivia",
        &[
            (Source::Gadm, "BOL", "Bolivia", Subtype::Country),
            (Source::Wdpa, "555592663", "Cobaipo, Protected Area, BOL", park),
        ],
    );
    record(
        "Kurtjar People, Queensland",
        &[
            (Source::Gadm, "AUS.7_1", "Queensland, AUS", state),
            (
                Source::Landmark,
                "AUS402",
                "Kurtjar People, Queensland, AUS",
                land,
            ),
        ],
    );
    record(
        "Navajo Nation",
        &[
            (Source::Wdpa, "1000", "Navajo, National Monument, USA", park),
            (
                Source::Landmark,
                "USA20100",
                "Navajo Nation, Reservation, USA",
                land,
            ),
        ],
    );
    record(
        "Mount Hakusan",
        &[(
            Source::Kba,
            "15060",
            "Mount Hakusan, Hakusan, JPN",
            Subtype::KeyBiodiversityArea,
        )],
    );
    catalogue
}

/// The name of the place that was asked for once stood over the figures of another one.
#[tokio::test]
async fn a_selection_is_named_after_what_was_chosen_and_not_after_what_was_asked() {
    for (question, name) in [
        ("loss in Indonessia", "Indonesia"),
        ("loss in Allemagne", "Germany"),
        (
            "Georgia, United States - (state-province) [USA]",
            "Georgia, United States",
        ),
    ] {
        let answer = pick(question).await;
        assert_eq!(answer["aoi_selection"]["name"], name);
        assert_eq!(answer["aoi_selection"]["aois"][0]["name"], name);
        assert!(message(&answer).contains(&format!("- {name}")), "{answer}");
    }
}

#[tokio::test]
async fn a_new_pick_replaces_the_earlier_one_and_names_its_own_areas() {
    let (first, second) = (pick("loss in Peru").await, pick("and in Bolivia?").await);
    assert_eq!((ids(&first), ids(&second)), (vec!["PER"], vec!["BOL"]));
    assert!(message(&second).contains("Bolivia") && !message(&second).contains("Peru"));
    // What cannot be picked publishes nothing that would replace a selection.
    let neither = pick("loss in Xyzzyland").await;
    assert_eq!(neither.get("aoi_selection"), None);
    assert_eq!(neither.get("aoi_candidates"), None);
}

#[tokio::test]
async fn namesakes_that_gave_way_are_named_beside_the_chosen_area() {
    let answer = pick("loss in Luxembourg").await;
    assert_eq!(ids(&answer), ["LUX"]);
    let line = "Luxembourg, Walloon, Belgium - (district-county) [BEL]";
    assert!(message(&answer).contains(line), "{answer}");
    assert_eq!(ids(&pick(line).await).len(), 1);
    let answer = pick("loss in Peru").await;
    assert!(!message(&answer).contains("Also called"), "{answer}");
}

#[tokio::test]
async fn candidates_that_are_not_meant_are_ruled_out() {
    let other = pick("loss in Georgia\nnot Georgia - (country) [GEO]").await;
    assert_eq!(ids(&other), ["USA.11"]);
    assert_eq!(
        ids(&pick("loss in Georgia, but not in the United States").await),
        ["GEO"]
    );
    let neither =
        "loss in Georgia\nnot Georgia - (country) [GEO]\nnot Georgia, United States - (state-province) [USA]";
    let answer = pick(neither).await;
    assert_eq!(ids(&answer), Vec::<&str>::new());
    assert!(
        message(&answer).contains("Nothing else in the catalogue is called \"Georgia\""),
        "{answer}"
    );
    assert!(!message(&answer).contains("Georgia, United States"), "{answer}");
}

#[tokio::test]
async fn a_user_can_say_in_a_form_that_none_of_the_candidates_is_meant() {
    let none = json!({ "action": "accept", "content": { "area": "None of these" } });
    let answers: Answers = [("Georgia".to_owned(), none)].into();
    let answer = ask_with_form("loss in Georgia", answers).await.unwrap();
    assert_eq!(
        answer.get("aoi_candidates"),
        None,
        "they are not offered again: {answer}"
    );
    assert_eq!(answer.get("aoi_selection"), None);
    assert!(message(&answer).contains("Nothing else"), "{answer}");
}
