//! Plans that an example leads through, and where they stop.

use super::*;

/// The chain over areas, of which the first tool declares what it wants to be asked.
fn zeno_by_example() -> Vec<ToolDefinition> {
    let mut tools = zeno();
    let example = json!([{
        "question": "Tree cover loss in {place}",
        "arguments": {"question": "Tree cover loss in {place}"},
        "then": [{"tool": "pick_dataset", "arguments": {
            "query": "Tree cover loss in {place}", "aoi_selection": "@state:zeno-aoi/pick_aoi/aoi_selection"}}],
    }]);
    tools[0]
        .meta
        .insert("io.developmentseed.toolsets/examples".to_owned(), example);
    tools
}

#[test]
fn the_area_of_an_earlier_question_does_not_stand_in_for_one_that_was_not_found() {
    let mut talk = Talk::new(zeno_by_example());
    talk.ask("Tree cover loss in Portugal");
    let (tool, _) = called(talk.result("Selected", &["zeno-aoi/pick_aoi/aoi_selection"]));
    assert_eq!(tool, "pick_dataset");
    talk.result("Selected", &["zeno-analysis/pick_dataset/dataset"]);
    talk.ask("Tree cover loss in Springfield");
    let answer = said(talk.result("Nothing is called Springfield.", &[]));
    assert!(answer.starts_with("Nothing is called Springfield"), "{answer}");
}

#[test]
fn an_answer_completes_an_example_and_another_question_does_not() {
    let asked_about = |text: &str| {
        let mut talk = Talk::new(zeno_by_example());
        talk.ask("Tree cover loss in Springfield");
        talk.result("Nothing is called Springfield.", &[]);
        called(talk.ask(text)).1["question"].clone()
    };
    assert_eq!(
        asked_about("the one in Illinois"),
        "Tree cover loss in Springfield (the one in Illinois)"
    );
    assert_eq!(
        asked_about("Tree cover loss in Portugal"),
        "Tree cover loss in Portugal"
    );
}

#[test]
fn what_the_person_chose_completes_an_example() {
    let mut tools = zeno_by_example();
    tools.push(tool("interrupt", "Ask the user.", &[], json!({}), json!({})));
    let mut talk = Talk::new(tools);
    talk.ask("Tree cover loss in Georgia");
    let (tool, _) = called(talk.result("Which?\n- Georgia\n- Georgia, United States", &[]));
    assert_eq!(tool, "interrupt");
    let answer = "User chose: Georgia, United States (value: Georgia, United States)";
    let (tool, arguments) = called(talk.returned(answer, false));
    assert_eq!(
        (tool.as_str(), &arguments["question"]),
        (
            "pick_aoi",
            &json!("Tree cover loss in Georgia (Georgia, United States)")
        )
    );
}

#[test]
fn words_that_an_example_has_no_place_for_are_named() {
    let mut talk = Talk::new(met());
    talk.ask("Which Islamic objects mention a garden?");
    talk.result("6 records are selected.", &["met/collection_select/selection"]);
    let answer = said(talk.result("Ranked.", &[]));
    assert!(answer.contains("I made no use of: Islamic."), "{answer}");
}

#[test]
fn an_example_that_leaves_no_word_aside_comes_before_one_that_does() {
    let mut tools = zeno_by_example();
    let about = json!([{"question": "What is the resolution of {dataset}?",
        "arguments": {"query": "What is the resolution of {dataset}?"}}]);
    tools[1]
        .meta
        .insert("io.developmentseed.toolsets/examples".to_owned(), about);
    let mut talk = Talk::new(tools);
    let (tool, arguments) =
        called(talk.ask("What is the resolution of the tree cover loss in the catalogue?"));
    assert_eq!(tool, "pick_dataset", "{arguments}");
    assert_eq!(called(talk.ask("Tree cover loss in Peru")).0, "pick_aoi");
}
