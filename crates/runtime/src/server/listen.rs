//! `subscriptions/listen`: a stream of news about a toolset.

use std::{convert::Infallible, sync::Arc};

use axum::{body::Body, response::Response};
use bytes::Bytes;
use futures::stream;
use periplus_toolset::{Change, Toolset};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    sync::{OwnedSemaphorePermit, broadcast},
    time::Interval,
};

use super::{
    endpoint::Endpoint,
    http::{event, event_stream},
    protocol::{Request, RpcError},
    stream::{KEEP_ALIVE, keep_alive},
};

const SUBSCRIPTION_KEY: &str = "io.modelcontextprotocol/subscriptionId";
/// Resources that one listener may watch.
const MAX_WATCHED: usize = 256;

/// What a client wants to hear, and what of it there is.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Filter {
    tools_list_changed: bool,
    prompts_list_changed: bool,
    resources_list_changed: bool,
    resource_subscriptions: Vec<String>,
}

impl Filter {
    /// Leaves out what the toolset has no news about.
    fn accepted(mut self, toolset: &Toolset) -> Result<Self, RpcError> {
        if self.resource_subscriptions.len() > MAX_WATCHED {
            return Err(RpcError::invalid_params(format!(
                "`resourceSubscriptions` has more than {MAX_WATCHED} entries"
            )));
        }
        let changes = toolset.announced_changes().is_some();
        self.tools_list_changed &= changes;
        self.prompts_list_changed &= changes && !toolset.prompts().is_empty();
        self.resources_list_changed &= changes && !toolset.resources().is_empty();
        if !changes {
            self.resource_subscriptions.clear();
        }
        Ok(self)
    }

    fn to_json(&self) -> Value {
        let mut accepted = json!({});
        for (name, wanted) in [
            ("toolsListChanged", self.tools_list_changed),
            ("promptsListChanged", self.prompts_list_changed),
            ("resourcesListChanged", self.resources_list_changed),
        ] {
            if wanted {
                accepted[name] = true.into();
            }
        }
        if !self.resource_subscriptions.is_empty() {
            accepted["resourceSubscriptions"] = self.resource_subscriptions.clone().into();
        }
        accepted
    }

    /// The notification for a change, if it is wanted.
    fn notification(&self, change: &Change) -> Option<(&'static str, Value)> {
        match change {
            Change::Tools if self.tools_list_changed => Some(("notifications/tools/list_changed", json!({}))),
            Change::Prompts if self.prompts_list_changed => {
                Some(("notifications/prompts/list_changed", json!({})))
            }
            Change::Resources if self.resources_list_changed => {
                Some(("notifications/resources/list_changed", json!({})))
            }
            Change::Resource(uri) if self.resource_subscriptions.contains(uri) => {
                Some(("notifications/resources/updated", json!({ "uri": uri })))
            }
            _ => None,
        }
    }
}

/// Opens the stream.
///
/// # Errors
/// The filter is malformed, or as many listen as may.
pub(super) fn listen(endpoint: &Arc<Endpoint>, request: &Request<'_>) -> Result<Response, RpcError> {
    let filter: Filter = request.params.notifications()?;
    let filter = filter.accepted(&endpoint.toolset)?;
    let place = Arc::clone(&endpoint.shared.listeners)
        .try_acquire_owned()
        .map_err(|_full| RpcError::overloaded())?;
    let id: Value =
        serde_json::from_str(request.id).map_err(|error| RpcError::invalid_request(error.to_string()))?;
    let listening = Listening {
        first: true,
        changes: endpoint
            .toolset
            .announced_changes()
            .map(periplus_toolset::Changes::listen),
        keep_alive: keep_alive(&endpoint.shared.limits),
        endpoint: Arc::clone(endpoint),
        id,
        filter,
        _place: place,
        done: false,
    };
    Ok(event_stream(Body::from_stream(stream::unfold(
        listening,
        |mut listening| async move {
            let event = listening.next().await?;
            Some((Ok::<_, Infallible>(event), listening))
        },
    ))))
}

struct Listening {
    endpoint: Arc<Endpoint>,
    id: Value,
    filter: Filter,
    /// The acknowledgement is yet to be sent.
    first: bool,
    changes: Option<broadcast::Receiver<Change>>,
    keep_alive: Interval,
    done: bool,
    _place: OwnedSemaphorePermit,
}

impl Listening {
    async fn next(&mut self) -> Option<Bytes> {
        if self.done {
            return None;
        }
        if std::mem::take(&mut self.first) {
            let params = json!({ "notifications": self.filter.to_json() });
            return Some(self.notification("notifications/subscriptions/acknowledged", params));
        }
        loop {
            tokio::select! {
                biased;
                () = self.endpoint.shared.draining.cancelled() => {
                    self.done = true;
                    return Some(self.goodbye());
                }
                change = heard(&mut self.changes) => {
                    if let Some((method, params)) = self.filter.notification(&change) {
                        return Some(self.notification(method, params));
                    }
                }
                _ = self.keep_alive.tick() => return Some(Bytes::from_static(KEEP_ALIVE)),
            }
        }
    }

    fn notification(&self, method: &str, mut params: Value) -> Bytes {
        params["_meta"] = json!({ SUBSCRIPTION_KEY: self.id });
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        event(message.to_string().as_bytes())
    }

    /// The result that ends a stream when the server stops.
    fn goodbye(&self) -> Bytes {
        let result = json!({ "resultType": "complete", "_meta": { SUBSCRIPTION_KEY: self.id } });
        let message = json!({ "jsonrpc": "2.0", "id": self.id, "result": result });
        event(message.to_string().as_bytes())
    }
}

/// The next change, or never if there are none to hear of; who lags behind misses the oldest.
async fn heard(changes: &mut Option<broadcast::Receiver<Change>>) -> Change {
    if let Some(receiver) = changes {
        loop {
            match receiver.recv().await {
                Ok(change) => return change,
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => break,
            }
        }
    }
    std::future::pending().await
}
