//! `GET /connections`: the toolsets the agent has, the credentials they take, and what could not be reached.

use axum::{Json, extract::State};
use http::HeaderMap;
use serde_json::{Value, json};

use crate::{Api, error::ApiError};

pub(crate) async fn read(State(api): State<Api>, headers: HeaderMap) -> Result<Json<Value>, ApiError> {
    let toolsets = api.agent()?.toolsets();
    let connected: Vec<Value> = toolsets
        .connected()
        .iter()
        .map(|connected| {
            let declared = connected.credential_headers().unwrap_or_default();
            let credentials: Vec<Value> = declared
                .iter()
                .map(|header| {
                    let supplied = headers.contains_key(header) || api.supplied(header).is_some();
                    json!({ "header": header, "supplied": supplied })
                })
                .collect();
            json!({ "name": connected.name, "credentials": credentials })
        })
        .collect();
    let tools: Vec<Value> = toolsets
        .tools()
        .iter()
        .map(|tool| json!({ "name": tool.offered_name, "description": tool.remote.description }))
        .collect();
    Ok(Json(json!({
        "toolsets": connected,
        "tools": tools,
        "unreachable": toolsets.unreachable(),
        "warnings": toolsets.warnings(),
    })))
}
