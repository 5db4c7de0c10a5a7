//! Whole conversations, driven by declarations alone.

use serde_json::json;

use super::*;
use crate::{Message, ToolDefinition};

fn tool(name: &str, description: &str, required: &[&str], properties: Value, meta: Value) -> ToolDefinition {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    let mut tool = ToolDefinition::new(name, description, schema);
    tool.meta = meta.as_object().unwrap().clone();
    tool
}

fn produces(prefix: &str, fields: &[&str]) -> Value {
    fields
        .iter()
        .map(|field| json!({"field": field, "stateKey": format!("{prefix}/{field}")}))
        .collect()
}

fn hello() -> Vec<ToolDefinition> {
    let name = json!({"name": {"type": "string", "default": "world", "description": "Who to greet."}});
    vec![tool(
        "hello",
        "Say hello to someone by name.",
        &[],
        name,
        json!({}),
    )]
}

fn handle() -> Value {
    json!({"type": "string", "pattern": "^@state:"})
}

/// A chain of four tools over areas, datasets, statistics and charts.
fn zeno() -> Vec<ToolDefinition> {
    let text = |description: &str| json!({"type": "string", "description": description});
    let date = json!({"anyOf": [{"type": "string"}, {"type": "null"}], "default": null});
    let question = text("The user's question, as it was asked.");
    vec![
        tool(
            "pick_aoi",
            "Pick the area of interest that a question names: a country, state, district, protected area.",
            &["question"],
            json!({"question": question}),
            json!({"io.developmentseed.toolsets/produces": produces("zeno-aoi/pick_aoi", &["aoi_candidates", "aoi_selection"])}),
        ),
        tool(
            "pick_dataset",
            "Pick the dataset that can answer a question about forest, tree cover loss, alerts, fires or land cover.",
            &["query"],
            json!({"query": question, "start_date": date, "end_date": date, "aoi_selection": handle()}),
            json!({
                "io.developmentseed.toolsets/produces": produces("zeno-analysis/pick_dataset", &["dataset", "dataset_candidates"]),
                "io.developmentseed.toolsets/notAuthored": ["aoi_selection"],
            }),
        ),
        tool(
            "pull_data",
            "Pull statistics of a dataset for an area.",
            &["query", "dataset", "aoi_selection"],
            json!({"query": question, "start_date": date, "end_date": date,
                "dataset": handle(), "aoi_selection": handle()}),
            json!({
                "io.developmentseed.toolsets/produces": produces("zeno-analysis/pull_data", &["statistics"]),
                "io.developmentseed.toolsets/notAuthored": ["dataset", "aoi_selection"],
            }),
        ),
        tool(
            "generate_insight",
            "Turn statistics into a finding with charts.",
            &["query", "statistics", "dataset"],
            json!({"query": question, "statistics": handle(), "dataset": handle(), "language": text("Language.")}),
            json!({
                "io.developmentseed.toolsets/produces": produces("zeno-analysis/generate_insight", &["charts", "insight"]),
                "io.developmentseed.toolsets/notAuthored": ["statistics", "dataset"],
            }),
        ),
    ]
}

/// Research tools whose structured arguments only their declared examples can fill.
fn met() -> Vec<ToolDefinition> {
    let examples = json!([
        {"question": "Which objects mention {topic}?",
         "arguments": {"predicate": {"field": "metadata", "op": "contains_normalized", "value": "{topic}"}},
         "then": [{"tool": "collection_rank", "arguments": {
            "selection": "@state:met/collection_select/selection",
            "anchor": {"type": "topic_text", "topicText": "{topic}"}}}]},
        {"question": "How many objects are from {culture}?",
         "arguments": {"predicate": {"field": "culture", "op": "eq", "value": "{culture}"}}},
    ]);
    vec![
        tool(
            "collection_select",
            "Select records by conditions on recorded fields.",
            &["predicate"],
            json!({"predicate": {"type": "object"}, "pageSize": {"type": "integer"}}),
            json!({
                "io.developmentseed.toolsets/examples": examples,
                "io.developmentseed.toolsets/produces": produces("met/collection_select", &["selection"]),
            }),
        ),
        tool(
            "collection_rank",
            "Rank all records of a selection.",
            &["selection", "anchor"],
            json!({"selection": {"type": "string"}, "anchor": {"type": "object"}}),
            json!({}),
        ),
        tool(
            "collection_facets",
            "List the exact recorded values of a field.",
            &["field"],
            json!({"field": {"enum": ["culture", "medium", "department"]}, "prefix": {"type": "string"}}),
            json!({}),
        ),
    ]
}

fn everything() -> Vec<ToolDefinition> {
    [hello(), met(), zeno()].concat()
}

/// A conversation with the guide.
struct Talk {
    request: ChatRequest,
}

impl Talk {
    fn new(tools: Vec<ToolDefinition>) -> Self {
        Self {
            request: ChatRequest::default().with_tools(tools),
        }
    }

    /// What the guide does with one more message of the person.
    fn ask(&mut self, question: &str) -> Decision {
        self.request.messages.push(Message::user(question));
        self.go_on()
    }

    /// What it does after its call has returned.
    fn result(&mut self, text: &str, keys: &[&str]) -> Decision {
        let note = if keys.is_empty() {
            String::new()
        } else {
            format!("\n\n[state updated: {} — …]", keys.join(", "))
        };
        self.returned(&format!("{text}{note}"), false)
    }

    fn returned(&mut self, text: &str, is_error: bool) -> Decision {
        let Some(Message::Assistant(message)) = self.request.messages.last() else {
            panic!("no call is open")
        };
        let call = &message.tool_calls[0];
        let result = ToolResult {
            is_error,
            ..ToolResult::of(call, text)
        };
        self.request.messages.push(Message::Tool(result));
        self.go_on()
    }

    fn go_on(&mut self) -> Decision {
        let decision = decide(&self.request);
        let again = decide(&self.request);
        assert_eq!(decision, again, "the same conversation gives the same step");
        let reply = reply(again, &self.request);
        self.request.messages.push(Message::Assistant(reply.message));
        decision
    }
}

fn said(decision: Decision) -> String {
    match decision {
        Decision::Say(text) => text,
        Decision::Call { tool, arguments } => panic!("called {tool} with {arguments:?}"),
    }
}

fn called(decision: Decision) -> (String, Value) {
    match decision {
        Decision::Call { tool, arguments } => (tool, Value::Object(arguments)),
        Decision::Say(text) => panic!("said {text}"),
    }
}

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
fn greetings_and_questions_about_itself_are_answered_from_the_declarations() {
    for question in [
        "hi",
        "Hello!",
        "good morning",
        "What can you do?",
        "help",
        "Who are you?",
    ] {
        let answer = said(Talk::new(everything()).ask(question));
        assert!(
            answer.contains("I am the guide") && answer.contains("- `pick_aoi`: Pick the area"),
            "{question}: {answer}"
        );
        assert!(answer.contains("Which objects mention …topic…?"), "{answer}");
    }
    let alone = said(Talk::new(vec![]).ask("hi"));
    assert!(alone.contains("No tools are connected"), "{alone}");
}

#[test]
fn what_it_does_not_understand_it_says() {
    let answer = said(Talk::new([hello(), met()].concat()).ask("Why is the sky blue?"));
    assert!(
        answer.contains("did not understand “Why is the sky blue?”"),
        "{answer}"
    );
    let mut talk = Talk::new(hello());
    talk.ask("Say hello to Ada in Klingon rhyme");
    let answer = said(talk.result("Hello, Ada!", &[]));
    assert!(answer.contains("I made no use of: Klingon, rhyme."), "{answer}");
}

#[test]
fn a_value_nobody_publishes_is_named() {
    let orphan: Vec<_> = zeno()
        .into_iter()
        .filter(|tool| tool.name == "generate_insight")
        .collect();
    let answer = said(Talk::new(orphan).ask("Generate an insight with charts"));
    assert!(
        answer.contains("`generate_insight`") && answer.contains("`statistics`"),
        "{answer}"
    );
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
    let names: Vec<String> = (0..200).map(|number| format!("f{number}")).collect();
    let all: Vec<&str> = names.iter().take(60).map(String::as_str).collect();
    let tools = names.iter().map(|name| {
        let properties = all
            .iter()
            .map(|field| ((*field).to_owned(), handle()))
            .collect::<Map<_, _>>();
        let meta = json!({
            "io.developmentseed.toolsets/produces": produces(name, &all),
            "io.developmentseed.toolsets/notAuthored": all,
        });
        tool(name, &"turn the ring ".repeat(500), &all, properties.into(), meta)
    });
    let started = std::time::Instant::now();
    Talk::new(tools.collect()).ask(&"turn every ring ".repeat(5000));
    assert!(
        started.elapsed() < std::time::Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn where_no_call_is_allowed_it_says_what_there_is() {
    let mut talk = Talk::new(zeno());
    talk.ask("Tree cover loss in Pará");
    talk.request.tool_choice = ToolChoice::None;
    let answer = said(talk.result("Selected AOIs:\n- Pará", &["zeno-aoi/pick_aoi/aoi_selection"]));
    assert!(
        answer.starts_with("Selected AOIs:") && answer.contains("would call `pick_dataset` next"),
        "{answer}"
    );
}

#[tokio::test]
async fn it_streams_like_a_model_and_refuses_to_write_json() {
    let guide = Guide::new();
    let request = ChatRequest::new(vec![Message::user("hi")]).with_tools(hello());
    let events: Vec<_> = guide
        .stream(request.clone(), CancellationToken::new())
        .collect()
        .await;
    assert!(
        events.len() > 10 && matches!(events.last(), Some(Ok(crate::ChatEvent::Finished(_)))),
        "{events:?}"
    );
    let error = guide
        .reply(request.with_format("x", json!({})), CancellationToken::new())
        .await
        .unwrap_err();
    assert!(matches!(error, ChatError::Refused { .. }), "{error}");
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
