//! Whose threads a caller may use.

use std::sync::Arc;

use periplus_agent::Retention;
use periplus_agent_api::{ApiConfig, Owner, OwnerPolicy};
use periplus_llm::scripted::Turn;
use serde_json::json;

use crate::support::{Served, message, serve, serve_as};

fn owner() -> Owner {
    Arc::new(|headers| Some(headers.get("x-user")?.to_str().ok()?.to_owned()))
}

async fn with(owners: OwnerPolicy) -> Served {
    let config = ApiConfig {
        owners,
        ..ApiConfig::default()
    };
    serve_as(
        config,
        Retention::default(),
        [
            Turn::say("Hello."),
            Turn::call("wait", json!({})),
            Turn::say("Hello."),
        ],
    )
    .await
}

const ADA: &[(&str, &str)] = &[("x-user", "ada")];
const BOB: &[(&str, &str)] = &[("x-user", "bob")];

#[tokio::test]
async fn a_thread_of_somebody_else_looks_as_if_it_did_not_exist() {
    let api = with(OwnerPolicy::Enforced(owner())).await;
    api.run_with(&message("t1", "r1", "hello"), ADA).await;
    assert_eq!(api.get_with("threads/t1", ADA).await.status().as_u16(), 200);
    for path in [
        "threads/t1",
        "threads/t1/turns",
        "threads/t1/idle",
        "threads/t1/state/a/b/c",
    ] {
        let (status, detail) = api.refusal(api.get_with(path, BOB).await).await;
        assert_eq!((status, detail), (404, json!("no thread 't1'")), "{path}");
        assert_eq!(api.get(path).await.status().as_u16(), 403, "{path}");
    }
    let refused = api.post_with("runs", &message("t1", "r2", "mine now"), BOB).await;
    assert_eq!(refused.status().as_u16(), 404);
    assert_eq!(
        api.post("runs", &message("t2", "r2", "hello"))
            .await
            .status()
            .as_u16(),
        403
    );
}

#[tokio::test]
async fn a_run_is_cancelled_by_its_owner_only() {
    let api = with(OwnerPolicy::Enforced(owner())).await;
    api.run_with(&message("t1", "r1", "hello"), ADA).await;
    let response = api.post_with("runs", &message("t1", "r2", "wait"), ADA).await;
    assert_eq!(
        api.post_with("runs/r2/cancel", &json!({}), BOB)
            .await
            .status()
            .as_u16(),
        404
    );
    assert_eq!(
        api.post_with("runs/r2/cancel", &json!({}), ADA)
            .await
            .status()
            .as_u16(),
        202
    );
    assert!(response.text().await.unwrap().contains("\"cancelled\""));
}

#[tokio::test]
async fn callers_list_their_own_threads_the_newest_first() {
    let api = with(OwnerPolicy::Recorded(owner())).await;
    api.run_with(&message("t1", "r1", "hello from ada"), ADA).await;
    let listed = api.get_with("threads", ADA).await;
    let listed: serde_json::Value = listed.json().await.unwrap();
    assert_eq!(listed["threads"][0]["threadId"], "t1");
    assert_eq!(listed["threads"][0]["question"], "hello from ada");
    assert!(listed["threads"][0]["createdAt"].is_string());
    let others: serde_json::Value = api.get_with("threads", BOB).await.json().await.unwrap();
    assert_eq!(others["threads"], json!([]));
    assert_eq!(api.get("threads").await.status().as_u16(), 403);
}

#[tokio::test]
async fn without_a_way_to_tell_owners_nobody_lists_threads() {
    let api = serve([]).await;
    assert_eq!(api.get_with("threads", ADA).await.status().as_u16(), 403);
}
