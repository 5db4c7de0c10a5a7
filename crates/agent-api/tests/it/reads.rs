//! What is read back of a thread.

use std::time::Duration;

use periplus_agent::Retention;
use periplus_agent_api::{ApiConfig, ApiLimits};
use periplus_llm::scripted::Turn;
use serde_json::{Value, json};

use crate::support::{Served, clip, message, search, serve, serve_as};

const AREA: &str = "dataset-search/search_datasets/area_of_interest";

#[tokio::test]
async fn a_thread_is_read_back_with_the_activities_of_its_stream() {
    let api = serve([
        search(),
        clip(),
        Turn::say("Done, see https://data.example/severn."),
    ])
    .await;
    let events = api.run(&message("t1", "r1", "clip severn")).await;
    let thread = api.json("threads/t1").await;
    let told: Vec<(&Value, &Value)> = events
        .iter()
        .filter(|event| event["type"] == "ACTIVITY_SNAPSHOT")
        .map(|event| (&event["activityType"], &event["content"]))
        .collect();
    let messages = thread["messages"].as_array().unwrap();
    let stored: Vec<(&Value, &Value)> = messages
        .iter()
        .filter(|message| message["role"] == "activity")
        .map(|message| (&message["activityType"], &message["content"]))
        .collect();
    assert_eq!(told, stored);
    let ids: Vec<&str> = messages
        .iter()
        .filter_map(|message| message["id"].as_str())
        .collect();
    assert!(ids.contains(&"act_2_0") && ids.contains(&"act_5_c"), "{ids:?}");
    let snapshot = events
        .iter()
        .find(|event| event["type"] == "MESSAGES_SNAPSHOT")
        .unwrap();
    let without: Vec<&Value> = messages
        .iter()
        .filter(|message| message["role"] != "activity")
        .collect();
    assert_eq!(
        without,
        snapshot["messages"]
            .as_array()
            .unwrap()
            .iter()
            .collect::<Vec<_>>()
    );
    assert_eq!(thread["running"], false);
}

#[tokio::test]
async fn a_value_is_read_by_its_key_now_and_as_it_was() {
    let again = Turn::call("search_datasets", json!({ "query": "thames" }));
    let api = serve([search(), Turn::say("Found."), again, Turn::say("Found.")]).await;
    api.run(&message("t1", "r1", "severn")).await;
    api.run(&message("t1", "r2", "thames")).await;
    let now = api.json(&format!("threads/t1/state/{AREA}")).await;
    assert_eq!(now["value"]["properties"]["name"], "thames");
    assert_eq!((&now["key"], &now["turn"]), (&json!(AREA), &json!(2)));
    let then = api.json(&format!("threads/t1/state/{AREA}?turn=1")).await;
    assert_eq!(then["value"]["properties"]["name"], "severn");
    assert_eq!(then["inputs"], json!({"query": "model"}));
    let turns = api.json("threads/t1/turns").await;
    assert_eq!((&turns["turns"], &turns["total"]), (&json!(2), &json!(2)));
    assert_eq!(turns["history"][0]["question"], "severn");
    assert_eq!(
        turns["history"][1]["state"],
        api.json("threads/t1").await["state"]
    );
}

#[tokio::test]
async fn what_is_not_there_is_told_apart_from_what_is_gone() {
    let turns = (0..3).flat_map(|_| [search(), Turn::say("Found.")]);
    let api = serve_as(ApiConfig::default(), Retention { turns: 2 }, turns).await;
    for run in ["r1", "r2", "r3"] {
        api.run(&message("t1", run, "search")).await;
    }
    let cases = [
        ("threads/unknown".to_owned(), 404, "no thread 'unknown'"),
        ("threads/unknown/turns".to_owned(), 404, "no thread 'unknown'"),
        ("threads/t1/state/a/b/c".to_owned(), 404, "'a/b/c'"),
        (
            "threads/t1/state/a/b/c?turn=2".to_owned(),
            404,
            "at the end of turn 2",
        ),
        (format!("threads/t1/state/{AREA}?turn=9"), 404, "the thread has 3"),
        (
            format!("threads/t1/state/{AREA}?turn=1"),
            410,
            "2 of 3 turns remain",
        ),
        (format!("threads/t1/state/{AREA}?turn=0"), 422, "'0'"),
        (format!("threads/t1/state/{AREA}?turn=x"), 422, "'x'"),
        ("views/clip-view/none".to_owned(), 404, "no view"),
        ("views/none/clip".to_owned(), 404, "no view"),
    ];
    for (path, expected, part) in cases {
        let (status, detail) = api.refusal(api.get(&path).await).await;
        assert_eq!(status, expected, "{path}");
        assert!(detail.as_str().unwrap().contains(part), "{path}: {detail}");
    }
    let turns = api.json("threads/t1/turns").await;
    assert_eq!((&turns["turns"], &turns["total"]), (&json!(2), &json!(3)));
}

#[tokio::test]
async fn a_removed_thread_is_gone_with_its_values() {
    let api = serve([search(), Turn::say("Found.")]).await;
    api.run(&message("t1", "r1", "search")).await;
    assert_eq!(api.delete("threads/t1").await.status().as_u16(), 204);
    assert_eq!(api.get("threads/t1").await.status().as_u16(), 404);
    assert_eq!(api.delete("threads/t1").await.status().as_u16(), 404);
}

#[tokio::test]
async fn a_thread_that_nobody_works_on_is_idle_at_once() {
    let api = serve([Turn::say("Hello.")]).await;
    api.run(&message("t1", "r1", "hello")).await;
    assert_eq!(api.json("threads/t1/idle").await, json!({"running": false}));
}

/// A run that has told its beginning, and goes on.
async fn begun(api: &Served) -> reqwest::Response {
    let mut run = api.post("runs", &message("t1", "r1", "wait")).await;
    run.chunk().await.unwrap();
    run
}

#[tokio::test]
async fn who_waits_for_a_run_is_told_when_it_ends_or_that_it_goes_on() {
    let config = |wait: Duration| ApiConfig {
        limits: ApiLimits {
            idle_wait: wait,
            ..ApiLimits::default()
        },
        ..ApiConfig::default()
    };
    let turns = || [Turn::call("wait", json!({}))];
    let api = serve_as(config(Duration::from_millis(50)), Retention::default(), turns()).await;
    let run = begun(&api).await;
    assert_eq!(api.json("threads/t1/idle").await, json!({"running": true}));
    drop(run);

    let api = serve_as(config(Duration::from_secs(60)), Retention::default(), turns()).await;
    let run = begun(&api).await;
    let nothing = json!({});
    let (idle, cancelled) = tokio::join!(api.json("threads/t1/idle"), api.post("runs/r1/cancel", &nothing));
    assert_eq!(
        (idle, cancelled.status().as_u16()),
        (json!({"running": false}), 202)
    );
    drop(run);
}

#[tokio::test]
async fn a_view_is_served_so_that_it_can_do_nothing_to_this_origin() {
    let api = serve([]).await;
    let response = api.get("views/clip-view/clip").await;
    assert_eq!(response.headers()["content-type"], "text/html; charset=utf-8");
    assert!(
        response.headers()["content-security-policy"]
            .to_str()
            .unwrap()
            .starts_with("sandbox")
    );
    assert!(response.text().await.unwrap().contains("<title>Clip</title>"));
}

#[tokio::test]
async fn connections_tell_which_credentials_a_run_would_have() {
    let api = serve([]).await;
    let supplied = |connections: &Value| {
        let toolsets = connections["toolsets"].as_array().unwrap();
        let demo = toolsets
            .iter()
            .find(|toolset| toolset["name"] == "account")
            .unwrap();
        demo["credentials"].clone()
    };
    let without = api.json("connections").await;
    assert_eq!(
        supplied(&without),
        json!([{"header": "x-demo-token", "supplied": false}])
    );
    let with = api
        .get_with("connections", &[("x-demo-token", "s")])
        .await
        .json()
        .await
        .unwrap();
    assert_eq!(
        supplied(&with),
        json!([{"header": "x-demo-token", "supplied": true}])
    );
    assert!(
        without["tools"]
            .as_array()
            .unwrap()
            .iter()
            .any(|tool| tool["name"] == "clip_raster")
    );
}

#[tokio::test]
async fn everything_stands_below_the_prefix() {
    let config = ApiConfig {
        prefix: "/agent".to_owned(),
        ..ApiConfig::default()
    };
    let api = serve_as(config, Retention::default(), [Turn::say("Hello.")]).await;
    api.run(&message("t1", "r1", "hello")).await;
    let document = api.json("openapi.json").await;
    assert_eq!(document["servers"][0]["url"], "/agent");
    let page = api.get("docs").await.text().await.unwrap();
    assert!(page.contains("/threads/{thread}/turns"));
}
