use periplus_llm::scripted::{Expect, Script, Scripted, Turn};
use periplus_toolset::json;
use serde_json::Value;

use super::*;
use crate::DEFAULT_EXCLUDED;

fn catalogue() -> Catalogue {
    Catalogue::load(&[DEFAULT_EXCLUDED.to_owned()]).unwrap()
}

fn area(bbox: [f64; 4]) -> Area {
    Area {
        source: "gadm".to_owned(),
        src_id: "XXX".to_owned(),
        name: "Somewhere".to_owned(),
        subtype: "country".to_owned(),
        bbox: Some(bbox),
        geometry: None,
    }
}

/// The choice as a text: the id, or what else it is.
fn label(choice: &Choice) -> String {
    match choice {
        Choice::Selected(pick) => pick.dataset_id.to_string(),
        Choice::Suggested { .. } => "candidates".to_owned(),
        Choice::About(_) => "about".to_owned(),
        Choice::Nothing { .. } => "nothing".to_owned(),
    }
}

fn by_rules(text: &str, areas: &[Area]) -> Choice {
    rules::choose(&catalogue(), &Question { text, areas })
}

/// Rows of an evaluation set as objects.
fn set(text: &str) -> Vec<Value> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader
        .deserialize::<std::collections::BTreeMap<String, String>>()
        .map(|row| json!(row.unwrap()))
        .collect()
}

/// Prints the accuracy and fails below nine in ten.
fn assert_accuracy(name: &str, outcomes: &[(String, bool)]) {
    let right = outcomes.iter().filter(|(_, is_right)| *is_right).count();
    println!("{name}: {right} of {}", outcomes.len());
    for (what, _) in outcomes.iter().filter(|(_, is_right)| !is_right) {
        println!("  {what}");
    }
    assert!(
        right * 10 >= outcomes.len() * 9,
        "{name}: {right} of {}",
        outcomes.len()
    );
}

#[test]
fn rules_choose_the_expected_datasets() {
    let rows = set(include_str!("../../../../data/zeno/dataset_expected.csv"));
    let outcomes: Vec<_> = rows
        .iter()
        .map(|row| {
            let got = label(&by_rules(row["question"].as_str().unwrap(), &[]));
            (format!("{row} got {got}"), row["expected_dataset_id"] == got)
        })
        .collect();
    assert_accuracy("datasets", &outcomes);
}

#[test]
fn rules_choose_the_expected_layers() {
    let rows = set(include_str!("../../../../data/zeno/context_layer_expected.csv"));
    let outcomes: Vec<_> = rows
        .iter()
        .map(|row| {
            let bbox: Vec<f64> = row["aoi_bbox"]
                .as_str()
                .unwrap()
                .split(' ')
                .map(|n| n.parse().unwrap())
                .collect();
            let areas = [area(bbox.try_into().unwrap())];
            let choice = by_rules(row["question"].as_str().unwrap(), &areas);
            let layer = match &choice {
                Choice::Selected(pick) => pick.context_layer.clone().unwrap_or_default(),
                _ => String::new(),
            };
            let is_right =
                row["expected_dataset_id"] == label(&choice) && row["expected_context_layer"] == layer;
            (format!("{row} got {} {layer}", label(&choice)), is_right)
        })
        .collect();
    assert_accuracy("layers", &outcomes);
}

#[test]
fn rules_choose_the_expected_parameters() {
    let rows = set(include_str!("../../../../data/zeno/parameter_expected.csv"));
    let outcomes: Vec<_> = rows
        .iter()
        .map(|row| {
            let choice = by_rules(row["question"].as_str().unwrap(), &[]);
            let Choice::Selected(pick) = &choice else {
                return (row.to_string(), false);
            };
            let got: Vec<String> = pick
                .parameters
                .iter()
                .flat_map(|p| &p.values)
                .map(u32::to_string)
                .collect();
            let is_right =
                row["expected_dataset_id"] == label(&choice) && row["expected_value"] == got.join(";");
            (format!("{row} got {got:?}"), is_right)
        })
        .collect();
    assert_accuracy("parameters", &outcomes);
}

#[test]
fn a_question_that_no_single_dataset_answers_gets_candidates() {
    let rows = set(include_str!("../../../../data/zeno/no_single_dataset.csv"));
    let outcomes: Vec<_> = rows
        .iter()
        .map(|row| {
            let got = label(&by_rules(row["question"].as_str().unwrap(), &[]));
            (format!("{row} got {got}"), row["expected_outcome"] == got)
        })
        .collect();
    assert_accuracy("candidates", &outcomes);
}

#[test]
fn rules_answer_the_end_to_end_questions() {
    let rows = set(include_str!("../../../../data/zeno/end_to_end.csv"));
    let outcomes: Vec<_> = rows
        .iter()
        .map(|row| {
            let got = label(&by_rules(row["question"].as_str().unwrap(), &[]));
            let is_right = match row["expected_dataset_id"].as_str().unwrap() {
                "" | "no_selection" => !got.starts_with(|letter: char| letter.is_ascii_digit()),
                ids => ids.split(';').any(|id| id == got),
            };
            (
                format!("{} {} got {got}", row["question"], row["expected_dataset_id"]),
                is_right,
            )
        })
        .collect();
    assert_accuracy("end to end", &outcomes);
}

#[test]
fn a_question_about_a_dataset_is_answered_from_the_catalogue() {
    for question in [
        "What's the geographic coverage of the tree cover loss data?",
        "How do I cite the grassland data?",
        "What is the resolution of the integrated alerts?",
        "How often are the disturbance alerts updated?",
        "Under which licence is the natural lands map?",
        "Which years does the tree cover gain dataset cover?",
        "Since when are alerts available?",
        "What is the resolution of the 2020 natural lands map?",
        "Where does the data on drivers of deforestation come from?",
    ] {
        assert_eq!(label(&by_rules(question, &[])), "about", "{question}");
    }
}

#[test]
fn a_question_for_figures_gets_its_dataset_even_if_it_asks_for_the_source_too() {
    for (question, expected) in [
        (
            "How much tree cover did Brazil lose in 2020? Please cite the source.",
            "4",
        ),
        ("Tree cover loss in Gabon since 2015, citing the source", "4"),
        ("How often do fires destroy forest in Bolivia?", "10"),
        (
            "Compare natural grassland in Kenya and Tanzania, with attribution",
            "2",
        ),
    ] {
        assert_eq!(label(&by_rules(question, &[])), expected, "{question}");
    }
}

#[test]
fn every_declared_question_about_a_dataset_is_one_for_every_dataset() {
    let catalogue = catalogue();
    for question in crate::ABOUT_DATASETS {
        for dataset in catalogue.visible() {
            let text = question.replace("{dataset}", &dataset.dataset_name);
            let choice = by_rules(&text, &[]);
            assert!(
                matches!(choice, Choice::About(id) if id == dataset.dataset_id),
                "{text}: {choice:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_model_is_not_asked_what_the_catalogue_knows() {
    let model = Scripted::new(Script::new("choice").turn(Turn::say("{}")));
    let chat: Arc<dyn ChatModel> = Arc::new(model.clone());
    let question = Question {
        text: "What's the geographic coverage of the tree cover loss data?",
        areas: &[],
    };
    let (choice, note) = choose(&catalogue(), &question, Some(&chat), CancellationToken::new()).await;
    assert_eq!((label(&choice).as_str(), note), ("about", ""));
    assert_eq!(model.remaining(), 1);
}

#[test]
fn months_are_refused_where_there_are_only_years() {
    for question in [
        "Monthly tree cover loss in Brazil",
        "How much grassland did Kenya have in each month?",
        "Seasonal pattern of tree cover loss due to fires",
    ] {
        let choice = by_rules(question, &[]);
        let Choice::Suggested { reason, .. } = &choice else {
            panic!("{question}: {choice:?}");
        };
        assert!(
            reason.contains("it has no months or seasons"),
            "{question}: {reason}"
        );
    }
}

#[test]
fn a_question_of_another_subject_gets_nothing_and_is_told_what_there_is() {
    let Choice::Nothing { reason } = by_rules("What is the population of Brazil?", &[]) else {
        panic!("nothing in the catalogue is about people");
    };
    assert!(
        reason.contains("Tree cover loss") && !reason.contains("LGMS"),
        "{reason}"
    );
}

#[test]
fn years_are_refused_where_there_is_one_total_only() {
    for question in [
        "Which drivers caused tree cover loss in Brazil each year?",
        "How did the net greenhouse gas flux of forests change over time?",
        "tree cover in 2010 by country",
        "Is tree cover loss in Finland seasonal?",
    ] {
        let choice = by_rules(question, &[]);
        let Choice::Suggested { picks, reason } = &choice else {
            panic!("{question}: {choice:?}");
        };
        assert!(
            (1..=3).contains(&picks.len()) && reason.contains("but it"),
            "{question}: {reason}"
        );
    }
}

#[test]
fn of_two_questions_in_one_the_first_is_answered_and_the_second_named() {
    let choice = by_rules("How much forest did Pará lose since 2015, and why?", &[]);
    let Choice::Selected(pick) = &choice else {
        panic!("{choice:?}");
    };
    assert_eq!(pick.dataset_id, 4);
    assert!(
        pick.reason.contains("Tree cover loss by dominant driver") && pick.reason.contains("one total"),
        "{}",
        pick.reason
    );
    // One dataset that answers both is chosen for both, and half a question is none.
    for (text, expected) in [
        ("How much forest did Pará lose, and why?", "8"),
        ("Why did Pará lose forest in 2015?", "candidates"),
        ("And why was forest lost in 2015?", "candidates"),
        (
            "Forest loss in 2015 linked to commodities and mining",
            "candidates",
        ),
    ] {
        assert_eq!(label(&by_rules(text, &[])), expected, "{text}");
    }
}

#[test]
fn an_area_that_only_touches_the_tropics_keeps_primary_forest_and_one_outside_falls_back() {
    let layer = |bbox: [f64; 4]| match by_rules("Show me deforestation", &[area(bbox)]) {
        Choice::Selected(pick) => pick.context_layer,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        layer([-118.4, 14.5, -86.7, 32.7]).as_deref(),
        Some("primary_forest")
    );
    assert_eq!(
        layer([-141.0, 41.68, -52.62, 83.11]).as_deref(),
        Some("intact_forest")
    );
    let both = [
        area([-74.0, -34.0, -34.0, 5.0]),
        area([-141.0, 41.68, -52.62, 83.11]),
    ];
    let choice = by_rules("Show me deforestation", &both);
    let Choice::Selected(pick) = choice else {
        panic!("{choice:?}")
    };
    assert_eq!(pick.context_layer.as_deref(), Some("intact_forest"));
    assert!(
        pick.reason
            .ends_with("The layer primary_forest is left out: the area lies outside its extent."),
        "{}",
        pick.reason
    );
}

#[test]
fn a_carbon_question_never_goes_to_the_hidden_dataset() {
    let question = "What are the greenhouse gas emissions and removals of forests in Bolivia?";
    assert_eq!(label(&by_rules(question, &[])), "6");
    let all = Catalogue::load(&[]).unwrap();
    let soils = Question {
        text: "greenhouse gas emissions of soils and livestock in Bolivia",
        areas: &[],
    };
    assert_eq!(label(&rules::choose(&all, &soils)), "12");
    assert_ne!(label(&rules::choose(&catalogue(), &soils)), "12");
}

async fn by_model(answer: Value, text: &str) -> (Choice, Scripted, &'static str) {
    let script =
        Script::new("choice").turn(Turn::say(answer.to_string()).expecting(Expect::user("Datasets:")));
    let model = Scripted::new(script);
    let chat: Arc<dyn ChatModel> = Arc::new(model.clone());
    let question = Question { text, areas: &[] };
    let (choice, note) = choose(&catalogue(), &question, Some(&chat), CancellationToken::new()).await;
    (choice, model, note)
}

fn proposal(id: i64, layer: Option<&str>, parameters: Value) -> Value {
    json!({ "dataset_id": id, "context_layer": layer, "parameters": parameters, "reason": "because" })
}

#[tokio::test]
async fn what_a_model_invents_is_dropped() {
    let canopy = |values: Value| json!([{ "name": "canopy_cover", "values": values }, { "name": "season", "values": [1] }]);
    for (answer, layer, values) in [
        (
            proposal(4, Some("Tree cover loss"), canopy(json!([50, 51]))),
            None,
            vec![50],
        ),
        (
            proposal(4, Some("primary_forest"), canopy(json!(["75%"]))),
            Some("primary_forest"),
            vec![75],
        ),
        (proposal(4, None, canopy(json!([40]))), None, vec![]),
        (proposal(8, None, Value::Null), Some("driver"), vec![]),
        (proposal(11, Some("driver"), Value::Null), None, vec![]),
    ] {
        let (choice, ..) = by_model(
            json!({ "selected_dataset": answer, "suggested_datasets": null, "reason": "" }),
            "x",
        )
        .await;
        let Choice::Selected(pick) = choice else {
            panic!("{choice:?}")
        };
        assert_eq!(pick.context_layer.as_deref(), layer);
        let got: Vec<u32> = pick
            .parameters
            .iter()
            .flat_map(|parameter| parameter.values.clone())
            .collect();
        assert_eq!(got, values);
    }
}

#[tokio::test]
async fn a_model_may_suggest_three_or_nothing() {
    let suggestions = json!({ "selected_dataset": null, "suggested_datasets": [proposal(1, None, json!(null)), proposal(3, None, json!(null)), proposal(4, None, json!(null)), proposal(5, None, json!(null))], "reason": "several" });
    let (choice, ..) = by_model(suggestions, "x").await;
    assert!(matches!(choice, Choice::Suggested { picks, .. } if picks.len() == 3));
    let (choice, ..) = by_model(
        json!({ "selected_dataset": null, "suggested_datasets": null, "reason": "nichts" }),
        "x",
    )
    .await;
    assert!(matches!(choice, Choice::Nothing { reason } if reason == "nichts"));
}

#[tokio::test]
async fn rules_choose_when_a_model_names_a_dataset_it_may_not_or_talks() {
    for answer in [
        json!({ "selected_dataset": proposal(12, None, json!(null)), "suggested_datasets": null, "reason": "" }),
        json!({ "selected_dataset": proposal(99, None, json!(null)), "suggested_datasets": null, "reason": "" }),
        json!("I would choose tree cover loss."),
    ] {
        let (choice, model, note) = by_model(answer, "How much tree cover was lost in Brazil?").await;
        assert_eq!(label(&choice), "4");
        assert_eq!(model.remaining(), 0);
        assert!(note.contains("rules chose"), "{note}");
    }
}

#[tokio::test]
async fn a_model_sees_no_hidden_dataset_and_no_layer_out_of_reach() {
    let script = Script::new("choice").turn(Turn::say("{}"));
    let model = Scripted::new(script);
    let chat: Arc<dyn ChatModel> = Arc::new(model.clone());
    let areas = [area([-141.0, 41.68, -52.62, 83.11])];
    let question = Question {
        text: "deforestation",
        areas: &areas,
    };
    choose(&catalogue(), &question, Some(&chat), CancellationToken::new()).await;
    let prompt = model.requests()[0].messages[0].text().to_owned();
    assert!(!prompt.contains("LGMS") && !prompt.contains("\"value\":\"primary_forest\""));
    assert!(
        prompt.contains("primary_forest of Tree cover loss")
            && prompt.contains("\"value\":\"intact_forest\"")
    );
}

#[test]
fn rules_understand_the_subjects_in_other_languages() {
    for (question, expected) in [
        ("¿Cuánta cobertura arbórea se perdió en Perú desde 2015?", "4"),
        ("Deforestación en Bolivia entre 2010 y 2020", "4"),
        ("Qual foi o desmatamento no Pará em 2020?", "4"),
        ("Perte de couvert forestier au Gabon", "4"),
        ("Kehilangan tutupan pohon di Kalimantan Barat", "4"),
        ("Pérdida de bosque por incendios en Bolivia", "10"),
        ("Perda de floresta por queimadas no Brasil", "10"),
        ("Alertas de perturbación recientes en Colombia", "11"),
        ("Alertes récentes au Cameroun", "11"),
        ("¿Qué causas tuvo la pérdida de bosque en Colombia?", "8"),
        ("Causas do desmatamento na Colômbia", "8"),
        ("¿Cuántos pastizales naturales hay en Argentina?", "2"),
        ("Cobertura del suelo en México", "1"),
        ("Flujo neto de gases de efecto invernadero de los bosques", "6"),
        ("Regeneración de bosques en Costa Rica", "5"),
        ("Manglares en Ecuador", "3"),
    ] {
        let choice = by_rules(question, &[]);
        assert_eq!(label(&choice), expected, "{question}: {choice:?}");
    }
}
