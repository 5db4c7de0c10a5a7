//! Which calls a question leads to.

use super::*;

#[test]
fn a_question_goes_to_the_tool_that_fits_it() {
    let question_of = |question: &str| Talk::new(everything()).ask(question);
    for (question, tool, arguments) in [
        (
            "Say hello to Ada Lovelace",
            "hello",
            json!({"name": "Ada Lovelace"}),
        ),
        (
            "hello Bob, say hello to \"my team\"",
            "hello",
            json!({"name": "my team"}),
        ),
        ("Please greet Bob", "hello", json!({"name": "Bob"})),
        (
            "Hello! Which dataset shows fires?",
            "pick_dataset",
            json!({"query": "Which dataset shows fires?"}),
        ),
        (
            "run the collection facets on medium",
            "collection_facets",
            json!({"field": "medium"}),
        ),
        (
            "List the recorded values of medium",
            "collection_facets",
            json!({"field": "medium"}),
        ),
        (
            "How many objects are from Japan?",
            "collection_select",
            json!({"predicate": {"field": "culture", "op": "eq", "value": "Japan"}}),
        ),
        (
            "How much tree cover was lost in Pará?",
            "pick_aoi",
            json!({"question": "How much tree cover was lost in Pará?"}),
        ),
        (
            "Which dataset shows fires?",
            "pick_dataset",
            json!({"query": "Which dataset shows fires?"}),
        ),
    ] {
        assert_eq!(
            called(question_of(question)),
            (tool.to_owned(), arguments),
            "{question}"
        );
    }
}

#[test]
fn a_chain_runs_to_its_end_with_handles_only() {
    let mut talk = Talk::new(everything());
    let question = "How much tree cover was lost in Pará since 2015?";
    assert_eq!(called(talk.ask(question)).0, "pick_aoi");
    let (tool, arguments) = called(talk.result(
        "Selected AOIs:\n- Pará, Brazil",
        &["zeno-aoi/pick_aoi/aoi_selection"],
    ));
    assert_eq!(tool, "pick_dataset");
    assert_eq!(
        arguments,
        json!({"query": question, "start_date": "2015-01-01", "aoi_selection": "@state:zeno-aoi/pick_aoi/aoi_selection"})
    );
    let (tool, arguments) = called(talk.result(
        "Dataset: Tree cover loss",
        &["zeno-analysis/pick_dataset/dataset"],
    ));
    assert_eq!(tool, "pull_data");
    assert_eq!(arguments["dataset"], "@state:zeno-analysis/pick_dataset/dataset");
    assert_eq!(
        arguments["aoi_selection"],
        "@state:zeno-aoi/pick_aoi/aoi_selection"
    );
    let (tool, arguments) =
        called(talk.result("Found 9 data points.", &["zeno-analysis/pull_data/statistics"]));
    assert_eq!(tool, "generate_insight");
    assert_eq!(
        arguments["statistics"],
        "@state:zeno-analysis/pull_data/statistics"
    );
    assert!(
        arguments.get("language").is_none(),
        "an optional text is not guessed: {arguments}"
    );
    let answer = said(talk.result(
        "Key finding: 12 ha were lost.",
        &["zeno-analysis/generate_insight/charts"],
    ));
    assert!(answer.starts_with("Key finding: 12 ha were lost."), "{answer}");
    for part in [
        "From `generate_insight`",
        "- `pull_data`: Found 9 data points.",
        "- `pick_aoi`: Selected",
        "guide",
    ] {
        assert!(answer.contains(part), "{part:?} is not in {answer}");
    }
    assert!(!answer.contains("state updated"), "{answer}");
}

#[test]
fn a_question_about_what_is_there_starts_where_it_must() {
    let mut talk = Talk::new(zeno());
    talk.ask("Pull the tree cover loss of Pará");
    talk.result("ok", &["zeno-aoi/pick_aoi/aoi_selection"]);
    talk.result("ok", &["zeno-analysis/pick_dataset/dataset"]);
    let answer = said(talk.result("Found 9 data points.", &["zeno-analysis/pull_data/statistics"]));
    assert!(
        answer.starts_with("Found 9"),
        "pulling was asked for, charts were not: {answer}"
    );
    let (tool, arguments) = called(talk.ask("Generate an insight with charts"));
    assert_eq!(
        (tool.as_str(), &arguments["statistics"]),
        (
            "generate_insight",
            &json!("@state:zeno-analysis/pull_data/statistics")
        )
    );
    let mut anew = Talk {
        request: talk.request,
    };
    anew.result("Key finding: …", &[]);
    assert_eq!(
        called(anew.ask("Generate an insight for Mato Grosso")).0,
        "pick_aoi",
        "another area starts over"
    );
}

#[test]
fn examples_fill_structures_and_lead_to_further_calls() {
    let mut talk = Talk::new(everything());
    let (tool, arguments) = called(talk.ask("Which objects mention a Chinese dragon?"));
    assert_eq!(
        (tool.as_str(), &arguments["predicate"]["value"]),
        ("collection_select", &json!("Chinese dragon"))
    );
    let (tool, arguments) =
        called(talk.result("7 records are selected", &["met/collection_select/selection"]));
    assert_eq!(tool, "collection_rank");
    assert_eq!(
        arguments,
        json!({"selection": "@state:met/collection_select/selection", "anchor": {"type": "topic_text", "topicText": "Chinese dragon"}})
    );
    let answer = said(talk.result("7 records have a score.", &[]));
    assert!(
        answer.contains("- `collection_select`: 7 records are selected"),
        "{answer}"
    );
}

#[test]
fn a_failed_call_ends_the_plan_with_its_reason() {
    let mut talk = Talk::new(everything());
    talk.ask("How many objects are from Atlantis?");
    let body = json!({"code": "invalid_value", "message": "Atlantis is no recorded value"}).to_string();
    let answer = said(talk.returned(&body, true));
    assert!(
        answer.contains("`collection_select` did not work: Atlantis is no recorded value"),
        "{answer}"
    );
}

#[test]
fn qualified_names_are_understood() {
    let mut tools = met();
    for tool in &mut tools {
        tool.name = format!("met__{}", tool.name);
    }
    let mut talk = Talk::new(tools);
    assert_eq!(
        called(talk.ask("Which objects mention dragons?")).0,
        "met__collection_select"
    );
    assert_eq!(
        called(talk.result("7", &["met/collection_select/selection"])).0,
        "met__collection_rank"
    );
}

#[test]
fn tools_that_take_from_each_other_do_not_hang_it() {
    let ring = |name: &str, takes: &str, gives: &str| {
        let meta = json!({
            "io.developmentseed.toolsets/produces": produces("ring", &[gives]),
            "io.developmentseed.toolsets/notAuthored": [takes],
        });
        tool(name, "Turn the ring.", &[takes], json!({takes: handle()}), meta)
    };
    let decision = Talk::new(vec![
        ring("a", "x", "y"),
        ring("b", "y", "x"),
        ring("self", "z", "z"),
    ])
    .ask("turn the ring");
    assert!(said(decision).contains("could not find it"));
}

#[test]
fn declarations_that_all_hang_together_are_read_in_time() {
    let names: Vec<String> = (0..60).map(|number| format!("f{number}")).collect();
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    let tools = names.iter().map(|name| {
        let properties = all
            .iter()
            .map(|field| ((*field).to_owned(), handle()))
            .collect::<Map<_, _>>();
        let meta = json!({
            "io.developmentseed.toolsets/produces": produces(name, &all),
            "io.developmentseed.toolsets/notAuthored": all,
        });
        tool(name, &"turn the ring ".repeat(100), &all, properties.into(), meta)
    });
    let (done, wait) = std::sync::mpsc::channel();
    let tools = tools.collect();
    std::thread::spawn(move || {
        Talk::new(tools).ask(&"turn every ring ".repeat(1000));
        done.send(())
    });
    // Anything exponential takes longer than a day; a busy machine takes a second.
    assert!(wait.recv_timeout(std::time::Duration::from_secs(100)).is_ok());
}
