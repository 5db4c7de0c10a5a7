//! From a message to its answer.

use std::{convert::Infallible, pin::Pin, sync::Arc};

use axum::{body::Body, response::Response};
use bytes::Bytes;
use futures::stream;
use http::{HeaderMap, StatusCode};
use periplus_toolset::JsonObject;
use serde_json::Value;
use tokio::{
    sync::{OwnedSemaphorePermit, mpsc},
    time::{Instant, Interval, MissedTickBehavior, interval_at},
};

use super::{
    call::{Call, Stopped},
    endpoint::Endpoint,
    http::{Accepts, error_body, event, event_stream, message, retry_later, rpc_error},
    notify::Wishes,
    protocol::{
        Era, Message, Request, RpcError, check_method_header, check_routing_headers, era_of, era_of_header,
    },
};

/// Answers one message.
pub(super) async fn answer(
    endpoint: &Arc<Endpoint>,
    headers: HeaderMap,
    body: &[u8],
    accepts: Accepts,
    request_id: &str,
    permit: OwnedSemaphorePermit,
) -> Response {
    let request = match Message::parse(body) {
        Ok(Message::Request(request)) => request,
        Ok(Message::Notification { method }) => return notification(&method, &headers),
        Ok(Message::Response) => return response_of_client(&headers),
        Err((id, error)) => return rpc_error(id, &error),
    };
    let era = match era_of(&request, &headers) {
        Ok(era) => era,
        Err(error) => return rpc_error(Some(request.id), &error),
    };
    if let Err(error) = check_routing_headers(era, &request, &headers) {
        return rpc_error(Some(request.id), &error);
    }
    if request.method == "tools/call" {
        return match prepare(endpoint, &request, era, headers, request_id, permit) {
            Ok((call, notifications)) => respond(request.id, call, notifications, accepts).await,
            Err(error) => message(error.status(), error_body(Some(request.id), &error), accepts),
        };
    }
    match fixed(endpoint, &request, era) {
        Ok(result) => message(StatusCode::OK, result_body(request.id, result), accepts),
        Err(error) => message(error.status(), error_body(Some(request.id), &error), accepts),
    }
}

/// Notifications are accepted and dropped: nothing is kept that they could be about.
fn notification(method: &str, headers: &HeaderMap) -> Response {
    match era_of_header(headers) {
        Ok(era) => match check_method_header(era, method, headers) {
            Ok(()) => accepted(),
            Err(error) => rpc_error(None, &error),
        },
        Err(error) => rpc_error(None, &error),
    }
}

/// A legacy client may answer requests; a modern one has none to answer.
fn response_of_client(headers: &HeaderMap) -> Response {
    match era_of_header(headers) {
        Ok(Era::Legacy) => accepted(),
        Ok(Era::Modern) => rpc_error(
            None,
            &RpcError::invalid_request("the server asked nothing that this could answer"),
        ),
        Err(error) => rpc_error(None, &error),
    }
}

fn accepted() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

/// The answers that are prepared beforehand.
fn fixed<'a>(endpoint: &'a Endpoint, request: &Request<'_>, era: Era) -> Result<&'a str, RpcError> {
    let published = &endpoint.published;
    let list = |prepared: &'a super::published::Prepared| match request.params.cursor {
        None => Ok(prepared.get(era)),
        Some(_) => Err(RpcError::invalid_params(
            "unknown cursor: every list has one page, ask without a cursor",
        )),
    };
    match (request.method.as_ref(), era) {
        ("tools/list", _) => list(&published.tools),
        ("resources/list", _) => list(&published.resources),
        ("resources/templates/list", _) => list(&published.resource_templates),
        ("prompts/list", _) => list(&published.prompts),
        ("resources/read", _) => {
            let uri = request
                .params
                .uri()
                .ok_or_else(|| RpcError::invalid_params("`uri` must be a string"))?;
            let contents = published.contents.get(uri.as_ref());
            contents
                .map(|contents| contents.get(era))
                .ok_or_else(|| RpcError::unknown_resource(era, &uri))
        }
        ("server/discover", _) => Ok(published.discovery.get(era)),
        ("initialize", Era::Legacy) => {
            let version = request.params.protocol_version();
            let version =
                version.ok_or_else(|| RpcError::invalid_params("`protocolVersion` must be a string"))?;
            Ok(published.initialize(&version))
        }
        ("ping", Era::Legacy) => Ok("{}"),
        (method, _) => Err(RpcError::method_not_found(era, method)),
    }
}

type Prepared = (Call, Option<mpsc::Receiver<Value>>);

/// Checks the envelope of a call; its arguments are the tool's to check.
fn prepare(
    endpoint: &Arc<Endpoint>,
    request: &Request<'_>,
    era: Era,
    headers: HeaderMap,
    request_id: &str,
    permit: OwnedSemaphorePermit,
) -> Result<Prepared, RpcError> {
    let params = &request.params;
    let name = params
        .name()
        .ok_or_else(|| RpcError::invalid_params("`name` must be a string"))?;
    let arguments: JsonObject = params.arguments()?;
    let served = endpoint
        .find(&name)
        .ok_or_else(|| RpcError::unknown_tool(&name, &endpoint.near(&name)))?;
    if era == Era::Modern {
        served.param_headers.check(&arguments, &headers)?;
    }
    let wishes = Wishes::of(params.meta.as_ref())?;
    let (sink, notifications) = if wishes.any() {
        let (sink, notifications) = wishes.channel(endpoint.name());
        (Some(Arc::new(sink) as _), Some(notifications))
    } else {
        (None, None)
    };
    let call = Call {
        endpoint: Arc::clone(endpoint),
        tool: served.tool.declaration().name,
        arguments,
        era,
        headers,
        request_id: request_id.to_owned(),
        trace_id: params.meta.as_ref().and_then(|meta| meta.trace_id()),
        sink,
        permit,
    };
    Ok((call, notifications))
}

type Running = Pin<Box<dyn Future<Output = Result<String, Stopped>> + Send>>;

/// One JSON body if the tool answers soon and says nothing before; else an event stream.
async fn respond(
    id: &str,
    call: Call,
    mut notifications: Option<mpsc::Receiver<Value>>,
    accepts: Accepts,
) -> Response {
    let limits = call.endpoint.shared.limits.clone();
    let mut running: Running = Box::pin(call.run());
    if !accepts.events {
        return finished(id, running.await, accepts);
    }
    let (running, first, result) = tokio::select! {
        biased;
        Some(first) = next(&mut notifications) => (Some(running), Some(first), None),
        result = &mut running => match waiting(&mut notifications) {
            None => return finished(id, result, accepts),
            said => (None, said, Some(event(&last_message(id, result)))),
        },
        () = tokio::time::sleep(limits.stream_after) => (Some(running), None, None),
    };
    let mut keep_alive = interval_at(Instant::now() + limits.keep_alive, limits.keep_alive);
    keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let events = Events {
        id: id.to_owned(),
        running,
        notifications,
        first,
        keep_alive,
        result,
    };
    event_stream(Body::from_stream(stream::unfold(
        events,
        |mut events| async move {
            let event = events.next().await?;
            Some((Ok::<_, Infallible>(event), events))
        },
    )))
}

fn finished(id: &str, result: Result<String, Stopped>, accepts: Accepts) -> Response {
    match result {
        Ok(result) => message(StatusCode::OK, result_body(id, &result), accepts),
        Err(Stopped) => retry_later(Some(id), &RpcError::shutting_down()),
    }
}

fn last_message(id: &str, result: Result<String, Stopped>) -> Vec<u8> {
    match result {
        Ok(result) => result_body(id, &result),
        Err(Stopped) => error_body(Some(id), &RpcError::shutting_down()),
    }
}

/// A notification that was sent and not yet passed on.
fn waiting(notifications: &mut Option<mpsc::Receiver<Value>>) -> Option<Value> {
    notifications.as_mut()?.try_recv().ok()
}

/// The next notification, or never if none were asked for.
async fn next(notifications: &mut Option<mpsc::Receiver<Value>>) -> Option<Value> {
    match notifications {
        Some(notifications) => notifications.recv().await,
        None => std::future::pending().await,
    }
}

fn result_body(id: &str, result: &str) -> Vec<u8> {
    [r#"{"jsonrpc":"2.0","id":"#, id, r#","result":"#, result, "}"]
        .concat()
        .into_bytes()
}

/// The rest of a call as events. Dropping it, because the client left, ends the call.
struct Events {
    id: String,
    /// `None` once the tool has answered.
    running: Option<Running>,
    notifications: Option<mpsc::Receiver<Value>>,
    first: Option<Value>,
    keep_alive: Interval,
    /// The answer, held back until what the tool said before it has been sent.
    result: Option<Bytes>,
}

impl Events {
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(first) = self.first.take() {
            return Some(event(first.to_string().as_bytes()));
        }
        let Some(running) = &mut self.running else {
            let said = waiting(&mut self.notifications).map(|said| event(said.to_string().as_bytes()));
            return said.or_else(|| self.result.take());
        };
        tokio::select! {
            biased;
            Some(said) = next(&mut self.notifications) => Some(event(said.to_string().as_bytes())),
            result = running => {
                self.running = None;
                self.result = Some(event(&last_message(&self.id, result)));
                Box::pin(self.next()).await
            }
            _ = self.keep_alive.tick() => Some(Bytes::from_static(b": keep-alive\n\n")),
        }
    }
}
