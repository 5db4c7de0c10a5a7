//! The stand-in over HTTP, as a client of the analytics service sees it.

use std::time::Duration;

use periplus_analytics_standin::{Options, Server, start};
use serde_json::{Value, json};

async fn server(delay: Duration) -> Server {
    start(Options {
        delay,
        ..Options::default()
    })
    .await
    .expect("loopback has a free port")
}

fn client() -> reqwest::Client {
    let _already_installed = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .tls_certs_only([])
        .no_proxy()
        .build()
        .expect("a client without TLS can be built")
}

async fn post(server: &Server, analysis: &str, body: Value) -> (u16, Value) {
    let url = format!("{}/v0/land_change/{analysis}/analytics", server.url());
    let response = client()
        .post(url)
        .json(&body)
        .send()
        .await
        .expect("the stand-in answers");
    (
        response.status().as_u16(),
        response.json().await.expect("with JSON"),
    )
}

async fn get(url: &str) -> (u16, Option<String>, Value) {
    let response = client().get(url).send().await.expect("the stand-in answers");
    let wait = response
        .headers()
        .get("retry-after")
        .map(|value| value.to_str().expect("a header is text").to_owned());
    (
        response.status().as_u16(),
        wait,
        response.json().await.expect("with JSON"),
    )
}

fn brazil() -> Value {
    json!({ "aoi": { "type": "admin", "ids": ["BRA"] }, "canopy_cover": 30, "forest_filter": null })
}

#[tokio::test]
async fn an_analysis_is_pending_and_then_saved_under_a_link_that_does_not_change() {
    let server = server(Duration::ZERO).await;
    let (status, created) = post(&server, "tree_cover", brazil()).await;
    assert_eq!((status, &created["status"]), (202, &json!("pending")));
    let link = created["data"]["link"].as_str().unwrap().to_owned();
    let (status, wait, fetched) = get(&link).await;
    assert_eq!((status, wait), (200, None));
    assert_eq!(
        (&fetched["status"], &fetched["data"]["status"]),
        (&json!("success"), &json!("saved"))
    );
    assert_eq!(fetched["data"]["result"]["aoi_id"], json!(["BRA"]));
    let (_, again) = post(&server, "tree_cover", brazil()).await;
    assert_eq!(again, json!({ "data": { "link": link }, "status": "saved" }));
}

#[tokio::test]
async fn a_slow_analysis_asks_to_be_asked_again() {
    let server = server(Duration::from_secs(3600)).await;
    let (_, created) = post(&server, "tree_cover", brazil()).await;
    let (status, wait, fetched) = get(created["data"]["link"].as_str().unwrap()).await;
    assert_eq!((status, wait.as_deref()), (200, Some("1")));
    assert_eq!(
        (&fetched["data"]["status"], &fetched["data"]["result"]),
        (&json!("pending"), &Value::Null)
    );
}

#[tokio::test]
async fn what_is_not_held_is_a_failed_analysis_that_stays_failed() {
    let server = server(Duration::ZERO).await;
    let body = json!({ "aoi": { "type": "admin", "ids": ["FRA"] } });
    let (_, created) = post(&server, "natural_lands", body.clone()).await;
    let (_, _, fetched) = get(created["data"]["link"].as_str().unwrap()).await;
    assert_eq!(fetched["data"]["status"], "failed");
    assert!(fetched["data"]["message"].as_str().unwrap().contains("BRA.1.1"));
    assert_eq!(post(&server, "natural_lands", body).await.1["status"], "failed");
}

#[tokio::test]
async fn a_wrong_body_and_an_unknown_analysis_are_answered_as_the_service_does() {
    let server = server(Duration::ZERO).await;
    let (status, body) = post(&server, "tree_cover", json!({ "colour": 1 })).await;
    assert_eq!((status, body["detail"].as_array().unwrap().len()), (422, 2));
    assert_eq!(post(&server, "weather", brazil()).await.0, 404);
    let (_, created) = post(&server, "tree_cover", brazil()).await;
    let elsewhere = created["data"]["link"]
        .as_str()
        .unwrap()
        .replace("tree_cover", "carbon_flux");
    let (status, _, body) = get(&elsewhere).await;
    assert_eq!((status, body), (404, json!({ "detail": "Analysis not found" })));
}

#[tokio::test]
async fn the_root_says_what_is_held() {
    let server = server(Duration::ZERO).await;
    let (_, _, index) = get(server.url()).await;
    assert_eq!(index["analyses"].as_array().unwrap().len(), 12);
}
