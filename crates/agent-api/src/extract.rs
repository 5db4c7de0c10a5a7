//! What routes take out of a request. Whatever is missing or malformed is refused in the form of all refusals.

use axum::{
    Json,
    extract::{
        FromRequestParts, Path,
        rejection::{PathRejection, QueryRejection},
    },
    response::{IntoResponse, Response},
};
use http::{StatusCode, request::Parts};
use periplus_agent::{Agent, Thread};
use serde::Deserialize;

use crate::{Api, error::ApiError};

/// The thread that the path names, read for a sender who may read it.
#[derive(Debug)]
pub(crate) struct NamedThread {
    pub(crate) agent: Agent,
    pub(crate) thread: Thread,
}

/// The part of a path that names a thread; a route may have others.
#[derive(Debug, Deserialize)]
struct Name {
    id: String,
}

impl FromRequestParts<Api> for NamedThread {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, ApiError> {
        let agent = api.agent()?.clone();
        let Path(Name { id }) = Path::from_request_parts(parts, api).await?;
        let thread = api.config().owners.thread(&agent, &id, &parts.headers).await?;
        Ok(Self { agent, thread })
    }
}

impl From<PathRejection> for ApiError {
    fn from(rejection: PathRejection) -> Self {
        Self::NotFound(format!("there is nothing at this path: {rejection}"))
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> Self {
        Self::Invalid(format!("the query cannot be read: {}", rejection.body_text()))
    }
}

/// For paths without a route.
pub(crate) async fn no_route() -> ApiError {
    ApiError::NotFound("there is nothing at this path; /docs lists what there is".to_owned())
}

/// For routes that do not know a method.
pub(crate) async fn no_method() -> Response {
    let detail = "this path does not take that method; /docs lists those it takes";
    (
        StatusCode::METHOD_NOT_ALLOWED,
        Json(serde_json::json!({ "detail": detail })),
    )
        .into_response()
}
