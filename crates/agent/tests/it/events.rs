//! What a turn tells, and in which order.

use periplus_agent::{ThreadId, TurnEvent};
use periplus_llm::scripted::Turn;
use serde_json::{Value, json};

use crate::support::{agent, events, on, script, serve, toolsets};

/// A short name for an event.
fn name(event: &TurnEvent) -> String {
    match event {
        TurnEvent::Started { turn, .. } => format!("started {turn}"),
        TurnEvent::AnswerChunk { text, .. } => format!("chunk {text}"),
        TurnEvent::ToolStarted { name, .. } => format!("call {name}"),
        TurnEvent::ToolFinished { name, .. } => format!("result {name}"),
        TurnEvent::StateChanged { state } => format!("state {}", state.iter().len()),
        TurnEvent::Finished(_) => "finished".to_owned(),
        other => format!("{other:?}"),
    }
}

#[tokio::test]
async fn events_come_in_an_order_that_a_client_can_draw() {
    let server = serve(vec![toolsets::dataset_search(), toolsets::clip_view()]);
    let mut search = Turn::call("search_datasets", json!({ "query": "severn" }));
    search.text = "Looking now.".to_owned();
    let clip =
        json!({ "dataset_id": "era5", "aoi": "@state:dataset-search/search_datasets/area_of_interest" });
    let model = script([search, Turn::call("clip_raster", clip), Turn::say("Clipped it.")]);
    let agent = agent(&model, &[&server]).await;
    let id = ThreadId::random();
    let events = events(agent.stream_turn(on(&id), "clip severn".into()).await.unwrap()).await;
    let names: Vec<String> = events.iter().map(name).collect();
    assert_eq!(
        names,
        [
            "started 1",
            "chunk Looking ",
            "chunk now.",
            "call search_datasets",
            "result search_datasets",
            "state 2",
            "call clip_raster",
            "result clip_raster",
            "state 3",
            "chunk Clipped ",
            "chunk it.",
            "finished",
        ]
    );
}

#[tokio::test]
async fn ids_of_the_stream_are_those_of_the_thread() {
    let server = serve(vec![toolsets::dataset_search()]);
    let model = script([
        Turn::call("search_datasets", json!({ "query": "severn" })),
        Turn::say("Found."),
    ]);
    let agent = agent(&model, &[&server]).await;
    let id = ThreadId::random();
    let events = events(agent.stream_turn(on(&id), "find".into()).await.unwrap()).await;
    let mut told = Vec::new();
    for event in &events {
        match event {
            TurnEvent::Started { message_id, .. }
            | TurnEvent::ToolStarted { message_id, .. }
            | TurnEvent::ToolFinished { message_id, .. } => told.push(message_id.clone()),
            TurnEvent::AnswerChunk { id, .. } => told.push(id.clone()),
            _ => {}
        }
    }
    let thread = agent.thread(&id).await.unwrap().unwrap();
    let stored: Vec<String> = thread.messages.iter().map(|message| message.id.clone()).collect();
    assert_eq!(told, stored);
}

#[tokio::test]
async fn all_calls_of_a_message_are_told_before_the_first_result() {
    let (slow, _pace) = toolsets::slow();
    let server = serve(vec![slow]);
    let model = script([
        Turn::call("meet", json!({})).and_call("meet", json!({})),
        Turn::say("Both."),
    ]);
    let agent = agent(&model, &[&server]).await;
    let stream = agent
        .stream_turn(on(&ThreadId::random()), "meet".into())
        .await
        .unwrap();
    let names: Vec<String> = events(stream).await.iter().map(name).collect();
    assert_eq!(
        names[1..5],
        ["call meet", "call meet", "result meet", "result meet"]
    );
}

#[tokio::test]
async fn an_event_serialises_without_the_values_of_session_state() {
    let server = serve(vec![toolsets::dataset_search()]);
    let model = script([
        Turn::call("search_datasets", json!({ "query": "severn" })),
        Turn::say("Found."),
    ]);
    let agent = agent(&model, &[&server]).await;
    let stream = agent
        .stream_turn(on(&ThreadId::random()), "find".into())
        .await
        .unwrap();
    let events: Vec<Value> = events(stream)
        .await
        .iter()
        .map(|event| serde_json::to_value(event).unwrap())
        .collect();
    let state = events
        .iter()
        .find(|event| event["type"] == "stateChanged")
        .unwrap();
    assert_eq!(
        state["state"]["dataset-search/search_datasets/datasets"],
        json!({ "tool": "search_datasets", "bytes": 28, "inputs": { "query": "model" } })
    );
    let finished = events.last().unwrap();
    assert_eq!(finished["type"], "finished");
    assert_eq!(
        finished["toolState"]["dataset-search/search_datasets/datasets"]["seq"],
        1
    );
    assert!(!json!(events).to_string().contains("chirps-daily"));
}

#[tokio::test]
async fn state_in_the_middle_of_a_turn_holds_what_the_thread_held_before() {
    let server = serve(vec![toolsets::dataset_search(), toolsets::receipts()]);
    let model = script([
        Turn::call("search_datasets", json!({ "query": "severn" })),
        Turn::say("Found."),
        Turn::call("select", json!({ "query": "maps" })),
        Turn::say("Selected."),
    ]);
    let agent = agent(&model, &[&server]).await;
    let id = ThreadId::random();
    agent.run_turn(on(&id), "find".into()).await.unwrap();
    let events = events(agent.stream_turn(on(&id), "select".into()).await.unwrap()).await;
    let sizes: Vec<usize> = events
        .iter()
        .filter_map(|event| match event {
            TurnEvent::Started { state, .. } | TurnEvent::StateChanged { state } => Some(state.iter().len()),
            _ => None,
        })
        .collect();
    assert_eq!(sizes, [2, 3]);
}

#[tokio::test]
async fn only_the_model_speaks_in_the_answer() {
    let server = serve(vec![toolsets::dataset_search()]);
    let model = script([
        Turn::call("search_datasets", json!({ "query": "severn" })),
        Turn::say("Two."),
    ]);
    let agent = agent(&model, &[&server]).await;
    let id = ThreadId::random();
    let events = events(agent.stream_turn(on(&id), "find".into()).await.unwrap()).await;
    let said: String = events
        .iter()
        .filter_map(|event| match event {
            TurnEvent::AnswerChunk { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(said, "Two.");
}

#[tokio::test]
async fn an_answer_cites_the_sources_that_its_tools_returned_and_no_others() {
    let server = serve(vec![toolsets::dataset_search()]);
    let answer =
        "See https://data.example/severn and [this](https://made.up/source), https://data.example/severn.";
    let model = script([
        Turn::call("search_datasets", json!({ "query": "severn" })),
        Turn::say(answer),
        Turn::say("As said: https://data.example/severn"),
    ]);
    let agent = agent(&model, &[&server]).await;
    let id = ThreadId::random();
    let result = agent.run_turn(on(&id), "find".into()).await.unwrap();
    assert_eq!(result.citations, ["https://data.example/severn"]);
    let next = agent.run_turn(on(&id), "again".into()).await.unwrap();
    assert_eq!(
        next.citations,
        Vec::<String>::new(),
        "no tool said it in this turn"
    );
    let turns = agent.thread(&id).await.unwrap().unwrap().turns;
    assert_eq!(turns[0].citations, ["https://data.example/severn"]);
}
