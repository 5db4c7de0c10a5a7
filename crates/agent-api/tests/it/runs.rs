//! Runs: what is told, in which order, and what a client holds at the end.

use std::time::Duration;

use futures::StreamExt;
use periplus_agent::ThreadId;
use periplus_llm::scripted::{FaultKind, Turn};
use serde_json::{Value, json};

use crate::{
    support::{clip, message, names, search, serve},
    verifier::Verifier,
};

#[tokio::test]
async fn a_run_tells_calls_values_views_and_the_thread_in_the_published_order() {
    let mut looking = search();
    looking.text = "Looking.".to_owned();
    let api = serve([
        looking,
        clip(),
        Turn::say("Clipped it, see https://data.example/severn."),
    ])
    .await;
    let events = api.run(&message("t1", "r1", "clip severn")).await;
    let mut names = names(&events);
    names.dedup();
    assert_eq!(
        names,
        [
            "RUN_STARTED",
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
            "TOOL_CALL_START",
            "TOOL_CALL_ARGS",
            "TOOL_CALL_END",
            "TOOL_CALL_RESULT",
            "state.published",
            "STATE_DELTA",
            "TOOL_CALL_START",
            "TOOL_CALL_ARGS",
            "TOOL_CALL_END",
            "TOOL_CALL_RESULT",
            "state.consumed",
            "state.published",
            "STATE_DELTA",
            "mcp.view",
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
            "STATE_DELTA",
            "answer.citations",
            "MESSAGES_SNAPSHOT",
            "RUN_FINISHED",
        ]
    );
    assert_eq!(
        events[0],
        json!({"type": "RUN_STARTED", "threadId": "t1", "runId": "r1"})
    );
    let of = |kind: &str| -> Vec<&Value> {
        let is_kind = |event: &&Value| event["type"] == kind || event["activityType"] == kind;
        events.iter().filter(is_kind).collect()
    };
    let area = "dataset-search/search_datasets/area_of_interest";
    let deltas = of("STATE_DELTA");
    assert_eq!(
        deltas[0]["delta"][0]["path"], "/toolState",
        "the first one tells all"
    );
    assert_eq!(
        deltas[1]["delta"][0]["path"],
        "/toolState/clip-view~1clip_raster~1bounds"
    );
    assert_eq!(
        deltas[1]["delta"][0]["value"].get("seq"),
        None,
        "order is told at the end"
    );
    let consumed = &of("state.consumed")[0]["content"];
    assert_eq!(consumed["received"]["aoi"]["key"], area);
    assert_eq!(consumed["tool"], "clip_raster");
    let view = &of("mcp.view")[0]["content"];
    assert_eq!(view["uri"], "ui://clip-view/clip");
    assert_eq!(
        view["data"]["bounds"]["type"], "Feature",
        "the view has the value itself"
    );
    assert_eq!(
        of("answer.citations")[0]["content"]["ids"],
        json!(["https://data.example/severn"])
    );
    assert_eq!(of("state.published")[0]["messageId"], "act_r1_1");
    let snapshot = of("MESSAGES_SNAPSHOT")[0]["messages"].as_array().unwrap();
    assert_eq!(
        snapshot[0],
        json!({"role": "user", "id": "u-r1", "content": "clip severn"})
    );
    assert_eq!(snapshot[1]["toolCalls"][0]["function"]["name"], "search_datasets");
    assert_eq!(snapshot[1]["toolCalls"][0]["type"], "function");
    assert_eq!(snapshot[2]["toolCallId"], snapshot[1]["toolCalls"][0]["id"]);
    assert_eq!(events.last().unwrap()["outcome"], json!({"type": "success"}));
    let told: Vec<&str> = of("TEXT_MESSAGE_START")
        .iter()
        .map(|event| event["messageId"].as_str().unwrap())
        .collect();
    let stored: Vec<&str> = [1, 5]
        .iter()
        .map(|&at| snapshot[at]["id"].as_str().unwrap())
        .collect();
    assert_eq!(told, stored, "ids of the stream are those of the thread");
}

#[tokio::test]
async fn the_state_of_a_client_is_that_of_the_thread_after_every_run() {
    let api = serve([
        search(),
        Turn::say("Found."),
        Turn::say("Hello."),
        clip(),
        Turn::say("Done."),
    ])
    .await;
    for (run, text) in [("r1", "search"), ("r2", "hello"), ("r3", "clip")] {
        let events = api.run(&message("t1", run, text)).await;
        let client = Verifier::check(&events, false);
        let thread = api.json("threads/t1").await;
        assert_eq!(client["toolState"], thread["state"], "{run}");
    }
}

#[tokio::test]
async fn a_value_never_enters_an_event_except_its_view() {
    let api = serve([search(), clip(), Turn::say("Done.")]).await;
    let events = api.run(&message("t1", "r1", "clip")).await;
    for event in events.iter().filter(|event| event["activityType"] != "mcp.view") {
        assert!(!event.to_string().contains("coordinates"), "{event}");
    }
}

#[tokio::test]
async fn calls_of_one_message_all_start_before_the_first_result() {
    let both = search().and_call("search_datasets", json!({ "query": "thames" }));
    let api = serve([both, Turn::say("Found.")]).await;
    let events = api.run(&message("t1", "r1", "search")).await;
    let names = names(&events);
    let last_start = names.iter().rposition(|name| name == "TOOL_CALL_START").unwrap();
    let first_result = names.iter().position(|name| name == "TOOL_CALL_RESULT").unwrap();
    assert!(last_start < first_result, "{names:?}");
}

#[tokio::test]
async fn a_run_that_fails_ends_with_an_error_and_leaves_a_thread_that_goes_on() {
    let api = serve([
        Turn::say("One moment please, ").failing(FaultKind::Refused, 1),
        Turn::say("Here I am again."),
    ])
    .await;
    let events = api.run(&message("t1", "r1", "hello")).await;
    let names = names(&events);
    assert_eq!(names.last().unwrap(), "RUN_ERROR");
    assert!(
        !names
            .iter()
            .any(|name| name == "MESSAGES_SNAPSHOT" || name == "RUN_FINISHED")
    );
    assert_eq!(events.last().unwrap()["code"], "model");
    let events = api.run(&message("t1", "r2", "again")).await;
    assert_eq!(events.last().unwrap()["type"], "RUN_FINISHED");
}

#[tokio::test]
async fn ids_are_chosen_where_the_client_sends_none() {
    let api = serve([Turn::say("Hello.")]).await;
    let events = api
        .run(&json!({ "messages": [{ "id": "u1", "role": "user", "content": [{ "type": "text", "text": "hello" }] }] }))
        .await;
    for id in ["threadId", "runId"] {
        assert_eq!(events[0][id].as_str().unwrap().len(), 32);
    }
}

#[tokio::test]
async fn a_client_that_goes_away_ends_its_run() {
    let api = serve([Turn::call("wait", json!({})), Turn::say("Never said.")]).await;
    let thread = ThreadId::parse("t1").unwrap();
    let response = api.post("runs", &message("t1", "r1", "wait")).await;
    let mut stream = response.bytes_stream();
    let first = stream.next().await.unwrap().unwrap();
    assert!(first.starts_with(b"data: {\"type\":\"RUN_STARTED\""));
    assert!(api.agent.checkpoints().is_running(&thread).await.unwrap());
    drop(stream);
    let idle = api.agent.checkpoints().wait_idle(&thread);
    tokio::time::timeout(Duration::from_secs(10), idle)
        .await
        .expect("the run ends")
        .unwrap();
    assert_eq!(api.json("threads/t1").await["running"], false);
}

#[tokio::test]
async fn a_run_is_cancelled_by_its_id() {
    let api = serve([Turn::call("wait", json!({}))]).await;
    let response = api.post("runs", &message("t1", "r1", "wait")).await;
    let reading = tokio::spawn(async move { response.text().await.unwrap() });
    assert_eq!(
        api.post("runs/r1/cancel", &json!({})).await.status().as_u16(),
        202
    );
    let text = tokio::time::timeout(Duration::from_secs(10), reading)
        .await
        .expect("it ends")
        .unwrap();
    let events = crate::support::parse(&text);
    assert_eq!(events.last().unwrap()["outcome"], json!({"type": "cancelled"}));
    assert_eq!(
        api.post("runs/r1/cancel", &json!({})).await.status().as_u16(),
        404
    );
}

#[tokio::test]
async fn declared_headers_reach_their_toolset_and_appear_nowhere() {
    let api = serve([Turn::call("whoami", json!({})), Turn::say("Done.")]).await;
    let secret = "s3cr3t-token-of-ada";
    let headers = [("X-Demo-Token", secret), ("X-Other", "not declared")];
    let events = api.run_with(&message("t1", "r1", "who am I?"), &headers).await;
    let all = Value::from(events).to_string();
    assert!(all.contains("You are user 19."));
    assert!(!all.contains(secret));
    assert!(!api.json("threads/t1").await.to_string().contains(secret));
}

#[tokio::test]
async fn a_call_that_failed_has_no_view() {
    let unknown =
        json!({ "dataset_id": "era5-land", "aoi": "@state:dataset-search/search_datasets/nothing" });
    let api = serve([Turn::call("clip_raster", unknown), Turn::say("It failed.")]).await;
    let events = api.run(&message("t1", "r1", "clip")).await;
    let names = names(&events);
    assert!(names.contains(&"TOOL_CALL_RESULT".to_owned()));
    assert!(!names.contains(&"mcp.view".to_owned()), "{names:?}");
    assert!(!api.json("threads/t1").await.to_string().contains("mcp.view"));
}
