use periplus_llm::scripted::{Expect, Fault, FaultKind, Script, Scripted, Turn};

use super::*;
use crate::{
    pick::{Lookup, Outcome, pick},
    question,
};

/// A reader whose model answers these turns, and what the rules alone read.
fn reader(question: &str, turns: Vec<Turn>) -> (Reader, Scripted, Request) {
    let script = turns.into_iter().fold(Script::new("reader"), Script::turn);
    let model = Scripted::new(script);
    let plain = question::read(question, &Embedded::shipped());
    (Reader::new(Arc::new(model.clone()), question), model, plain)
}

fn says(json: &str) -> Turn {
    Turn::say(json)
}

fn texts(request: &Request) -> Vec<String> {
    request.places.iter().map(Place::text).collect()
}

async fn read(question: &str, turn: Turn) -> Request {
    let (reader, model, plain) = reader(question, vec![turn]);
    let request = reader.read(plain).await;
    assert_eq!(model.remaining(), 0, "the model is asked once");
    request
}

#[tokio::test]
async fn the_model_reads_the_question_as_the_user_wrote_it() {
    let turn = says(r#"{"places": ["Cologne, Germany"], "subregion": null}"#)
        .expecting(Expect::user("rund um Köln"));
    let request = read("Waldverlust rund um Köln", turn).await;
    assert_eq!(texts(&request), ["Cologne, Germany"]);
    assert_eq!(request.subregion, None);
}

#[tokio::test]
async fn units_and_the_world_are_taken_from_the_model() {
    let request = read(
        "provinces up north in Canada",
        says(r#"{"places": ["Canada"], "subregion": "state"}"#),
    )
    .await;
    assert_eq!(
        (texts(&request), request.subregion),
        (vec!["Canada".to_owned()], Some(Subregion::State))
    );
    let request = read(
        "who loses most?",
        says(r#"{"places": ["global"], "subregion": "country"}"#),
    )
    .await;
    assert!(request.is_global && request.places.is_empty());
}

#[tokio::test]
async fn a_kind_that_the_question_names_stays_with_the_place() {
    let question = "loss in Cobaipo protected area in Bolivia";
    let request = read(
        question,
        says(r#"{"places": ["Cobaipo, Bolivia"], "subregion": null}"#),
    )
    .await;
    assert_eq!(request.places[0].source, Some(Source::Wdpa));
}

#[tokio::test]
async fn without_a_usable_answer_the_rules_stand() {
    let long = format!(r#"{{"places": ["{}"], "subregion": null}}"#, "x".repeat(300));
    let many = format!(
        r#"{{"places": [{}], "subregion": null}}"#,
        vec![r#""Peru""#; 30].join(",")
    );
    let refused = Turn {
        fault: Some(Fault {
            kind: FaultKind::Auth,
            after: 0,
        }),
        ..Turn::default()
    };
    for turn in [
        says("Peru, of course"),
        says(r#"{"places": ["Peru"], "subregion": "planet"}"#),
        says(r#"{"places": [], "subregion": null}"#),
        says(r#"{"places": [" "], "subregion": null}"#),
        says(&long),
        says(&many),
        refused,
    ] {
        let request = read("loss in Bolivia", turn).await;
        assert_eq!(texts(&request), ["Bolivia"]);
    }
}

async fn picked(reader: &Reader, request: &Request) -> Outcome {
    let catalogue = Embedded::shipped();
    let lookup = Lookup {
        catalogue: &*catalogue,
        gazetteer: &catalogue,
        reader: Some(reader),
    };
    pick(lookup, request).await.unwrap()
}

fn selected(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Outcome::Selected { selection, .. } => Some(&selection.aois[0].src_id),
        _ => None,
    }
}

#[tokio::test]
async fn the_model_chooses_among_near_names_and_nowhere_else() {
    let question = "loss in Lisbonne-Ville";
    let turn = says(r#"{"source": "gadm", "src_id": "PRT.12"}"#).expecting(Expect::user("PRT.12"));
    let (chooser, _, plain) = reader(question, vec![turn]);
    assert_eq!(selected(&picked(&chooser, &plain).await), Some("PRT.12"));
    for invented in [
        r#"{"source": "gadm", "src_id": "ATL.1"}"#,
        r#"{"source": "wdpa", "src_id": "PRT.12"}"#,
        r#"{"source": null, "src_id": null}"#,
        "the first one",
    ] {
        let (chooser, _, plain) = reader(question, vec![says(invented)]);
        let outcome = picked(&chooser, &plain).await;
        assert!(matches!(outcome, Outcome::Nothing(_)), "{invented}: {outcome:?}");
    }
}

#[tokio::test]
async fn the_model_is_not_asked_where_the_user_must_be_or_where_the_name_is_plain() {
    let (chooser, model, plain) = reader("loss in Georgia", Vec::new());
    assert!(matches!(
        picked(&chooser, &plain).await,
        Outcome::Ambiguous { .. }
    ));
    let (_, _, plain) = reader("loss in Peru", Vec::new());
    assert_eq!(selected(&picked(&chooser, &plain).await), Some("PER"));
    assert!(model.requests().is_empty());
}
