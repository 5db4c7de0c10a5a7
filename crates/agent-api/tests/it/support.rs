//! Toolsets, an API on a free port, and a client.

use std::{sync::Arc, time::Duration};

use periplus_agent::{Agent, MemoryCheckpoints, Retention};
use periplus_agent_api::{Api, ApiConfig};
use periplus_fixtures as fixtures;
use periplus_llm::scripted::{Script, Scripted, Turn};
use reqwest::{Response, StatusCode};
use serde_json::{Value, json};
use tokio_util::sync::{CancellationToken, DropGuard};
use tower::ServiceExt as _;
use url::Url;

use crate::verifier::Verifier;

/// The toolsets that the agent has.
fn toolsets() -> fixtures::Served {
    fixtures::serve(vec![
        fixtures::dataset_search(),
        fixtures::clip_view(),
        fixtures::account().0,
        fixtures::slow().0,
    ])
}

/// An API on a free port, with its toolsets; everything stops when this is dropped.
pub(crate) struct Served {
    pub(crate) url: Url,
    pub(crate) agent: Agent,
    api: Api,
    client: reqwest::Client,
    _stop: (fixtures::Served, DropGuard),
}

/// An API whose model says these turns.
pub(crate) async fn serve(turns: impl IntoIterator<Item = Turn>) -> Served {
    serve_as(ApiConfig::default(), Retention::default(), turns).await
}

pub(crate) async fn serve_as(
    config: ApiConfig,
    retention: Retention,
    turns: impl IntoIterator<Item = Turn>,
) -> Served {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let toolsets = toolsets();
    let model = Scripted::new(turns.into_iter().fold(Script::new("test"), Script::turn));
    let store = Arc::new(MemoryCheckpoints::new(retention));
    let agent = Agent::builder(Arc::new(model), store)
        .toolsets(toolsets.url.clone())
        .connect()
        .await;
    assert_eq!(agent.toolsets().unreachable(), []);
    let prefix = config.prefix.clone();
    let api = Api::new(config);
    api.ready(agent.clone());
    let (url, stop_api) = listen(&api).await;
    Served {
        url: url.join(&format!("{prefix}/")).unwrap(),
        agent,
        api,
        client: reqwest::Client::new(),
        _stop: (toolsets, stop_api),
    }
}

/// Serves an API until the guard is dropped.
pub(crate) async fn listen(api: &Api) -> (Url, DropGuard) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let stop = CancellationToken::new();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap())
        .parse()
        .unwrap();
    let (api, until) = (api.clone(), stop.clone());
    tokio::spawn(async move { periplus_agent_api::serve(&api, listener, until, Duration::ZERO).await });
    (url, stop.drop_guard())
}

/// The call of the search, whose area the second call takes.
pub(crate) fn search() -> Turn {
    Turn::call("search_datasets", json!({ "query": "severn" }))
}

pub(crate) fn clip() -> Turn {
    Turn::call(
        "clip_raster",
        json!({ "dataset_id": "era5-land", "aoi": "@state:dataset-search/search_datasets/area_of_interest" }),
    )
}

/// The body of a run with one message.
pub(crate) fn message(thread: &str, run: &str, text: &str) -> Value {
    json!({ "threadId": thread, "runId": run, "messages": [{ "id": format!("u-{run}"), "role": "user", "content": text }] })
}

impl Served {
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Response {
        self.post_with(path, body, &[]).await
    }

    pub(crate) async fn post_with(&self, path: &str, body: &Value, headers: &[(&str, &str)]) -> Response {
        let mut request = self.client.post(self.url.join(path).unwrap()).json(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }

    /// A run that opens a stream, with all its events, verified.
    pub(crate) async fn run(&self, body: &Value) -> Vec<Value> {
        self.run_with(body, &[]).await
    }

    pub(crate) async fn run_with(&self, body: &Value, headers: &[(&str, &str)]) -> Vec<Value> {
        let response = self.post_with("runs", body, headers).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(
            response.headers()["content-type"],
            "text/event-stream; charset=utf-8"
        );
        assert_eq!(response.headers()["cache-control"], "no-store");
        assert_eq!(response.headers()["x-accel-buffering"], "no");
        let events = parse(&response.text().await.unwrap());
        Verifier::check(&events, body.get("resume").is_some());
        events
    }

    /// The stream of a run, of which nothing is read.
    pub(crate) async fn unread(&self, body: &Value) -> axum::response::Response {
        let request = http::Request::post("/runs")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .body(axum::body::Body::from(body.to_string()))
            .unwrap();
        let response = self.api.router().oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        response
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.get_with(path, &[]).await
    }

    pub(crate) async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Response {
        let mut request = self.client.get(self.url.join(path).unwrap());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }

    pub(crate) async fn json(&self, path: &str) -> Value {
        let response = self.get(path).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        response.json().await.unwrap()
    }

    /// The status and the detail of a refusal.
    pub(crate) async fn refusal(&self, response: Response) -> (u16, Value) {
        let status = response.status().as_u16();
        let body: Value = response.json().await.unwrap();
        (status, body["detail"].clone())
    }

    pub(crate) async fn delete(&self, path: &str) -> Response {
        self.client
            .delete(self.url.join(path).unwrap())
            .send()
            .await
            .unwrap()
    }
}

/// The events of a stream; there is nothing in it but `data` lines and comments.
pub(crate) fn parse(stream: &str) -> Vec<Value> {
    stream
        .split_terminator("\n\n")
        .filter(|frame| !frame.starts_with(':'))
        .map(|frame| {
            let data = frame.strip_prefix("data: ").expect("a frame is one data line");
            serde_json::from_str(data).expect("the data is JSON")
        })
        .collect()
}

/// A short name for each event.
pub(crate) fn names(events: &[Value]) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    events
        .iter()
        .map(|event| match event["type"].as_str().unwrap() {
            "ACTIVITY_SNAPSHOT" => text(&event["activityType"]),
            kind => kind.to_owned(),
        })
        .collect()
}
