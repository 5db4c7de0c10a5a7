//! What it asks its user.

use super::*;

#[test]
fn an_ambiguous_result_is_asked_about_in_words() {
    let mut talk = Talk::new(zeno());
    talk.ask("Tree cover loss in Georgia");
    let candidates = "Several areas match:\n- Georgia\n- Georgia, United States";
    let answer = said(talk.result(candidates, &["zeno-aoi/pick_aoi/aoi_candidates"]));
    assert!(
        answer.contains("- Georgia, United States") && answer.ends_with(answer::WHICH_ONE),
        "{answer}"
    );
    let (tool, arguments) = called(talk.ask("the one in the United States"));
    assert_eq!(
        (tool.as_str(), &arguments["question"]),
        (
            "pick_aoi",
            &json!("Tree cover loss in Georgia (the one in the United States)")
        )
    );
}

#[test]
fn an_ambiguous_result_is_asked_about_with_the_conversations_own_tool() {
    let mut tools = zeno();
    tools.push(tool(
        "interrupt",
        "Ask the user to choose.",
        &["question"],
        json!({"question": {"type": "string"}}),
        json!({}),
    ));
    let mut talk = Talk::new(tools);
    talk.ask("Tree cover loss in Georgia");
    let candidates = "Several areas match:\n- Georgia\n- Georgia, United States";
    let (tool, arguments) = called(talk.result(candidates, &["zeno-aoi/pick_aoi/aoi_candidates"]));
    assert_eq!(tool, "interrupt");
    assert_eq!(arguments["question"], "Several areas match:");
    assert_eq!(
        arguments["options"][1],
        json!({"value": "Georgia, United States", "label": "Georgia, United States"})
    );
    let answer = "User chose: Georgia, United States (value: Georgia, United States)";
    let (tool, arguments) = called(talk.returned(answer, false));
    assert_eq!(
        (tool.as_str(), &arguments["question"]),
        (
            "pick_aoi",
            &json!("Tree cover loss in Georgia (Georgia, United States)")
        )
    );
    let (tool, _) = called(talk.result("Selected", &["zeno-aoi/pick_aoi/aoi_selection"]));
    assert_eq!(tool, "pick_dataset");
}

#[test]
fn a_question_nobody_answers_ends_the_plan() {
    let mut tools = zeno();
    tools.push(tool(
        "interrupt",
        "Ask the user to choose.",
        &[],
        json!({}),
        json!({}),
    ));
    let mut talk = Talk::new(tools);
    talk.ask("Tree cover loss in Georgia");
    assert_eq!(
        called(talk.result("Which?\n- A\n- B\n- A", &[])).1["options"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let answer = said(talk.returned("the user did not answer", false));
    assert!(answer.starts_with("Without a choice"), "{answer}");
}

#[test]
fn a_parameter_the_question_does_not_fill_is_asked_for() {
    let mut talk = Talk::new(met());
    let answer = said(talk.ask("List recorded values"));
    assert!(
        answer.contains("`field` (one of culture, medium, department)")
            && answer.ends_with(answer::WHICH_ONE),
        "{answer}"
    );
    assert_eq!(
        called(talk.ask("culture")),
        ("collection_facets".to_owned(), json!({"field": "culture"}))
    );
}

#[test]
fn options_are_lines_with_a_dash_or_those_behind_a_colon() {
    let result = |text: &str| ToolResult::of(&ToolCall::new("c", "t", Map::new()), text);
    let dashed = result("Which one?\n- Georgia, US\n- Georgia\n\n[state updated: a/b/c — …]");
    assert_eq!(answer::options(&dashed), ["Georgia, US", "Georgia"]);
    assert_eq!(answer::question_of(&dashed), "Which one?");
    let listed = result(
        "There are several. Call again with that line:\nGeorgia - (country)\nGeorgia, US - (state)\nElse ask.",
    );
    assert_eq!(
        answer::options(&listed),
        ["Georgia - (country)", "Georgia, US - (state)"]
    );
    assert_eq!(
        answer::question_of(&listed),
        "There are several. Call again with that line:"
    );
    assert!(answer::options(&result("Nothing is called so.")).is_empty());
}
