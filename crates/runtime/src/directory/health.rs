//! Asking toolsets how they are, many at once.

use futures::StreamExt as _;
use serde_json::Value;

use super::{Declarations, HealthDocument, Place, document::UNREACHABLE};
use crate::client::Http;

/// Toolsets asked at once.
const AT_ONCE: usize = 32;

/// The health of each place, in their order.
pub(super) async fn check(http: &Http, places: &[Place]) -> Vec<HealthDocument> {
    let checks: Vec<_> = places.iter().map(|place| check_one(http, place)).collect();
    futures::stream::iter(checks).buffered(AT_ONCE).collect().await
}

async fn check_one(http: &Http, place: &Place) -> HealthDocument {
    let problem = match http.get(&place.health()).await {
        Ok(answer) if answer.status.is_success() => match serde_json::from_slice::<Value>(&answer.body) {
            Ok(document) if document.is_object() => match serde_json::from_value(document) {
                Ok(health) => return health,
                Err(error) => format!("its health document is malformed: {error}"),
            },
            _ => "its health is no JSON object".to_owned(),
        },
        Ok(answer) => format!("its health answers with status {}", answer.status),
        Err(error) => error.to_string(),
    };
    tracing::debug!(toolset = place.name(), problem, "a toolset cannot be reached");
    HealthDocument {
        status: UNREACHABLE.to_owned(),
        declares: Declarations::default(),
    }
}
