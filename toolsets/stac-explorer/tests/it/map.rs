use std::{
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Json, Router,
    body::Body,
    extract::{OriginalUri, RawQuery},
    http::StatusCode,
    response::Redirect,
    routing::{MethodRouter, any, get, post},
};
use periplus_stac_explorer::{Config, toolset};
use periplus_toolset::{Failure, Toolset, Value, json, testing::call};
use tokio::net::TcpListener;

use crate::upstream::{Host, PATIENCE, json_at};

async fn show(toolset: &Toolset, id: &str) -> Value {
    call(toolset, "show_map", json!({ "collection_id": id }))
        .await
        .expect("an expected failure is an answer")
        .structured
}

fn sentinel() -> Value {
    json!({ "id": "sentinel-2-l2a", "title": "Sentinel-2",
            "extent": { "spatial": { "bbox": [[-180, -90, 180, 90]] } } })
}

async fn catalogue() -> Host {
    Host::serve(json_at("/collections/sentinel-2-l2a", sentinel())).await
}

#[tokio::test]
async fn without_a_catalogue_the_recording_is_shown() {
    let toolset = toolset(Config::default());
    let answer = show(&toolset, "naip").await;
    assert_eq!(answer["collection"]["id"], "naip");
    assert_eq!(answer.get("tile_url"), None);
    let message = answer["message"].as_str().unwrap();
    assert!(
        message.contains("its extent") && message.contains("recording of 2026-11-30"),
        "{message}"
    );
    let unknown = show(&toolset, "no-such-thing").await;
    assert_eq!(unknown["error"], "not_found");
    assert!(unknown["detail"].as_str().unwrap().contains("recording"));
}

#[tokio::test]
async fn without_a_tiler_the_extent_is_shown() {
    let answer = show(&catalogue().await.catalogue(), "sentinel-2-l2a").await;
    assert_eq!(
        answer,
        json!({
            "message": "Sentinel-2 (sentinel-2-l2a) on the map, showing its extent; there is no data layer.",
            "collection": { "id": "sentinel-2-l2a", "title": "Sentinel-2", "description": "",
                            "bbox": [-180.0, -90.0, 180.0, 90.0] },
        })
    );
}

#[tokio::test]
async fn an_id_is_one_path_segment_whatever_it_holds() {
    let echo = any(async |OriginalUri(uri): OriginalUri| Json(json!({ "id": uri.to_string() })));
    let host = Host::serve(Router::new().route("/{*path}", echo)).await;
    let toolset = host.catalogue();
    for (id, path) in [
        ("naip", "/collections/naip"),
        ("../../admin", "/collections/..%2F..%2Fadmin"),
        ("%2e%2e", "/collections/%252e%252e"),
        ("a?b=c#d", "/collections/a%3Fb=c%23d"),
    ] {
        assert_eq!(show(&toolset, id).await["collection"]["id"], path);
    }
    let asked = host.requests();
    for id in ["", " ", ".", "..", "a\nb", "\0", &"x".repeat(201)] {
        let failure = call(&toolset, "show_map", json!({ "collection_id": id })).await;
        assert!(matches!(failure, Err(Failure::Arguments(_))), "{id:?}");
    }
    assert_eq!(host.requests(), asked);
}

#[tokio::test]
async fn an_unknown_id_leads_to_the_search_and_any_other_failure_to_the_upstream() {
    let answer = show(&catalogue().await.catalogue(), "no-such-thing").await;
    assert_eq!(answer["error"], "not_found");
    let detail = answer["detail"].as_str().unwrap();
    assert!(
        detail.contains("\"no-such-thing\"") && detail.contains("search_collections"),
        "{detail}"
    );
    for (route, reason) in [
        (any(async || StatusCode::INTERNAL_SERVER_ERROR), "HTTP status 500"),
        (any(async || "<html>"), "not what was expected"),
        (any(async || "[]"), "without an id"),
        (any(async || Body::from(vec![b' '; (4 << 20) + 1])), "larger than"),
        (
            any(async || Redirect::temporary("http://127.0.0.2:1/")),
            "another host",
        ),
    ] {
        let host = Host::serve(Router::new().route("/collections/x", route)).await;
        let answer = show(&host.catalogue(), "x").await;
        assert_eq!(answer["error"], "upstream_error", "{reason}");
        assert!(answer["detail"].as_str().unwrap().contains(reason), "{answer}");
    }
    let host = Host::serve(Router::new().route("/collections/x", any(pending::<String>))).await;
    assert_eq!(show(&host.impatient(), "x").await["error"], "upstream_error");
}

/// The three routes of a tiler that works.
struct Steps {
    info: MethodRouter,
    register: MethodRouter,
    tilejson: MethodRouter,
}

fn steps(template: &str) -> Steps {
    let tiles = json!({ "tilejson": "2.2.0", "tiles": [template, "https://second.example.org"] });
    Steps {
        info: get(async || Json(info())),
        register: post(async || Json(json!({ "searchid": "abc/1" }))),
        tilejson: get(async move || Json(tiles)),
    }
}

fn info() -> Value {
    json!({
        "mosaics": [{ "name": "Recent", "cql": [{ "op": "<=", "args": [{ "property": "eo:cloud_cover" }, 40] }] }],
        "renderOptions": [{ "name": "Natural colour",
                            "options": "assets=B04&assets=B03&assets=B02&color_formula=Gamma RGB 3.2" }],
    })
}

fn tiler(steps: Steps) -> Router {
    Router::new()
        .route("/mosaic/info", steps.info)
        .route("/mosaic/register", steps.register)
        .route("/mosaic/{search}/tilejson.json", steps.tilejson)
}

#[tokio::test]
async fn the_first_mosaic_in_its_first_rendering_is_the_data_layer() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let template = format!(
        "http://{}/tiles/{{z}}/{{x}}/{{y}}@1x?assets=B04&assets=B03",
        listener.local_addr().unwrap()
    );
    let seen = Arc::new(Mutex::new(Vec::<Value>::new()));
    let note = |seen: &Arc<Mutex<Vec<Value>>>| {
        let seen = Arc::clone(seen);
        move |value: Value| seen.lock().unwrap().push(value)
    };
    let (on_info, on_register, on_tiles) = (note(&seen), note(&seen), note(&seen));
    let tiles = json!({ "tiles": [template] });
    let router = tiler(Steps {
        info: get(async move |RawQuery(query): RawQuery| {
            on_info(json!(query));
            Json(info())
        }),
        register: post(async move |Json(body): Json<Value>| {
            on_register(body);
            Json(json!({ "searchid": "abc/1" }))
        }),
        tilejson: get(async move |OriginalUri(uri): OriginalUri| {
            on_tiles(json!(uri.to_string()));
            Json(tiles)
        }),
    });
    let tiler = Host::serve_on(listener, router);
    let answer = show(
        &catalogue().await.toolset(Some(&tiler), PATIENCE),
        "sentinel-2-l2a",
    )
    .await;
    assert_eq!(answer["tile_url"], template);
    assert!(
        answer["message"].as_str().unwrap().contains("live data layer"),
        "{answer}"
    );
    let expected = json!([
        "collection=sentinel-2-l2a",
        { "filter-lang": "cql2-json", "collections": ["sentinel-2-l2a"],
          "filter": { "op": "<=", "args": [{ "property": "eo:cloud_cover" }, 40] } },
        "/mosaic/abc%2F1/tilejson.json?assets=B04&assets=B03&assets=B02&color_formula=Gamma+RGB+3.2&collection=sentinel-2-l2a",
    ]);
    assert_eq!(json!(*seen.lock().unwrap()), expected);
}

#[tokio::test]
async fn a_tiler_that_fails_at_any_step_leaves_the_extent() {
    let catalogue = catalogue().await;
    let foreign = "https://elsewhere.example.org/{z}/{x}/{y}";
    let working = || steps(foreign);
    let bare = || any(async || (StatusCode::NOT_FOUND, "\"no such collection\""));
    let huge = || any(async || Body::from(vec![b' '; (1 << 20) + 1]));
    let away = || any(async || Redirect::temporary("http://127.0.0.2:1/"));
    let body = |value: Value| any(async move || Json(value));
    for (what, steps) in [
        (
            "no info",
            Steps {
                info: bare(),
                ..working()
            },
        ),
        (
            "no mosaics",
            Steps {
                info: body(json!({ "mosaics": [], "renderOptions": [{ "options": "a=b" }] })),
                ..working()
            },
        ),
        (
            "no rendering",
            Steps {
                info: body(json!({ "mosaics": [{}], "renderOptions": [{}] })),
                ..working()
            },
        ),
        (
            "large info",
            Steps {
                info: huge(),
                ..working()
            },
        ),
        (
            "info elsewhere",
            Steps {
                info: away(),
                ..working()
            },
        ),
        (
            "no search",
            Steps {
                register: body(json!({ "searchid": ".." })),
                ..working()
            },
        ),
        (
            "broken search",
            Steps {
                register: any(async || "{"),
                ..working()
            },
        ),
        (
            "no tiles",
            Steps {
                tilejson: body(json!({ "tiles": [] })),
                ..working()
            },
        ),
        (
            "broken tiles",
            Steps {
                tilejson: any(async || StatusCode::BAD_GATEWAY),
                ..working()
            },
        ),
        ("tiles elsewhere", working()),
    ] {
        let tiler = Host::serve(tiler(steps)).await;
        let answer = show(&catalogue.toolset(Some(&tiler), PATIENCE), "sentinel-2-l2a").await;
        assert_eq!(answer["collection"]["id"], "sentinel-2-l2a", "{what}");
        assert_eq!(answer.get("tile_url"), None, "{what}");
        assert!(
            answer["message"].as_str().unwrap().contains("its extent"),
            "{what}"
        );
        assert!(tiler.requests() > 0, "{what}");
    }
}

#[tokio::test]
async fn a_tiler_that_does_not_answer_leaves_the_extent() {
    let tiler = Host::serve(Router::new().route("/{*path}", any(pending::<String>))).await;
    // Long enough for the catalogue on a busy machine, short enough to wait for.
    let patience = Duration::from_secs(2);
    let answer = show(
        &catalogue().await.toolset(Some(&tiler), patience),
        "sentinel-2-l2a",
    )
    .await;
    assert_eq!(answer["collection"]["id"], "sentinel-2-l2a");
    assert_eq!(answer.get("tile_url"), None);
}
