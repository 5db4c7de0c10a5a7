//! Requests that are not run.

use std::{sync::Arc, time::Duration};

use periplus_agent::{Retention, ThreadId};
use periplus_agent_api::{Api, ApiConfig, ApiLimits, Owner, OwnerPolicy};
use periplus_llm::scripted::Turn;
use serde_json::{Value, json};

use crate::support::{listen, message, serve, serve_as};

#[tokio::test]
async fn what_cannot_be_run_is_refused_with_its_reason() {
    let api = serve([]).await;
    let cases: &[(Value, &str)] = &[
        (json!({}), "no user message to run"),
        (
            json!({"messages": [{"role": "user", "content": "x"}]}),
            "missing field `id`",
        ),
        (
            json!({"messages": [{"id": "u", "role": "user", "content": ""}]}),
            "no user message",
        ),
        (json!({"threadId": "a/b", "messages": []}), "an id has"),
        (json!([]), "must be a JSON object"),
        (json!(null), "must be a JSON object"),
    ];
    for (body, reason) in cases {
        let (status, detail) = api.refusal(api.post("runs", body).await).await;
        assert_eq!(status, 422, "{body}");
        assert!(detail.as_str().unwrap().contains(reason), "{detail}");
    }
}

#[tokio::test]
async fn a_body_of_another_type_is_refused_so_that_no_foreign_page_can_start_a_run() {
    let api = serve([]).await;
    let request = reqwest::Client::new()
        .post(api.url.join("runs").unwrap())
        .header("content-type", "text/plain")
        .body(message("t1", "r1", "hello").to_string());
    assert_eq!(request.send().await.unwrap().status().as_u16(), 415);
}

#[tokio::test]
async fn a_body_that_is_too_large_or_does_not_arrive_is_refused_with_the_limit() {
    let limits = ApiLimits {
        body_bytes: 1000,
        body_time: Duration::from_millis(50),
        ..ApiLimits::default()
    };
    let config = ApiConfig {
        limits,
        ..ApiConfig::default()
    };
    let api = serve_as(config, Retention::default(), []).await;
    let large = message("t1", "r1", &"x".repeat(2000));
    let (status, detail) = api.refusal(api.post("runs", &large).await).await;
    assert_eq!(status, 413);
    assert!(detail.as_str().unwrap().contains("1000 bytes"), "{detail}");
    let never = futures::stream::pending::<Result<&str, std::io::Error>>();
    let request = reqwest::Client::new()
        .post(api.url.join("runs").unwrap())
        .header("content-type", "application/json")
        .body(reqwest::Body::wrap_stream(never));
    let (status, detail) = api.refusal(request.send().await.unwrap()).await;
    assert_eq!(status, 408);
    assert!(detail.as_str().unwrap().contains("0.05 s"), "{detail}");
}

#[tokio::test]
async fn a_thread_that_is_in_use_is_refused_at_once() {
    let api = serve([Turn::call("wait", json!({}))]).await;
    let response = api.post("runs", &message("t1", "r1", "wait")).await;
    let refused = api.post("runs", &message("t1", "r2", "me too")).await;
    let (status, detail) = api.refusal(refused).await;
    assert_eq!((status, &detail["reason"]), (409, &json!("run_in_progress")));
    let (status, _) = api.refusal(api.delete("threads/t1").await).await;
    assert_eq!(status, 409, "it is not removed either");
    drop(response);
}

#[tokio::test]
async fn a_run_id_that_is_in_use_is_refused_and_its_run_can_still_be_cancelled() {
    let api = serve([Turn::call("wait", json!({}))]).await;
    let response = api.post("runs", &message("t1", "r1", "wait")).await;
    for thread in ["t1", "t2"] {
        let refused = api.post("runs", &message(thread, "r1", "the same run")).await;
        let (status, detail) = api.refusal(refused).await;
        assert_eq!(
            (status, &detail["reason"]),
            (409, &json!("run_in_progress")),
            "{thread}"
        );
    }
    let cancelled = api.post("runs/r1/cancel", &json!({})).await;
    assert_eq!(cancelled.status().as_u16(), 202);
    assert!(response.text().await.unwrap().contains("\"cancelled\""));
}

#[tokio::test]
async fn a_client_that_stops_reading_keeps_neither_its_run_nor_its_place() {
    let limits = ApiLimits {
        runs: 1,
        run_time: Duration::from_millis(300),
        ..ApiLimits::default()
    };
    let config = ApiConfig {
        limits,
        ..ApiConfig::default()
    };
    let turns = [Turn::call("wait", json!({})), Turn::say("Hello.")];
    let api = serve_as(config, Retention::default(), turns).await;
    // A body that nobody asks for its next frame is what a full connection looks like from here.
    let unread = api.unread(&message("t1", "r1", "wait")).await;
    let thread = ThreadId::parse("t1").unwrap();
    let idle = api.agent.checkpoints().wait_idle(&thread);
    tokio::time::timeout(Duration::from_secs(10), idle)
        .await
        .expect("the run ends with its time")
        .unwrap();
    let end = std::time::Instant::now() + Duration::from_secs(10);
    while api.post("runs", &message("t2", "r2", "hello")).await.status() != 200 {
        assert!(std::time::Instant::now() < end, "the place becomes free");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop(unread);
}

#[tokio::test]
async fn whatever_is_refused_has_a_detail() {
    let owner: Owner = Arc::new(|_headers| Some("ada".to_owned()));
    let config = ApiConfig {
        owners: OwnerPolicy::Recorded(owner),
        ..ApiConfig::default()
    };
    let api = serve_as(config, Retention::default(), []).await;
    let cases = [
        (api.get("nowhere").await, 404, "nothing at this path"),
        (api.get("threads/%ff").await, 404, "nothing at this path"),
        (api.delete("runs").await, 405, "does not take that method"),
        (
            api.get("threads?limit=few").await,
            422,
            "the query cannot be read",
        ),
        (
            api.get("threads?after=a/b").await,
            422,
            "the query cannot be read",
        ),
    ];
    for (response, expected, part) in cases {
        let path = response.url().path().to_owned();
        let (status, detail) = api.refusal(response).await;
        assert_eq!(status, expected, "{path}");
        assert!(
            detail.as_str().unwrap_or_default().contains(part),
            "{path}: {detail}"
        );
    }
}

#[tokio::test]
async fn more_runs_than_the_limit_are_refused_and_a_place_becomes_free_again() {
    let limits = ApiLimits {
        runs: 1,
        ..ApiLimits::default()
    };
    let config = ApiConfig {
        limits,
        ..ApiConfig::default()
    };
    let api = serve_as(
        config,
        Retention::default(),
        [Turn::call("wait", json!({})), Turn::say("Hi.")],
    )
    .await;
    let response = api.post("runs", &message("t1", "r1", "wait")).await;
    let (status, detail) = api
        .refusal(api.post("runs", &message("t2", "r2", "hello")).await)
        .await;
    assert_eq!(status, 503);
    assert!(
        detail.as_str().unwrap().contains("1 runs are in progress"),
        "{detail}"
    );
    drop(response);
    let end = std::time::Instant::now() + Duration::from_secs(10);
    while api.post("runs", &message("t2", "r3", "hello")).await.status() != 200 {
        assert!(std::time::Instant::now() < end, "the place becomes free");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_run_that_takes_too_long_is_cancelled() {
    let limits = ApiLimits {
        run_time: Duration::from_millis(300),
        ..ApiLimits::default()
    };
    let config = ApiConfig {
        limits,
        ..ApiConfig::default()
    };
    let api = serve_as(config, Retention::default(), [Turn::call("wait", json!({}))]).await;
    let events = api.run(&message("t1", "r1", "wait")).await;
    assert_eq!(events.last().unwrap()["outcome"], json!({"type": "cancelled"}));
}

#[tokio::test]
async fn a_short_thread_id_is_refused_where_ids_are_the_only_protection() {
    let limits = ApiLimits {
        thread_id_bytes: 32,
        ..ApiLimits::default()
    };
    let config = ApiConfig {
        limits,
        ..ApiConfig::default()
    };
    let api = serve_as(config, Retention::default(), [Turn::say("Hello.")]).await;
    let (status, detail) = api
        .refusal(api.post("runs", &message("t1", "r1", "hello")).await)
        .await;
    assert_eq!(status, 422);
    assert!(detail.as_str().unwrap().contains("32 characters"), "{detail}");
    api.run(&message(&"x".repeat(32), "r1", "hello")).await;
}

#[tokio::test]
async fn before_the_agent_is_there_every_route_of_it_says_so() {
    let api = Api::new(ApiConfig::default());
    let (url, _stop) = listen(&api).await;
    let client = reqwest::Client::new();
    for path in [
        "threads/t1",
        "threads/t1/turns",
        "threads/t1/idle",
        "connections",
        "views/a/b",
        "health/readiness",
    ] {
        let response = client.get(url.join(path).unwrap()).send().await.unwrap();
        assert_eq!(response.status().as_u16(), 503, "{path}");
    }
    let response = client
        .get(url.join("health/liveness").unwrap())
        .send()
        .await
        .unwrap();
    assert_eq!(
        response.json::<Value>().await.unwrap(),
        json!({"status": "alive"})
    );
}

#[tokio::test]
async fn pages_of_listed_origins_may_call_with_credentials_and_no_others() {
    let config = ApiConfig {
        origins: vec!["https://chat.example".parse().unwrap()],
        ..ApiConfig::default()
    };
    let api = serve_as(config, Retention::default(), []).await;
    let preflight = |origin: &str| {
        reqwest::Client::new()
            .request(reqwest::Method::OPTIONS, api.url.join("runs").unwrap())
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "content-type,x-demo-token")
            .send()
    };
    let listed = preflight("https://chat.example").await.unwrap();
    assert_eq!(
        listed.headers()["access-control-allow-origin"],
        "https://chat.example"
    );
    assert_eq!(listed.headers()["access-control-allow-credentials"], "true");
    assert_eq!(
        listed.headers()["access-control-allow-headers"],
        "content-type,x-demo-token"
    );
    let other = preflight("https://evil.example").await.unwrap();
    assert!(!other.headers().contains_key("access-control-allow-origin"));
}

#[tokio::test]
async fn a_name_that_was_made_to_point_here_is_not_answered() {
    let api = serve([]).await;
    let ask = |path: &str| {
        reqwest::Client::new()
            .get(api.url.join(path).unwrap())
            .header("host", "rebound.example")
            .send()
    };
    for path in ["connections", "threads/t1/state/a/health/liveness", "nowhere"] {
        assert_eq!(ask(path).await.unwrap().status().as_u16(), 403, "{path}");
    }
    assert_eq!(ask("health/readiness").await.unwrap().status().as_u16(), 200);
}
