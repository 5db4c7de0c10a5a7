//! The routes of the contract.

use std::{sync::Arc, time::Duration};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderValue, StatusCode, header::RETRY_AFTER},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::{
    answer::{Outcome, answer},
    endpoint::Endpoint,
    request::Request,
    resource::{Resource, Resources, id_of},
};

/// Look-ups that run at once; each is a scan of compiled-in text.
const MAX_RUNNING: usize = 4;

#[derive(Debug)]
struct Service {
    url: String,
    delay: Duration,
    resources: Resources,
    running: Semaphore,
}

pub(crate) fn router(url: String, delay: Duration) -> Router {
    let service = Service {
        url,
        delay,
        resources: Resources::default(),
        running: Semaphore::new(MAX_RUNNING),
    };
    Router::new()
        .route("/", get(index))
        .route("/health", get(async || Json(json!({ "status": "ok" }))))
        .route("/v0/land_change/{analysis}/analytics", post(create))
        .route("/v0/land_change/{analysis}/analytics/{id}", get(fetch))
        .with_state(Arc::new(service))
}

/// What this is and what it holds.
async fn index() -> Json<Value> {
    let analyses: Vec<Value> = Endpoint::ALL
        .iter()
        .map(|endpoint| {
            json!({
                "path": format!("/v0/land_change/{}/analytics", endpoint.name()),
                "holds": endpoint.holdings(),
            })
        })
        .collect();
    Json(json!({
        "name": "Periplus analytics stand-in",
        "about": "Published and recorded statistics behind the contract of the Global Nature Watch analytics API. \
                  What is not held is answered with a failed analysis.",
        "analyses": analyses,
    }))
}

async fn create(State(service): State<Arc<Service>>, Path(analysis): Path<String>, body: Bytes) -> Response {
    let Some(endpoint) = Endpoint::parse(&analysis) else {
        return failure(StatusCode::NOT_FOUND, json!("Not Found"));
    };
    let payload: Value = match serde_json::from_slice(&body) {
        Ok(payload) => payload,
        Err(error) => {
            let problem = json!([{ "loc": ["body"], "msg": format!("JSON decode error: {error}"), "type": "json_invalid" }]);
            return failure(StatusCode::UNPROCESSABLE_ENTITY, problem);
        }
    };
    let request = match Request::parse(endpoint, &payload) {
        Ok(request) => request,
        Err(problems) => return failure(StatusCode::UNPROCESSABLE_ENTITY, json!(problems)),
    };
    let id = id_of(endpoint, &payload);
    let status = match service.resources.get(id) {
        Some(resource) => status_of(&resource),
        None => {
            if let Err(response) = service.analyse(id, endpoint, request, payload).await {
                return response;
            }
            "pending"
        }
    };
    let link = format!("{}/v0/land_change/{analysis}/analytics/{id}", service.url);
    let reply = Json(json!({ "data": { "link": link }, "status": status }));
    (StatusCode::ACCEPTED, reply).into_response()
}

impl Service {
    /// Looks the answer up on a thread that may block, and keeps it.
    async fn analyse(
        &self,
        id: Uuid,
        endpoint: Endpoint,
        request: Request,
        payload: Value,
    ) -> Result<(), Response> {
        let internal = || failure(StatusCode::INTERNAL_SERVER_ERROR, json!("Internal Server Error"));
        let Ok(_permit) = self.running.acquire().await else {
            return Err(internal());
        };
        let outcome = tokio::task::spawn_blocking(move || answer(endpoint, &request, payload)).await;
        let outcome = outcome.map_err(|error| {
            tracing::error!(%error, analysis = endpoint.name(), "an analysis panicked");
            internal()
        })?;
        self.resources.insert(id, endpoint, outcome, self.delay);
        Ok(())
    }
}

async fn fetch(
    State(service): State<Arc<Service>>,
    Path((analysis, id)): Path<(String, String)>,
) -> Response {
    let id = Uuid::parse_str(&id).ok();
    let found = id.and_then(|id| service.resources.get(id));
    let Some(resource) = found.filter(|resource| resource.endpoint.name() == analysis) else {
        return failure(StatusCode::NOT_FOUND, json!("Analysis not found"));
    };
    let status = status_of(&resource);
    let data = match (&*resource.outcome, status) {
        (_, "pending") => {
            json!({ "result": null, "metadata": null, "message": "Analysis is pending.", "status": status })
        }
        (Outcome::Saved { result, metadata }, _) => {
            json!({ "result": result, "metadata": metadata, "message": "Analysis completed successfully.", "status": status })
        }
        (Outcome::Failed(message), _) => {
            json!({ "result": null, "metadata": null, "message": message, "status": status })
        }
    };
    let mut response = Json(json!({ "data": data, "status": "success" })).into_response();
    if status == "pending" {
        response
            .headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

fn status_of(resource: &Resource) -> &'static str {
    match &*resource.outcome {
        _ if resource.is_pending() => "pending",
        Outcome::Saved { .. } => "saved",
        Outcome::Failed(_) => "failed",
    }
}

fn failure(status: StatusCode, detail: Value) -> Response {
    let body = Value::Object(serde_json::Map::from_iter([("detail".to_owned(), detail)]));
    (status, Json(body)).into_response()
}
