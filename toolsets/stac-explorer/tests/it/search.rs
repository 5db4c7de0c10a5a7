use std::{convert::Infallible, future::pending};

use axum::{
    Router,
    body::Body,
    http::StatusCode,
    response::Redirect,
    routing::{any, get},
};
use futures::stream;
use periplus_stac_explorer::{Config, toolset};
use periplus_toolset::{Failure, Toolset, Value, json, testing::call};

use crate::upstream::{Host, json_at};

async fn search(toolset: &Toolset, arguments: Value) -> Value {
    call(toolset, "search_collections", arguments)
        .await
        .expect("an expected failure is an answer")
        .structured
}

fn ids(answer: &Value) -> Vec<&str> {
    let collections = answer["collections"].as_array().expect("a list of collections");
    collections
        .iter()
        .map(|collection| collection["id"].as_str().expect("a collection with an id"))
        .collect()
}

fn page() -> Value {
    json!({ "collections": [
        { "id": "naip", "title": "Aerial imagery", "keywords": ["USA"], "description": "One metre." },
        { "id": "worldcover", "title": "Land cover", "description": "Ten metres.",
          "extent": { "spatial": { "bbox": [[-180, -60, 0, 180, 82.75, 10]] } },
          "assets": { "thumbnail": { "href": "https://images.example.org/t.png" } }, "undeclared": 1 },
        { "title": "no id" },
        7,
        { "id": "lulc", "title": null, "description": "land cover, again" },
    ] })
}

#[tokio::test]
async fn without_a_catalogue_the_recording_answers_and_says_so() {
    let toolset = toolset(Config::default());
    let answer = search(&toolset, json!({ "query": "land cover" })).await;
    assert_eq!(ids(&answer), ["esa-worldcover", "io-lulc-annual-v02"]);
    let message = answer["message"].as_str().unwrap();
    assert!(
        message.starts_with("2 collections matched \"land cover\"."),
        "{message}"
    );
    assert!(message.contains("recording of 2026-11-30"), "{message}");
    assert_eq!(ids(&search(&toolset, json!({ "query": "" })).await).len(), 8);
}

#[tokio::test]
async fn every_word_must_occur_in_what_a_live_catalogue_says() {
    let host = Host::serve(json_at("/collections", page())).await;
    let toolset = host.catalogue();
    let answer = search(&toolset, json!({ "query": "  LAND cover " })).await;
    assert_eq!(
        answer,
        json!({
            "message": "2 collections matched \"LAND cover\".",
            "collections": [
                { "id": "worldcover", "title": "Land cover", "description": "Ten metres.",
                  "thumbnail": "https://images.example.org/t.png", "bbox": [-180.0, -60.0, 180.0, 82.75] },
                { "id": "lulc", "title": "lulc", "description": "land cover, again" },
            ],
        })
    );
    assert_eq!(
        ids(&search(&toolset, json!({ "query": "usa metre" })).await),
        ["naip"]
    );
    let first = search(&toolset, json!({ "query": "land", "limit": 1 })).await;
    assert_eq!(ids(&first), ["worldcover"]);
    assert!(
        first["message"].as_str().unwrap().contains("the first 1"),
        "{first}"
    );
}

#[tokio::test]
async fn no_match_is_an_answer_and_no_error() {
    let host = Host::serve(json_at("/collections", page())).await;
    let answer = search(&host.catalogue(), json!({ "query": "nothing like it" })).await;
    assert_eq!(answer["collections"], json!([]));
    assert!(
        answer["message"]
            .as_str()
            .unwrap()
            .starts_with("No collections matched")
    );
}

#[tokio::test]
async fn the_list_is_fetched_once_for_many_searches() {
    let host = Host::serve(json_at("/collections", page())).await;
    let toolset = host.catalogue();
    let query = || search(&toolset, json!({ "query": "land" }));
    tokio::join!(query(), query(), query());
    query().await;
    assert_eq!(host.requests(), 1);
}

#[tokio::test]
async fn further_pages_are_read_on_the_same_host_only() {
    let elsewhere = Host::serve(json_at("/collections", page())).await;
    let page = |id: &str, next: &str| json!({ "collections": [{ "id": id }], "links": [{ "rel": "self", "href": "/" }, { "rel": "next", "href": next }] });
    let foreign = format!("{}/collections", elsewhere.url);
    let router = json_at("/collections", page("one", "/more?token=2"))
        .merge(json_at("/more", page("two", "last")))
        .merge(json_at("/last", page("three", &foreign)));
    let host = Host::serve(router).await;
    assert_eq!(
        ids(&search(&host.catalogue(), json!({ "query": "" })).await),
        ["one", "two", "three"]
    );
    assert_eq!(elsewhere.requests(), 0);
}

#[tokio::test]
async fn pages_that_lead_in_a_circle_are_read_once() {
    let page =
        json!({ "collections": [{ "id": "one" }], "links": [{ "rel": "next", "href": "/collections" }] });
    let host = Host::serve(json_at("/collections", page)).await;
    assert_eq!(
        ids(&search(&host.catalogue(), json!({ "query": "" })).await),
        ["one"]
    );
    assert_eq!(host.requests(), 1);
}

#[tokio::test]
async fn pages_without_end_are_cut_and_the_answer_says_so() {
    let endless = get(async |axum::extract::RawQuery(query): axum::extract::RawQuery| {
        let next = query.map_or(0, |number| number.parse::<u32>().unwrap() + 1);
        axum::Json(json!({
            "collections": [{ "id": format!("c{next}") }],
            "links": [{ "rel": "next", "href": format!("?{next}") }],
        }))
    });
    let host = Host::serve(Router::new().route("/collections", endless)).await;
    let answer = search(&host.catalogue(), json!({ "query": "c1" })).await;
    assert!(
        answer["message"]
            .as_str()
            .unwrap()
            .contains("more collections than were searched")
    );
    assert_eq!(host.requests(), 20);
}

#[tokio::test]
async fn a_limit_out_of_bounds_is_refused_before_anything_is_asked() {
    let host = Host::serve(json_at("/collections", page())).await;
    for arguments in [
        json!({ "query": "a", "limit": 0 }),
        json!({ "query": "a", "limit": 51 }),
        json!({ "query": "a".repeat(201) }),
        json!({}),
    ] {
        let failure = call(&host.catalogue(), "search_collections", arguments.clone()).await;
        assert!(matches!(failure, Err(Failure::Arguments(_))), "{arguments}");
    }
    assert_eq!(host.requests(), 0);
}

#[tokio::test]
async fn a_catalogue_that_fails_is_a_structured_error_with_the_reason() {
    let elsewhere = Host::serve(json_at("/collections", page())).await;
    let target = format!("{}/collections", elsewhere.url);
    let status = |status: StatusCode| any(async move || (status, "<h1>Oops</h1> /srv/app.py"));
    for (route, reason) in [
        (status(StatusCode::INTERNAL_SERVER_ERROR), "HTTP status 500"),
        (status(StatusCode::NOT_FOUND), "HTTP status 404"),
        (any(async || "<!doctype html>"), "not what was expected"),
        (any(async || "{\"collections\": {}}"), "no list of collections"),
        (
            any(async || Body::from(vec![b' '; (16 << 20) + 1])),
            "larger than 16777216 bytes",
        ),
        (
            any(async move || Redirect::temporary(&target)),
            "redirects to another host",
        ),
        (any(async || Redirect::temporary("/collections")), "too often"),
    ] {
        let host = Host::serve(Router::new().route("/collections", route)).await;
        let answer = search(&host.catalogue(), json!({ "query": "a" })).await;
        assert_eq!(answer["error"], "upstream_error", "{reason}");
        let detail = answer["detail"].as_str().unwrap();
        assert!(detail.contains(reason), "{reason}: {detail}");
        assert!(
            !detail.contains("127.0.0.1") && !detail.contains("app.py"),
            "{detail}"
        );
    }
    assert_eq!(elsewhere.requests(), 0);
}

#[tokio::test]
async fn a_catalogue_that_does_not_answer_is_given_up() {
    for route in [
        any(pending::<String>),
        // The head comes at once, the body never.
        any(async || Body::from_stream(stream::pending::<Result<String, Infallible>>())),
    ] {
        let host = Host::serve(Router::new().route("/collections", route)).await;
        let answer = search(&host.impatient(), json!({ "query": "a" })).await;
        assert_eq!(answer["error"], "upstream_error");
        let detail = answer["detail"].as_str().unwrap();
        assert!(detail.contains("did not answer within 0.05 s"), "{detail}");
    }
}

#[tokio::test]
async fn a_catalogue_that_is_not_there_is_a_structured_error() {
    // A port that was free a moment ago.
    let address = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let toolset = toolset(Config {
        root: Some(format!("http://{address}").parse().unwrap()),
        ..Config::default()
    });
    let answer = search(&toolset, json!({ "query": "a" })).await;
    assert_eq!(answer["error"], "upstream_error");
    assert!(
        answer["detail"].as_str().unwrap().contains("cannot be reached"),
        "{answer}"
    );
}

#[tokio::test]
async fn a_redirect_within_the_host_is_followed() {
    let router = json_at("/v2/collections", page()).route(
        "/collections",
        get(async || Redirect::permanent("/v2/collections")),
    );
    let host = Host::serve(router).await;
    assert_eq!(
        ids(&search(&host.catalogue(), json!({ "query": "naip" })).await),
        ["naip"]
    );
}
