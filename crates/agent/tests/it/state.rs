//! Values by reference, through the loop.

use periplus_agent::{MessageBody, ThreadId};
use periplus_llm::scripted::{Expect, Turn};
use periplus_state::StateKey;
use serde_json::json;

use crate::support::{agent, on, results, script, serve, thread, toolsets};

const AREA: &str = "dataset-search/search_datasets/area_of_interest";

fn clip(aoi: &serde_json::Value) -> Turn {
    Turn::call("clip_raster", json!({ "dataset_id": "era5-land", "aoi": aoi }))
}

#[tokio::test]
async fn a_value_goes_from_tool_to_tool_and_the_model_never_reads_it() {
    let server = serve(vec![toolsets::dataset_search(), toolsets::clip_view()]);
    let unseen = Expect {
        tool_results: vec![format!(
            "[state updated: {AREA}, dataset-search/search_datasets/datasets — "
        )],
        absent: vec!["-2.5".to_owned(), "chirps-daily".to_owned()],
        ..Expect::default()
    };
    let model = script([
        Turn::call("search_datasets", json!({ "query": "severn" })),
        clip(&json!(format!("@state:{AREA}"))).expecting(unseen),
        Turn::say("Clipped.").expecting(Expect::tool_result("Clipped era5-land to \"severn\".")),
    ]);
    let agent = agent(&model, &[&server]).await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "clip severn".into())
        .await
        .unwrap();
    assert_eq!(result.answer, "Clipped.");
    assert_eq!(model.remaining(), 0);
    let bounds = result.state.get("clip-view/clip_raster/bounds").unwrap();
    assert_eq!(
        bounds.value.json()["geometry"]["coordinates"],
        json!([-2.5, 52.0])
    );
    assert_eq!(
        serde_json::to_value(&bounds.inputs).unwrap(),
        json!({ "dataset_id": "model", "aoi": AREA })
    );
}

#[tokio::test]
async fn a_value_of_an_earlier_turn_is_still_there_and_says_from_which_turn_it_is() {
    let server = serve(vec![toolsets::dataset_search(), toolsets::clip_view()]);
    let model = script([
        Turn::call("search_datasets", json!({ "query": "severn" })),
        Turn::say("Found."),
        clip(&json!(format!("@state:{AREA}"))),
        Turn::say("Clipped."),
    ]);
    let agent = agent(&model, &[&server]).await;
    let id = ThreadId::random();
    agent.run_turn(on(&id), "find severn".into()).await.unwrap();
    let result = agent.run_turn(on(&id), "clip it".into()).await.unwrap();
    let artifact = result
        .new_messages
        .iter()
        .find_map(|message| match &message.body {
            MessageBody::Tool { artifact, .. } => Some(artifact),
            MessageBody::User { .. } | MessageBody::Assistant(_) => None,
        });
    let receipt = &artifact.unwrap().injected_state["aoi"];
    assert_eq!(
        receipt.line("aoi"),
        format!("aoi ← {AREA}, published by search_datasets in turn 1")
    );
}

#[tokio::test]
async fn a_literal_for_a_not_authored_parameter_is_refused_and_the_call_is_answered() {
    let server = serve(vec![toolsets::dataset_search(), toolsets::clip_view()]);
    let model = script([
        clip(&json!({ "type": "Point" })),
        Turn::say("I may not.").expecting(Expect::tool_result("clip_raster was not called.")),
        Turn::say("Still here."),
    ]);
    let agent = agent(&model, &[&server]).await;
    let id = ThreadId::random();
    let result = agent.run_turn(on(&id), "clip".into()).await.unwrap();
    assert!(
        results(&result)[0].contains("'aoi' was given a value you wrote"),
        "{result:?}"
    );
    agent.run_turn(on(&id), "and now?".into()).await.unwrap();
    assert_eq!(model.remaining(), 0);
}

#[tokio::test]
async fn unknown_and_nested_handles_never_reach_a_server() {
    let server = serve(vec![toolsets::dataset_search(), toolsets::clip_view()]);
    let model = script([
        clip(&json!("@state:nope/x/y")).and_call("search_datasets", json!({ "query": ["@state:nope/x/y"] })),
        Turn::say("Neither."),
    ]);
    let agent = agent(&model, &[&server]).await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "clip".into())
        .await
        .unwrap();
    let texts = results(&result);
    assert!(
        texts[0].contains("aoi: @state:nope/x/y — no such key"),
        "{}",
        texts[0]
    );
    assert!(texts[1].contains("query[0]: @state:nope/x/y — "), "{}", texts[1]);
    assert!(result.state.is_empty());
}

#[tokio::test]
async fn a_publisher_and_its_consumer_in_one_step_run_one_after_the_other() {
    let server = serve(vec![toolsets::dataset_search(), toolsets::clip_view()]);
    let both =
        clip(&json!(format!("@state:{AREA}"))).and_call("search_datasets", json!({ "query": "severn" }));
    let model = script([both, Turn::say("Done.")]);
    let agent = agent(&model, &[&server]).await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "clip severn".into())
        .await
        .unwrap();
    assert!(
        result.state.get("clip-view/clip_raster/bounds").is_some(),
        "{:?}",
        results(&result)
    );
    // The model reads the results in the order of its calls all the same.
    let sent = &model.requests()[1].messages;
    assert!(
        sent[2].text().starts_with("Clipped") && sent[3].text().starts_with("Found"),
        "{sent:?}"
    );
}

#[tokio::test]
async fn a_handle_is_put_in_for_a_plain_text_parameter_too() {
    let server = serve(vec![toolsets::receipts(), toolsets::clip_view()]);
    let model = script([
        Turn::call("select", json!({ "query": "maps" })),
        Turn::call(
            "count_text",
            json!({ "selection": "@state:receipts/select/selection" }),
        ),
        Turn::say("Counted.").expecting(Expect::tool_result("48 characters, starting with receipt-x")),
    ]);
    let agent = agent(&model, &[&server]).await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "count maps".into())
        .await
        .unwrap();
    assert_eq!(result.answer, "Counted.");
}

#[tokio::test]
async fn every_stored_key_can_be_inspected_now_and_as_it_was() {
    let server = serve(vec![toolsets::dataset_search()]);
    let look = |turn: Option<u32>| {
        Turn::call(
            "inspect_state",
            json!({ "key": AREA, "path": "properties.name", "turn": turn }),
        )
    };
    let model = script([
        Turn::call("search_datasets", json!({ "query": "severn" })),
        Turn::say("One."),
        Turn::call("search_datasets", json!({ "query": "thames" })),
        look(Some(1)).and_call("inspect_state", json!({ "key": AREA, "turn": 9 })),
        look(None).expecting(Expect {
            tool_results: vec!["severn".to_owned(), "no_such_turn".to_owned()],
            ..Expect::default()
        }),
        Turn::say("Two.").expecting(Expect::tool_result("thames")),
    ]);
    let agent = agent(&model, &[&server]).await;
    let id = ThreadId::random();
    agent.run_turn(on(&id), "severn".into()).await.unwrap();
    let result = agent.run_turn(on(&id), "thames".into()).await.unwrap();
    assert_eq!(result.answer, "Two.");
    let entry = result.state.get(AREA).unwrap();
    assert_eq!((entry.turn, entry.turns_written), (2, 2));
}

#[tokio::test]
async fn without_session_state_results_are_read_as_they_were_sent() {
    let server = serve(vec![toolsets::dataset_search(), toolsets::clip_view()]);
    let model = script([
        Turn::call("search_datasets", json!({ "query": "severn" })),
        clip(&json!({ "properties": { "name": "mine" } })).expecting(Expect::tool_result("chirps-daily")),
        Turn::say("Clipped.").expecting(Expect::tool_result("Clipped era5-land to \\\"mine\\\".")),
    ]);
    let settings = periplus_agent::AgentSettings {
        session_state: false,
        ..Default::default()
    };
    let builder = crate::support::builder(&model)
        .toolsets(server.url.clone())
        .settings(settings);
    let agent = builder.connect().await;
    let id = ThreadId::random();
    let result = agent.run_turn(on(&id), "clip".into()).await.unwrap();
    assert_eq!(result.answer, "Clipped.");
    assert!(result.state.is_empty());
    let request = &model.requests()[0];
    assert!(request.tools.iter().all(|tool| tool.name != "inspect_state"));
    assert!(!request.system.as_deref().unwrap().contains("@state:"));
    // The structured half stays for views.
    let thread = thread(&agent, &id).await;
    let has_structure = |body: &MessageBody| matches!(body, MessageBody::Tool { artifact, .. } if artifact.structured_content.is_some());
    assert!(thread.messages.iter().any(|message| has_structure(&message.body)));
}

#[tokio::test]
async fn the_state_at_the_end_of_each_turn_can_be_read_back() {
    let server = serve(vec![toolsets::dataset_search()]);
    let model = script([
        Turn::call("search_datasets", json!({ "query": "severn" })),
        Turn::say("One."),
        Turn::call("search_datasets", json!({ "query": "thames" })),
        Turn::say("Two."),
    ]);
    let agent = agent(&model, &[&server]).await;
    let id = ThreadId::random();
    agent.run_turn(on(&id), "severn".into()).await.unwrap();
    agent.run_turn(on(&id), "thames".into()).await.unwrap();
    let thread = thread(&agent, &id).await;
    let mut names = Vec::new();
    for turn in 1..=2 {
        match thread.state_at(agent.checkpoints(), turn).await.unwrap() {
            periplus_agent::TurnState::Found(state) => {
                let key = StateKey::parse(AREA).unwrap();
                names.push(state.get(key.as_str()).unwrap().value.json()["properties"]["name"].clone());
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(names, ["severn", "thames"]);
}
