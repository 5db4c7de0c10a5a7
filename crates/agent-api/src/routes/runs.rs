//! `POST /runs`, and cancelling one.

use std::collections::VecDeque;

use axum::{
    body::Bytes,
    extract::{FromRequest as _, Path, Request, State, rejection::PathRejection},
};
use http::{HeaderMap, StatusCode, header};
use periplus_agent::{Agent, RunContext, RunId, ThreadId, TurnStream};

use crate::{
    Api, ApiLimits,
    caller::credentials,
    emitter::Emitter,
    error::ApiError,
    input::{RunInput, Wish},
    stream::{RunStream, limited},
};

pub(crate) async fn start(State(api): State<Api>, request: Request) -> Result<RunStream, ApiError> {
    let agent = api.agent()?;
    let headers = request.headers().clone();
    // A page of another origin can send other types without asking first.
    if !is_json(&headers) {
        return Err(ApiError::NotJson);
    }
    let mut input = RunInput::parse(&received(request, &api.config().limits).await?)?;
    let owners = &api.config().owners;
    let thread = input.thread_id.take().unwrap_or_else(ThreadId::random);
    let mut context = RunContext::new(thread.clone());
    context.run = input.run_id.take().unwrap_or(context.run);
    context.credentials = credentials(&api, &headers)?;
    context.owner = owners.caller(&headers)?;
    context.own_threads_only = owners.is_enforced();
    let wish = input.wish()?;
    check(&api, agent, &context, &wish).await?;
    let place = api.permit()?;
    let cancel = context.cancel.clone();
    let emitter = Emitter::new(
        context.run.as_str(),
        &agent.model().name().to_string(),
        agent.toolsets(),
    );
    Ok(RunStream {
        turn: begin(agent, context, wish).await?,
        emitter,
        thread,
        _place: limited(api.config().limits.run_time, cancel, place),
        frames: VecDeque::new(),
    })
}

/// The whole body, within its limits of size and time.
async fn received(request: Request, limits: &ApiLimits) -> Result<Bytes, ApiError> {
    let body = tokio::time::timeout(limits.body_time, Bytes::from_request(request, &()))
        .await
        .map_err(|_elapsed| ApiError::TooSlow {
            limit: limits.body_time,
        })?;
    body.map_err(|refusal| match refusal.status() {
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::TooLarge {
            limit: limits.body_bytes,
        },
        _ => ApiError::BrokenOff,
    })
}

async fn begin(agent: &Agent, context: RunContext, wish: Wish) -> Result<TurnStream, ApiError> {
    Ok(match wish {
        Wish::Message(message) => agent.stream_turn(context, message).await?,
        Wish::Resume { answers, .. } => agent.resume(context, answers).await?,
    })
}

/// Whether the run wants one thing, of a thread that may exist: one that does not yet needs a long enough id.
async fn check(api: &Api, agent: &Agent, context: &RunContext, wish: &Wish) -> Result<(), ApiError> {
    let shortest = api.config().limits.thread_id_bytes;
    let id = &context.thread;
    let last = match wish {
        Wish::Resume { last: Some(last), .. } => last.id.as_deref(),
        _ => None,
    };
    if last.is_none() && id.as_str().len() >= shortest {
        return Ok(());
    }
    match (agent.thread(id).await?, last) {
        (None, _) if id.as_str().len() < shortest => Err(ApiError::Invalid(format!(
            "the thread id is shorter than {shortest} characters: choose a long random one, or send none"
        ))),
        (Some(thread), Some(last)) if !thread.messages.iter().any(|message| message.id == last) => Err(
            ApiError::Invalid("send a new message or answers to the open questions, not both".to_owned()),
        ),
        _ => Ok(()),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|media| media.trim().eq_ignore_ascii_case("application/json"))
}

pub(crate) async fn cancel(
    State(api): State<Api>,
    run: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    let agent = api.agent()?;
    let owners = &api.config().owners;
    let caller = owners.caller(&headers)?;
    let Path(run) = run?;
    let is_cancelled = RunId::parse(&run)
        .is_ok_and(|id| agent.cancel_if(&id, |owner| owners.admits(caller.as_deref(), owner)));
    if is_cancelled {
        Ok(StatusCode::ACCEPTED)
    } else {
        Err(ApiError::NotFound(format!("no run '{run}' is in progress here")))
    }
}
