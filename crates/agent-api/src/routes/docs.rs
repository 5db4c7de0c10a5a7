//! What the API answers, for programs and for people.

use axum::{Json, extract::State, response::Html};
use serde_json::Value;

use crate::{Api, openapi};

pub(crate) async fn openapi(State(api): State<Api>) -> Json<Value> {
    Json(openapi::interface(&api.config().prefix))
}

pub(crate) async fn page(State(api): State<Api>) -> Html<String> {
    Html(periplus_runtime::server::docs_page(&openapi::interface(
        &api.config().prefix,
    )))
}
