//! `POST /runs`, and cancelling one.

use std::collections::VecDeque;

use axum::{
    body::Bytes,
    extract::{FromRequest as _, Path, Request, State},
};
use http::{HeaderMap, StatusCode, header};
use periplus_agent::{Agent, RunContext, RunId, ThreadId, TurnStream, UserMessage};
use tokio::time::Instant;

use crate::{
    Api, ApiLimits,
    caller::credentials,
    emitter::Emitter,
    error::ApiError,
    input::{RunInput, Wish},
    stream::RunStream,
};

pub(crate) async fn start(State(api): State<Api>, request: Request) -> Result<RunStream, ApiError> {
    let agent = api.agent()?;
    let headers = request.headers().clone();
    // A page of another origin can send other types without asking first.
    if !is_json(&headers) {
        return Err(ApiError::NotJson);
    }
    let mut input = RunInput::parse(&received(request, &api.config().limits).await?)?;
    let caller = api.config().owners.caller(&headers)?;
    let thread = input.thread_id.take().unwrap_or_else(ThreadId::random);
    let mut context = RunContext::new(thread.clone());
    if let Some(run) = input.run_id.take() {
        context.run = run;
    }
    context.credentials = credentials(&api, &headers)?;
    context.owner.clone_from(&caller);
    let wish = input.wish()?;
    check_thread(&api, agent, &thread, caller.as_deref(), &wish).await?;
    let permit = api.permit()?;
    let entry = api.enter(context.run.clone(), caller);
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
        deadline: Instant::now() + api.config().limits.run_time,
        cancel,
        _place: (entry, permit),
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

/// Whether the caller may go on with the thread, and wants one thing of it. A thread that does not exist yet is reached
/// by a message only, and its id must be long enough.
async fn check_thread(
    api: &Api,
    agent: &Agent,
    id: &ThreadId,
    caller: Option<&str>,
    wish: &Wish,
) -> Result<(), ApiError> {
    let shortest = api.config().limits.thread_id_bytes;
    let is_new_message = matches!(wish, Wish::Resume { last: Some(_), .. });
    if !api.config().owners.is_enforced() && !is_new_message && id.as_str().len() >= shortest {
        return Ok(());
    }
    let Some(thread) = agent.thread(id).await? else {
        if id.as_str().len() < shortest {
            return Err(ApiError::Invalid(format!(
                "the thread id is shorter than {shortest} characters: choose a long random one, or send none"
            )));
        }
        return Ok(());
    };
    let owner = thread.head.opening.owner.as_deref();
    if !api.config().owners.admits(caller, owner) {
        return Err(ApiError::no_thread(id));
    }
    match wish {
        Wish::Resume {
            last: Some(UserMessage { id: Some(last), .. }),
            ..
        } if !thread.messages.iter().any(|message| message.id == *last) => Err(ApiError::Invalid(
            "send a new message or answers to the open questions, not both".to_owned(),
        )),
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
    Path(run): Path<String>,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    let agent = api.agent()?;
    let caller = api.config().owners.caller(&headers)?;
    let missing = || ApiError::NotFound(format!("no run '{run}' is in progress here"));
    let id = RunId::parse(&run).map_err(|_malformed| missing())?;
    let owner = api.owner_of(&id).ok_or_else(missing)?;
    let may_cancel = api.config().owners.admits(caller.as_deref(), owner.as_deref());
    if may_cancel && agent.cancel(&id) {
        Ok(StatusCode::ACCEPTED)
    } else {
        Err(missing())
    }
}
