//! `resources/read` of what is not prepared beforehand: documents of a template.

use std::time::Duration;

use serde_json::json;

use super::{
    content,
    endpoint::Endpoint,
    protocol::{Era, RpcError},
    stream::Outcome,
};

/// Longest time to read a document.
const PATIENCE: Duration = Duration::from_secs(30);

/// Reads a document.
pub(super) async fn read(endpoint: &Endpoint, era: Era, uri: &str) -> Outcome {
    if let Some(contents) = endpoint.published.contents.get(uri) {
        return Ok(contents.get(era).to_owned());
    }
    let templates = endpoint.toolset.resource_templates();
    let found = templates
        .iter()
        .find_map(|template| Some((template, template.matches(uri)?)));
    let (template, variables) = found.ok_or_else(|| RpcError::unknown_resource(era, uri))?;
    let document = tokio::time::timeout(PATIENCE, template.read(uri, variables))
        .await
        .map_err(|_elapsed| RpcError::internal("the document could not be read in time"))?
        .ok_or_else(|| RpcError::unknown_resource(era, uri))?;
    let result = json!({ "contents": [content::document(&document)] });
    Ok(endpoint.published.cached_result(era, result))
}
