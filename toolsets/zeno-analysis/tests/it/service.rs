//! An analytics service of the test's own.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, Method, StatusCode, Uri},
    response::{IntoResponse, Response},
    routing::any,
};
use periplus_toolset::{Failure, Output, Secret, Toolset, Value, json, testing};
use periplus_zeno_analysis::{Config, Patience, Service, Stage, toolset};
use tokio::task::JoinHandle;

/// One scripted answer.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    status: u16,
    retry_after: Option<&'static str>,
    body: Value,
    /// Answers nothing at all.
    is_silent: bool,
}

pub(crate) fn answer(status: u16, body: Value) -> Answer {
    Answer {
        status,
        retry_after: None,
        body,
        is_silent: false,
    }
}

/// The reply to a new analysis.
pub(crate) fn created(status: &str) -> Answer {
    answer(202, json!({ "data": { "link": LINK }, "status": status }))
}

/// The state of an analysis.
pub(crate) fn state(status: &str, result: Value, message: &str) -> Answer {
    let data = json!({ "result": result, "metadata": null, "message": message, "status": status });
    answer(200, json!({ "data": data, "status": "success" }))
}

pub(crate) fn saved(result: Value) -> Answer {
    state("saved", result, "Analysis completed successfully.")
}

pub(crate) fn silence() -> Answer {
    Answer {
        is_silent: true,
        ..answer(200, Value::Null)
    }
}

impl Answer {
    pub(crate) fn retry_after(mut self, text: &'static str) -> Self {
        self.retry_after = Some(text);
        self
    }
}

/// A link on a host that is not the service's: its path is what counts.
pub(crate) const LINK: &str = "https://elsewhere.example.org/v0/land_change/tree_cover_loss/analytics/6f2b2a3e-0000-5000-8000-000000000000";

/// One request as the service saw it.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

#[derive(Debug, Default)]
struct Script {
    answers: VecDeque<Answer>,
    seen: Vec<Seen>,
}

/// A service that plays its answers in order, stopped when it is dropped.
pub(crate) struct Host {
    pub(crate) url: String,
    script: Arc<Mutex<Script>>,
    task: JoinHandle<()>,
}

impl Drop for Host {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Host {
    pub(crate) async fn playing(answers: impl IntoIterator<Item = Answer>) -> Self {
        let script = Arc::new(Mutex::new(Script {
            answers: answers.into_iter().collect(),
            seen: Vec::new(),
        }));
        let router = Router::new().fallback(any(play)).with_state(Arc::clone(&script));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("loopback has a free port");
        let url = format!(
            "http://{}",
            listener.local_addr().expect("a bound listener has an address")
        );
        let task = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("serving does not end");
        });
        Self { url, script, task }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.script
            .lock()
            .expect("no test panics while it holds the script")
            .seen
            .clone()
    }

    /// The toolset that asks this service, in milliseconds instead of seconds.
    pub(crate) fn toolset(&self) -> Toolset {
        self.toolset_with(|_| {})
    }

    pub(crate) fn toolset_with(&self, change: impl FnOnce(&mut Config)) -> Toolset {
        let mut config = Config {
            service: Service::Remote {
                url: self.url.parse().expect("the host has a URL"),
                token: Some(Secret::new("test-token-1")),
                stage: Stage::Production,
            },
            patience: Patience {
                total: Duration::from_secs(20),
                request: Duration::from_secs(5),
                longest_wait: Duration::from_millis(20),
                step: Duration::from_millis(2),
            },
            today: "2026-11-30".parse().ok(),
            ..Config::default()
        };
        change(&mut config);
        toolset(config).expect("the catalogue is sound")
    }
}

async fn play(
    State(script): State<Arc<Mutex<Script>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let answer = {
        let mut script = script.lock().expect("no test panics while it holds the script");
        script.seen.push(Seen {
            method,
            path: uri.path().to_owned(),
            headers,
            body: serde_json::from_slice(&body).unwrap_or_default(),
        });
        script.answers.pop_front()
    };
    let Some(answer) = answer else {
        return (StatusCode::IM_A_TEAPOT, "the script is over").into_response();
    };
    if answer.is_silent {
        std::future::pending::<()>().await;
    }
    let status = StatusCode::from_u16(answer.status).expect("scripts have real statuses");
    let mut response = (status, axum::Json(answer.body)).into_response();
    if let Some(wait) = answer.retry_after {
        let value = wait.parse().expect("scripts have real headers");
        response.headers_mut().insert("retry-after", value);
    }
    response
}

/// A selection of administrative areas by id.
pub(crate) fn selection(ids: &[&str]) -> Value {
    let aois: Vec<Value> = ids
        .iter()
        .map(|id| json!({ "source": "gadm", "src_id": id, "name": format!("Area {id}, Land"), "subtype": subtype(id) }))
        .collect();
    json!({ "name": "Areas", "aois": aois })
}

fn subtype(id: &str) -> &'static str {
    ["country", "state-province", "district-county", "municipality"][id.matches('.').count().min(3)]
}

/// Pulls a dataset for areas.
pub(crate) async fn pull(toolset: &Toolset, dataset: Value, aoi_selection: Value) -> Result<Output, Failure> {
    let arguments = json!({ "query": "the figures", "dataset": dataset, "aoi_selection": aoi_selection });
    testing::call(toolset, "pull_data", arguments).await
}

/// The kind and the text of an answer without figures; such an answer publishes nothing.
pub(crate) fn error_of(outcome: Result<Output, Failure>) -> (String, String) {
    let structured = outcome.expect("it is an answer").structured;
    assert!(structured.get("statistics").is_none(), "{structured}");
    let text = |key: &str| structured[key].as_str().unwrap_or_default().to_owned();
    (text("error"), text("detail"))
}
