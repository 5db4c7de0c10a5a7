//! From a message to its answer.

use std::{borrow::Cow, sync::Arc};

use axum::{body::Body, response::Response};
use http::{HeaderMap, StatusCode};
use periplus_toolset::{Capability, JsonObject, Line, NotificationSink, TaskSupport};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::{
    call::Call,
    dialogue::LegacyLine,
    endpoint::{Endpoint, Served},
    http::{Accepts, rpc_error},
    listen::listen,
    notify::{self, Wishes},
    prompts,
    protocol::{
        Era, Message, Params, Request, Response as Reply, RpcError, check_method_header,
        check_routing_headers, era_of, era_of_header,
    },
    resources,
    round::Round,
    seal,
    stream::{Outcome, Running, finished, respond},
    tasks::{self, TaskLine},
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
        Ok(Message::Response(reply)) => return response_of_client(endpoint, &reply, &headers),
        Err((id, error)) => return rpc_error(id, &error),
    };
    let era = match era_of(&request, &headers) {
        Ok(era) => era,
        Err(error) => return rpc_error(Some(request.id), &error),
    };
    if let Err(error) = check_routing_headers(era, &request, &headers) {
        return rpc_error(Some(request.id), &error);
    }
    match (request.method.as_ref(), era) {
        ("tools/call", _) => match prepare(endpoint, &request, era, headers, request_id, permit, accepts) {
            Ok((running, said)) => respond(request.id, running, said, accepts, &endpoint.shared.limits).await,
            Err(error) => finished(request.id, Err(error), accepts),
        },
        ("subscriptions/listen", Era::Modern) if accepts.events => {
            listen(endpoint, &request).unwrap_or_else(|error| finished(request.id, Err(error), accepts))
        }
        _ => {
            let outcome = other(endpoint, &request, era, &headers, request_id).await;
            finished(request.id, outcome, accepts)
        }
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
fn response_of_client(endpoint: &Endpoint, reply: &Reply<'_>, headers: &HeaderMap) -> Response {
    match era_of_header(headers) {
        Ok(Era::Legacy) => {
            endpoint.dialogues.deliver(reply);
            accepted()
        }
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

/// Answers every method but calls and listening.
async fn other(
    endpoint: &Endpoint,
    request: &Request<'_>,
    era: Era,
    headers: &HeaderMap,
    request_id: &str,
) -> Outcome {
    let params = &request.params;
    let toolset = &endpoint.toolset;
    match (request.method.as_ref(), era) {
        ("resources/read", _) => {
            let uri = params.uri();
            let uri = uri.ok_or_else(|| RpcError::invalid_params("`uri` must be a string"))?;
            resources::read(endpoint, era, &uri).await
        }
        ("prompts/get", _) if !toolset.prompts().is_empty() => {
            prompts::get(endpoint, era, params, headers, request_id).await
        }
        ("completion/complete", _) if !toolset.prompts().is_empty() => {
            prompts::complete(endpoint, era, params)
        }
        ("tasks/get" | "tasks/update" | "tasks/cancel", Era::Modern) => task(endpoint, request, headers),
        ("logging/setLevel", Era::Legacy) if toolset.legacy().logs => {
            // Nobody remembers the level; lines from `info` on are sent whatever it is.
            notify::parse_level(&params.level().unwrap_or_default()).map(|_level| "{}".to_owned())
        }
        ("resources/subscribe" | "resources/unsubscribe", Era::Legacy)
            if toolset.announced_changes().is_some() =>
        {
            // Legacy clients have no stream that news could come on; that they asked is no error.
            Ok("{}".to_owned())
        }
        _ => fixed(endpoint, request, era).map(str::to_owned),
    }
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

/// Shows, feeds or ends a task.
fn task(endpoint: &Endpoint, request: &Request<'_>, headers: &HeaderMap) -> Outcome {
    let params = &request.params;
    let Some(tasks) = &endpoint.tasks else {
        return Err(RpcError::method_not_found(Era::Modern, &request.method));
    };
    if !capabilities(params).has(Capability::Tasks) {
        return Err(RpcError::missing_capability(Capability::Tasks));
    }
    let id = params.task_id();
    let id = id.ok_or_else(|| RpcError::invalid_params("`taskId` must be a string"))?;
    let caller = seal::caller(endpoint.toolset.credential_headers(), headers);
    let task = tasks.find(&id, &caller)?;
    let tail = &endpoint.published.modern_tail;
    match request.method.as_ref() {
        "tasks/get" => return Ok(task.describe(tail)),
        "tasks/update" => task.answer(params.input_responses()?),
        _ => task.cancel(),
    }
    Ok(format!("{{{tail}}}"))
}

fn capabilities(params: &Params<'_>) -> periplus_toolset::ClientCapabilities {
    params
        .meta
        .as_ref()
        .map(super::protocol::Meta::capabilities)
        .unwrap_or_default()
}

type Prepared = (Running, Option<mpsc::Receiver<Value>>);

/// Checks the envelope of a call; its arguments are the tool's to check.
fn prepare(
    endpoint: &Arc<Endpoint>,
    request: &Request<'_>,
    era: Era,
    headers: HeaderMap,
    request_id: &str,
    permit: OwnedSemaphorePermit,
    accepts: Accepts,
) -> Result<Prepared, RpcError> {
    let params = &request.params;
    let name = name_of(params)?;
    let arguments: JsonObject = params.arguments()?;
    let served = endpoint
        .find(&name)
        .ok_or_else(|| RpcError::unknown_tool(&name, &endpoint.near(&name)))?;
    if era == Era::Modern {
        served.param_headers.check(&arguments, &headers)?;
    }
    let round = Round::of(endpoint, era, params, &name, &headers)?;
    let task_line = task_line(endpoint, served, era, &round)?;
    let asks_on_stream = era == Era::Legacy && accepts.events && endpoint.asks_legacy_clients();
    let wishes = Wishes::of(
        params.meta.as_ref(),
        era == Era::Legacy && endpoint.toolset.legacy().logs,
    )?;
    let channel = (wishes.any() || asks_on_stream).then(|| wishes.channel(endpoint.name()));
    let (sink, said) = channel.unzip();
    let legacy_line = sink.as_ref().filter(|_| asks_on_stream).map(|sink| {
        let messages = sink.messages();
        let dialogues = Arc::clone(&endpoint.dialogues);
        Arc::new(LegacyLine { dialogues, messages }) as Arc<dyn Line>
    });
    let call = Call {
        endpoint: Arc::clone(endpoint),
        served: Arc::clone(served),
        arguments,
        era,
        headers,
        request_id: request_id.to_owned(),
        trace_id: params.meta.as_ref().and_then(|meta| meta.trace_id()),
        sink: sink.map(|sink| Arc::new(sink) as Arc<dyn NotificationSink>),
        round,
        is_detachable: task_line.is_some(),
        line: task_line
            .clone()
            .map(|line| line as Arc<dyn Line>)
            .or(legacy_line),
        permit: Some(permit),
    };
    let running: Running = match task_line {
        Some(line) => Box::pin(tasks::run(call, line)),
        None => Box::pin(async { call.run().await.into_answer() }),
    };
    Ok((running, said))
}

fn name_of<'a>(params: &'a Params<'_>) -> Result<Cow<'a, str>, RpcError> {
    params
        .name()
        .ok_or_else(|| RpcError::invalid_params("`name` must be a string"))
}

/// The line of a call that may become a task here, for this client.
fn task_line(
    endpoint: &Endpoint,
    served: &Served,
    era: Era,
    round: &Round,
) -> Result<Option<Arc<TaskLine>>, RpcError> {
    let knows_tasks = round.capabilities().has(Capability::Tasks);
    match (served.tool.declaration().task, &endpoint.tasks) {
        (Some(TaskSupport::Required), Some(_)) if !knows_tasks && era == Era::Modern => {
            Err(RpcError::missing_capability(Capability::Tasks))
        }
        (Some(_), Some(tasks)) if knows_tasks => {
            let line = |caller| TaskLine::new(Arc::clone(tasks), caller);
            Ok(round.caller().map(line))
        }
        _ => Ok(None),
    }
}
