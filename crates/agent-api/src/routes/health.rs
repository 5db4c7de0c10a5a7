//! For probes.

use axum::{Json, extract::State};
use http::StatusCode;
use serde_json::{Value, json};

use crate::Api;

pub(crate) async fn liveness() -> Json<Value> {
    Json(json!({ "status": "alive" }))
}

pub(crate) async fn readiness(State(api): State<Api>) -> (StatusCode, Json<Value>) {
    if api.is_ready() {
        (StatusCode::OK, Json(json!({ "status": "ready" })))
    } else {
        (
            StatusCode::SERVICE_UNAVAILABLE,
            Json(json!({ "status": "connecting" })),
        )
    }
}
