//! `GET /views/{toolset}/{view}`: the HTML of a view, read from its toolset once.

use axum::{
    extract::{Path, State, rejection::PathRejection},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http::{HeaderMap, header};
use serde_json::Value;

use crate::{Api, caller::credentials, error::ApiError};

/// A view may run scripts and nothing else of this origin, wherever it is opened.
const POLICY: &str = "sandbox allow-scripts allow-forms";

pub(crate) async fn read(
    State(api): State<Api>,
    path: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let agent = api.agent()?;
    let Path((toolset, view)) = path?;
    let uri = format!("ui://{toolset}/{view}");
    // Only what a tool declares is asked for: the route is no way to read other resources.
    let toolsets = agent.toolsets();
    let tool = toolsets
        .tools()
        .iter()
        .find(|tool| tool.view() == Some(uri.as_str()))
        .ok_or_else(|| ApiError::NotFound(format!("no view '{toolset}/{view}'")))?;
    let html = match api.view(&uri) {
        Some(html) => html,
        None => {
            let connected = toolsets
                .connected()
                .iter()
                .find(|connected| connected.name == tool.source.server)
                .ok_or_else(|| ApiError::NotFound(format!("toolset '{toolset}' is not connected")))?;
            let credentials = credentials(&api, &headers)?;
            let result = connected.connection.read_resource(&uri, &credentials).await?;
            let html = html_of(&result).ok_or_else(|| {
                ApiError::Upstream(format!("{toolset} answered with no HTML for its view '{view}'"))
            })?;
            api.keep_view(&uri, html.clone());
            html
        }
    };
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, html).into_response())
}

/// The text of the first part of a read resource.
fn html_of(result: &Value) -> Option<Bytes> {
    let text = result.get("contents")?.get(0)?.get("text")?.as_str()?;
    Some(Bytes::from(text.to_owned()))
}
